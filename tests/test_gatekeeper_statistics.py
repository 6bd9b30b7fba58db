from __future__ import annotations

import json

import pytest

from convgate.gatekeeper.checks import check
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.model_use import LATENCIES, Meter, ModelUse, Prices
from convgate.gatekeeper.statistics import LISTED, Counted, Statistics

EXCHANGES = [
    Exchange("Hi"),
    Exchange("Ok"),
    Exchange("I prefer dark mode in every editor that I use"),
    Exchange("How do I deploy this\nto the staging cluster?", "With the usual script, from the main branch."),
    Exchange("はい", "了解"),
]


def test_decisions_are_counted_by_category_and_by_rule() -> None:
    statistics = Statistics.of([check(exchange) for exchange in EXCHANGES])

    assert (statistics.decided, statistics.kept, statistics.skipped) == (5, 3, 2)
    assert statistics.keep_rate == pytest.approx(0.6)
    assert statistics.categories == {
        "other": Counted(kept=2, skipped=1),
        "greeting": Counted(skipped=1),
        "preference": Counted(kept=1),
    }
    assert list(statistics.categories) == ["other", "greeting", "preference"]
    assert statistics.rules["default"] == Counted(kept=1)
    assert statistics.rules["confirmation"] == Counted(skipped=1)


def test_a_gatekeeper_that_runs_counts_the_same() -> None:
    gatekeeper = Gatekeeper()
    decisions = [gatekeeper.decide(exchange, item=item) for item, exchange in enumerate(EXCHANGES)]

    assert gatekeeper.statistics == Statistics.of(decisions, EXCHANGES)


def test_what_is_kept_by_default_is_listed_the_newest_first_with_its_words() -> None:
    decisions = [check(exchange, item=item) for item, exchange in enumerate(EXCHANGES)]

    newest, older = Statistics.of(decisions, EXCHANGES).by_default

    assert (newest.item, newest.user, newest.rule) == (4, "はい", "other language")
    assert (older.item, older.user, older.rule) == (
        *(3, "How do I deploy this to the staging cluster?"),
        "default",
    )


def test_the_list_is_bounded_and_long_messages_are_cut() -> None:
    gatekeeper = Gatekeeper()
    for item in range(LISTED + 5):
        gatekeeper.decide(Exchange("How does this work, in words? " * 50), item=item)
    statistics = gatekeeper.statistics

    assert statistics.kept_by_default == LISTED + 5
    assert [entry.item for entry in statistics.by_default] == list(range(LISTED + 4, 4, -1))
    assert all(len(entry.user) <= 200 and entry.user.endswith("…") for entry in statistics.by_default)


def test_nothing_decided_has_no_rate() -> None:
    statistics = Statistics.of([])

    assert (statistics.decided, statistics.keep_rate) == (0, None)
    assert json.loads(json.dumps(statistics.to_json()))["model"]["p50"] is None


def test_figures_are_plain_json() -> None:
    decisions = [check(exchange, item=item) for item, exchange in enumerate(EXCHANGES)]
    record = json.loads(json.dumps(Statistics.of(decisions, EXCHANGES).to_json()))

    assert record["categories"]["preference"] == {"kept": 1, "skipped": 0}
    assert record["by_default"][0]["user"] == "はい"
    assert (record["keep_rate"], record["kept_by_default"]) == (0.6, 2)


def test_calls_are_metered_with_percentiles_of_the_newest() -> None:
    meter = Meter(Prices(prompt=1.0, completion=4.0))
    assert meter.use == ModelUse()
    for _ in range(LATENCIES):
        meter.called(9.0, failed=True)
    for tenth in range(1, LATENCIES + 1):
        meter.called(tenth / 10, failed=False)
    meter.charged(1_000_000, 500_000)
    use = meter.use

    assert (use.calls, use.failures) == (2 * LATENCIES, LATENCIES)
    assert (use.p50, use.p95) == (LATENCIES / 20, LATENCIES * 0.95 / 10)
    assert use.cost == pytest.approx(3.0)
