"""An axis of time with the hours in which an alert was open; what the charts of Monitor share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from convgate.core import text
from convgate.figures.hover import describe
from convgate.figures.layout import Drawing, axis, drawing, mark_threshold
from convgate.figures.palette import Palette

HEIGHT = 230  # pixels
RIGHT = 70  # pixels of the margin that has the limits' numbers

_TIMES = (  # the year stands above the charts; with it, days are cut off on a phone
    {"dtickrange": [None, 86_399_999], "value": "%H:%M\n%b %-d"},
    {"dtickrange": [86_400_000, None], "value": "%b %-d"},
)


@dataclass(frozen=True, slots=True)
class AlertEpisode:
    """The time between raising and clearing an alert."""

    start: datetime
    end: datetime
    label: str  # what it did, in a few words


@dataclass(frozen=True, slots=True)
class Frame:
    """The time that a chart covers."""

    start: datetime
    end: datetime
    episodes: Sequence[AlertEpisode] = ()


def time_drawing(
    frame: Frame, palette: Palette, *, height: int = HEIGHT, top: int = 40, filled: bool = False
) -> Drawing:
    """Return an empty drawing over the time of the frame, with its episodes shaded and labelled.

    filled: bars cover the background, so episodes are framed, and their labels stand above.
    """
    fig = drawing(palette, height=height, right=RIGHT, top=top)
    fig.update_layout(
        hovermode="closest", uirevision=f"{frame.start}-{frame.end}",
        xaxis=axis(
            palette, type="date", range=[format_time(frame.start), format_time(frame.end)], showgrid=False,
            nticks=8, tickangle=0, tickformatstops=_TIMES,
        ),
    )  # fmt: skip
    for episode in frame.episodes:
        start, end = max(episode.start, frame.start), min(episode.end, frame.end)
        if start < end:
            fig.add_shape(
                type="rect", xref="x", x0=format_time(start), x1=format_time(end), yref="paper", y0=0, y1=1,
                name="episode",
                **(
                    {"layer": "above", "line": {"color": palette.ink, "width": 2}}
                    if filled
                    else {"layer": "below", "fillcolor": palette.flip, "opacity": 0.18, "line": {"width": 0}}
                ),
            )  # fmt: skip
            late = start - frame.start > 0.6 * (frame.end - frame.start)
            fig.add_annotation(
                text=episode.label, x=format_time(end if late else start), xref="x", y=1, yref="paper",
                xanchor="right" if late else "left", yanchor="bottom" if filled else "top", showarrow=False,
                name="episode",
                font={"size": 12, "color": palette.flip_text},
            )  # fmt: skip
    return fig


def add_empty(fig: Drawing, text: str, palette: Palette) -> None:
    """Add a text in the middle of a chart that has nothing to show."""
    fig.add_annotation(
        text=text, name="nothing", xref="paper", x=0.5, yref="paper", y=0.5,
        font={"size": 13, "color": palette.muted},
    )  # fmt: skip


def format_time(moment: datetime) -> str:
    """Return a time by this machine's clock as text, which plotly takes ten times as fast as the time."""
    local = moment if moment.tzinfo is None else moment.astimezone().replace(tzinfo=None)
    return local.isoformat(sep=" ", timespec="milliseconds")


def middle(start: datetime, end: datetime) -> str:
    """Return the middle of a bin."""
    return format_time(start + (end - start) / 2)


def width(start: datetime, end: datetime) -> float:
    """Return the width of a bin's bar, in plotly's milliseconds."""
    return 1000 * (end - start).total_seconds()


def extent(start: datetime, end: datetime) -> str:
    """Return a bin in words.

    >>> extent(datetime(2026, 3, 5, 9), datetime(2026, 3, 5, 9, 30))
    'Thu 5 Mar, 09:00–09:30'
    """
    start, end = start.astimezone(), end.astimezone()
    day = f"{start:%a} {start.day} {start:%b}"
    if start.date() == end.date():
        return f"{day}, {start:%H:%M}–{end:%H:%M}"
    return f"{day}, {start:%H:%M} – {end:%a} {end.day} {end:%b}, {end:%H:%M}"


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
