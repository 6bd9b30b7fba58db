"""Chart of where conversations and sessions begin, by time or turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import plotly.graph_objects as go

from convgate.figures.hover import head, plain, wrapped
from convgate.figures.layout import (
    Drawing,
    add_line,
    add_marks,
    add_selected,
    axis,
    drawing,
    marker,
    turn_axis,
)
from convgate.figures.over_time import format_time
from convgate.figures.palette import Palette

HEIGHT = 190  # pixels
_MESSAGES, _EDITS = 0.0, 1.05  # levels
_LOW, _HIGH = -2.0, 2.0  # levels beyond all others
_DENSE = 400  # events; of more, neither lines nor shades can be distinguished
_MAX_REASONS = 900  # marks whose hover text has the reason; more would make the page slow
_EVENTS = 0.7  # level of events
_DASHES = {"session": "solid", "conversation": "dot"}
_KINDS = {  # names and symbols of events
    "session": ("session begins", "triangle-right"),
    "conversation": ("conversation begins", "triangle-right-open"),
    "state": ("workflow state", "hourglass"),
}
_MIN_WIDTH = 1 / 300  # of a session, as a share of the axis


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at a turn, whatever is kept."""

    turn: int  # 0-based
    kind: Literal["session", "conversation", "state"]  # what begins or is reached there
    text: str  # untrusted


@dataclass(frozen=True, eq=False)
class Timeline:
    """The messages of a conversation and their events; turns are 0-based indices."""

    labels: Sequence[str]  # speaker and first words of each turn; untrusted
    is_user: Sequence[bool]  # of each turn
    events: Sequence[Event]  # what begins where, and states that are reached
    sessions: Sequence[int]  # turns with which sessions begin, increasing; the first is 0
    times: Sequence[datetime] | None = None  # of each turn, without a zone; None: turn by turn
    edits: Sequence[Event] = ()  # turns whose boundary a person set

    def position(self, turn: int) -> object:
        """Return the place of a message on the x axis."""
        return turn + 1 if self.times is None else format_time(self.times[turn])

    def edge(self, turn: int) -> object:
        """Return the place before a message on the x axis; by time that of the message."""
        return turn + 0.5 if self.times is None else format_time(self.times[turn])

    def event_position(self, event: Event) -> object:
        """Return the place of an event's mark: before its message, for a state at it."""
        return self.position(event.turn) if event.kind == "state" else self.edge(event.turn)


def timeline_figure(timeline: Timeline, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """Return a mark for each message; `customdata` of a mark is the turn's 0-based index.

    Sessions are shaded. A triangle is where something begins, an open one a conversation; a star is an edit.
    """
    count = len(timeline.labels)
    fig = drawing(palette, height=HEIGHT, left=12, right=12)
    x_axis = turn_axis(palette, 1, count)
    if timeline.times is not None:
        low, high = min(timeline.times), max(timeline.times)
        edge = (high - low) * 0.02
        ends = [format_time(low - edge), format_time(high + edge)]
        x_axis = axis(palette, range=ends, fixedrange=False, showgrid=False, type="date")
    fig.update_layout(
        uirevision=f"{count}-{timeline.times is None}", dragmode="zoom", xaxis=x_axis,
        yaxis=axis(palette, range=[-0.6, 1.3], showgrid=False, showticklabels=False),
    )  # fmt: skip
    if len(timeline.events) <= _DENSE:
        _add_grounds(fig, timeline, palette)
    for name, look, is_user in (
        ("user", marker("circle", 9, palette.ink), True),
        ("others", marker("circle-open", 9, palette.muted), False),
    ):
        turns = [turn for turn in range(count) if bool(timeline.is_user[turn]) == is_user]
        hover = [_hover(timeline, turn) for turn in turns]
        x = [timeline.position(turn) for turn in turns]
        add_marks(fig, name, x, [_MESSAGES] * len(turns), turns, look, hover=hover, count=count)
    for kind, (name, symbol) in _KINDS.items():
        if events := [event for event in timeline.events if event.kind == kind]:
            _add_events(fig, timeline, name, events, marker(symbol, 11, palette.muted), _EVENTS)
    if timeline.edits:
        _add_events(fig, timeline, "edited", timeline.edits, marker("star", 13, palette.flip), _EDITS)
    if selected is not None and 0 <= selected < count:
        add_selected(fig, selected, timeline.position(selected), [_MESSAGES], palette)
    return fig.figure()


def describe_timeline(timeline: Timeline, selected: int | None = None) -> str:
    """Return the chart in a few sentences, as alternative text."""
    begun = [event for event in timeline.events if event.kind != "state"]
    sentences = [f"{len(timeline.labels):,} messages in {len(timeline.sessions):,} sessions."]
    sentences += [f"Turn {event.turn + 1:,}: {event.text}" for event in begun[:8]]
    if timeline.edits:
        sentences.append(f"{len(timeline.edits):,} edited.")
    if selected is not None:
        sentences.append(f"Turn {selected + 1:,} is selected.")
    return " ".join(sentences)


def _add_grounds(fig: Drawing, timeline: Timeline, palette: Palette) -> None:
    """Add sessions as shades, and lines where something begins.

    By time each session is shaded, so that the gaps are bare, else every other one. They are one trace:
    plotly takes seconds over hundreds of shapes.
    """
    starts = timeline.sessions
    spans = list(zip(starts, [*starts[1:], len(timeline.labels)], strict=True))
    extents: list[tuple[object, object]] = [(start + 0.5, stop + 0.5) for start, stop in spans[1::2]]
    if timeline.times is not None:
        margin = (max(timeline.times) - min(timeline.times)) * _MIN_WIDTH
        times = [timeline.times[start:stop] for start, stop in spans]
        extents = [(format_time(min(span) - margin), format_time(max(span) + margin)) for span in times]
    fig.add_scatter(
        x=[x for low, high in extents for x in (low, low, high, high, None)] or [None],
        y=[_LOW, _HIGH, _HIGH, _LOW, None] * len(extents) or [None],
        mode="lines", fill="toself", fillcolor=palette.grid, opacity=0.6, line={"width": 0},
        hoverinfo="skip", showlegend=False, name="session",
    )  # fmt: skip
    for kind, dash in _DASHES.items():
        edges = [timeline.edge(event.turn) for event in timeline.events if event.kind == kind]
        x = [x for edge in edges for x in (edge, edge, None)]
        y = [_LOW, _HIGH, None] * len(edges)
        if edges:
            add_line(fig, f"{kind} line", x, y, (palette.muted, dash), width=1, showlegend=False)


def _hover(timeline: Timeline, turn: int) -> str:
    text = head(turn, timeline.labels[turn])
    return text if timeline.times is None else f"{text}<br>{timeline.times[turn]:%a %d %b %Y, %H:%M}"


def _add_events(
    fig: Drawing, timeline: Timeline, name: str, events: Sequence[Event], look: dict[str, Any], level: float
) -> None:
    """Add events as marks at a level, with their text on hover; of many, on one line."""
    text = wrapped if len(events) <= _MAX_REASONS else plain
    hover = [f"<b>Turn {event.turn + 1}</b><br>{text(event.text)}" for event in events]
    turns = [event.turn for event in events]
    x = [timeline.event_position(event) for event in events]
    add_marks(fig, name, x, [level] * len(events), turns, look, hover=hover, showlegend=True)
