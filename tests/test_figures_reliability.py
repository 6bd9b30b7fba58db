"""The reliability plot: a bar for each bin, and the line on which honest confidence ends."""

from __future__ import annotations

from convgate.evaluation.reliability import Bin
from convgate.figures.palette import LIGHT
from convgate.figures.reliability import describe_reliability, reliability_figure


def test_bars_stand_at_their_confidence_and_words_say_the_error():
    bins = [Bin(10, 0.55, 0.5), Bin(30, 0.95, 0.9)]
    bars, line = reliability_figure(bins, palette=LIGHT).data
    assert (list(bars.x), list(bars.y), list(bars.customdata)) == ([0.55, 0.95], [0.5, 0.9], [10, 30])
    assert (list(line.x), list(line.y)) == ([0, 1], [0, 1])
    assert describe_reliability(bins) == "Expected calibration error 0.050 over 40."
