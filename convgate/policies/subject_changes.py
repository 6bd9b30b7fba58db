"""Where a conversation may turn to another subject, by what the gate scores and by the encoder's vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation
from convgate.core.decisions import Floats
from convgate.embedding.base import Embeddings, Progress
from convgate.gate.arrays import logistic
from convgate.gatekeeper.phrases import is_small_talk
from convgate.messages.units import is_from_user
from convgate.policies.gate import GatePolicy

MIN_SHARE = 0.6
"""Less probable changes are no candidates."""

_NEAR = 4  # turns before a message that it may belong to
_WINDOW = 2  # turns on either side of a gap
_MAX_MESSAGES = 200  # the newest ones that are looked at
_BEST, _DEPTH, _BIAS = -0.57, 2.55, -1.13  # fitted by `python -m tools.subject_figures --fit`


def find_subject_changes(
    gate: GatePolicy, conversation: Conversation, *, progress: Progress | None = None
) -> dict[int, float]:
    """Return how probable it is that a message begins another subject, MIN_SHARE…1, by turn.

    Of the newest 200 messages of the user but the first. Courtesies begin none, nor do messages after which
    one returns to what was said before them, themselves included: a session that begins there would lose it.
    """
    rows, features, logits = change_features(gate, conversation, progress=progress)
    shares = logistic(features @ np.array([_BEST, _DEPTH]) + _BIAS)
    turns = conversation.turns
    return {
        row: float(share)
        for place, (row, share) in enumerate(zip(rows, shares, strict=True))
        if share >= MIN_SHARE and not is_small_talk(turns[row].text)
        if not any(_needs(each, row) for each in logits[place:])
    }


def _needs(logits: Floats, row: int) -> bool:
    """Return whether a message needs a turn before `row` more than one from it on, or just before itself."""
    start = min(row, len(logits) - _NEAR)
    far = float(logits[: max(start, 0)].max(initial=-np.inf))
    return far > max(0.0, float(logits[max(start, 0) :].max(initial=-np.inf)))


def change_features(
    gate: GatePolicy, conversation: Conversation, *, progress: Progress | None = None
) -> tuple[list[int], NDArray[np.float64], list[NDArray[np.float64]]]:
    """Return the n messages of the user that may begin a subject, (n, 2) features, and the logits of each.

    The features are the best logit of the turns just before, and the depth.
    """
    turns = conversation.turns
    rows = [row for row, turn in enumerate(turns) if is_from_user(turn)][1:][-_MAX_MESSAGES:]
    if not rows:
        return [], np.zeros((0, 2)), []
    gate.encode_turns(turns, progress)
    vectors = gate.encoder.encode([turn.scored_text for turn in turns])
    logits = [gate.gate.score(*gate.read(*conversation.at(row))).logits for row in rows]
    best = [float(each[-_NEAR:].max()) for each in logits]
    return rows, np.column_stack([best, _depths([cohesion(vectors, row) for row in rows])]), logits


def cohesion(vectors: Embeddings, row: int) -> float:
    """Return the cosine of the sums of the (n, d) vectors of the two turns before and from `row`."""
    before, after = vectors[max(0, row - _WINDOW) : row].sum(axis=0), vectors[row : row + _WINDOW].sum(axis=0)
    return float(before @ after / max(float(np.linalg.norm(before) * np.linalg.norm(after)), 1e-9))


def _depths(cohesions: Sequence[float]) -> list[float]:
    """Return how deep each gap is between the peaks on either side: TextTiling (Hearst 1997).

    >>> _depths([0.5, 0.1, 0.4])
    [0.0, 0.7, 0.0]
    """
    depths = []
    for place, value in enumerate(cohesions):
        peaks = 0.0
        for side in (cohesions[place::-1], cohesions[place:]):
            peak = value
            for other in side:
                if other < peak:
                    break
                peak = other
            peaks += peak
        depths.append(round(peaks - 2 * value, 6))
    return depths
