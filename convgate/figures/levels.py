"""A watched figure over time, with the limits at which an alert is raised and cleared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from convgate.core import text
from convgate.figures.hover import describe
from convgate.figures.layout import axis, mark_threshold
from convgate.figures.over_time import Frame, add_empty, format_time, time_drawing
from convgate.figures.palette import Palette


@dataclass(frozen=True, slots=True)
class Point:
    """The figure at a moment."""

    at: datetime
    value: float | None  # 0 or more; None while too little is known
    detail: str  # for the hover text


@dataclass(frozen=True, slots=True)
class Level:
    """What is watched."""

    name: str
    points: Sequence[Point]  # in the order of time
    limit: float  # more raises an alert
    recovery: float  # less ends it
    is_share: bool = False  # shown in percent; else with three decimals

    @property
    def number(self) -> Callable[[float], str]:
        """How its values are written."""
        return text.format_share if self.is_share else "{:.3f}".format


def level_figure(level: Level, frame: Frame, *, palette: Palette) -> go.Figure:
    """Return a line with a mark a point; the limit is dashed, the recovery dotted."""
    fig = time_drawing(frame, palette, top=14)
    values = [point.value for point in level.points]
    top = max(1.45 * level.limit, 1.15 * max((value or 0.0 for value in values), default=0.0))
    fig.update_layout(
        showlegend=False,
        yaxis=axis(
            palette, range=[0, min(top, 1.02) if level.is_share else top],
            tickformat=".0%" if level.is_share else ".2f", nticks=5,
        ),
    )  # fmt: skip
    fig.add_hline(level.recovery, line={"color": palette.forced, "width": 1.5, "dash": "dot"})
    fig.add_annotation(
        text=f"ends {level.number(level.recovery)}", name="recovery", xref="paper", x=1, xanchor="left",
        y=level.recovery, yanchor="top", xshift=3, font={"size": 11, "color": palette.forced_text},
    )  # fmt: skip
    mark_threshold(fig, level.limit, f"limit {level.number(level.limit)}", palette, across="y")
    fig.layout["annotations"][-1].update(
        {"yanchor": "bottom", "font": {"size": 11, "color": palette.threshold_text}}
    )
    above = [value is not None and value > level.limit for value in values]
    hover = [
        f"{'not enough data' if point.value is None else f'<b>{level.number(point.value)}</b>'}"
        f"<br>{text.format_time(point.at)}<br>{point.detail}"
        for point in level.points
    ]
    fig.add_scatter(
        x=[format_time(point.at) for point in level.points] or [None], y=values or [None],
        mode="lines+markers", name=level.name, hoverinfo="text", hovertext=hover, connectgaps=False,
        line={"color": palette.ink, "width": 1.75},
        marker={
            "size": [9 if over else 5 for over in above], "color": palette.ink,
            "symbol": ["diamond" if over else "circle" for over in above],
        },
    )  # fmt: skip
    if all(value is None for value in values):
        add_empty(fig, "not enough data", palette)
    return fig.figure()


def describe_level(level: Level) -> str:
    """Return the chart in words, as alternative text."""
    values = [point.value for point in level.points if point.value is not None]
    if not values:
        return f"{level.name}: not enough data."
    return describe(
        level.name,
        {
            "at the end": level.number(values[-1]),
            "highest": level.number(max(values)),
            "limit": level.number(level.limit),
            "points above the limit": f"{sum(value > level.limit for value in values):,} of {len(values):,}",
        },
    )
