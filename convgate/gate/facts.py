"""Facts of a single turn: its speaker, whom it names, its words, its form, and its cues."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from convgate.core.conversation import CurrentMessage, Turn
from convgate.embedding.base import Embeddings, Encoder, Progress
from convgate.embedding.cache import encode_together
from convgate.embedding.states import excerpt, states_beside
from convgate.gate.arrays import Floats
from convgate.text.words import stems, words


class Cues(NamedTuple):
    """Log odds by the text of a user's turn; 0 where they are not read."""

    needs: float = 0.0  # that, as a message, it needs something said before
    continues: float = 0.0  # that it needs the exchange just before
    returns: float = 0.0  # that it needs something said before that
    begins: float = 0.0  # that it begins a subject
    instruction: float = 0.0  # that it states a lasting instruction


NO_CUES = Cues()


@dataclass(frozen=True, eq=False, slots=True)
class CueModel:
    """Linear models over the encoder's states that predict the part of a text in a conversation, one a cue.

    They read what a user wrote, by the bundled encoder's states after its fourth layer, which represents
    whether a text leans on another better than the last. They are fitted on texts that come with convgate
    (`tools/pretraining/cues.py`); the encoder of a gate may be another one.
    """

    weight: Floats  # (5, d)
    bias: Floats  # (5,)

    def read(self, states: Embeddings) -> list[Cues]:
        """Return the cues of texts by their (n, d) states."""
        return [Cues(*logits) for logits in (states @ self.weight.T + self.bias).tolist()]


@cache
def shipped_cues() -> CueModel:
    """Return the model that comes with convgate."""
    with resources.as_file(resources.files("convgate.gate").joinpath("cues.npz")) as file:
        arrays = np.load(file)
        return CueModel(arrays["weight"], arrays["bias"])


_PUNCTUATION = ",:;.!?'\"()<>@*"
_CODE = re.compile(r"```|\(\)|\{|https?://")
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
    question: bool
    code: bool  # code or an address of the web
    assistant: bool
    typed: bool  # a question put from outside, not a turn of the conversation
    cues: Cues = NO_CUES


def facts_of(turn: Turn, *, typed: bool = False) -> TurnFacts:
    """Return the facts of a turn of a conversation, or of a question that was typed."""
    text = turn.scored_text
    compute = _cached_facts if len(text) <= _MAX_CACHED_CHARACTERS else _facts
    return compute(text, turn.role, turn.name, typed=typed)


def read_facts(turns: Sequence[Turn], states: Encoder) -> list[TurnFacts]:
    """Return the facts of turns of a conversation; states: the encoder that their cues are read by."""
    return _with_cues([facts_of(turn) for turn in turns], turns, states)


def current_facts(current: CurrentMessage, states: Encoder) -> TurnFacts:
    """Return the facts of the message that has to be answered."""
    (facts,) = _with_cues([facts_of(current.turn, typed=current.index is None)], [current.turn], states)
    return facts


def cue_text(turn: Turn) -> str:
    """Return what the cues of a turn are read from; empty for what no user wrote."""
    return excerpt(turn.scored_text) if turn.role == "user" else ""


def encode_with_cues(turns: Sequence[Turn], encoder: Encoder, *, progress: Progress | None = None) -> None:
    """Encode the turns, and what their cues are read from, in one pass into the encoders' caches."""
    texts = [text for turn in turns if (text := cue_text(turn)).strip()]
    wanted = (encoder, [turn.scored_text for turn in turns]), (states_beside(encoder), texts)
    encode_together(*wanted, progress=progress)


def _with_cues(facts: list[TurnFacts], turns: Sequence[Turn], states: Encoder) -> list[TurnFacts]:
    texts = {row: text for row, turn in enumerate(turns) if (text := cue_text(turn)).strip()}
    if texts:
        cues = shipped_cues().read(states.encode(list(texts.values())))
        for row, each in zip(texts, cues, strict=True):
            facts[row] = replace(facts[row], cues=each)
    return facts


def _facts(text: str, role: str, name: str | None, *, typed: bool) -> TurnFacts:
    ordered = words(text)[:_MAX_WORDS]
    distinct = frozenset(ordered)
    return TurnFacts(
        speaker=(name or role).casefold(),
        named=bool(name),
        tokens=distinct.union(token.strip(_PUNCTUATION) for token in text.casefold().split()[:_MAX_WORDS]),
        stems=Counter(stems(ordered)),
        length=math.log1p(len(ordered)),
        question="?" in text or "？" in text or "؟" in text,
        code=bool(_CODE.search(text)),
        assistant=role == "assistant",
        typed=typed,
    )


_cached_facts = lru_cache(maxsize=_MAX_CACHED)(_facts)
