"""Where conversations and sessions begin along a conversation: by the clock, or message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go

from convgate.figures.drawing import Drawing
from convgate.figures.hover import head
from convgate.figures.layout import add_line, add_marks, add_selected, axis, drawing, marker, turn_axis
from convgate.figures.palette import Palette
from convgate.figures.timeline import DASHES, Event, add_event_marks, add_events

_HEIGHT, _LANE = 190, 34  # pixels; of the lane of the rules alone
_MESSAGES, _COMMANDS, _MOVED, _RULES = 0.0, 0.32, 1.05, -0.75  # levels
_LOW, _HIGH = -2.0, 2.0  # levels beyond all others
_DENSE = 400  # events; of more, neither lines nor shades can be distinguished
_THINNEST = 1 / 300  # of the axis: how wide a session is at least


@dataclass(frozen=True, eq=False)
class Along:
    """What is drawn of a conversation; turns are 0-based indices."""

    labels: Sequence[str]  # who and first words of each turn; untrusted
    asks: Sequence[bool]  # whether each turn is a user's
    events: Sequence[Event]  # what begins where, and states that are reached
    sessions: Sequence[int]  # turns with which sessions begin, increasing; the first is 0
    times: Sequence[datetime] | None = None  # of each turn, without a zone; None: one after the other
    commands: Sequence[Event] = ()  # turns that ask in words to continue, or to begin
    moved: Sequence[Event] = ()  # what a person made of turns
    rules: Sequence[Event] = ()  # what begins where by the rules alone; empty: the same

    def at(self, turn: int) -> object:
        """Where a message stands on the x axis."""
        return turn + 1 if self.times is None else _format_time(self.times[turn])

    def edge(self, turn: int) -> object:
        """Between a message and the one before; by the clock at the message, with which the time begins."""
        return turn + 0.5 if self.times is None else _format_time(self.times[turn])

    def before(self, event: Event) -> object:
        """Where an event's mark stands: before its message, for a state at it."""
        return self.at(event.turn) if event.kind == "state" else self.edge(event.turn)


def along_height(along: Along) -> int:
    """Return the figure's height in pixels."""
    return _HEIGHT + (_LANE if along.rules else 0)


def along_figure(along: Along, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """Return a mark a message; `customdata` of a mark is the turn's 0-based index.

    Sessions are shaded. A triangle is where something begins, an open one a conversation; a star is what a
    person moved, and the lane below what the rules alone would have.
    """
    count = len(along.labels)
    fig = drawing(palette, height=along_height(along), left=12, right=12)
    x_axis = turn_axis(palette, 1, count)
    if along.times is not None:
        low, high = min(along.times), max(along.times)
        edge = (high - low) * 0.02
        ends = [_format_time(low - edge), _format_time(high + edge)]
        x_axis = axis(palette, range=ends, fixedrange=False, showgrid=False, type="date")
    levels = [-1.2 if along.rules else -0.6, 1.3]
    fig.update_layout(
        uirevision=f"{count}-{along.times is None}", dragmode="zoom", xaxis=x_axis,
        yaxis=axis(palette, range=levels, showgrid=False, showticklabels=False),
    )  # fmt: skip
    if len(along.events) <= _DENSE:
        _add_grounds(fig, along, palette)
    for name, look, asks in (
        ("user", marker("circle", 9, palette.ink), True),
        ("others", marker("circle-open", 9, palette.muted), False),
    ):
        turns = [turn for turn in range(count) if bool(along.asks[turn]) == asks]
        hover = [_hover(along, turn) for turn in turns]
        x = [along.at(turn) for turn in turns]
        add_marks(fig, name, x, [_MESSAGES] * len(turns), turns, look, hover=hover, count=count)
    add_events(fig, along.events, palette, place=along.before)
    if along.commands:
        look = marker("square-open", 8, palette.muted)
        add_event_marks(fig, "command", along.commands, look, _COMMANDS, lambda event: along.at(event.turn))
    if along.moved:
        look = marker("star", 13, palette.flip)
        add_event_marks(fig, "moved by a person", along.moved, look, _MOVED, along.before)
    if along.rules:
        fig.add_annotation(
            text="by the rules alone", xref="paper", x=0, xanchor="left", y=-0.48, yanchor="middle",
            font={"size": 11, "color": palette.muted},
        )  # fmt: skip
        for kind, symbol in (("session", "triangle-right"), ("conversation", "triangle-right-open")):
            if found := [event for event in along.rules if event.kind == kind]:
                look = marker(symbol, 10, palette.dropped)
                add_event_marks(
                    fig, "by the rules alone", found, look, _RULES, along.before, showlegend=False
                )
    if selected is not None and 0 <= selected < count:
        add_selected(fig, selected, along.at(selected), [_MESSAGES], palette)
    return fig.figure()


def describe_along(along: Along, selected: int | None = None) -> str:
    """Return the chart in a few sentences, as alternative text."""
    begun = [event for event in along.events if event.kind != "state"]
    sentences = [f"{len(along.labels):,} messages in {len(along.sessions):,} sessions."]
    sentences += [f"Turn {event.turn + 1:,}: {event.told}" for event in begun[:8]]
    if along.moved:
        sentences.append(f"{len(along.moved):,} moved by a person.")
    if selected is not None:
        sentences.append(f"Turn {selected + 1:,} is selected.")
    return " ".join(sentences)


def _add_grounds(fig: Drawing, along: Along, palette: Palette) -> None:
    """Add sessions as shades, and lines where something begins.

    By the clock each session is shaded, so that the gaps are bare, else every other one. They are one trace:
    plotly takes seconds over hundreds of shapes.
    """
    spans = list(zip(along.sessions, [*along.sessions[1:], len(along.labels)], strict=True))
    extents: list[tuple[object, object]] = [(start + 0.5, stop + 0.5) for start, stop in spans[1::2]]
    if along.times is not None:
        thin = (max(along.times) - min(along.times)) * _THINNEST
        times = [along.times[start:stop] for start, stop in spans]
        extents = [(_format_time(min(span) - thin), _format_time(max(span) + thin)) for span in times]
    fig.add_scatter(
        x=[x for low, high in extents for x in (low, low, high, high, None)] or [None],
        y=[_LOW, _HIGH, _HIGH, _LOW, None] * len(extents) or [None],
        mode="lines", fill="toself", fillcolor=palette.grid, opacity=0.6, line={"width": 0},
        hoverinfo="skip", showlegend=False, name="session",
    )  # fmt: skip
    for kind, dash in DASHES.items():
        edges = [along.edge(event.turn) for event in along.events if event.kind == kind]
        x = [x for edge in edges for x in (edge, edge, None)]
        y = [_LOW, _HIGH, None] * len(edges)
        if edges:
            add_line(fig, f"{kind} line", x, y, (palette.muted, dash), width=1, showlegend=False)


def _hover(along: Along, turn: int) -> str:
    text = head(turn, along.labels[turn])
    return text if along.times is None else f"{text}<br>{along.times[turn]:%a %d %b %Y, %H:%M}"


def _format_time(moment: datetime) -> str:
    """Return a time as text, which plotly takes ten times as quickly as the time itself."""
    return moment.isoformat(sep=" ", timespec="milliseconds")
