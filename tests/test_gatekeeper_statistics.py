"""Counts of decisions."""

from __future__ import annotations

import json

import pytest

from convgate.gatekeeper.checks import check
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.statistics import KeptSkipped, Statistics

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
    assert list(statistics.categories.items()) == [
        ("other", KeptSkipped(kept=2, skipped=1)),
        ("greeting", KeptSkipped(skipped=1)),
        ("preference", KeptSkipped(kept=1)),
    ]
    assert statistics.rules["default"] == KeptSkipped(kept=1)
    assert statistics.rules["confirmation"] == KeptSkipped(skipped=1)
    assert statistics.kept_by_default == 2
    record = json.loads(json.dumps(statistics.to_json()))
    assert record["categories"]["preference"] == {"kept": 1, "skipped": 0}
    assert (record["keep_rate"], record["kept_by_default"]) == (0.6, 2)


def test_a_running_gatekeeper_counts_the_same() -> None:
    gatekeeper = Gatekeeper()
    decisions = [gatekeeper.decide(exchange) for exchange in EXCHANGES]
    assert gatekeeper.statistics == Statistics.of(decisions)


def test_without_decisions_there_is_no_rate() -> None:
    statistics = Statistics.of([])
    assert (statistics.decided, statistics.keep_rate) == (0, None)
