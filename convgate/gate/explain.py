"""Why the gate scored a turn as it did, measured rather than guessed.

The parts of a logit come with the scores (`GateScores.parts`, they add up exactly). This module computes
attention links between turns, and how the scores change when a turn is left out or a word is hidden.
Attention is no proof of influence, so each link comes with the effect that `leave_out` measures.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import GateError
from convgate.embedding.base import Encoder
from convgate.gate.model import Gate, GateScores, GateState, Message

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Link:
    """How much one turn attends to another, and how its score changes when the other is left out."""

    turn: int  # row of the turn that attends
    other: int  # row of the turn attended to
    weight: float  # share of the turn's attention, 0…1
    effect: float  # the turn's score less its score with the other left out, −1…1


@dataclass(frozen=True, slots=True)
class WordEffect:
    """The effect of one word of a turn on the turn's semantic part."""

    start: int  # offset in the text
    stop: int
    effect: float  # the semantic part less what it is without the word


def strongest_links(
    gate: Gate, state: GateState, message: Message, scores: GateScores, row: int, *, limit: int = 8
) -> list[Link]:
    """Return the turns that turn `row` attends to most, each with the measured effect of leaving it out."""
    n = len(state)
    if not 0 <= row < n:
        raise GateError(f"row {row} asked for, but there are {n} scored turns")
    weights = gate.links(state, scores, [row])[0].copy()
    weights[row] = 0.0  # a turn's attention to itself is no link
    others = np.argsort(-weights, kind="stable")[:limit]
    links = []
    for other in others[weights[others] > 0].tolist():
        left_out = leave_out(gate, state, message, other)
        links.append(Link(row, other, float(weights[other]), float(scores.scores[row] - left_out[row])))
    return links


def leave_out(gate: Gate, state: GateState, message: Message, *rows: int) -> NDArray[np.float64]:
    """Return (n,) the scores of all turns with those of `rows` removed; NaN at these."""
    mask = ~np.isin(np.arange(len(state)), rows)
    scores = np.full(len(state), np.nan)
    for row in sorted(rows, reverse=True):
        state = gate.remove_turn(state, row)
    scores[mask] = gate.score(state, message).scores
    return scores


def word_effects(
    gate: Gate, encoder: Encoder, text: str, state: GateState, message: Message, *, limit: int = 60
) -> list[WordEffect]:
    """Return the effect of each of the first `limit` words on the semantic part, by hiding one at a time."""
    words = list(_WORD.finditer(text))[:limit]
    if not words:
        return []
    texts = [text[: word.start()] + text[word.end() :] for word in words]
    semantic = gate.semantic(encoder.encode([text, *texts]), state, message)
    return [
        WordEffect(word.start(), word.end(), float(semantic[0] - part))
        for word, part in zip(words, semantic[1:], strict=True)
    ]


def relevance_matrix(
    gate: Gate,
    state: GateState,
    messages: Sequence[Message],
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.float32]:
    """Return (n, n), entry [i, j] the score of turn j when turn i is current; NaN where j is not earlier.

    `messages` has each turn as a message, n of them.
    """
    n = len(state)
    matrix = np.full((n, n), np.nan, dtype=np.float32)
    for current in range(1, n):
        matrix[current, :current] = gate.score(state.first(current), messages[current]).scores
        if progress:
            progress(current + 1, n)
    return matrix
