"""Outcomes of an experiment's arms over the tokens that they send."""

from __future__ import annotations

from itertools import cycle

import plotly.graph_objects as go

from convgate.core.text import format_share
from convgate.experiments.arms import Hypothesis
from convgate.experiments.report import ExperimentReport
from convgate.figures.hover import describe, plain
from convgate.figures.layout import axis, drawing, marker
from convgate.figures.palette import Palette

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
_MIN_RANGE = 0.2  # of shares; less would exaggerate small differences


def outcome_over_tokens_figure(
    report: ExperimentReport, hypothesis: Hypothesis, palette: Palette
) -> go.Figure:
    """Return a mark for each arm: its rate over its mean tokens.

    The bar of an arm is the interval of its difference from the control, around the control's rate.
    """
    fig = drawing(palette, height=280, top=40)
    differences = {
        comparison.arm: (test.control_rate, test.difference)
        for comparison in report.comparisons
        for test in comparison.tests
        if test.hypothesis == hypothesis
    }
    rates = rates_of(report, hypothesis)
    ends = [rate for rate in rates.values() if rate is not None]
    looks = zip(cycle(palette.series), cycle(_SYMBOLS), strict=False)
    for arm, (colour, symbol) in zip(report.arms, looks, strict=False):
        if (rate := rates[arm.arm]) is None:
            continue
        low = high = rate
        control_rate, difference = differences.get(arm.arm, (None, None))
        if difference is not None and control_rate is not None:
            low, high = control_rate + difference.low, control_rate + difference.high
            ends += [low, high]
        fig.add_scatter(
            x=[arm.tokens], y=[rate], mode="markers", name=plain(arm.arm), marker=marker(symbol, 12, colour),
            error_y={
                "type": "data", "array": [high - rate], "arrayminus": [rate - low], "color": colour,
                "thickness": 1.5, "width": 4, "visible": high > low,
            },
            hovertemplate=f"{plain(arm.arm)}: {format_share(rate)} at %{{x:,.0f}} tokens<extra></extra>",
        )  # fmt: skip
    tokens = [arm.tokens for arm in report.arms if arm.tokens is not None]
    bottom, top = min(ends, default=0.0), max(ends, default=1.0)
    margin = max(0.02, (_MIN_RANGE - (top - bottom)) / 2)
    fig.update_layout(
        xaxis=axis(palette, "tokens of a request, mean", range=[0, 1.15 * max(tokens, default=1)]),
        yaxis=axis(palette, range=[bottom - margin, top + margin], tickformat=".0%"),
    )
    return fig.figure()


def describe_outcomes(report: ExperimentReport, hypothesis: Hypothesis) -> str:
    """Return the chart in words, as alternative text."""
    rates = rates_of(report, hypothesis)
    return describe(
        hypothesis.capitalize(),
        {
            arm.arm: f"{format_share(rate)} at {arm.tokens:,.0f} tokens"
            for arm in report.arms
            if (rate := rates[arm.arm]) is not None and arm.tokens is not None
        },
    )


def rates_of(report: ExperimentReport, hypothesis: Hypothesis) -> dict[str, float | None]:
    """Return the rate of each arm."""
    return {
        arm.arm: arm.completion_rate if hypothesis == "completion" else arm.error_rate for arm in report.arms
    }
