"""The comparison of checkpoint periods: how confidence is drawn, and what its tables say."""

from __future__ import annotations

import numpy as np
import pytest

from convgate import Conversation, Turn
from convgate.transcripts import Case, RelevanceSet
from tools.retention_periods import HIGH, LOW, drawn, measured, posed
from tools.retention_tables import by_period, whole_table


def relevant(share: float, n: int = 2_000) -> np.ndarray:
    return np.arange(n) < share * n


@pytest.mark.parametrize("correlation", [0.3, 0.6])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_draw_has_the_stated_correlation_and_an_even_spread(correlation: float, seed: int):
    values = drawn(relevant(0.3), correlation, seed)
    assert np.corrcoef(values, relevant(0.3))[0, 1] == pytest.approx(correlation, abs=0.005)
    assert np.histogram(values, bins=5, range=(LOW, HIGH))[0].tolist() == [400] * 5
    assert (values == drawn(relevant(0.3), correlation, seed)).all()
    assert (values != drawn(relevant(0.3), correlation, seed + 10)).any()


def test_without_correlation_only_chance_is_left():
    assert abs(np.corrcoef(drawn(relevant(0.3), 0.0, 3), relevant(0.3))[0, 1]) < 0.06


def test_where_few_are_relevant_it_is_the_most_that_an_even_spread_allows():
    rare = relevant(0.01)
    values = drawn(rare, 0.6, 0)
    assert values[rare].min() > values[~rare].max()
    assert np.corrcoef(values, rare)[0, 1] == pytest.approx(np.sqrt(3 * 0.01 * 0.99), abs=0.01)
    assert len(set(drawn(relevant(0.0), 0.6, 0))) == 2_000


def tiny_set() -> RelevanceSet:
    talks = {
        name: Conversation(
            name, tuple(Turn.of("user" if place % 2 == 0 else "assistant", "x" * 90) for place in range(31))
        )
        for name in ("a", "b")
    }
    cases = [Case(f"{name}{turn}", name, turn, None, frozenset({0, 1})) for name in talks for turn in (2, 30)]
    first = Case("a0", "a", 0, None, frozenset())
    judged = Case("bj", "b", 12, None, frozenset({4}), judged=frozenset({4, 5}))
    return RelevanceSet("tiny", talks, (*cases, first, judged))


@pytest.fixture(scope="module")
def tiny():
    return measured(tiny_set(), seeds=2, base_windows=(4_000, 500))


def test_only_what_is_known_to_be_relevant_or_not_is_measured():
    cases = posed(tiny_set())
    assert [len(case.turns) for case in cases] == [2, 30, 2, 30, 12]
    assert (cases[-1].rows.tolist(), cases[-1].relevant.tolist()) == ([4, 5], [True, False])
    assert cases[-1].mask.nonzero()[0].tolist() == [4]
    assert len(posed(tiny_set(), conversations=1)) == 2


def test_every_period_is_measured_for_every_way_and_confidence(tiny):
    told, rows = tiny
    assert (told.cases, told.conversations) == (5, 2)
    assert told.whole == {4_000: 1.0, 500: 0.4}
    assert {(row.way, row.confidence, row.period) for row in rows} == {
        (way, confidence, period)
        for way in ("window 4,000", "window 500", "pruning")
        for confidence in ("none stated", "estimate", "drawn, 0.0", "drawn, 0.3", "drawn, 0.6")
        for period in (0, 2, 3, 4, 5)
    }
    of = {(row.way, row.confidence, row.period): row for row in rows}
    assert of["window 4,000", "none stated", 3].same(of["window 4,000", "none stated", 0])
    assert of["window 500", "none stated", 3].checkpoints == 0
    more, less = of["window 500", "drawn, 0.0", 2], of["window 500", "drawn, 0.0", 0]
    assert more.checkpoints > 0
    assert more.summary["kept_token_share"].value > less.summary["kept_token_share"].value
    assert more.gain.value == pytest.approx(more.summary["f1"].value - less.summary["f1"].value)


def test_the_tables_have_a_line_for_each_and_none_for_what_changes_nothing(tiny):
    lines = list(by_period([tiny]))
    assert "| tiny | window 4,000 | none stated |" in lines[2]
    assert lines[2].endswith("| same | same | same | same |")
    assert len(lines) == 2 + 3 * 5 + 1
    whole = "\n".join(whole_table(*tiny))
    assert "100% into 4,000 characters, 40% into 500 characters" in whole
    assert whole.count("| window 4,000 | none stated |") == 1
    assert whole.count("| window 500 | drawn, 0.0 |") > 1
    assert tiny[1][-1].to_json()["base_window"] is None
