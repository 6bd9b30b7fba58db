"""Compare the arms of an experiment with its control, and judge each by the rule for success."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.text import format_share, format_signed, join_words
from convgate.experiments.arms import Arm, Experiment, Hypothesis, TokenLimit
from convgate.experiments.statistics import (
    MIN_SESSIONS,
    Difference,
    Floats,
    TwoArmSample,
    clustered_difference,
    nominal_levels,
    reject,
    unclustered_difference,
)

MIN_GAINS: Mapping[Hypothesis, float] = {"completion": 0.10, "errors": 0.15}
"""Relative improvement from which a significant difference is a success."""

_DIRECTIONS: Mapping[Hypothesis, int] = {"completion": 1, "errors": -1}  # of an improvement


@dataclass(frozen=True, slots=True, eq=False)
class TrialColumns:
    """Rated trials of all arms in the order of their first rating. Arrays: (trials,)."""

    arm: NDArray[np.integer[Any]]  # index in `Experiment.arms`
    sessions: NDArray[np.integer[Any]]
    tokens: Floats
    outcomes: Mapping[Hypothesis, Floats]  # what is tested: 0 or 1; NaN where it is not decided

    def sample(self, hypothesis: Hypothesis, arm: int, stop: int) -> TwoArmSample:
        """Return the decided trials of an arm and the control among the first `stop`."""
        values = self.outcomes[hypothesis][:stop]
        rows = np.flatnonzero(~np.isnan(values) & np.isin(self.arm[:stop], (0, arm)))
        is_arm = (self.arm[rows] == arm).astype(np.float64)
        return TwoArmSample(values[rows], is_arm, self.sessions[rows], self.tokens[rows])


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """The test of one hypothesis for one arm, at the last look that was reached."""

    hypothesis: Hypothesis
    trials: tuple[int, int]  # decided, of control and arm
    control_rate: float | None  # share of completed requests, or of answers with errors; None without any
    arm_rate: float | None
    difference: Difference | None = None  # None before the first look, or without enough sessions
    at_equal_tokens: Difference | None = None  # None also when each arm has a single number of tokens
    unclustered: Difference | None = None  # takes trials for independent, for comparison
    rejected_at: int | None = None  # the look, from 0, at which the arms were found to differ

    @property
    def relative(self) -> float | None:
        """Return the difference / the control's rate."""
        return (
            None if not self.control_rate or self.arm_rate is None else self.arm_rate / self.control_rate - 1
        )

    @property
    def gain(self) -> float:
        """Return the relative improvement, positive when the arm is better, of a rate of 0 infinite."""
        if self.relative is None:
            return math.inf if self.is_better else 0.0
        return _DIRECTIONS[self.hypothesis] * self.relative

    @property
    def is_better(self) -> bool:
        """Return whether a difference that was found is an improvement."""
        return self.difference is not None and self.difference.value * _DIRECTIONS[self.hypothesis] > 0


@dataclass(frozen=True, slots=True)
class Verdict:
    """Success, failure or inconclusive, with its evidence in one sentence."""

    kind: Literal["success", "failure", "inconclusive"]
    sentence: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """An arm compared with the control."""

    arm: str
    limit: TokenLimit  # matched: the confirmatory comparison; free: a supporting one
    tests: tuple[HypothesisTest, ...]
    verdict: Verdict


def compare(columns: TrialColumns, experiment: Experiment) -> tuple[Comparison, ...]:
    """Return the comparison of each arm with the control, by the trials of the last look that was reached.

    Later trials are ignored until the next look, so that a report may be read at any time. Arms with matched
    and with free tokens are two families of hypotheses.
    """
    reached = [stop for stop in experiment.stops if stop <= len(columns.arm)]
    keys = [(i, hypothesis) for i in range(1, len(experiment.arms)) for hypothesis in columns.outcomes]
    rejected: dict[tuple[int, Hypothesis], int] = {}
    for limit in ("matched", "free"):
        family = [key for key in keys if experiment.arms[key[0]].limit == limit]
        p_values = [
            {key: _p_value(columns.sample(key[1], key[0], stop), experiment.alpha) for key in family}
            for stop in reached
        ]
        rejected |= reject(p_values, experiment.alpha, experiment.looks)
    comparisons = []
    for index, arm in enumerate(experiment.arms[1:], start=1):
        tests = tuple(
            _test(columns, experiment, hypothesis, index, len(reached), rejected.get((index, hypothesis)))
            for hypothesis in columns.outcomes
        )
        n_missing = "" if reached else f"{len(columns.arm):,} of {experiment.stops[0]:,} rated trials"
        comparisons.append(Comparison(arm.name, arm.limit, tests, _judge(arm, experiment, tests, n_missing)))
    return tuple(comparisons)


