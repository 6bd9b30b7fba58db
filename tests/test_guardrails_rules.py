"""The rules for when an alert begins and ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import entropy

from convgate.core.settings import Settings
from convgate.guardrails.guardrails import fallbacks_of
from convgate.guardrails.rules import MAX_OUTCOMES, Observation, divergence, judge, smooth_shares
from convgate.modes.mode import MODES
from convgate.store.guard_states import Alert, Baseline
from convgate.store.requests import Outcomes
from tests.guardrails import EVENLY
from tests.session_agents import NINE

LIMITS = Settings()
BASELINE = Baseline(NINE, EVENLY)

counts = st.dictionaries(st.sampled_from(MODES), st.integers(0, 10_000))


def seen(minutes: float = 0, **other: Any) -> Observation:
    return Observation(NINE + timedelta(minutes=minutes), **({"baseline": None} | other))


def drift_of(classified: Mapping[str, int], alerts: Sequence[Alert] = (), **other: Any) -> list[Alert]:
    return judge(seen(baseline=BASELINE, classified=classified, **other), alerts, LIMITS)


@given(counts, counts)
def test_the_divergence_is_that_of_scipy_with_one_more_of_each(a: dict[str, int], b: dict[str, int]) -> None:
    p, q = ([one.get(mode, 0) + 1 for mode in MODES] for one in (a, b))
    assert divergence(a, b) == pytest.approx(float(entropy(p, q)), abs=1e-9)
    assert divergence(a, b) >= 0
    assert divergence(a, a) == 0
    assert math.isclose(sum(smooth_shares(a).values()), 1)


@given(st.integers(0, 199), st.sampled_from(MODES))
@example(199, "TASK")
def test_fewer_requests_than_the_minimum_are_no_drift(count: int, mode: str) -> None:
    assert drift_of({mode: count}) == []


def test_drift_is_raised_with_its_figures_and_cleared_below_half_of_the_limit() -> None:
    one_sided = {"TASK": 100, "DEBUGGING": 100}
    (raised,) = drift_of(one_sided)
    assert (raised.kind, raised.mode, raised.open, raised.number) == ("drift", "", True, None)
    assert raised.figures["requests"] == 200
    assert raised.figures["divergence"] == pytest.approx(divergence(one_sided, EVENLY))
    assert drift_of(one_sided, [raised]) == []

    for tasks, least, most in ((250, 0.08, 0.1), (210, 0.05, 0.06)):
        between = dict.fromkeys(MODES, 100) | {"TASK": tasks}
        assert least < divergence(between, EVENLY) < most
        assert drift_of(between) == []
        assert drift_of(between, [raised]) == []
    below = dict.fromkeys(MODES, 100) | {"TASK": 200}
    assert 0.04 < divergence(below, EVENLY) < 0.05
    assert [one.open for one in drift_of(below, [raised])] == [False]
    (cleared,) = drift_of(dict.fromkeys(MODES, 100), [raised])
    assert cleared.cleared == NINE


def test_more_than_a_tenth_of_corrected_modes_stops_them_until_fewer_are_corrected() -> None:
    def reviews(reviewed: int, misclassified: int, *alerts: Alert) -> list[Alert]:
        return judge(seen(reviewed=reviewed, misclassified=misclassified), alerts, LIMITS)

    assert reviews(0, 0) == reviews(19, 19) == reviews(20, 2) == []
    (raised,) = reviews(20, 3)
    assert (raised.kind, raised.figures["rate"]) == ("misclassified", 0.15)
    fallbacks = fallbacks_of([raised])
    assert {mode: fallback.cause for mode, fallback in fallbacks.items()} == dict.fromkeys(MODES, raised.kind)
    assert reviews(100, 9, raised) == []
    assert [alert.open for alert in reviews(100, 7, raised)] == [False]
    assert [alert.open for alert in reviews(9, 9, raised)] == [False]


def test_drift_clears_with_too_few_requests_or_without_a_baseline() -> None:
    (raised,) = drift_of({"TASK": 200})
    assert drift_of({"TASK": 100}, [raised]) == []
    (few,) = drift_of({"TASK": 99}, [raised])
    (none,) = judge(seen(classified={"TASK": 200}), [raised], LIMITS)
    assert few.cleared == none.cleared == NINE
    assert judge(seen(classified={"TASK": 10_000}), [], LIMITS) == []


def test_an_alert_is_measured_by_the_limit_that_it_was_raised_at() -> None:
    (raised,) = drift_of(dict.fromkeys(MODES, 100) | {"TASK": 300})
    far = raised.figures["divergence"]
    assert 0.1 < far < 0.2
    lax = Settings(guard={"drift_limit": 0.4})  # would clear below 0.2
    again = seen(baseline=BASELINE, classified=dict.fromkeys(MODES, 100) | {"TASK": 300})
    assert judge(again, [raised], lax) == []


@pytest.mark.parametrize(
    ("unsure", "raised"),
    [
        (((20, 7), (20, 7), (20, 7)), True),
        (((20, 6), (20, 7), (20, 9)), False),  # exactly 30% in the first ten minutes
        (((20, 0), (20, 0), (20, 20)), False),  # not for 30 minutes
        (((0, 0), (30, 15), (30, 15)), False),
        (((16, 16), (16, 16), (17, 17)), False),  # 49 requests
        (((16, 6), (17, 6), (17, 6)), True),
    ],
)
def test_unsure_needs_too_many_requests_over_the_whole_window(
    unsure: tuple[tuple[int, int], ...], raised: bool
) -> None:
    assert [one.kind for one in judge(seen(unsure=unsure), [], LIMITS)] == ["low_confidence"] * raised


def test_unsure_is_over_below_four_fifths_or_with_half_of_the_requests() -> None:
    (raised,) = judge(seen(unsure=((20, 10),) * 3), [], LIMITS)
    assert (raised.figures["share"], raised.figures["requests"]) == (0.5, 60)
    assert judge(seen(unsure=((20, 5),) * 3), [raised], LIMITS) == []
    (cleared,) = judge(seen(unsure=((20, 5), (20, 5), (20, 4))), [raised], LIMITS)
    assert not cleared.open
    assert judge(seen(unsure=((25, 25), (0, 0), (0, 0))), [raised], LIMITS) == []
    (few,) = judge(seen(unsure=((24, 24), (0, 0), (0, 0))), [raised], LIMITS)
    assert not few.open


TENTH = Outcomes(1_000, 100)


def errors_of(
    count: int, failures: int, *alerts: Alert, minutes: float = 0, mode: str = "TASK"
) -> list[Alert]:
    observation = seen(minutes, outcomes={mode: Outcomes(count, failures)}, overall=TENTH)
    return judge(observation, alerts, LIMITS)


@pytest.mark.parametrize(
    ("count", "failures", "raised"),
    [
        (50, 12, True),
        (50, 11, False),  # one time in a hundred by chance, which is often where it is looked at all the time
        (50, 10, False),  # twice the overall rate, which is 10.1% with one more of each
        (20, 7, True),
        (19, 19, False),
        (20, 4, False),  # four may be chance
    ],
)
def test_a_mode_that_fails_more_than_twice_as_often_is_alerted(
    count: int, failures: int, raised: bool
) -> None:
    assert [(one.kind, one.mode) for one in errors_of(count, failures)] == [("errors", "TASK")] * raised


def test_without_an_overall_rate_no_mode_fails_too_often() -> None:
    for overall in (Outcomes(0, 0), Outcomes(99, 1)):
        assert judge(seen(outcomes={"TASK": Outcomes(50, 50)}, overall=overall), [], LIMITS) == []
    assert judge(seen(outcomes={"TASK": Outcomes(50, 5)}, overall=Outcomes(100, 0)), [], LIMITS) != []


@pytest.mark.parametrize("mode", ["TASK", "GENERAL"])
def test_a_mode_that_failed_is_held_for_an_hour_then_tried_again(mode: str) -> None:
    (raised,) = errors_of(50, 25, mode=mode)
    assert errors_of(50, 50, raised, minutes=59.9, mode=mode) == []
    (cleared,) = errors_of(0, 0, raised, minutes=60, mode=mode)
    assert cleared.cleared == NINE + timedelta(hours=1)


figures = st.fixed_dictionaries(
    {
        "classified": st.fixed_dictionaries({"TASK": st.integers(0, 400), "GENERAL": st.integers(0, 400)}),
        "unsure": st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=3, max_size=3).map(
            lambda parts: [(max(pair), min(pair)) for pair in parts]
        ),
        "count": st.integers(0, MAX_OUTCOMES),
        "failures": st.integers(0, MAX_OUTCOMES),
    }
)


@given(st.lists(st.tuples(st.integers(0, 90), figures), max_size=40))
def test_whatever_happens_an_episode_is_raised_once_and_cleared_once(
    steps: list[tuple[int, dict[str, Any]]],
) -> None:
    minutes = 0
    held: dict[tuple[str, str], Alert] = {}
    for passed, one in steps:
        minutes += passed
        observation = seen(
            minutes,
            baseline=BASELINE,
            classified=one["classified"],
            unsure=one["unsure"],
            outcomes={"TASK": Outcomes(one["count"], min(one["count"], one["failures"]))},
            overall=TENTH,
        )
        for change in judge(observation, list(held.values()), LIMITS):
            key = (change.kind, change.mode)
            if change.number is None:
                assert key not in held
                assert change.open
                if change.kind == "drift":
                    assert observation.requests >= LIMITS.guard.drift_min_requests
                held[key] = replace(change, number=len(steps))
            else:
                assert held[key].open
                assert change.raised == held[key].raised
                if change.open:
                    held[key] = change
                else:
                    del held[key]


@given(st.lists(st.floats(0.8005, 0.9995), min_size=1, max_size=8), st.booleans())
def test_a_figure_near_its_limit_changes_nothing(parts: list[float], already: bool) -> None:
    (raised,) = drift_of({"TASK": 1_000})
    alerts = [raised] if already else []
    for part in parts:
        near = _counts_at(part * LIMITS.guard.drift_limit)
        assert drift_of(near, alerts) == []


def _counts_at(far: float) -> dict[str, int]:
    """Requests that are about so many nats from an even baseline."""
    low, high = 100_000, 1_000_000
    while high - low > 1:
        middle = (low + high) // 2
        close = divergence(dict.fromkeys(MODES, 100_000) | {"TASK": middle}, EVENLY) < far
        low, high = (middle, high) if close else (low, middle)
    return dict.fromkeys(MODES, 100_000) | {"TASK": low}
