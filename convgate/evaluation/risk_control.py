"""Conformal risk control: the level at which a promise on missed turns holds.

A promise is about the expected share of the needed turns that is lost. With R(λ) the mean loss over n
labelled conversations when the level is λ, the largest λ with

    (n · R(λ) + 1) / (n + 1) ≤ promise

keeps the promise on a further conversation from where these came from (Angelopoulos, Bates, Fisch, Lei and
Schuster, "Conformal risk control", 2022). A conversation's loss is the mean over its cases that need a turn.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import EvaluationError
from convgate.evaluation.metrics import Terms
from convgate.evaluation.tuning import ScoredCases
from convgate.gate.promise import expected_missed, min_conversations, write_levels
from convgate.gate.thresholds import MaxMissed

_SHARED = 25  # conversations that the mean of all kinds counts as in the risk of each kind
PROMISES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


class Losses:
    """How much of what they need conversations lose at each level."""

    def __init__(self, scored: ScoredCases) -> None:
        """Take the cases of `scored` that need a turn which can be sent at all."""
        levels, weights, clusters = [], [], []
        for case, cluster in zip(scored.cases, scored.clusters.tolist(), strict=True):
            missed = case.reach(expected_missed(case.scores, case.tokens))[case.needed]
            if len(missed := missed[missed > -np.inf]):
                levels.append(missed)
                clusters.append(cluster)
        n_cases = np.bincount(clusters, minlength=scored.conversations)
        for missed, cluster in zip(levels, clusters, strict=True):
            weights.append(np.full(len(missed), 1 / (len(missed) * n_cases[cluster])))
        at, adds = (np.concatenate([*parts, np.zeros(0)]) for parts in (levels, weights))
        order = np.argsort(at, kind="stable")
        self.levels: Terms = at[order]  # at which each needed turn is lost
        self.weights: Terms = adds[order]  # what that adds to the loss
        self.conversations = int((n_cases > 0).sum())

    def risks(self, levels: Floats) -> NDArray[np.float64]:
        """Return (m,) the mean loss over conversations at (m,) levels."""
        sums = np.concatenate([[0.0], np.cumsum(self.weights)])
        lost = sums[np.searchsorted(self.levels, levels, side="right")]
        return np.asarray(lost / max(1, self.conversations))


def calibrate_promise(scored: ScoredCases, rule: MaxMissed, *, fitted_on: str = "") -> MaxMissed:
    """Return the rule with the levels that keep each promise on conversations like these.

    Raises EvaluationError when there are too few for the rule's own promise.
    """
    levels = fit_levels([Losses(scored)], rule.max_missed)
    return replace(rule, levels=write_levels(levels), fitted_on=fitted_on)


def fit_levels(kinds: Sequence[Losses], promise: float) -> list[tuple[float, float]]:
    """Return PROMISES and the given one, each with the largest level that keeps it.

    Of several kinds of conversations, the risk is half their mean and half that of the worst one, where a
    kind of k conversations counts by k / (k + 25), and the mean for the rest: of 10 conversations, a single
    lost turn is .01 or more and would decide alone. A promise for which there are too few conversations is
    left out: `level_of` takes it in proportion to the next one.

    Raises EvaluationError when there are too few conversations for the given promise.
    """
    n = sum(losses.conversations for losses in kinds)
    wanted = min_conversations(promise) if promise > 0 else math.inf
    if n < wanted:
        raise EvaluationError(
            f"a promise of {promise:.1%} takes {wanted:,} labelled conversations in which a message needs a"
            f" turn; there are {n:,}"
        )
    candidates = np.unique(np.concatenate([losses.levels for losses in kinds]))
    candidates = candidates[np.isfinite(candidates)]
    kinds = [losses for losses in kinds if losses.conversations]
    risks = np.stack([losses.risks(candidates) for losses in kinds])
    sizes = np.array([[losses.conversations] for losses in kinds])
    mean = risks.mean(axis=0)
    worst = ((sizes * risks + _SHARED * mean) / (sizes + _SHARED)).max(axis=0)
    risk = (n * (mean + worst) / 2 + 1) / (n + 1)
    levels: list[tuple[float, float]] = []
    for each in sorted({*PROMISES, promise}):
        if n >= min_conversations(each):
            broken = np.flatnonzero(risk > each + 1e-12)
            levels.append((each, _round_down(float(candidates[broken[0]])) if len(broken) else 1.0))
    return levels


def _round_down(level: float) -> float:
    """Return a level just below, of four digits: at the level itself the turn would be lost."""
    scale = 10.0 ** (4 - math.ceil(math.log10(max(level, 1e-9))))
    return max(0.0, (math.ceil(level * scale - 1e-6) - 1) / scale)
