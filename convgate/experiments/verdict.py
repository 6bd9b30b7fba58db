"""Compare the arms of an experiment with its control, and judge each by the rule for success."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.text import format_share, format_signed, join_words
from convgate.experiments.arms import Arm, Experiment, Hypothesis, Limit
from convgate.experiments.statistics import (
    MIN_SESSIONS,
    Difference,
    Floats,
    Proportions,
    Sample,
    clustered_difference,
    nominal_levels,
    reject,
    two_proportions,
)

MIN_GAINS: Mapping[Hypothesis, float] = {"completion": 0.10, "errors": 0.15}
"""Relative improvement from which a significant difference is a success."""

_DIRECTIONS: Mapping[Hypothesis, int] = {"completion": 1, "errors": -1}  # of an improvement


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Rated trials of all arms in the order of their first rating. Arrays: (trials,)."""

    arm: NDArray[np.integer[Any]]  # index in `Experiment.arms`
    sessions: NDArray[np.integer[Any]]
    tokens: Floats
    outcomes: Mapping[Hypothesis, Floats]  # 0 or 1; NaN where it is not decided

    def sample(self, hypothesis: Hypothesis, arm: int, stop: int) -> Sample:
        """Return the decided trials of an arm and the control among the first `stop`."""
        values = self.outcomes[hypothesis][:stop]
        rows = np.flatnonzero(~np.isnan(values) & np.isin(self.arm[:stop], (0, arm)))
        is_arm = (self.arm[rows] == arm).astype(np.float64)
        return Sample(values[rows], is_arm, self.sessions[rows], self.tokens[rows])


@dataclass(frozen=True, slots=True)
class HypothesisTest:
    """The test of one hypothesis for one arm, at the last look that was reached."""

    hypothesis: Hypothesis
    trials: tuple[int, int]  # decided, of control and arm
    control_rate: float | None  # share of completed requests, or of answers with errors; None without any
    arm_rate: float | None
    relative: float | None  # difference / control_rate
    difference: Difference | None  # None before the first look, or without enough sessions
    at_equal_tokens: Difference | None  # None also when each arm has a single number of tokens
    unclustered: Proportions | None  # the z-test that takes trials for independent, for comparison
    rejected_at: int | None  # the look, from 0, at which the arms were found to differ

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
    limit: Limit  # matched: the confirmatory comparison; free: a supporting one
    tests: tuple[HypothesisTest, ...]
    verdict: Verdict


def compare(columns: Columns, experiment: Experiment) -> tuple[Comparison, ...]:
    """Return the comparison of each arm with the control, by the trials of the last look that was reached.

    Later trials are ignored until the next look, so that a report may be read at any time. Arms with matched
    and with free tokens are two families of hypotheses.
    """
    stops = experiment.stops
    reached = [stop for stop in stops if stop <= len(columns.arm)]
    comparisons = {}
    for limit in ("matched", "free"):
        indices = [i for i, arm in enumerate(experiment.arms) if i and arm.limit == limit]
        keys = {f"{h} {i}": (h, i) for i in indices for h in experiment.hypotheses}
        p_values = [
            {name: _p_value(columns.sample(*key, stop), experiment.alpha) for name, key in keys.items()}
            for stop in reached
        ]
        rejected = reject(p_values, experiment.alpha, experiment.looks)
        for index in indices:
            tests = tuple(
                _test(columns, experiment, hypothesis, index, reached, rejected.get(f"{hypothesis} {index}"))
                for hypothesis in experiment.hypotheses
            )
            arm = experiment.arms[index]
            missing = "" if reached else f"{len(columns.arm):,} of {stops[0]:,} rated trials"
            verdict = _judge(arm, experiment, tests, missing)
            comparisons[index] = Comparison(arm.name, arm.limit, tests, verdict)
    return tuple(comparisons[index] for index in sorted(comparisons))


def _p_value(sample: Sample, alpha: float) -> float | None:
    return clustered_difference(sample, alpha).p if sample.is_enough else None


def _test(
    columns: Columns,
    experiment: Experiment,
    hypothesis: Hypothesis,
    arm: int,
    reached: list[int],
    rejected_at: int | None,
) -> HypothesisTest:
    sample = columns.sample(hypothesis, arm, reached[-1] if reached else len(columns.arm))
    totals = int(np.sum(sample.is_arm == 0)), int(np.sum(sample.is_arm == 1))
    control, candidate = (rate if total else None for rate, total in zip(sample.rates(), totals, strict=True))
    relative = candidate / control - 1 if control and candidate is not None else None
    if not reached or not sample.is_enough:
        return HypothesisTest(hypothesis, totals, control, candidate, relative, None, None, None, None)
    alpha = nominal_levels(experiment.alpha, experiment.looks)[len(reached) - 1]
    successes = int(sample.outcome[sample.is_arm == 0].sum()), int(sample.outcome[sample.is_arm == 1].sum())
    return HypothesisTest(
        hypothesis,
        totals,
        control,
        candidate,
        relative,
        clustered_difference(sample, alpha),
        None if sample.tokens_follow_arm else clustered_difference(sample, alpha, adjust_tokens=True),
        two_proportions(successes, totals, alpha),
        rejected_at,
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
    doubts = [(test, _doubts(test, arm, experiment)) for test in rejected]
    for test, of_test in doubts:
        if not of_test:
            return Verdict("success", f"Success: {_evidence(test, *names)}.")
    test, of_test = doubts[0] if doubts else (tests[0], _doubts(tests[0], arm, experiment))
    return Verdict("inconclusive", f"Inconclusive, as {join_words(of_test)}: {_evidence(test, *names)}.")


def _doubts(test: HypothesisTest, arm: Arm, experiment: Experiment) -> list[str]:
    """Return why a test is no success."""
    if test.difference is None:
        return [f"an arm has fewer than {MIN_SESSIONS} sessions"]
    if test.rejected_at is None:
        return ["the difference is not significant"]
    doubts = []
    min_gain, adjusted = MIN_GAINS[test.hypothesis], test.at_equal_tokens
    if test.gain < min_gain:
        doubts.append(f"the improvement is below {min_gain:.0%}")
    if adjusted is None or adjusted.value * test.difference.value <= 0 or adjusted.p > experiment.alpha:
        doubts.append("the length of the context may explain it")
    if arm.limit != "matched":
        doubts.append("the arms had different budgets")
    return doubts


def _evidence(test: HypothesisTest, arm: str, control: str) -> str:
    subject = (
        "completes {} of the requests"
        if test.hypothesis == "completion"
        else "has errors in {} of the answers"
    )
    rates = [_share(rate) for rate in (test.arm_rate, test.control_rate)]
    parts = [] if test.relative is None else [f"{format_signed(100 * test.relative, 1)}% relative"]
    if test.difference is not None:
        low, high = (format_signed(100 * end, 1) for end in (test.difference.low, test.difference.high))
        adjusted = "unknown" if test.at_equal_tokens is None else _p(test.at_equal_tokens.p)
        p_values = f"p {_p(test.difference.p)}, at equal tokens {adjusted}"
        parts += [f"difference between {low} and {high} points", p_values]
    return f"{arm} {subject.format(rates[0])}, {control} {rates[1]}" + (
        f" ({'; '.join(parts)})" if parts else ""
    )


def _share(rate: float | None) -> str:
    return "an unknown share" if rate is None else format_share(rate)


def _p(value: float) -> str:
    """Return a p-value with its relation.

    >>> _p(0.0321), _p(2e-9)
    ('= 0.032', '< 0.001')
    """
    return "< 0.001" if value < 0.001 else f"= {value:.2g}"
