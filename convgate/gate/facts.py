"""What a turn tells about itself without any model: who speaks, whom it names, its words, its form."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache

from convgate.conversation import Situation, Turn
from convgate.gate.words import stems

_WORD = re.compile(r"\w+")
_AROUND = ",:;.!?'\"()<>@*"
_CODE = re.compile(r"```|\(\)|\{|https?://")
_POINTING = frozenset(
    {"he", "her", "him", "his", "it", "its", "one", "ones", "she", "that", "their", "them", "these", "they"}
    | {"this", "those"}
)  # English words that point to something said before
_COMPARING = frozenset(
    {"another", "between", "both", "compare", "compared", "difference", "differences", "else", "instead"}
    | {"other", "others", "than", "versus", "vs"}
)  # English words that set something against what was said before
_MOST_WORDS = 2_000  # of a turn that are looked at: a pasted log of 100,000 words costs no more


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """One turn, whatever conversation it stands in."""

    speaker: str  # case folded: the name, else the role
    named: bool  # whether the speaker has a name, by which others can address them
    tokens: frozenset[str]  # case folded, with and without the signs within a nick
    stems: Mapping[str, int]  # how often each one occurs
    length: float  # ln(1 + words)
    minutes: float  # of its time since 1970, NaN when it has none; times without a zone as if in UTC
    question: bool
    code: bool  # code or an address of the web
    assistant: bool
    pointing: int  # how many different words point to something said before
    comparing: int
    typed: bool  # a question put from outside, not a turn of the conversation


def facts_of(turn: Turn) -> TurnFacts:
    """The facts of a turn of a conversation."""
    return _facts(turn.scored_text, turn.role, turn.name, _minutes(turn), typed=False)


def situation_facts(situation: Situation) -> TurnFacts:
    """The facts of the message that has to be answered."""
    turn = situation.turn
    return _facts(turn.scored_text, turn.role, turn.name, _minutes(turn), typed=situation.index is None)


@lru_cache(maxsize=20_000)
def _facts(text: str, role: str, name: str | None, minutes: float | None, *, typed: bool) -> TurnFacts:
    low = text.casefold()
    words = set(_WORD.findall(low))
    found = stems(text)[:_MOST_WORDS]
    return TurnFacts(
        speaker=(name or role).casefold(),
        named=bool(name),
        tokens=frozenset(words | {token.strip(_AROUND) for token in low.split()}),
        stems=Counter(found),
        length=math.log1p(len(found)),
        minutes=math.nan if minutes is None else minutes,
        question="?" in text or "？" in text or "؟" in text,
        code=bool(_CODE.search(text)),
        assistant=role == "assistant",
        pointing=len(words & _POINTING),
        comparing=len(words & _COMPARING),
        typed=typed,
    )


def _minutes(turn: Turn) -> float | None:
    if turn.timestamp is None:
        return None
    time = turn.timestamp if turn.timestamp.tzinfo else turn.timestamp.replace(tzinfo=UTC)
    return time.timestamp() / 60
