"""What several policies keep of the same turns: a lane for each, and where something begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.decisions import TurnDecisions
from convgate.figures.drawing import Drawing
from convgate.figures.hover import on_screen, plain, wrapped
from convgate.figures.layout import axis, drawing, scatter, steady
from convgate.figures.palette import Palette
from convgate.text import format_number

CHECKPOINT = "checkpoint"
"""The rule of turns that are kept because their turn has come."""

_LANE, _EDGES = 46, 96  # pixels of a lane, and of all else
_MARKS = 0.42  # of a lane: how far its marks stand below its name
_DENSE = 300  # turns; of more, kept ones are high bars and dropped ones low
_REASONS = 900  # marks that say why on hover; more would make the page slow
_LABEL = 44  # characters of a lane's name


@dataclass(frozen=True, eq=False)
class Lane:
    """One policy's decisions about the turns that all lanes are about."""

    label: str  # untrusted
    decisions: TurnDecisions
    flips: Sequence[int] = ()  # turn indices that it decides unlike the reference


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens at a turn, whatever is kept."""

    turn: int  # 0-based
    kind: Literal["session", "conversation", "state"]  # what begins there, or a workflow state is reached
    told: str  # untrusted


@dataclass(frozen=True, slots=True)
class _Look:
    """How marks of one kind are drawn."""

    name: str
    symbol: str
    size: int  # pixels
    dense_symbol: str
    dense_size: int
    colour: str


def timeline_height(lanes: int, *, events: bool) -> int:
    """The figure's height in pixels."""
    return _EDGES + _LANE * (lanes + events)


def timeline_figure(
    lanes: Sequence[Lane],
    *,
    labels: Sequence[str],
    palette: Palette,
    events: Sequence[Event] = (),
    selected: int | None = None,
) -> go.Figure:
    """A mark for each turn in each lane; `customdata` of a mark is the turn's 0-based index, as one integer.

    labels: who and first words of each turn of the conversation, `labels[index]`; untrusted. All lanes are
    about the same turns. Kept is filled, dropped hollow, what a later stage decided a diamond; a ring is a
    flip, a square a checkpoint. Where a session or a conversation begins a line goes through all lanes.
    """
    if not lanes:
        raise ValueError("a timeline needs a lane")
    indices = lanes[0].decisions.indices
    if any(not np.array_equal(lane.decisions.indices, indices) for lane in lanes):
        raise ValueError("all lanes of a timeline are about the same turns")
    fig = drawing(palette, height=timeline_height(len(lanes), events=bool(events)), left=12, right=12)
    low, high = (int(indices[0]) + 1, int(indices[-1]) + 1) if len(indices) else (1, 1)
    edge = max(0.6, 0.015 * len(indices))
    here = selected is not None and low <= selected + 1 <= high
    fig.update_layout(
        uirevision=f"{low}-{high}", dragmode="zoom", hovermode="closest",
        xaxis=axis(
            palette, "turn", range=[low - edge, high + edge], fixedrange=False, showgrid=False,
            **({"dtick": 1} if high - low < 8 else {}),
        ),
        yaxis=axis(
            palette, range=[0.28 - len(lanes), 1.0 if events else 0.35], showgrid=False, showticklabels=False
        ),
        annotations=[_name(lane, -place, palette) for place, lane in enumerate(lanes)],
        shapes=[
            *(_line(event.turn + 0.5, event.kind, palette) for event in events if event.kind != "state"),
            *([_line((selected or 0) + 1, "selected", palette)] if here else []),
        ],
    )  # fmt: skip
    _add_lanes(fig, lanes, labels, palette)
    if selected is not None and here:
        _add_selected(fig, selected, len(lanes), palette)
    add_events(fig, events, palette)
    return fig.figure()


