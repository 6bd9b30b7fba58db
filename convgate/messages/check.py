"""What is wrong with a list of messages, if anything: the other half of `make_valid`.

Written apart from the repair on purpose, and simpler, so that each can be tested by the other.

    >>> check_valid([{"role": "tool", "tool_call_id": "a", "content": "31 °C"}])[1]
    "orphan_result: message 0 answers the call 'a', which no message before it makes"
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import CHAT_ROLES, Turn


def check_valid(messages: Sequence[Turn | Mapping[str, Any]]) -> list[str]:
    """Every violation of what chat APIs ask of a list, named as `rule: sentence`; empty when it is valid.

    Takes turns or OpenAI-style messages (legacy function calls too). The rules:

    - `empty`: there is a message to send.
    - `first_user`: the first message that is no instruction comes from a user, not the assistant or a tool.
    - `last`: the last message is a user's or a tool's.
    - `orphan_result`: every result answers an open call before it, matched by id.
    - `incomplete_tool_unit`: every call has its result. A unit that the last message is in is still going
      on, and may lack some.
    - `unknown_role`: every message has a role that a chat API knows (CHAT_ROLES). Turns may have any, as
      `to_messages` gives them one that is known; a message is sent as it is.

    Time is linear in messages, and in calls that are open at once.
    """
    if not messages:
        return ["empty: there is no message to send"]
    seen = [_seen(message) for message in messages]
    return [*_roles(messages), *_ends(seen), *_tools(seen)]


@dataclass(frozen=True)
class _Seen:
    role: str
    calls: tuple[tuple[str, str], ...]  # (id, name), "" where there is none
    answers: str  # the id of the call, or ""
    name: str

    @property
    def kind(self) -> str:
        if self.role in {"system", "developer"}:
            return "instruction"
        if self.role in {"tool", "function"} or self.answers:
            return "result"
        if self.role == "assistant" or (self.calls and self.role != "user"):
            return "assistant"
        return "user"


def _roles(messages: Sequence[Turn | Mapping[str, Any]]) -> list[str]:
    return [
        f"unknown_role: message {index} has the role {message.get('role')!r}, which no chat API knows"
        for index, message in enumerate(messages)
        if not isinstance(message, Turn) and message.get("role") not in CHAT_ROLES
    ]


def _ends(seen: Sequence[_Seen]) -> list[str]:
    violations = []
    for index, message in enumerate(seen):
        if message.kind == "instruction":
            continue
        if message.kind != "user":
            violations.append(
                f"first_user: message {index} ({message.role}) comes before any message from a user"
            )
        break
    if seen[-1].kind not in {"user", "result"}:
        violations.append(f"last: the last message is neither a user's nor a tool's, but {seen[-1].role}")
    return violations


def _tools(seen: Sequence[_Seen]) -> list[str]:
    violations: list[str] = []
    waiting: list[tuple[int, str, str]] = []  # (message, id, name) of open calls, nearest last
    going_on = len(seen) - 1  # the message whose calls may still wait
    for index, message in enumerate(seen):
        if message.kind == "assistant":
            waiting.extend((index, id, name) for id, name in message.calls)
        if message.kind != "result":
            continue
        for place in range(len(waiting) - 1, -1, -1):
            call, id, name = waiting[place]
            if message.answers == id if message.answers else message.name in {"", name}:
                del waiting[place]
                if index == len(seen) - 1:
                    going_on = call
                break
        else:
            which = message.answers or message.name
            call_named = f"the call {which!r}" if which else "a call"
            violations.append(
                f"orphan_result: message {index} answers {call_named}, which no message before it makes"
            )
    violations.extend(
        f"incomplete_tool_unit: message {call} makes the call {id or name!r}, which has no result"
        for call, id, name in waiting
        if call != going_on
    )
    return violations


def _seen(message: Turn | Mapping[str, Any]) -> _Seen:
    if isinstance(message, Turn):
        return _Seen(
            role=message.role,
            calls=tuple((call.id, call.name) for call in message.tool_calls),
            answers=message.tool_call_id or "",
            name=message.name or "",
        )
    calls = [(call.get("id"), _called(call)) for call in message.get("tool_calls") or ()]
    if legacy := message.get("function_call"):
        calls.append((None, legacy.get("name")))
    return _Seen(
        role=str(message.get("role") or ""),
        calls=tuple((id or "", name or "") for id, name in calls),
        answers=message.get("tool_call_id") or "",
        name=message.get("name") or "",
    )


def _called(call: Mapping[str, Any]) -> str | None:
    """Return the name in a call's `function`, or its `custom` for tools that take free text."""
    name: str | None = (call.get("function") or call.get("custom") or {}).get("name")
    return name
