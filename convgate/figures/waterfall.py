"""How the parts of one turn's logit add up to its score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from convgate.figures.hover import number, plain, signed, wrapped
from convgate.figures.layout import axis, figure, mark_threshold
from convgate.figures.palette import Palette


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the logit, in words for a newcomer."""

    label: str
    help: str


PARTS: Mapping[str, Part] = {
    "semantic": Part("meaning", "How close the turn's meaning is to the current message's."),
    "recency": Part("recency", "What newer turns gain by their place; training decides how much."),
    "decay": Part("age", "What a turn loses by being old; never more than 1."),
    "contextual": Part("other turns", "What the attention among all turns adds or takes."),
}


def part_label(name: str) -> str:
    """What a part is called on screen; a name that is not known is shown as it is.

    >>> part_label("semantic"), part_label("same_speaker")
    ('meaning', 'same speaker')
    """
    return PARTS[name].label if name in PARTS else plain(name.replace("_", " "), 24)


def waterfall_figure(
    parts: Mapping[str, float], *, threshold_logit: float | None, palette: Palette
) -> go.Figure:
    """One bar a part, each starting where the last one ended, and their sum with the score it gives.

    parts: logits by name, in the order to be shown. threshold_logit: the threshold as a logit; None, or an
    infinite one (threshold 0 or 1), has no line.
    """
    names, values = list(parts), [float(value) for value in parts.values()]
    total = math.fsum(values)
    fig = figure(palette, height=96 + 38 * (len(names) + 1), left=88, right=20, top=28)
    fig.add_trace(
        go.Waterfall(
            orientation="h",
            y=[*(part_label(name) for name in names), "sum"],
            x=[*values, total],
            measure=[*("relative" for _ in names), "total"],
            text=[
                *(signed(value) for value in values),
                f"<b>{signed(total)} → score {number(_score(total))}</b>",
            ],
            textposition="outside",
            textfont={"size": 13, "color": palette.ink},
            cliponaxis=False,
            hovertext=[*(wrapped(_help(name)) for name in names), "The logit. Its logistic is the score."],
            hoverinfo="text",
            increasing={"marker": {"color": palette.kept}},
            decreasing={"marker": {"color": palette.dropped}},
            totals={"marker": {"color": palette.ink}},
            connector={"line": {"color": palette.muted, "width": 1, "dash": "dot"}},
            width=0.6,
        )
    )
    fig.update_layout(
        showlegend=False,
        xaxis=axis(
            palette,
            "logit",
            range=_range(values, threshold_logit),
            zeroline=True,
            zerolinecolor=palette.muted,
        ),
        yaxis=axis(
            palette, autorange="reversed", showgrid=False, tickfont={"size": 13, "color": palette.ink}
        ),
    )
    if threshold_logit is not None and math.isfinite(threshold_logit):
        label = f"threshold {signed(threshold_logit)}"
        mark_threshold(fig, threshold_logit, label, palette, across="x")
    return fig


def describe_waterfall(parts: Mapping[str, float], *, threshold_logit: float | None) -> str:
    """The chart in a sentence."""
    total = math.fsum(parts.values())
    told = ", ".join(f"{part_label(name)} {signed(value)}" for name, value in parts.items())
    sentence = f"{told}: together {signed(total)}, which is a score of {number(_score(total))}"
    if threshold_logit is None or not math.isfinite(threshold_logit):
        return f"{sentence}."
    return f"{sentence}; the threshold is {signed(threshold_logit)}."


def _range(values: list[float], threshold: float | None) -> list[float]:
    """Room for every running sum and the threshold, in halves, so that a small move changes nothing."""
    ends = [0.0, *(math.fsum(values[: count + 1]) for count in range(len(values)))]
    if threshold is not None and math.isfinite(threshold):
        ends.append(threshold)
    low, high = min(ends), max(ends)
    room = 0.18 * max(high - low, 0.5)  # for the numbers beside the bars
    return [math.floor(2 * (low - room)) / 2, math.ceil(2 * (high + room)) / 2]


def _help(name: str) -> str:
    return PARTS[name].help if name in PARTS else name


def _score(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
