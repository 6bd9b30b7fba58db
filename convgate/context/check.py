"""Whether every invariant that has to hold stands in a finished context.

Written apart from the packing on purpose, and simpler: it looks at the messages that go out and at nothing
that led to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.context.invariant import Invariant
from convgate.transcripts import turns_from_messages

Place = int | None
"""The index of a message in its conversation; None for one that is not of the conversation."""


def missing_invariants(
    invariants: Sequence[Invariant], messages: Sequence[Mapping[str, Any]], places: Sequence[Place]
) -> list[Invariant]:
    """Those that have to hold, and whose words stand neither in their turn's message nor in an added one."""
    at: dict[Place, list[Mapping[str, Any]]] = {}
    for message, place in zip(messages, places, strict=True):
        at.setdefault(place, []).append(message)
    added = at.pop(None, [])
    return [
        one
        for one in invariants
        if one.held and not any(_says(message, one.text) for message in (*at.get(one.source, ()), *added))
    ]


def _says(message: Mapping[str, Any], words: str) -> bool:
    content = message.get("content")
    plain = isinstance(content, str) and words in content
    return plain or words in turns_from_messages([message])[0].text
