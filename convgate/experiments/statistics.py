"""Tests of an arm against the control: proportions, clusters, several hypotheses, sequential looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.extras import needs_extra

Floats = NDArray[np.float64]
K = TypeVar("K")

MIN_SESSIONS = 20
"""Sessions of each arm; with fewer, cluster-robust errors are too small."""

_GRID = 1_001  # points of a numerical integral
_MAX_Z = 9.0  # beyond which a boundary is never crossed


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two arms."""

    value: float  # arm − control
    low: float
    high: float
    p: float  # two-sided


@dataclass(frozen=True, slots=True, eq=False)
class TwoArmSample:
    """Trials of two arms with a known outcome, in any order. All arrays: (trials,)."""

    outcome: Floats  # 0 or 1
    is_arm: Floats  # 0 for the control, 1 for the arm
    sessions: NDArray[np.integer[Any]]
    tokens: Floats

    @property
    def is_enough(self) -> bool:
        """Return whether both arms have the sessions that a test needs."""
        counts = [len(np.unique(self.sessions[self.is_arm == side])) for side in (0, 1)]
        return min(counts) >= MIN_SESSIONS

    @property
    def tokens_follow_arm(self) -> bool:
        """Return whether each arm has a single number of tokens, and not the same one."""
        arms = [self.tokens[self.is_arm == side] for side in (0, 1)]
        return bool(np.ptp(self.tokens) > 0) and all(np.ptp(tokens) == 0 for tokens in arms)

    @property
    def totals(self) -> tuple[int, int]:
        """Return the trials of the control and of the arm."""
        return int(np.sum(self.is_arm == 0)), int(np.sum(self.is_arm == 1))

    @property
    def successes(self) -> tuple[int, int]:
        """Return the outcomes of 1 of the control and of the arm."""
        return int(self.outcome[self.is_arm == 0].sum()), int(self.outcome[self.is_arm == 1].sum())


def unclustered_difference(sample: TwoArmSample, alpha: float) -> Difference:
    """Return the two-proportion z-test, which takes all trials for independent; interval by Newcombe."""
    with needs_extra("train", "an experiment"):
        from statsmodels.stats.proportion import confint_proportions_2indep, proportions_ztest

    (control, arm), (n_control, n_arm) = sample.successes, sample.totals
    is_constant = control + arm in (0, n_control + n_arm)
    p = 1.0 if is_constant else proportions_ztest([arm, control], [n_arm, n_control])[1]
    low, high = confint_proportions_2indep(arm, n_arm, control, n_control, method="newcomb", alpha=alpha)
    return Difference(arm / n_arm - control / n_control, float(low), float(high), float(p))


def clustered_difference(sample: TwoArmSample, alpha: float, *, adjust_tokens: bool = False) -> Difference:
    """Return the difference by least squares with cluster-robust errors, by session.

    adjust_tokens: compare at equal tokens, by a linear term; undefined where `tokens_follow_arm`.
    """
    from scipy.stats import t as student

    with needs_extra("train", "an experiment"):
        from statsmodels.regression.linear_model import OLS

    columns = [np.ones(len(sample.outcome)), sample.is_arm]
    if adjust_tokens and np.ptp(sample.tokens) > 0:
        columns.append((sample.tokens - sample.tokens.mean()) / sample.tokens.std())
    groups = np.unique(sample.sessions, return_inverse=True)[1]
    fit = OLS(sample.outcome, np.column_stack(columns)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    value, error = float(fit.params[1]), float(fit.bse[1])
    if error < 1e-9:  # no session differs from the others of its arm
        mean, (n_control, n_arm) = sample.outcome.mean(), sample.totals
        error = float(np.sqrt(mean * (1 - mean) * (1 / n_control + 1 / n_arm))) or 1.0
    df = groups.max()  # sessions − 1
    margin = float(student.ppf(1 - alpha / 2, df)) * error
    p = float(2 * student.sf(abs(value) / error, df))
    return Difference(value, value - margin, value + margin, p)


def spent_alpha(alpha: float, fraction: float) -> float:
    """Return the error probability spent by an information fraction in 0…1, half of it on each side.

    By the spending function of Lan and DeMets (1983) of the O'Brien–Fleming type.

    >>> round(spent_alpha(0.05, 0.5), 5), round(spent_alpha(0.05, 1.0), 5)
    (0.00305, 0.05)
    """
    from scipy.stats import norm

    return float(4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(fraction)))


@lru_cache(1_024)
def nominal_levels(alpha: float, fractions: tuple[float, ...]) -> tuple[float, ...]:
    """Return the two-sided level of each look, such that all looks together have an error of `alpha`.

    fractions: information at each look, ascending. By recursive integration over a Brownian motion that has
    crossed no boundary (Armitage, McPherson and Rowe 1969).

    >>> [round(level, 5) for level in nominal_levels(0.05, (0.5, 1.0))]
    [0.00305, 0.049]
    """
    from scipy.optimize import brentq
    from scipy.stats import norm

    levels: list[float] = []
    points, mass = np.zeros(1), np.ones(1)  # at information 0, the value is 0
    before = spent = 0.0
    for fraction in fractions:
        root, step = np.sqrt(fraction), np.sqrt(fraction - before)
        to_spend = spent_alpha(alpha, fraction) - spent
        arguments = to_spend, root, step, points, mass
        is_too_early = _excess_crossing(_MAX_Z, *arguments) >= 0  # there is next to nothing to spend
        z = _MAX_Z if is_too_early else float(brentq(_excess_crossing, 0, _MAX_Z, arguments))
        levels.append(float(2 * norm.sf(z)))
        following = np.linspace(-z * root, z * root, _GRID)
        density = norm.pdf((following[:, None] - points) / step) @ mass / step
        points, mass = following, density * (following[1] - following[0])
        mass[[0, -1]] /= 2  # trapezoids
        before, spent = fraction, spent + to_spend
    return tuple(levels)


def _excess_crossing(
    z: float, to_spend: float, root: float, step: float, points: Floats, mass: Floats
) -> float:
    """Return the probability of a value beyond ±z·root after a step from the points, minus `to_spend`.

    points, mass: (n,) values before the step and their probability.
    """
    from scipy.stats import norm

    above, below = norm.sf((z * root - points) / step), norm.cdf((-z * root - points) / step)
    return float((above + below) @ mass) - to_spend


def reject(
    p_values: Sequence[Mapping[K, float | None]], alpha: float, fractions: Sequence[float]
) -> dict[K, int]:
    """Return the look, from 0, at which each rejected hypothesis was rejected.

    p_values: at each look that was reached, by hypothesis; None without enough data. Holm's procedure, where
    each share of alpha is spent over the looks (Maurer and Bretz 2013): a hypothesis stays rejected, and
    leaves its share to the others.
    """
    rejected: dict[K, int] = {}
    for look, by_name in enumerate(p_values):
        remaining = {name: p for name, p in by_name.items() if name not in rejected}
        while remaining:
            level = nominal_levels(alpha / len(remaining), tuple(fractions))[look]
            name, p = min(remaining.items(), key=lambda item: 1.0 if item[1] is None else item[1])
            if p is None or p > level:
                break
            rejected[name] = look
            del remaining[name]
    return rejected
