"""How the parts of one turn's logit add up to its score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from convgate.figures.hover import plain, wrapped
from convgate.figures.layout import UNDER_TOOLBAR, axis, drawing, mark_threshold
from convgate.figures.palette import Palette
from convgate.text import format_number, format_signed


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the logit, in words for a newcomer."""

    label: str
    help: str


PARTS: Mapping[str, Part] = {
    "semantic": Part("meaning", "How close the turn's meaning is to the current message's."),
    "recency": Part("recency", "What newer turns gain by their place; training decides how much."),
    "decay": Part("age", "What a turn loses by being old; never more than 1."),
    "meaning": Part("meaning", "How close the turn's meaning is to the current message's."),
    "neighbours": Part("neighbours", "How close the turns just before and after this one are to it."),
    "words": Part("words", "Words that the turn shares with the message, rare ones above all."),
    "speaker": Part("speaker", "Who speaks, and whether this is the newest turn of that person."),
    "addressing": Part("addressing", "Who calls whom by name."),
    "time": Part("time", "How long ago it was said."),
    "turn": Part("form", "What the turn is like: a question, an answer, long, short, code."),
    "message": Part("message", "What the message and the conversation are like: the same for all turns."),
    "contextual": Part("other turns", "What turns that go on from each other add or take."),
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
    fig = drawing(palette, height=118 + 38 * (len(names) + 1), left=88, right=20, top=UNDER_TOOLBAR)
    fig.add_waterfall(
        orientation="h",
        y=[*(part_label(name) for name in names), "sum"],
        x=[*values, total],
        measure=[*("relative" for _ in names), "total"],
        text=[
            *(format_signed(value) for value in values),
            f"<b>{format_signed(total)}</b>",
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
    fig.update_layout(
        showlegend=False,
        xaxis=axis(
            palette,
            f"logit: {format_signed(total)} is a score of <b>{format_number(_score(total))}</b>",
            range=_range(values, threshold_logit),
            zeroline=True,
            zerolinecolor=palette.muted,
        ),
        yaxis=axis(
            palette, autorange="reversed", showgrid=False, tickfont={"size": 13, "color": palette.ink}
        ),
    )
    if threshold_logit is not None and math.isfinite(threshold_logit):
        label = f"threshold <b>{format_signed(threshold_logit)}</b>"
        mark_threshold(fig, threshold_logit, label, palette, across="x")
    return fig.figure()


def describe_waterfall(parts: Mapping[str, float], *, threshold_logit: float | None) -> str:
    """The chart in a sentence."""
    total = math.fsum(parts.values())
    told = ", ".join(f"{part_label(name)} {format_signed(value)}" for name, value in parts.items())
    sentence = f"{told}: together {format_signed(total)}, which is a score of {format_number(_score(total))}"
    if threshold_logit is None or not math.isfinite(threshold_logit):
        return f"{sentence}."
    return f"{sentence}; the threshold is {format_signed(threshold_logit)}."


def _range(values: list[float], threshold: float | None) -> list[float]:
    """Room for every bar with its number, and the threshold; in halves, so that it seldom moves."""
    ends = [math.fsum(values[: count + 1]) for count in range(len(values))]
    bars = [*zip(ends, values, strict=True), (math.fsum(values), math.fsum(values))]
    marks = [0.0, *ends] if threshold is None or not math.isfinite(threshold) else [0.0, *ends, threshold]
    room = 0.18 * max(max(marks) - min(marks), 0.5)  # numbers stand left of falling bars, right of the others
    low = min([*marks, *(end - room for end, value in bars if value < 0)])
    high = max([*marks, *(end + room for end, value in bars if value >= 0)])
    return [math.floor(2 * low) / 2, math.ceil(2 * high) / 2]


def _help(name: str) -> str:
    return PARTS[name].help if name in PARTS else name


def _score(logit: float) -> float:
    return 1 / (1 + math.exp(-logit)) if logit >= 0 else math.exp(logit) / (1 + math.exp(logit))
