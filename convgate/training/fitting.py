"""The learned threshold: where the selection does best over all sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from convgate.gate.model import Gate
from convgate.gate.thresholds import Anchored, Rule
from convgate.training.dividing import Parts
from convgate.training.episodes import Episode, batches

_THRESHOLDS = np.linspace(0.2, 0.8, 61)
_MOST = 100  # conversations of a set


@torch.no_grad()
def fit_threshold(gate: Gate, sets: Mapping[str, Sequence[Episode]], *, anchor: float = 0.0) -> float | None:
    """Set the gate's threshold, between 0.2 and 0.8, where the sets' mean F1 is highest, and tell it.

    The F1 of a set is micro over all judged turns of its cases; among thresholds that are equally good, the
    middle one is taken. Sets of questions put from outside, for which a handful out of hundreds of turns
    matters, are left out unless there are no others. anchor: nothing counts as kept in a case where no turn
    scores as much, as the anchored rule has it. None, and no change, when no case has anything relevant.
    """
    flow = {name: episodes for name, episodes in sets.items() if not all(map(_is_typed, episodes))}
    curves = [
        curve for episodes in (flow or sets).values() if (curve := _f1(gate, episodes, anchor)) is not None
    ]
    if not curves:
        return None
    curve = np.mean(curves, axis=0)
    highest = np.flatnonzero(curve == curve.max())
    best = float(_THRESHOLDS[highest[len(highest) // 2]])
    gate.threshold_logit.fill_(float(np.log(best / (1 - best))))
    return best


def fit_parts(gate: Gate, parts: Parts, rule: Rule) -> float | None:
    """The same on what the parts hold for it, for the rule that decides; else on what is trained on."""
    anchor = rule.anchor if isinstance(rule, Anchored) else 0.0
    found = fit_threshold(gate, parts.fitted, anchor=anchor)
    return fit_threshold(gate, parts.training, anchor=anchor) if found is None else found


def _is_typed(episode: Episode) -> bool:
    return all(question.typed for question in episode.questions)


def _f1(gate: Gate, episodes: Sequence[Episode], anchor: float) -> NDArray[np.float64] | None:
    scores, labels = [], []
    for episode in episodes[:_MOST]:
        for cases in batches(gate, episode):
            output = gate(cases.turns, cases.messages, cases.mask)
            each = torch.sigmoid(output.logit) * cases.mask
            each = each * (each.amax(dim=1, keepdim=True) >= anchor)
            scores.append(each[cases.judged].numpy())
            labels.append(cases.relevant[cases.judged].numpy())
    if not scores or not (relevant := np.concatenate(labels)).any():
        return None
    reached = np.searchsorted(_THRESHOLDS, np.concatenate(scores), side="right")  # how many thresholds
    kept, found = (
        np.bincount(reached, weights, minlength=len(_THRESHOLDS) + 1)[:0:-1].cumsum()[::-1]
        for weights in (None, relevant)
    )
    return np.asarray(2 * found / (kept + relevant.sum()))
