"""Where a conversation may turn to another subject, by what the gate scores and by the encoder's vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation
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

    Of the newest 200 messages of the user but the first. Courtesies begin none, nor do messages that return
    to what was said before: a session that begins there would not have it.
    """
    rows, features = change_features(gate, conversation, progress=progress)
    shares = logistic(features[:, :2] @ np.array([_BEST, _DEPTH]) + _BIAS)
    turns = conversation.turns
    return {
        row: float(share)
        for row, (near, _, far), share in zip(rows, features.tolist(), shares, strict=True)
        if share >= MIN_SHARE and far <= max(near, 0.0) and not is_small_talk(turns[row].text)
    }


def change_features(
    gate: GatePolicy, conversation: Conversation, *, progress: Progress | None = None
) -> tuple[list[int], NDArray[np.float64]]:
    """Return the n messages of the user that may begin a subject, and (n, 3).

    The best logit of the turns just before, the depth, and the best logit of all before those.
    """
    turns = conversation.turns
    rows = [row for row, turn in enumerate(turns) if is_from_user(turn)][1:][-_MAX_MESSAGES:]
    if not rows:
        return [], np.zeros((0, 3))
    gate.encode_turns(turns, progress)
    vectors = gate.encoder.encode([turn.scored_text for turn in turns])
    logits = [gate.gate.score(*gate.read(*conversation.at(row))).logits for row in rows]
    near, far = (
        [float(each.max(initial=-np.inf)) for each in parts]
        for parts in zip(*((each[-_NEAR:], each[:-_NEAR]) for each in logits), strict=True)
    )
    return rows, np.column_stack([near, _depths([cohesion(vectors, row) for row in rows]), far])


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
