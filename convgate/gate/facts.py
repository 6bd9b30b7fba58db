"""Facts of a single turn, computed without a model: its speaker, whom it names, its words, its form."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from functools import lru_cache

from convgate.core.conversation import CurrentMessage, Turn
from convgate.gate.cues import ngrams_of, shipped_cues
from convgate.gate.words import stems, words

_PUNCTUATION = ",:;.!?'\"()<>@*"
_CODE = re.compile(r"```|\(\)|\{|https?://")
_POINTING = frozenset(
    {"he", "her", "him", "his", "it", "its", "one", "ones", "she", "that", "their", "them", "these", "they"}
    | {"this", "those"}
)  # English words that point to something said before
_COMPARING = frozenset(
    {"another", "between", "both", "compare", "compared", "difference", "differences", "else", "instead"}
    | {"other", "others", "than", "versus", "vs"}
)  # English words that set something against what was said before
_IDENTIFIER = re.compile(r"\b(?:\w*[\d_]\w*|[A-Z]{2,}\w*|[a-z]+[A-Z]\w*)|(?<=[a-z,;] )[A-Z]\w+")
_LISTED = re.compile(r"^[^\S\n]*(?:\d+[.)]|[-*•])\s", re.MULTILINE)
_ORDINAL = re.compile(
    r"\b(?:first|second|third|fourth|fifth|last|former|latter|\d+(?:st|nd|rd|th)"
    r"|(?:number|option|step|item|point) ?#?(?:\d+|[a-d])\b)|#\d",
    re.IGNORECASE,
)
_MAX_CHARACTERS = 20_000  # that are searched for signs of form
_MAX_WORDS = 2_000  # that are read of a turn: a pasted log of 100,000 words costs no more
_MAX_CACHED, _MAX_CACHED_CHARACTERS = 10_000, 500  # texts whose facts are cached, at most 100 MB


@dataclass(frozen=True, slots=True)
class TurnFacts:
    """The facts of one turn, whatever conversation it is part of."""

    speaker: str  # case folded: the name, else the role
    named: bool  # whether the speaker has a name, by which others can address them
    tokens: frozenset[str]  # case folded, with and without the signs within a nick
    stems: Mapping[str, int]  # how often each one occurs
    length: float  # ln(1 + words), of 2,000 at most
    minutes: float  # of its time since 1970, NaN when it has none; times without a zone as if in UTC
    question: bool
    code: bool  # code or an address of the web
    assistant: bool
    pointing: int  # how many different words point to something said before
    comparing: int
    typed: bool  # a question put from outside, not a turn of the conversation
    identifiers: frozenset[str]  # stems of numbers, names and what is written like code
    listed: bool  # whether it has a list
    ordinal: bool  # whether it names an item of a list by its number
    needs: float  # log odds that, as a message, it needs something said before
    instruction: float  # log odds that it states a lasting instruction; the usual ones for an assistant


def facts_of(turn: Turn, *, typed: bool = False) -> TurnFacts:
    """Return the facts of a turn of a conversation, or of a question that was typed."""
    text = turn.scored_text
    compute = _cached_facts if len(text) <= _MAX_CACHED_CHARACTERS else _facts
    minutes = None  # not NaN, which no cache finds again
    if turn.timestamp is not None:
        time = turn.timestamp if turn.timestamp.tzinfo else turn.timestamp.replace(tzinfo=UTC)
        minutes = time.timestamp() / 60
    return compute(text, turn.role, turn.name, minutes, typed=typed)


def current_facts(current: CurrentMessage) -> TurnFacts:
    """Return the facts of the message that has to be answered."""
    return facts_of(current.turn, typed=current.index is None)


def _facts(text: str, role: str, name: str | None, minutes: float | None, *, typed: bool) -> TurnFacts:
    ordered = words(text)[:_MAX_WORDS]
    distinct = frozenset(ordered)
    start, cues = text[:_MAX_CHARACTERS], shipped_cues()
    assistant = role == "assistant"
    return TurnFacts(
        speaker=(name or role).casefold(),
        named=bool(name),
        tokens=distinct.union(token.strip(_PUNCTUATION) for token in text.casefold().split()[:_MAX_WORDS]),
        stems=Counter(stems(ordered)),
        length=math.log1p(len(ordered)),
        minutes=math.nan if minutes is None else minutes,
        question="?" in text or "？" in text or "؟" in text,
        code=bool(_CODE.search(text)),
        assistant=assistant,
        pointing=len(distinct & _POINTING),
        comparing=len(distinct & _COMPARING),
        typed=typed,
        identifiers=frozenset(stems([match.casefold() for match in _IDENTIFIER.findall(start)])),
        listed=bool(_LISTED.search(start)),
        ordinal=bool(_ORDINAL.search(start)),
        needs=cues["needs"].logit(ngrams_of(text)),
        instruction=cues["instruction"].max_logit("" if assistant else start),
    )


_cached_facts = lru_cache(maxsize=_MAX_CACHED)(_facts)
