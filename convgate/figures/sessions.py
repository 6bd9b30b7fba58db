"""Where conversations and sessions begin along a conversation: by the clock, or message by message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import plotly.graph_objects as go

from convgate.figures.drawing import Drawing
from convgate.figures.hover import plain, wrapped
from convgate.figures.layout import axis, drawing, scatter, steady
from convgate.figures.palette import Palette
from convgate.figures.timeline import Event, add_events

_HEIGHT, _LANE = 190, 34  # pixels; of the lane that tells what the rules say
_MESSAGES, _COMMANDS, _EVENTS, _MOVED, _RULES = 0.0, 0.32, 0.7, 1.05, -0.75  # levels
_LOW, _HIGH = -2.0, 2.0  # levels beyond all others
_DENSE = 400  # events; of more, neither lines nor grounds can be told apart
_THINNEST = 1 / 300  # of the axis: how wide a session is at least
_KINDS = {"session": "triangle-right", "conversation": "triangle-right-open"}


@dataclass(frozen=True, eq=False)
class Along:
    """What is drawn of a conversation; turns are 0-based indices."""

    labels: Sequence[str]  # who and first words of each turn; untrusted
    asks: Sequence[bool]  # whether each turn is a user's
    events: Sequence[Event]  # what begins where, and states that are reached
    sessions: Sequence[int]  # turns with which sessions begin, increasing; the first is 0
    times: Sequence[datetime] | None = None  # of each turn, without a zone; None: one after the other
    commands: Sequence[Event] = ()  # turns that ask in words to go on, or to begin
    moved: Sequence[Event] = ()  # what a person made of turns
    rules: Sequence[Event] = ()  # what begins where by the rules alone; empty: the same


def along_height(along: Along) -> int:
    """The figure's height in pixels."""
    return _HEIGHT + (_LANE if along.rules else 0)


