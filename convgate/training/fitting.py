"""The learned threshold: where the selection does best over all sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from convgate.gate.model import Gate
from convgate.training.episodes import Episode, batch

_THRESHOLDS = np.linspace(0.2, 0.8, 61)
_MOST = 100  # conversations of a set


@torch.no_grad()
def fit_threshold(gate: Gate, sets: Mapping[str, Sequence[Episode]]) -> float | None:
    """Set the gate's threshold, between 0.2 and 0.8, where the sets' mean F1 is highest; None: no case.

    The F1 of a set is micro over all turns of its cases.
    """
    curves = [curve for episodes in sets.values() if (curve := _f1(gate, episodes)) is not None]
    if not curves:
        return None
    best = float(_THRESHOLDS[int(np.argmax(np.mean(curves, axis=0)))])
    gate.threshold_logit.fill_(float(np.log(best / (1 - best))))
    return best


def _f1(gate: Gate, episodes: Sequence[Episode]) -> NDArray[np.float64] | None:
    scores, labels = [], []
    for episode in episodes[:_MOST]:
        cases = batch(gate, episode, range(len(episode.questions)))
        output = gate(cases.turns, cases.messages, cases.mask)
        scores.append(torch.sigmoid(output.logit)[cases.mask].numpy())
        labels.append(cases.relevant[cases.mask].numpy())
    if not scores or not (relevant := np.concatenate(labels)).any():
        return None
    kept = np.concatenate(scores)[:, None] >= _THRESHOLDS
    found = (kept * relevant[:, None]).sum(axis=0)
    return np.asarray(2 * found / (kept.sum(axis=0) + relevant.sum()))
