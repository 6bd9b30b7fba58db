"""An axis of time with the hours in which an alert was open; what the charts of Monitor share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import Palette

HEIGHT = 230  # pixels
RIGHT = 70  # pixels of the margin that has the limits' numbers

_TIMES = (  # the year stands above the charts; with it, days are cut off on a phone
    {"dtickrange": [None, 86_399_999], "value": "%H:%M\n%b %-d"},
    {"dtickrange": [86_400_000, None], "value": "%b %-d"},
)


@dataclass(frozen=True, slots=True)
class Episode:
    """The time between raising and clearing an alert."""

    start: datetime
    end: datetime
    label: str  # what it did, in a few words


@dataclass(frozen=True, slots=True)
class Frame:
    """The time that a chart covers."""

    start: datetime
    end: datetime
    episodes: Sequence[Episode] = ()


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
