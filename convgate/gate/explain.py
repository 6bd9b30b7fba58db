"""Why the gate scored a turn as it did, measured rather than guessed.

The parts of a logit come with the scores (`GateScores.parts`, they add up exactly). Here is what costs
more: who attends to whom, and what really changes when a turn is left out or a word is hidden. Attention
is no proof of influence, so `links` are shown beside `leave_one_out`, which scores again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import GateError
from convgate.embedding.base import Embeddings, Encoder
from convgate.gate.facts import TurnFacts
from convgate.gate.model import CONTEXTUAL, Gate, GateScores, Message, State

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Link:
    """How much one turn attends to another, and what the other one's presence really does to its score."""

    turn: int  # row of the turn that attends
    other: int  # row of the turn attended to
    weight: float  # share of the turn's attention, 0…1
    effect: float  # the turn's score less its score with the other left out, −1…1


@dataclass(frozen=True, slots=True)
class WordEffect:
    """What one word of a turn does to the turn's semantic part."""

    start: int  # offset in the text
    stop: int
    effect: (
        float  # the semantic part less what it is without the word; positive: the word speaks for the turn
    )


def strongest_links(
    gate: Gate, state: State, message: Message, scores: GateScores, row: int, *, limit: int = 8
) -> list[Link]:
    """The turns that turn `row` attends to most, each beside the measured effect of leaving it out."""
    n = len(state)
    if not 0 <= row < n:
        raise GateError(f"row {row} asked for, but there are {n} scored turns")
    weights = gate.links(state, scores, [row])[0].copy()
    weights[row] = -1.0  # a turn's look at itself is no link
    others = np.argsort(-weights, kind="stable")[: min(limit, n - 1)]
    return [
        Link(row, int(other), float(weights[other]), effect)
        for other, effect in zip(
            others, effects_on(gate, state, message, scores, row, others.tolist()), strict=True
        )
    ]


def effects_on(
    gate: Gate, state: State, message: Message, scores: GateScores, row: int, others: Sequence[int]
) -> list[float]:
    """For each other turn: the score of turn `row` less its score when that turn is left out."""
    return [float(scores.scores[row] - leave_one_out(gate, state, message, other)[row]) for other in others]


def leave_one_out(gate: Gate, state: State, message: Message, row: int) -> NDArray[np.float64]:
    """(n,) the scores of all turns when turn `row` is not there, scored again; NaN at `row` itself."""
    keep = np.arange(len(state)) != row
    scores = np.full(len(state), np.nan)
    scores[keep] = gate.score(gate.without(state, row), message).scores
    return scores


def edited(
    gate: Gate,
    state: State,
    message: Message,
    row: int,
    embedding: Embeddings,
    facts: TurnFacts | None = None,
) -> GateScores:
    """The scores when turn `row` had the (d,) embedding and the facts given instead, scored again."""
    return gate.score(gate.replaced(state, row, embedding, facts), message)


def word_effects(
    gate: Gate, encoder: Encoder, text: str, state: State, message: Message, *, limit: int = 60
) -> list[WordEffect]:
    """What each of the first `limit` words does to the semantic part, by hiding one after the other."""
    words = list(_WORD.finditer(text))[:limit]
    if not words:
        return []
    without = [text[: word.start()] + text[word.end() :] for word in words]
    semantic = gate.semantic(encoder.encode([text, *without]), state, message)
    return [
        WordEffect(word.start(), word.end(), float(semantic[0] - part))
        for word, part in zip(words, semantic[1:], strict=True)
    ]


def relevance_matrix(
    gate: Gate,
    state: State,
    messages: Sequence[Message],
    *,
    progress: Callable[[int, int], object] | None = None,
) -> NDArray[np.float32]:
    """(n, n) entry [i, j]: score of turn j when turn i is the current one; NaN where j is not earlier.

    `messages` has each turn as a message, n of them.
    """
    n = len(state)
    matrix = np.full((n, n), np.nan, dtype=np.float32)
    for current in range(1, n):
        matrix[current, :current] = gate.score(gate.first(state, current), messages[current]).scores
        if progress:
            progress(current + 1, n)
    return matrix


def named_parts(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts of one turn's logit by name, the attention tier's share last; they add up to the logit."""
    return dict(sorted(parts.items(), key=lambda item: item[0] == CONTEXTUAL))