def _p_value(sample: TwoArmSample, alpha: float) -> float | None:
    return clustered_difference(sample, alpha).p if sample.is_enough else None


def _test(
    columns: TrialColumns,
    experiment: Experiment,
    hypothesis: Hypothesis,
    arm: int,
    looks: int,
    rejected_at: int | None,
) -> HypothesisTest:
    """Return a test at the last of the looks that were reached."""
    sample = columns.sample(hypothesis, arm, experiment.stops[looks - 1] if looks else len(columns.arm))
    control, candidate = (
        count / total if total else None for count, total in zip(sample.successes, sample.totals, strict=True)
    )
    test = HypothesisTest(hypothesis, sample.totals, control, candidate, rejected_at=rejected_at)
    if not looks or not sample.is_enough:
        return test
    alpha = nominal_levels(experiment.alpha, experiment.looks)[looks - 1]
    return replace(
        test,
        difference=clustered_difference(sample, alpha),
        at_equal_tokens=None
        if sample.tokens_follow_arm
        else clustered_difference(sample, alpha, adjust_tokens=True),
        unclustered=unclustered_difference(sample, alpha),
    )


def _judge(arm: Arm, experiment: Experiment, tests: tuple[HypothesisTest, ...], missing: str) -> Verdict:
    if missing:
        return Verdict(
            "inconclusive", f"Inconclusive: not enough data yet for {arm.name}, {missing} for the first look."
        )
    names = arm.name, experiment.control.name
    rejected = [test for test in tests if test.rejected_at is not None]
    for test in rejected:
        if not test.is_better:
            return Verdict("failure", f"Failure: {_evidence(test, *names)}.")
    doubts = [(test, _doubts(test, arm, experiment)) for test in rejected or tests[:1]]
    test, of_test = next((pair for pair in doubts if not pair[1]), doubts[0])
    if not of_test:
        return Verdict("success", f"Success: {_evidence(test, *names)}.")
    return Verdict("inconclusive", f"Inconclusive, as {join_words(of_test)}: {_evidence(test, *names)}.")


def _doubts(test: HypothesisTest, arm: Arm, experiment: Experiment) -> list[str]:
    """Return why a test is no success."""
    if test.difference is None:
        return [f"one of both has fewer than {MIN_SESSIONS} sessions"]
    if test.rejected_at is None:
        return ["the difference is not significant"]
    doubts = []
    min_gain, adjusted = MIN_GAINS[test.hypothesis], test.at_equal_tokens
    if test.gain < min_gain:
        doubts.append(f"the improvement is below {min_gain:.0%}")
    if adjusted is None or adjusted.value * test.difference.value <= 0 or adjusted.p > experiment.alpha:
        doubts.append("the length of the context may explain it")
    if arm.limit != "matched":
        doubts.append("their budgets differed")
    return doubts


def _evidence(test: HypothesisTest, arm: str, control: str) -> str:
    is_completion = test.hypothesis == "completion"
    subject = "completes {} requests" if is_completion else "has errors in {} answers"
    rates = ((test.control_rate, test.trials[0]), (test.arm_rate, test.trials[1]))
    control_rate, arm_rate = (
        f"{'an unknown share' if rate is None else format_share(rate)} of {trials:,}"
        for rate, trials in rates
    )
    parts = [] if test.relative is None else [f"{format_signed(100 * test.relative, 1)}% relative"]
    if test.difference is not None:
        low, high = (format_signed(100 * end, 1) for end in (test.difference.low, test.difference.high))
        adjusted = "unknown" if test.at_equal_tokens is None else _p(test.at_equal_tokens.p)
        p_values = f"p {_p(test.difference.p)}, at equal tokens {adjusted}"
        parts += [f"difference between {low} and {high} points", p_values]
    details = f" ({'; '.join(parts)})" if parts else ""
    return f"{arm} {subject.format(arm_rate)}, {control} {control_rate}{details}"


def _p(value: float) -> str:
    """Return a p-value with its relation.

    >>> _p(0.0321), _p(2e-9)
    ('= 0.032', '< 0.001')
    """
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"
