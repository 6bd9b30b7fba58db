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

from convgate.core.errors import EvaluationError
from convgate.evaluation.metrics import Terms
from convgate.evaluation.tuning import ScoredCases
from convgate.gate.promise import expected_missed, write_levels
from convgate.gate.thresholds import MaxMissed

PROMISES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5)


def min_conversations(promise: float) -> int:
    """Return how many labelled conversations a promise takes, when nothing is missed in any of them.

    >>> min_conversations(0.02), min_conversations(0.1)
    (49, 9)
    """
    return math.ceil(1 / promise - 1e-9) - 1


class Losses:
    """How much of what they need conversations lose at each level."""

    def __init__(self, scored: ScoredCases) -> None:
        """Take the cases of `scored` that need a turn."""
        levels, weights, clusters = [], [], []
        asked = [
            case for case in zip(scored.cases, scored.clusters.tolist(), strict=True) if case[0].needed.any()
        ]
        n_cases = np.bincount([cluster for _, cluster in asked], minlength=scored.conversations)
        for case, cluster in asked:
            missed = expected_missed(case.scores, case.tokens)[case.rows][case.needed]
            levels.append(missed)
            weights.append(np.full(len(missed), 1 / (len(missed) * n_cases[cluster])))
            clusters.append(np.full(len(missed), cluster))
        order = np.argsort(np.concatenate([*levels, np.zeros(0)]), kind="stable")
        self.levels: Terms = np.concatenate([*levels, np.zeros(0)])[
            order
        ]  # at which each needed turn is lost
        self.weights: Terms = np.concatenate([*weights, np.zeros(0)])[order]  # what that adds to the loss
        self.conversations = int((n_cases > 0).sum())

    def risks(self) -> NDArray[np.float64]:
        """Return (m,) the mean loss over conversations at each of `levels`."""
        return np.asarray(np.cumsum(self.weights) / max(1, self.conversations))

    def level(self, promise: float, *, correct: bool = True) -> float | None:
        """Return the largest level that keeps the promise; None when there are too few conversations.

        correct: whether for a finite number of conversations; without, it holds on these alone.
        """
        n, risks = self.conversations, self.risks()
        if correct:
            risks = (n * risks + 1) / (n + 1)
            if n < min_conversations(promise):
                return None
        broken = np.flatnonzero(risks > promise + 1e-12)
        if not len(broken):
            return 1.0
        return _round_down(float(self.levels[broken[0]]))


def calibrate_promise(scored: ScoredCases, rule: MaxMissed, *, fitted_on: str = "") -> MaxMissed:
    """Return the rule with the levels that keep each promise on conversations like these.

    Promises for which there are too few conversations follow the smallest one in proportion. Raises
    EvaluationError when there are too few for the rule's own.
    """
    return replace(
        rule, levels=write_levels(fit_levels([Losses(scored)], rule.max_missed)), fitted_on=fitted_on
    )


def fit_levels(kinds: Sequence[Losses], promise: float) -> list[tuple[float, float]]:
    """Return the promises and their levels, each for the kind of conversations that asks for the lowest.

    Raises EvaluationError when no kind has enough conversations for the promise.
    """
    if all(losses.level(promise) is None for losses in kinds):
        most = max((losses.conversations for losses in kinds), default=0)
        raise EvaluationError(
            f"a promise of {promise:.1%} takes {min_conversations(promise)} labelled conversations in which a"
            f" message needs a turn; there are {most}"
        )
    levels: list[tuple[float, float]] = []
    for each in sorted({*PROMISES, promise}):
        known = [losses.level(each) for losses in kinds]
        known += [losses.level(each, correct=False) for losses in kinds]
        if any(losses.level(each) is not None for losses in kinds):
            lowest = min(level for level in known if level is not None)
            levels.append((each, max(lowest, levels[-1][1] if levels else 0.0)))
    return levels


def _round_down(level: float) -> float:
    """Return a level just below, of four digits: at the level itself the turn would be lost."""
    scale = 10.0 ** (4 - math.ceil(math.log10(max(level, 1e-9))))
    return max(0.0, (math.ceil(level * scale - 1e-6) - 1) / scale)
