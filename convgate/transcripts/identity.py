"""Ids: from the file where it has them, from the content where it has none, and never two alike."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.problems import Report


def given_id(fields: Mapping[str, Any], *names: str) -> str | None:
    """Return the first of the named fields that holds an id: text, or a whole number."""
    for name in names:
        value = fields.get(name)
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
        for text in (turn.role, turn.name or "", turn.scored_text):
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(f"{len(encoded)}:".encode() + encoded)
    return f"c-{digest.hexdigest()[:12]}"


class Ids:
    """Gives each conversation of a file an id of its own, and each of its turns that has one too."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._conversations: dict[str, int] = {}

    def make_unique(self, conversation: Conversation, line: int | None) -> Conversation:
        """Return the conversation with ids that nothing before it has; what was changed is a warning."""
        wanted = conversation.id or content_id(conversation.turns)
        id = _unused(wanted, self._conversations)
        if id != wanted:
            self._report.warn(f"another conversation is {wanted!r} too; this one is called {id!r}", line=line)
        used: dict[str, int] = {}
        turns = []
        for index, turn in enumerate(conversation.turns):
            if turn.id is not None and (unique := _unused(turn.id, used)) != turn.id:
                self._report.warn(
                    f"turn {index} has the id {turn.id!r} of an earlier one; it is called {unique!r}",
                    line=line,
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
