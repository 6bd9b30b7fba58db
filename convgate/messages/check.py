"""What is wrong with a list of messages, if anything: the other half of `make_valid`.

Written apart from the repair on purpose, and simpler, so that each can be tested by the other.

    >>> check_valid([{"role": "tool", "tool_call_id": "a", "content": "31 °C"}])[0]
    "orphan_result: message 0 answers the call 'a', which no message before it makes"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from convgate.core.conversation import CHAT_ROLES, Turn
from convgate.transcripts.message_reader import find_mark, link_turn
from convgate.transcripts.openai_messages import turn_from_message


def check_valid(messages: Sequence[Turn | Mapping[str, Any]], *, user_first: bool = False) -> list[str]:
    """Return each violation of what chat APIs ask of a list, as `rule: sentence`; empty when it is valid.

    Takes turns or OpenAI-style messages (legacy function calls too). The rules:

    - `empty`: there is a message to send.
    - `first_user`: the first message that is no instruction comes from a user, if `user_first`.
    - `last`: the last message is a user's or a tool's.
    - `orphan_result`: every result answers an open call before it, matched by id.
    - `incomplete_tool_unit`: every call has its result. A unit that the last message is in is still going
      on, and may lack some.
    - `incomplete_response`: reasoning of the Responses API is followed by what it led to.
    - `unknown_role`: every message has a role that a chat API knows (CHAT_ROLES). Turns may have any, as
      `to_messages` gives them one that is known; a message is sent as it is.

    Time is linear in messages, and in calls that are open at once.

    Raises TranscriptError when a message is malformed.
    """
    if not messages:
        return ["empty: there is no message to send"]
    turns: list[Turn] = []
    for message in messages:
        turns.append(message if isinstance(message, Turn) else _read(message, turns))
    return [
        *_roles(messages, turns),
        *_ends(turns, user_first=user_first),
        *_responses(turns),
        *_tools(turns),
    ]


def _read(message: Mapping[str, Any], before: Sequence[Turn]) -> Turn:
    found, known = find_mark(message), {"role": "user", **message}
    turn = found[0].read(known, "message") if found else turn_from_message(known)
    return link_turn(replace(turn, source=message), before)


_RESULTS = frozenset({"tool", "function"})  # roles


def _kind(turn: Turn) -> str:
    if turn.is_instruction:
        return "instruction"
    if turn.role in _RESULTS or turn.tool_call_id:
        return "result"
    if turn.role == "assistant" or (turn.tool_calls and turn.role != "user"):
        return "assistant"
    return "user"


def _roles(messages: Sequence[Turn | Mapping[str, Any]], turns: Sequence[Turn]) -> list[str]:
    return [
        f"unknown_role: message {index} has the role {message.get('role')!r}, which no chat API knows"
        for index, (message, turn) in enumerate(zip(messages, turns, strict=True))
        if not isinstance(message, Turn)
        and (turn.role if find_mark(message) else message.get("role")) not in CHAT_ROLES
    ]


def _responses(turns: Sequence[Turn]) -> list[str]:
    return [
        f"incomplete_response: message {index} is not followed by the rest of the response that it begins"
        for index, turn in enumerate(turns)
        if turn.needs_next and not any(following.continues for following in turns[index + 1 : index + 2])
    ]


def _ends(turns: Sequence[Turn], *, user_first: bool) -> list[str]:
    violations = []
    first = next((index for index, turn in enumerate(turns) if not turn.is_instruction), None)
    if user_first and first is not None and _kind(turns[first]) != "user":
        violations.append(
            f"first_user: message {first} ({turns[first].role}) comes before any message from a user"
        )
    if _kind(turns[-1]) not in {"user", "result"}:
        violations.append(f"last: the last message is neither a user's nor a tool's, but {turns[-1].role}")
    return violations


def _tools(turns: Sequence[Turn]) -> list[str]:
    violations: list[str] = []
    waiting: list[tuple[int, str, str]] = []  # (message, id, name) of open calls, nearest last
    going_on = len(turns) - 1  # the message whose calls may still wait
    for index, turn in enumerate(turns):
        if not (turn.tool_calls or turn.tool_call_id or turn.role in _RESULTS):
            continue
        kind = _kind(turn)
        if kind == "assistant":
            waiting.extend((index, call.id, call.name) for call in turn.tool_calls)
        if kind != "result":
            continue
        for answered in (turn.tool_call_id, *turn.also_answers):
            places = range(len(waiting) - 1, -1, -1)
            nearest = next((place for place in places if _answers(turn, answered, waiting[place])), None)
            if nearest is None:
                which = answered or turn.name
                call_named = f"the call {which!r}" if which else "a call"
                violations.append(
                    f"orphan_result: message {index} answers {call_named}, which no message before it makes"
                )
                continue
            call, *_ = waiting.pop(nearest)
            if index == len(turns) - 1:
                going_on = call
    violations.extend(
        f"incomplete_tool_unit: message {call} makes the call {id or name!r}, which has no result"
        for call, id, name in waiting
        if call != going_on
    )
    return violations


def _answers(turn: Turn, answered: str | None, call: tuple[int, str, str]) -> bool:
    _, id, name = call
    return answered in (id, name) if answered else turn.name in {None, "", name}
