"""Ids: from the file where it has them, from the content where it has none, and never two alike."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.fields import value_at
from convgate.transcripts.problems import Report


def given_id(fields: Any, *paths: str) -> str | None:
    """Return the first id at one of the paths of an object, as in `value_at`: a text, or a whole number."""
    for path in "|".join(paths).split("|") if len(paths) > 1 or "|" in paths[0] else paths:
        value = value_at(fields, path)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            with suppress(ValueError):  # Python writes no number of thousands of digits as text
                return str(value)
    return None


def content_id(turns: Iterable[Turn]) -> str:
    """Return an id that depends on who said what alone: 12 hexadecimal digits after `c-`.

    >>> content_id([Turn.of("user", "Hi")])
    'c-9807f130494d'
    """
    digest = hashlib.sha256()
    for turn in turns:
        digest.update(turn.said)
    return f"c-{digest.hexdigest()[:12]}"


def pair_calls(turns: Iterable[Turn], *, all_turns: bool = False) -> tuple[Turn, ...]:
    """Return the turns with ids for calls of tools that have none, and for the results that follow them.

    A result without an id is that of the first such call since the user's last message which has no result
    yet. Messages that are written as they came keep what they have, unless `all_turns`.

    >>> from convgate.core.conversation import ToolCall
    >>> call = Turn("assistant", tool_calls=(ToolCall("", "search", "{}"),))
    >>> [turn.tool_call_id for turn in pair_calls([call, Turn.of("tool", "Found.")])]
    [None, 'call-1']
    """
    paired, waiting, n_calls = [], deque[str](), 0
    for turn in turns:
        if (turn.source is None or all_turns) and not all(call.id for call in turn.tool_calls):
            calls = []
            for call in turn.tool_calls:
                if not call.id:
                    n_calls += 1
                    call = replace(call, id=f"call-{n_calls}")
                    waiting.append(call.id)
                calls.append(call)
            turn = replace(turn, tool_calls=tuple(calls))
        elif turn.role in ("tool", "function") and not turn.tool_call_id and waiting:
            turn = replace(turn, tool_call_id=waiting.popleft())
        elif turn.role == "user":
            waiting.clear()
        paired.append(turn)
    return tuple(paired)


def make_ids_unique(
    conversation: Conversation, used: dict[str, int], report: Report, line: int | None
) -> Conversation:
    """Return the conversation with an id that is not yet `used`, and one for each turn that has one.

    Changed ids are warnings in the report. used: as `_unused` notes them, for the conversations of one file.
    """
    wanted = conversation.id or content_id(conversation.turns)
    id = _unused(wanted, used)
    if id != wanted:
        report.warn(f"another conversation is {wanted!r} too; this one is called {id!r}", line=line)
    turn_ids: dict[str, int] = {}
    turns = []
    for index, turn in enumerate(conversation.turns):
        if turn.id is not None and (unique := _unused(turn.id, turn_ids)) != turn.id:
            report.warn(
                f"turn {index} has the id {turn.id!r} of an earlier one; it is called {unique!r}", line=line
            )
            turn = replace(turn, id=unique)
        turns.append(turn)
    return replace(conversation, id=id, turns=tuple(turns))


def _unused(wanted: str, used: dict[str, int]) -> str:
    """`wanted`, or with the first number behind it that makes it new; noted as used."""
    unique = wanted
    while unique in used:
        used[wanted] = used.get(wanted, 1) + 1
        unique = f"{wanted}-{used[wanted]}"
    used[unique] = 1
    return unique
