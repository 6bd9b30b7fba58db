"""The figures of a period vs. counting by hand, and the simulated drift."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.settings import Settings
from convgate.guardrails.guardrails import Guardrails
from convgate.guardrails.report import MAX_BINS, bin_edges, report, report_json
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.guardrails.rules import divergence, observe
from convgate.modes.mode import MODES
from convgate.store import Store
from convgate.store.requests import Requests
from tests.guardrails import EVENLY, add_requests, logged_request, open_guardrails, put_baseline, request
from tests.session_agents import NINE, Clock, empty_store
from tools.drift import START, simulate


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[RequestRecord]]]:
    """A store with 600 requests of a day, and what they are."""
    store, clock, rng = empty_store(tmp_path_factory.mktemp("day")), Clock(), random.Random(7)
    requests = [
        request(
            number,
            rng.choice(MODES),
            at=NINE + timedelta(minutes=number * 2.4),
            classified=rng.choice(MODES),
            source=rng.choice(["classifier", "intent", "low confidence"]),
            breaches=rng.randint(0, 2),
            over_budget=rng.choice([0, 0, 50]),
            tokens_total=rng.randint(400, 9_000),
            tokens={"rules": rng.randint(0, 90), "capsules": rng.randint(0, 9)},
            seconds=rng.random(),
            fallbacks=tuple(
                Fallback(cause, "")
                for cause in rng.sample(["drift", "errors", "breach"], 2 * (number % 5 == 0))
            ),
        )
        for number in range(600)
    ]
    clock.advance(days=1)
    put_baseline(store)
    with open_guardrails(store, clock) as guard:
        for one in requests:
            guard.record(one)
        guard.flush()
    Requests(store).record_outcomes([(f"r{number}", number % 7 > 0) for number in range(300)], NINE)
    yield store, requests
    store.close()


def test_a_period_has_the_figures_of_its_requests(day: tuple[Store, list[RequestRecord]]) -> None:
    store, requests = day
    since, until = NINE + timedelta(hours=3), NINE + timedelta(hours=20)
    inside = [r for r in requests if since <= r.at < until]
    result = report(store, Settings(), since, until, NINE + timedelta(days=1))
    totals = result.totals
    assert totals.requests == len(inside) == 425
    assert totals.classified == {mode: sum(r.classified == mode for r in inside) for mode in MODES}
    assert totals.applied == {mode: sum(r.mode == mode for r in inside) for mode in MODES}
    assert totals.judged == sum(r.source != "intent" for r in inside)
    assert totals.unsure == sum(r.source == "low confidence" for r in inside)
    assert totals.low_share == totals.unsure / totals.judged
    assert totals.fallbacks == sum(bool(r.fallbacks) for r in inside)
    causes = Counter(fallback.cause for r in inside for fallback in r.fallbacks)
    assert {cause: n for cause, n in totals.by_cause.items() if n} == causes
    assert totals.breaches == sum(r.breaches for r in inside)
    assert totals.over_budget == sum(r.over_budget > 0 for r in inside)
    assert totals.tokens_sent == sum(sum(r.tokens.values()) for r in inside)
    assert totals.tokens[5] == sum(r.tokens["capsules"] for r in inside)
    assert totals.tokens_saved == sum(r.tokens_total for r in inside) - totals.tokens_sent
    known = [r for r in inside if int(r.id[1:]) < 300]
    assert (totals.outcomes, totals.outcomes - totals.successes) == (
        len(known), sum(int(r.id[1:]) % 7 == 0 for r in known),
    )  # fmt: skip
    assert sum(errors.period.failures for errors in result.errors) == totals.outcomes - totals.successes
    assert totals.latency is not None
    expected = np.percentile([r.seconds for r in inside], (50, 95, 99))
    assert list(totals.latency) == pytest.approx(list(expected))
    assert result.period_divergence == divergence(totals.classified, EVENLY)


def test_bins_add_up_and_have_the_divergence_of_their_hours(day: tuple[Store, list[RequestRecord]]) -> None:
    store, requests = day
    since, until = NINE + timedelta(minutes=50), NINE + timedelta(hours=60, minutes=7)
    result = report(store, Settings(guard={"drift_min_requests": 20}), since, until, NINE + timedelta(days=3))
    assert [f"{bin.start:%H:%M}" for bin in result.bins[:3]] == ["09:50", "10:00", "11:00"]
    assert (result.bins[0].start, result.bins[-1].end) == (since, until)
    for field in ("requests", "unsure", "breaches", "tokens_total", "tokens_saved"):
        assert sum(getattr(bin.totals, field) for bin in result.bins) == getattr(result.totals, field)
    for bin in result.bins[:20]:
        hour = Counter(
            each.classified for each in requests if bin.end - timedelta(hours=1) <= each.at < bin.end
        )
        assert bin.divergence == pytest.approx(divergence(hour, EVENLY))
        assert bin.totals.latency is not None
    few = report(store, Settings(), since, until, until)
    assert few.bins[3].divergence is None, "25 requests an hour"


def test_a_report_has_what_the_guardrails_see_now(day: tuple[Store, list[RequestRecord]]) -> None:
    store, requests = day
    now = NINE + timedelta(hours=24)
    result = report(store, Settings(), NINE, now, now)
    hour = Counter(r.classified for r in requests if now - timedelta(hours=1) < r.at <= now)
    assert result.latest.classified == hour
    plain = report_json(result)
    assert plain["divergence"] == divergence(hour, EVENLY)
    assert plain["since"] == "2026-03-05T09:00:00+00:00"
    json.dumps(plain)


def test_an_observation_reads_indices_and_no_request(day: tuple[Store, list[RequestRecord]]) -> None:
    """It is made every 2 seconds, and the log may have 100,000 of them."""
    store, _ = day
    asked: list[str] = []
    with store.read() as db:
        db.conn.set_trace_callback(asked.append)
        observe(store, Settings(), NINE + timedelta(days=3))
        db.conn.set_trace_callback(None)
        plans = [db.execute(f"EXPLAIN QUERY PLAN {sql}").fetchall() for sql in asked if "requests" in sql]
    steps = [step[3] for plan in plans for step in plan if step[3].startswith(("SCAN", "SEARCH"))]
    assert len(plans) == 10
    assert [step for step in steps if "USING COVERING INDEX" not in step and "(subquery" not in step] == []


def test_an_empty_log_has_empty_figures(tmp_path: Path) -> None:
    store = empty_store(tmp_path)
    result = report(store, Settings(), NINE - timedelta(hours=24), NINE, NINE)
    assert (result.totals.requests, result.totals.low_share, result.totals.latency) == (0, None, None)
    assert (result.latest.divergence, result.alerts, result.lost) == (None, (), 0)
    assert len(result.bins) == 96
    assert report(store, Settings(), NINE, NINE, NINE).totals.requests == 0
    first, last = (day.replace(tzinfo=UTC) for day in (datetime(1, 1, 2), datetime(9999, 12, 30)))
    assert report(store, Settings(), first, last, NINE).totals.requests == 0
    store.close()


def test_active_invariants_are_counted_by_type(tmp_path: Path) -> None:
    store = empty_store(tmp_path)
    add_requests(
        store, {"TASK": 2}, end=NINE, invariant_types={"safety_requirement": 1, "hard_constraint": 2}
    )
    add_requests(store, {"DEBUGGING": 1}, end=NINE, invariant_types={"blocking_error": 1})
    result = report(store, Settings(), NINE - timedelta(hours=1), NINE, NINE)
    types = {"safety_requirement": 2, "user_correction": 0, "hard_constraint": 4, "blocking_error": 1}
    assert result.totals.invariant_types == types
    assert report_json(result)["totals"]["invariant_types"] == types
    store.close()


@given(
    st.datetimes(datetime(1972, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)), st.floats(0.001, 3e9)
)
def test_bins_cover_the_period_in_order_and_are_not_too_many(since: datetime, seconds: float) -> None:
    until = since + timedelta(seconds=seconds)
    edges = bin_edges(since, until)
    assert (edges[0], edges[-1]) == (since, until)
    assert edges == sorted(edges)
    assert len(edges) - 1 <= MAX_BINS + 1
    widths = {round((b - a).total_seconds(), 3) for a, b in pairwise(edges[1:-1])}
    assert len(widths) <= 1


@pytest.mark.slow
def test_a_report_is_quick_with_100000_requests(tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    store, rng = empty_store(tmp_path), random.Random(1)
    rows = [
        logged_request(
            number, NINE + timedelta(seconds=number * 25), rng.choice(MODES), classified=rng.choice(MODES),
            confidence=0.6 if rng.random() < 0.2 else 0.9, id=f"request-{number:018d}",
            tokens={"rules": 500, "task_state": 100, "recent": 2_000, "evidence": 8_000, "decisions": 300},
            tokens_total=40_000, budget=60_000, invariants=2, seconds=rng.random() / 50,
        )
        for number in range(100_000)
    ]  # fmt: skip
    Requests(store).add(rows)
    Requests(store).record_outcomes([(row["id"], rng.random() > 0.1) for row in rows[::5]], NINE)
    put_baseline(store)
    now = datetime.fromtimestamp(rows[-1]["at"], UTC)
    for days in (30, 7, 1):
        took = []
        for _ in range(3):
            began = time.perf_counter()
            result = report(store, Settings(), now - timedelta(days=days), now, now)
            took.append(time.perf_counter() - began)
        report_figure(f"a report on {result.totals.requests:,} of 100,000 requests takes {min(took):.3f} s")
        assert len(result.bins) <= MAX_BINS + 1
    guard = Guardrails(store.path, Settings(), clock=lambda: now)
    sample = request(at=now)
    for name, does in (
        ("record", lambda: guard.record(sample)),
        ("overruled", lambda: guard.overruled("TASK")),
    ):
        began = time.perf_counter()
        for _ in range(5_000):
            does()
        report_figure(f"{name} takes {(time.perf_counter() - began) / 5_000 * 1e6:.1f} µs")
        guard.flush()
    began = time.perf_counter()
    guard.flush()
    report_figure(f"a look at 100,000 requests takes {1_000 * (time.perf_counter() - began):.0f} ms")
    guard.close()
    store.close()


# The fourth worked example


def test_drift_of_15_hundredths_makes_everything_general_and_ends_when_it_is_over() -> None:
    moments, (alert,) = simulate()
    assert alert.kind == "drift"
    during = [moment for moment in moments if moment.overruled]
    before = [moment for moment in moments if moment.minute < during[0].minute]
    after = moments[len(before) + len(during) :]
    assert {moment.overruled for moment in during} == {MODES}
    assert {moment.overruled for moment in before + after} == {()}
    assert max(moment.divergence for moment in before) <= 0.1 < during[0].divergence
    assert max(moment.divergence for moment in during) == pytest.approx(0.15, abs=0.001)
    assert after[0].divergence < 0.05 <= during[-1].divergence
    assert after[-1].divergence < 0.001
    assert (alert.cleared or START) - START == timedelta(minutes=after[0].minute)
