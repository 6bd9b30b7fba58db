"""Which turns decide something or answer what was asked: the gatekeeper's patterns, turn by turn."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from convgate.context.wording import quoted
from convgate.conversation import Turn
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.exchange import Exchange

_NO_LENGTHS = Limits(greeting=0, short_user=0, short_assistant=0)  # how long a turn is does not matter here
_REMEMBERED = 16_384  # texts
_LONGEST = 4_000  # characters of a text that is remembered


@dataclass(frozen=True, slots=True)
class Decided:
    """What a turn decides."""

    reason: str  # a sentence
    answers: bool = False  # whether it is the answer to what was asked before
    question: int | None = None  # the index of the turn that asked it


def decided(turn: Turn, before: Sequence[Turn], *, user: bool) -> Decided | None:
    """What `turn` decides or answers; None when it does neither. `before` are the turns before it.

    A user's turn decides by its words, or by being a short answer to what the last turn before it asked; the
    assistant's turn by its words alone; instructions and tools' results decide nothing.
    """
    if not user:
        return _found(turn.text, "", user=False) if turn.role == "assistant" and turn.text else None
    asking = next(
        (
            index
            for index in range(len(before) - 1, -1, -1)
            if not before[index].is_instruction and before[index].text.strip()
        ),
        None,
    )
    found = _found(turn.text, "" if asking is None else before[asking].text, user=True)
    return replace(found, question=asking) if found is not None and found.answers else found


def _found(text: str, asked: str, *, user: bool) -> Decided | None:
    if len(text) + len(asked) <= _LONGEST:
        return _remembered(text, asked, user=user)
    return _look(text, asked, user=user)


@functools.lru_cache(_REMEMBERED)
def _remembered(text: str, asked: str, *, user: bool) -> Decided | None:
    return _look(text, asked, user=user)


def _look(text: str, asked: str, *, user: bool) -> Decided | None:
    if user:
        previous = (Turn.of("assistant", asked),) if asked else ()
        found = check(Exchange(text, previous=previous), _NO_LENGTHS)
        if found.rule == "answer":
            return Decided(f"it answers what was asked before ({quoted(text)}).", answers=True)
    else:
        found = check(Exchange("", text), _NO_LENGTHS)
    match = next((match for match in found.matches if match.category == "decision"), None)
    if match is None:
        return None
    said, _, _ = text[match.start :].partition("\n")
    return Decided(f"it states a decision ({quoted(said)}).")
