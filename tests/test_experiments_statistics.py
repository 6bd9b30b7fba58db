"""Statistics of experiments: published boundaries, known truths, the rule for success."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom, norm
from statsmodels.stats.multitest import multipletests

from convgate.core.errors import ExperimentError
from convgate.experiments.arms import Hypothesis
from convgate.experiments.power import DESIGN_PER_ARM, PowerPlan
from convgate.experiments.statistics import (
    TwoArmSample,
    clustered_difference,
    nominal_levels,
    reject,
    unclustered_difference,
)
from convgate.experiments.verdict import Comparison, TrialColumns, compare
from tests.experiments import new_experiment
from tools.experiment_figures import SimulationResult, Truth, simulate, two_arms

COMPLETION: tuple[Hypothesis, ...] = ("completion",)
EQUAL, BETTER = Truth((0.65, 0.65), (0.2, 0.2)), Truth((0.65, 0.715), (0.2, 0.2))


def sample_of(sides: Mapping[int, list[list[int]]]) -> TwoArmSample:
    """Return a sample from outcomes of sessions by side."""
    rows = [
        (outcome, side, (side, session))
        for side, sessions in sides.items()
        for session, outcomes in enumerate(sessions)
        for outcome in outcomes
    ]
    labels = sorted({label for *_, label in rows})
    return TwoArmSample(
        np.array([outcome for outcome, *_ in rows], dtype=float),
        np.array([side for _, side, _ in rows], dtype=float),
        np.array([labels.index(label) for *_, label in rows]),
        np.ones(len(rows)),
    )


def columns(
    control: float,
    arm: float,
    n: int = 400,
    *,
    tokens: tuple[float, float] = (100.0, 100.0),
    errors: bool = False,
) -> TrialColumns:
    """Return trials with exactly these rates, two to a session, the arms by turns."""
    index = np.arange(2 * n)
    side = index // 2 % 2
    rank = np.where(side == 0, np.cumsum(side == 0), np.cumsum(side == 1)) * 0.6180339887 % 1  # evenly spread
    values = (rank < np.where(side == 0, control, arm)).astype(float)
    unknown = np.full(2 * n, np.nan)
    spread = np.random.default_rng(0).normal(0, 5, 2 * n)
    outcomes = (
        {"completion": unknown, "errors": values} if errors else {"completion": values, "errors": unknown}
    )
    return TrialColumns(side, index // 2, np.take(tokens, side) + spread, outcomes)


def completion_only(data: TrialColumns) -> TrialColumns:
    return replace(data, outcomes={"completion": data.outcomes["completion"]})


def verdict(data: TrialColumns, **changes: object) -> Comparison:
    experiment = replace(new_experiment(), planned=len(data.arm) // 2, **changes)
    (comparison,) = compare(data, experiment)
    return comparison


# Tests


def test_the_boundaries_are_those_of_lan_and_demets() -> None:
    """ldbounds and gsDesign give the same, two-sided at 0.05, after five equal steps."""
    levels = nominal_levels(0.05, (0.2, 0.4, 0.6, 0.8, 1.0))
    assert norm.isf(np.array(levels) / 2) == pytest.approx([4.8769, 3.3569, 2.6803, 2.2898, 2.0310], abs=5e-4)
    assert nominal_levels(0.05, (1.0,)) == pytest.approx((0.05,))


@pytest.mark.parametrize("alpha", [0.05, 0.025, 0.001])
def test_a_very_early_look_spends_next_to_nothing(alpha: float) -> None:
    early, last = nominal_levels(alpha, (0.01, 1.0))
    assert early < 1e-15
    assert last == pytest.approx(alpha)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=6, unique=True), st.sampled_from([0.01, 0.05, 0.1]))
def test_one_look_is_holms_procedure(p_values: list[float], alpha: float) -> None:
    levels = [alpha / k for k in range(1, len(p_values) + 1)]
    assume(not np.isclose(np.subtract.outer(p_values, levels), 0, atol=1e-12).any())  # levels are integrals
    named = {str(i): p for i, p in enumerate(p_values)}
    expected, *_ = multipletests(p_values, alpha=alpha, method="holm")
    rejected = reject([named], alpha, (1.0,))
    assert [name in rejected for name in named] == list(expected)


def test_a_rejected_hypothesis_leaves_its_alpha_to_the_others() -> None:
    level = nominal_levels(0.05, (0.5, 1.0))[1]
    looks = [{"a": 1e-6, "b": 0.5}, {"a": 0.9, "b": level - 1e-6}]
    assert reject(looks, 0.05, (0.5, 1.0)) == {"a": 0, "b": 1}
    looks[0]["a"] = 0.9
    assert reject(looks, 0.05, (0.5, 1.0)) == {}
    assert reject([{"a": None, "b": 1e-6}], 0.05, (0.5, 1.0)) == {"b": 0}


def test_independent_trials_give_about_the_z_test() -> None:
    outcomes = {side: [[int(i < rate)] for i in range(500)] for side, rate in ((0, 300), (1, 340))}
    clustered = clustered_difference(sample_of(outcomes), 0.05)
    plain = unclustered_difference(sample_of(outcomes), 0.05)
    assert clustered.value == pytest.approx(0.08)
    assert clustered.p == pytest.approx(plain.p, abs=0.001)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=0.003)


def test_repeated_trials_of_a_session_are_no_further_evidence() -> None:
    single = {side: [[int(i < rate)] for i in range(100)] for side, rate in ((0, 60), (1, 75))}
    repeated = {side: [outcomes * 8 for outcomes in sessions] for side, sessions in single.items()}
    once, often = (clustered_difference(sample_of(outcomes), 0.05) for outcomes in (single, repeated))
    assert often.p == pytest.approx(once.p, rel=0.02)
    assert unclustered_difference(sample_of(repeated), 0.05).p < once.p / 100


@pytest.mark.parametrize(("rates", "is_certain"), [((1, 1), False), ((0, 0), False), ((0, 1), True)])
def test_arms_without_any_variation_can_be_tested(rates: tuple[int, int], is_certain: bool) -> None:
    constant = sample_of({side: [[rate, rate]] * 30 for side, rate in enumerate(rates)})
    assert (clustered_difference(constant, 0.05).p < 0.001) == is_certain
    assert unclustered_difference(constant, 0.05).p <= 1


# The rule for success


@pytest.mark.parametrize(
    ("data", "limit", "kind"),
    [
        (columns(0.6, 0.75), "matched", "success"),
        (columns(0.6, 0.75), "free", "inconclusive"),  # more tokens may explain it
        (columns(0.75, 0.6), "matched", "failure"),
        (columns(0.75, 0.6), "free", "failure"),
        (columns(0.6, 0.61), "matched", "inconclusive"),
        (columns(0.90, 0.97), "matched", "inconclusive"),  # significant, but 8%
        (columns(0.4, 0.2, errors=True), "matched", "success"),
        (columns(0.2, 0.4, errors=True), "matched", "failure"),
        (columns(0.8, 0.7, errors=True), "matched", "inconclusive"),  # significant, but 13%
        (columns(0.6, 0.75, tokens=(100.0, 300.0)), "matched", "inconclusive"),  # only tokens differ
        (columns(0.2, 0.9, n=18), "matched", "inconclusive"),  # nine sessions
        (columns(0.0, 0.5), "matched", "success"),
    ],
)
def test_the_verdict_follows_the_rule(data: TrialColumns, limit: str, kind: str) -> None:
    experiment = new_experiment()
    arms = (experiment.arms[0], replace(experiment.arms[1], limit=limit))
    comparison = verdict(data, arms=arms)
    assert comparison.verdict.kind == kind
    assert comparison.verdict.sentence.lower().startswith(kind)


def test_tokens_that_follow_from_the_arm_explain_any_difference() -> None:
    for n in (400, 402, 500):  # least squares would split the effect between arm and tokens by chance
        data = columns(0.6, 0.75, n)
        fixed = replace(data, tokens=np.where(data.arm == 0, 100.0, 300.0))
        comparison = verdict(fixed)
        assert comparison.verdict.kind == "inconclusive"
        assert "length" in comparison.verdict.sentence
        assert comparison.tests[0].at_equal_tokens is None
        assert verdict(replace(fixed, tokens=np.full(2 * n, 100.0))).verdict.kind == "success"


def test_a_worse_outcome_outweighs_a_better_one() -> None:
    better, worse = columns(0.6, 0.75), columns(0.2, 0.4, errors=True)
    both = replace(
        better, outcomes={"completion": better.outcomes["completion"], "errors": worse.outcomes["errors"]}
    )
    assert verdict(both).verdict.kind == "failure"
    assert verdict(completion_only(both)).verdict.kind == "success"


def test_supporting_arms_do_not_cost_the_confirmatory_one_its_alpha() -> None:
    data = completion_only(columns(0.6, 0.65, n=420))
    assert verdict(data).tests[0].rejected_at == 0
    experiment = new_experiment()
    free = tuple(replace(experiment.arms[0], name=f"free {i}") for i in range(4))
    arms = (*experiment.arms, *free)
    more = compare(data, replace(experiment, arms=arms, planned=140))
    assert [comparison.tests[0].rejected_at for comparison in more] == [0, None, None, None, None]


# Power and simulation


def test_the_plan_is_that_of_the_design() -> None:
    plan = PowerPlan(0.65, 0.715)
    assert (plan.independent, plan.design_effect, plan.per_arm) == (804, 1.2, 1_110)
    assert plan.power_at(round(804 * 1.2)) == pytest.approx(0.80, abs=0.001)
    assert plan.power_at(plan.per_arm) == pytest.approx(0.852, abs=0.001)
    assert plan.power_at(DESIGN_PER_ARM) == pytest.approx(0.922, abs=0.001)


def test_the_plan_is_symmetric_in_its_rates() -> None:
    assert PowerPlan(0.715, 0.65).power_at(900) == pytest.approx(
        PowerPlan(0.65, 0.715).power_at(900), abs=1e-3
    )


@pytest.mark.parametrize(
    "changes", [{"target": 0.65}, {"baseline": 0}, {"power": 1}, {"icc": 1}, {"session_size": 0.5}]
)
def test_an_impossible_plan_is_refused(changes: dict[str, float]) -> None:
    with pytest.raises(ExperimentError):
        PowerPlan(**{"baseline": 0.65, "target": 0.715, **changes})


def test_simulated_arms_that_are_equal_are_rarely_found_to_differ() -> None:
    result = simulate(two_arms(300, looks=(0.5, 1.0)), EQUAL, runs=200)
    assert result.any_significant <= binom.isf(0.001, 200, 0.05) / 200
    assert sum(result.verdicts.values()) == pytest.approx(1)


def test_simulated_sessions_are_as_alike_as_asked() -> None:
    """Without clusters a smaller experiment has the power of the larger one."""
    n = PowerPlan(0.65, 0.75, icc=0, strata_allowance=0).per_arm
    truth = Truth((0.65, 0.75), (0.2, 0.2))
    alike = simulate(two_arms(n), truth, runs=200, icc=0.5, hypotheses=COMPLETION)
    independent = simulate(two_arms(n), truth, runs=200, icc=0, hypotheses=COMPLETION)
    assert alike.significant["completion"] < 0.5 < 0.7 < independent.significant["completion"]


def test_longer_selections_alone_are_no_success() -> None:
    truth = Truth((0.65, 0.65), (0.2, 0.2), token_ratio=1.3, gain_per_token=0.00015)
    result = simulate(two_arms(1_110), truth, runs=60, hypotheses=COMPLETION)
    assert result.significant["completion"] > 0.9
    assert result.verdicts["success"] < 0.2


@pytest.mark.slow
@pytest.mark.parametrize("looks", [(1.0,), (0.25, 0.5, 0.75, 1.0)])
def test_false_positives_stay_below_alpha(
    looks: tuple[float, ...], report_figure: Callable[[str], None]
) -> None:
    result = simulate(two_arms(1_110, looks=looks), EQUAL, runs=1_000)
    report_figure(f"{len(looks)} looks, equal arms: {result}")
    assert result.any_significant <= 0.055
    assert result.verdicts["success"] <= 0.0275


@pytest.mark.slow
def test_the_power_is_as_computed(report_figure: Callable[[str], None]) -> None:
    plan = PowerPlan(0.65, 0.715)
    for per_arm in (965, plan.per_arm, DESIGN_PER_ARM):
        result: SimulationResult = simulate(two_arms(per_arm), BETTER, runs=1_000, hypotheses=COMPLETION)
        power = plan.power_at(per_arm)
        report_figure(f"{per_arm} trials of each arm: power {power:.3f}, simulated {result}")
        assert result.significant["completion"] == pytest.approx(power, abs=0.03)
        assert result.verdicts["success"] < 0.6, "the verdict wants an observed gain of 10%, the true one"