def along_figure(along: Along, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """A mark a message; `customdata` of a mark is the turn's 0-based index, as one integer.

    Sessions are shaded. A triangle is where something begins, an open one a conversation; a star
    is what a person moved, and the lane below what the rules alone would have.
    """
    turns = len(along.labels)
    fig = drawing(palette, height=along_height(along), left=12, right=12)
    low, high = _range(along)
    is_selected = selected is not None and 0 <= selected < turns
    fig.update_layout(
        uirevision=f"{turns}-{along.times is None}", dragmode="zoom", hovermode="closest",
        xaxis=axis(
            palette, "turn" if along.times is None else None, range=[low, high], fixedrange=False,
            showgrid=False, **({"type": "date"} if along.times else {}),
        ),
        yaxis=axis(
            palette, range=[-1.2 if along.rules else -0.6, 1.3], showgrid=False, showticklabels=False
        ),
        shapes=[_line(_x(along, selected), palette)] if selected is not None and is_selected else [],
        annotations=[_rules_name(palette)] if along.rules else [],
    )  # fmt: skip
    _add_grounds(fig, along, palette)
    _add_messages(fig, along, palette)
    add_events(fig, along.events, palette, place=lambda event: _before(along, event))
    _add_told(fig, along, along.commands, "command", ("square-open", 8, palette.muted), _COMMANDS)
    _add_told(fig, along, along.moved, "moved by a person", ("star", 13, palette.flip), _MOVED)
    if along.rules:
        _add_rules(fig, along, palette)
    if selected is not None and is_selected:
        fig.add_scatter(
            x=[_x(along, selected)], y=[_MESSAGES], mode="markers", name="selected", hoverinfo="skip",
            showlegend=False, customdata=[selected], **steady(),
            marker={"symbol": "circle-open", "size": 20, "color": palette.ink, "line": {"width": 2}},
        )  # fmt: skip
    return fig.figure()


def describe_along(along: Along, selected: int | None = None) -> str:
    """The chart in a few sentences, for people who do not see it."""
    begun = [event for event in along.events if event.kind != "state"]
    told = [f"{len(along.labels):,} messages in {len(along.sessions):,} sessions."]
    told += [f"Turn {event.turn + 1:,}: {event.told}" for event in begun[:8]]
    if along.moved:
        told.append(f"{len(along.moved):,} moved by a person.")
    if selected is not None:
        told.append(f"Turn {selected + 1:,} is selected.")
    return " ".join(told)


def _add_messages(fig: Drawing, along: Along, palette: Palette) -> None:
    for name, symbol, wanted in (("user", "circle", True), ("others", "circle-open", False)):
        chosen = [turn for turn, asks in enumerate(along.asks) if bool(asks) == wanted]
        fig.add_trace(
            scatter(len(along.labels))(
                x=[_x(along, turn) for turn in chosen] or [None], y=[_MESSAGES] * (len(chosen) or 1),
                customdata=chosen, mode="markers", name=name, hoverinfo="text",
                hovertext=[_hover(along, turn) for turn in chosen], **steady(),
                marker={"symbol": symbol, "size": 9, "color": palette.kept if wanted else palette.dropped,
                        "line": {"width": 1.5, "color": palette.kept if wanted else palette.dropped}},
            )
        )  # fmt: skip


def _add_told(
    fig: Drawing,
    along: Along,
    events: Sequence[Event],
    name: str,
    look: tuple[str, int, str],
    level: float,
) -> None:
    """Marks of a symbol, a size in pixels and a colour, which tell what happens."""
    if events:
        symbol, size, colour = look
        fig.add_scatter(
            x=[_before(along, event) if level == _MOVED else _x(along, event.turn) for event in events],
            y=[level] * len(events), customdata=[event.turn for event in events], mode="markers",
            name=name, showlegend=True, hoverinfo="text", **steady(),
            hovertext=[_told(event) for event in events],
            marker={"symbol": symbol, "size": size, "color": colour},
        )  # fmt: skip


def _add_rules(fig: Drawing, along: Along, palette: Palette) -> None:
    for kind in ("session", "conversation"):
        found = [event for event in along.rules if event.kind == kind]
        if found:
            fig.add_scatter(
                x=[_before(along, event) for event in found], y=[_RULES] * len(found), mode="markers",
                customdata=[event.turn for event in found], name="by the rules alone", showlegend=False,
                hovertext=[_told(event) for event in found],
                hoverinfo="text", **steady(),
                marker={"symbol": _KINDS[kind], "size": 10, "color": palette.dropped},
            )  # fmt: skip


def _rules_name(palette: Palette) -> dict[str, Any]:
    return {
        "xref": "paper", "x": 0, "y": -0.48, "text": "by the rules alone", "showarrow": False,
        "xanchor": "left", "yanchor": "middle", "font": {"size": 11, "color": palette.muted},
    }  # fmt: skip


def _add_grounds(fig: Drawing, along: Along, palette: Palette) -> None:
    """Sessions shaded, and lines where something begins.

    By the clock each session is, so that the gaps are bare, else every other. A trace each: plotly takes
    seconds over hundreds of shapes. Where more begins than a screen can tell apart, the marks alone say so.
    """
    if len(along.events) > _DENSE:
        return
    x: list[object] = []
    for low, high in _extents(along):
        x += [low, low, high, high, None]
    fig.add_scatter(
        x=x or [None], y=[_LOW, _HIGH, _HIGH, _LOW, None] * (len(x) // 5) or [None], mode="lines",
        fill="toself", fillcolor=palette.grid, opacity=0.6, line={"width": 0}, hoverinfo="skip",
        showlegend=False, name="session",
    )  # fmt: skip
    for kind, dash in (("session", "solid"), ("conversation", "dot")):
        starts = [_edge(along, event.turn) for event in along.events if event.kind == kind]
        if starts:
            fig.add_scatter(
                x=[place for start in starts for place in (start, start, None)],
                y=[_LOW, _HIGH, None] * len(starts), mode="lines", hoverinfo="skip", showlegend=False,
                line={"color": palette.muted, "width": 1, "dash": dash}, name=f"{kind} line",
            )  # fmt: skip


def _extents(along: Along) -> list[tuple[object, object]]:
    """From where to where sessions are shaded, on the x axis."""
    extents = list(zip(along.sessions, [*along.sessions[1:], len(along.labels)], strict=True))
    if along.times is None:
        return [(start + 0.5, stop + 0.5) for start, stop in extents[1::2]]
    thin = (max(along.times) - min(along.times)) * _THINNEST
    spans = [along.times[start:stop] for start, stop in extents]
    return [(_written(min(span) - thin), _written(max(span) + thin)) for span in spans]


def _line(x: object, palette: Palette) -> dict[str, Any]:
    return {
        "type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x, "layer": "below",
        "line": {"color": palette.ink, "width": 2},
    }  # fmt: skip


def _hover(along: Along, turn: int) -> str:
    told = f"<b>Turn {turn + 1}</b> {plain(along.labels[turn], 60)}"
    return told if along.times is None else f"{told}<br>{along.times[turn]:%a %d %b %Y, %H:%M}"


def _told(event: Event) -> str:
    return f"<b>Turn {event.turn + 1}</b><br>{wrapped(event.told)}"


def _before(along: Along, event: Event) -> object:
    """Where an event's mark stands: before its message, for a state at it."""
    return _x(along, event.turn) if event.kind == "state" else _edge(along, event.turn)


def _edge(along: Along, turn: int) -> object:
    """Between a message and the one before; by the clock at the message, with which the time begins."""
    return turn + 0.5 if along.times is None else _written(along.times[turn])


def _x(along: Along, turn: int) -> object:
    return turn + 1 if along.times is None else _written(along.times[turn])


def _written(moment: datetime) -> str:
    """As plotly takes a time: texts are ten times as quick as the times themselves."""
    return moment.isoformat(sep=" ", timespec="milliseconds")


def _range(along: Along) -> tuple[object, object]:
    turns = len(along.labels)
    if along.times is None:
        edge = max(0.6, 0.015 * turns)
        return 1 - edge, turns + edge
    low, high = min(along.times), max(along.times)
    edge_of_time = (high - low) * 0.02
    return _written(low - edge_of_time), _written(high + edge_of_time)