def describe_timeline(
    lanes: Sequence[Lane], *, events: Sequence[Event] = (), selected: int | None = None
) -> str:
    """The chart in a few sentences, for people who do not see it."""
    told = []
    for lane in lanes:
        kept, flips = int(lane.decisions.kept.sum()), len(lane.flips)
        unlike = f", {flips:,} unlike {lanes[0].label}" if flips else ""
        told.append(f"{lane.label}: {kept:,} kept of {len(lane.decisions):,}{unlike}.")
    if events:
        begun = ", ".join(f"Turn {event.turn + 1:,}: {event.told.rstrip('.')}" for event in events[:8])
        told.append(f"{len(events):,} events, among them: {begun}." if len(events) > 8 else f"{begun}.")
    if selected is not None:
        told.append(f"Turn {selected + 1:,} is selected.")
    return " ".join(told)


def _add_lanes(fig: Drawing, lanes: Sequence[Lane], labels: Sequence[str], palette: Palette) -> None:
    """A trace for each kind of mark, over all lanes: plotly takes long over many traces."""
    turns = lanes[0].decisions.indices
    kept = np.stack([lane.decisions.kept for lane in lanes])
    forced = np.stack([np.isin(turns, list(lane.decisions.overrides)) for lane in lanes])
    told = kept.size <= _REASONS
    hover = [_hover(lane, labels, told=told) for lane in lanes]
    blue, grey, green = palette.kept, palette.dropped, palette.forced
    for look, chosen in (
        (_Look("dropped", "circle-open", 7, "line-ns", 6, grey), ~kept & ~forced),
        (_Look("kept", "circle", 9, "line-ns", 16, blue), kept & ~forced),
        (_Look("dropped anyway", "diamond-open", 10, "diamond-open", 7, green), ~kept & forced),
        (_Look("kept anyway", "diamond", 10, "diamond", 7, green), kept & forced),
    ):
        if chosen.any() or not look.name.endswith("anyway"):
            _add_marks(fig, look, turns, chosen, hover)
    flips = np.stack([np.isin(turns, list(lane.flips)) for lane in lanes])
    checkpoints = np.stack([_checkpoints(lane.decisions) for lane in lanes])
    for look, chosen in (
        (_Look("checkpoint", "square-open", 22, "square-open", 10, palette.ink), checkpoints),
        (_Look("unlike the reference", "circle-open", 16, "line-ns", 4, palette.flip), flips),
    ):
        if chosen.any():
            _add_marks(fig, look, turns, chosen, None)


def _add_marks(
    fig: Drawing,
    look: _Look,
    turns: NDArray[np.int64],
    chosen: NDArray[np.bool_],
    hover: Sequence[Sequence[str]] | None,
) -> None:
    """Marks of one kind where `chosen`, (lanes, n), says so; without `hover` they are drawn around others."""
    dense = len(turns) > _DENSE
    lanes, rows = np.nonzero(chosen)
    words: dict[str, object] = {"hoverinfo": "skip"}
    if hover is not None:
        words = {
            "hoverinfo": "text",
            "hovertext": [hover[lane][row] for lane, row in zip(lanes.tolist(), rows.tolist(), strict=True)],
        }
    fig.add_trace(
        scatter(chosen.size)(
            x=turns[rows] + 1 if len(rows) else [None],
            y=-lanes - _MARKS if len(rows) else [None],
            customdata=turns[rows].tolist(),
            mode="markers",
            name=look.name,
            marker={
                "symbol": look.dense_symbol if dense else look.symbol,
                "size": look.dense_size if dense else look.size,
                "color": look.colour,
                "line": {"width": 1.5 if hover is not None else 2.5, "color": look.colour},
            },
            **steady(),
            **words,
        )
    )


def _add_selected(fig: Drawing, selected: int, lanes: int, palette: Palette) -> None:
    """A ring in each lane around the turn that is explained."""
    fig.add_scatter(
        x=[selected + 1] * lanes, y=[-lane - _MARKS for lane in range(lanes)], mode="markers",
        name="selected", hoverinfo="skip", showlegend=False, customdata=[selected] * lanes, **steady(),
        marker={"symbol": "circle-open", "size": 22, "color": palette.ink, "line": {"width": 2}},
    )  # fmt: skip


