"""Which turns decide something or answer what was asked: the gatekeeper's patterns, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convgate.conversation import Turn
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.exchange import Exchange

_NO_LENGTHS = Limits(greeting=0, short_user=0, short_assistant=0)  # how long a turn is does not matter here
_QUOTED = 60  # characters


@dataclass(frozen=True, slots=True)
class Decided:
    """What a turn decides."""

    reason: str  # a sentence
    question: int | None = None  # the index of the turn that asked, where this one is the answer


def decided(turn: Turn, before: Sequence[Turn], *, user: bool) -> Decided | None:
    """What `turn` decides or answers; None when it does neither. `before` are the turns before it.

    A user's turn decides by its words, or by being a short answer to what the last turn before it asked; the
    assistant's turn by its words alone; instructions and tools' results decide nothing.
    """
    if user:
        asking = next(
            (
                index
                for index in range(len(before) - 1, -1, -1)
                if not before[index].is_instruction and before[index].text.strip()
            ),
            None,
        )
        found = check(Exchange(turn.text, previous=() if asking is None else (before[asking],)), _NO_LENGTHS)
        if found.rule == "answer":
            return Decided(f"it answers what was asked before (“{_cut(turn.text)}”).", asking)
    elif turn.role == "assistant" and turn.text:
        found = check(Exchange("", turn.text), _NO_LENGTHS)
    else:
        return None
    match = next((match for match in found.matches if match.category == "decision"), None)
    if match is None:
        return None
    return Decided(f"it states a decision (“{_cut(turn.text[match.start :].split(chr(10))[0])}”).")


def _cut(text: str) -> str:
    text = " ".join(text[: 4 * _QUOTED].split())
    return text if len(text) <= _QUOTED else f"{text[:_QUOTED].rsplit(' ', 1)[0]}…"
