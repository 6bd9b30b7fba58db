"""The chart of bills."""

from __future__ import annotations

import pytest

from convgate.costs.prices import Price
from convgate.evaluation.bill_report import BillReport, BillRow
from convgate.figures.bill import bill_figure, describe_bill
from convgate.figures.palette import DARK, LIGHT, Palette
from tests.test_figures_palette import contrast

PRICE = Price("hand", 1, 0.1, 1.25, 5, life_seconds=300, min_tokens=50, block_tokens=1)


def row(policy: str, cached: int, written: int, rest: int, change: float) -> BillRow:
    tokens = cached + written + rest
    cost = (0.1 * cached + 1.25 * written + rest) / 1e6
    return BillRow(policy, cost, change, cached / tokens, tokens, cached, written, None, 0, 0)


def report(*rows: BillRow) -> BillReport:
    return BillReport(PRICE, rows, 1, 3, 2, 0, 0, 100, ())


REPORT = report(row("Everything", 2_000_000, 800_000, 0, 0), row("<b>Gate", 0, 0, 400_000, -2 / 3))


def test_a_bar_has_the_dollars_of_its_parts_and_the_bill_above_it() -> None:
    fig = bill_figure(REPORT, palette=LIGHT)
    parts = {bar.name: bar.x for bar in fig.data}
    assert parts["read from the cache"] == pytest.approx([0.2, 0])
    assert parts["written to the cache"] == pytest.approx([1, 0])
    assert parts["plain input"] == pytest.approx([0, 0.4])
    assert fig.layout.barmode == "stack"
    first, second = (each.text for each in fig.layout.annotations)
    assert first == "<b>Everything</b> $1.20"
    assert second == "<b>&lt;b&gt;Gate</b> $0.40, 67% less"
    texts = {bar.name: bar.text for bar in fig.data}
    assert texts["written to the cache"] == ("$1.00", "")
    assert texts["plain input"] == ("", ""), "a bill of one part stands above its bar only"
    assert len({(bar.marker.color, bar.marker.pattern.shape) for bar in fig.data}) == 3


def test_what_no_policy_pays_for_is_not_in_the_legend() -> None:
    fig = bill_figure(report(row("Everything", 0, 800_000, 1, 0)), palette=LIGHT)
    assert [bar.name for bar in fig.data] == ["written to the cache", "plain input"]


def test_the_chart_in_words() -> None:
    text = describe_bill(REPORT)
    assert "Everything $1.20 ($0.20 read from the cache, $1.00 written to the cache)" in text
    assert "$0.40 ($0.40 plain input)" in text


def test_free_input_is_drawn() -> None:
    assert bill_figure(report(row("Everything", 0, 0, 0 + 1, 0)), palette=LIGHT).layout.xaxis.range[1] > 0


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_dollars_on_the_bars_can_be_read(palette: Palette) -> None:
    for bar in bill_figure(REPORT, palette=palette).data:
        assert contrast(bar.insidetextfont.color, bar.marker.color) >= 4.5