def _name(lane: Lane, place: int, palette: Palette) -> dict[str, object]:
    """The lane's name above its marks, where it takes nothing from their width."""
    told = f"<b>{plain(lane.label, _LABEL)}</b> {int(lane.decisions.kept.sum()):,} kept"
    told += f" · {len(lane.flips):,} unlike" if len(lane.flips) else ""
    return {
        "xref": "paper", "x": 0, "y": place, "text": told, "showarrow": False, "xanchor": "left",
        "yanchor": "middle", "name": "lane", "font": {"size": 12, "color": palette.ink},
        "bgcolor": palette.background,
    }  # fmt: skip


_DASHES = {"session": "solid", "conversation": "dot", "selected": "solid"}


def _line(x: float, name: str, palette: Palette) -> dict[str, object]:
    """A line through all lanes."""
    selected = name == "selected"
    line = {
        "color": palette.ink if selected else palette.muted, "dash": _DASHES[name],
        "width": 2 if selected else 1,
    }  # fmt: skip
    return {
        "type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": x, "x1": x, "line": line, "layer": "below",
        "name": name,
    }  # fmt: skip


def _hover(lane: Lane, labels: Sequence[str], *, told: bool) -> list[str]:
    """Turn number, who and first words, and the outcome of each turn, with its reason when `told`."""
    # The rule's `because` is the same for every turn, and a note may tokenize the whole text.
    brief = replace(lane.decisions, because="", note=None)
    name = plain(lane.label, _LABEL)
    lines = []
    for row, index in enumerate(brief.indices.tolist()):
        head = f"<b>Turn {index + 1}</b> {plain(labels[index], 60)}"
        if told:
            why = f"{name}<br>{wrapped(on_screen(brief[row].reason))}"
        else:
            score = None if brief.scores is None or np.isnan(brief.scores[row]) else float(brief.scores[row])
            why = f"{name}: {'kept' if brief.kept[row] else 'dropped'}"
            why += f", {format_number(score)}" if score is not None else ""
        lines.append(f"{head}<br>{why}")
    return lines


def _checkpoints(decisions: TurnDecisions) -> NDArray[np.bool_]:
    """(n,) turns that a checkpoint decided; only policies whose turns are decided one by one have any."""
    if decisions.told is None:
        return np.zeros(len(decisions), dtype=np.bool_)
    rules = [decisions.told(index).rule for index in decisions.indices.tolist()]
    return np.array([rule == CHECKPOINT for rule in rules], dtype=np.bool_)


def add_events(
    fig: Drawing,
    events: Sequence[Event],
    palette: Palette,
    *,
    place: Callable[[Event], object] = lambda event: event.turn + (1.0 if event.kind == "state" else 0.5),
) -> None:
    """A mark above all lanes where something happens, which tells what, and why.

    place: where it is on the x axis; before its turn, for a state at it, unless given.
    """
    lines = wrapped if len(events) <= _REASONS else plain
    for kind, name, symbol in (
        ("session", "session begins", "triangle-right"),
        ("conversation", "conversation begins", "triangle-right-open"),
        ("state", "workflow state", "hourglass"),
    ):
        found = [event for event in events if event.kind == kind]
        if not found:
            continue
        fig.add_scatter(
            x=[place(event) for event in found], y=[0.7] * len(found),
            customdata=[event.turn for event in found], mode="markers", name=name, showlegend=True,
            hovertext=[f"<b>Turn {event.turn + 1}</b><br>{lines(event.told)}" for event in found],
            hoverinfo="text", **steady(),
            marker={"symbol": symbol, "size": 11, "color": palette.muted},
        )  # fmt: skip
