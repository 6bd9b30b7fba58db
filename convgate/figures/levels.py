"""A watched figure over time, with the limits at which an alert is raised and cleared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from convgate.core.text import format_share
from convgate.figures.hover import describe
from convgate.figures.layout import axis, mark_threshold
from convgate.figures.over_time import Frame, add_mark, format_time, time_drawing
from convgate.figures.palette import Palette


@dataclass(frozen=True, slots=True)
class Point:
    """The figure at a moment."""

    at: datetime
    value: float | None  # 0 or more; None while too little is known
    detail: str = ""  # for the hover text


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
        return format_share if self.is_share else "{:.3f}".format


def level_figure(
    level: Level, frame: Frame, *, palette: Palette, marks: Sequence[tuple[datetime, str]] = ()
) -> go.Figure:
    """Return a line with a mark a point; the limit is dashed, the recovery dotted. marks: (time, label)."""
    fig = time_drawing(frame, palette, top=34 if marks else 14)
    highest = max((point.value for point in level.points if point.value is not None), default=0.0)
    top = max(1.45 * level.limit, 1.15 * highest)
    fig.update_layout(
        showlegend=False,
        yaxis=axis(
            palette, range=[0, min(top, 1.02) if level.is_share else top],
            tickformat=".0%" if level.is_share else ".2f", nticks=5,
        ),
    )  # fmt: skip
    for at, label in marks:
        add_mark(fig, at, label, palette)
    fig.add_shape(
        type="line", xref="paper", x0=0, x1=1, y0=level.recovery, y1=level.recovery, name="recovery",
        line={"color": palette.forced, "width": 1.5, "dash": "dot"},
    )  # fmt: skip
    fig.add_annotation(
        text=f"ends {_short(level, level.recovery)}", showarrow=False, name="recovery", xref="paper", x=1,
        xanchor="left", y=level.recovery, yanchor="top", xshift=3,
        font={"size": 11, "color": palette.forced_text},
    )  # fmt: skip
    mark_threshold(fig, level.limit, f"limit {_short(level, level.limit)}", palette, across="y")
    fig.layout["annotations"][-1].update(
        {"yanchor": "bottom", "font": {"size": 11, "color": palette.threshold_text}}
    )
    known_points = [point for point in level.points if point.value is not None]
    above = [point.value is not None and point.value > level.limit for point in level.points]
    fig.add_scatter(
        x=[format_time(point.at) for point in level.points] or [None],
        y=[point.value for point in level.points] or [None], mode="lines+markers", name=level.name,
        hoverinfo="text", hovertext=[_hover(level, point) for point in level.points], connectgaps=False,
        line={"color": palette.ink, "width": 1.75},
        marker={
            "size": [9 if over else 5 for over in above], "color": palette.ink,
            "symbol": ["diamond" if over else "circle" for over in above],
        },
    )  # fmt: skip
    if not known_points:
        fig.add_annotation(
            text="not enough data", showarrow=False, name="nothing", xref="paper", x=0.5,
            yref="paper", y=0.5, font={"size": 13, "color": palette.muted},
        )  # fmt: skip
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
            "an alert ends below": level.number(level.recovery),
        },
    )


def _hover(level: Level, point: Point) -> str:
    value = "not enough data" if point.value is None else f"<b>{level.number(point.value)}</b>"
    time = point.at.astimezone()
    return f"{value}<br>{time:%a} {time.day} {time:%b}, {time:%H:%M}" + (
        f"<br>{point.detail}" if point.detail else ""
    )


def _short(level: Level, value: float) -> str:
    return format_share(value) if level.is_share else f"{value:g}"
