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
    held = [one for one in invariants if one.held]
    sources = {one.source for one in held}
    texts = [
        (place, turns_from_messages([message])[0].text)
        for message, place in zip(messages, places, strict=True)
        if place is None or place in sources
    ]
    return [
        one
        for one in held
        if not any(one.text in text for place, text in texts if place is None or place == one.source)
    ]
