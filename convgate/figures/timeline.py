"""What several policies keep of the same turns: a lane for each, and where something begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.decisions import TurnDecisions
from convgate.figures.hover import number, plain, wrapped
from convgate.figures.layout import axis, figure, scatter, steady
from convgate.figures.palette import Palette

CHECKPOINT = "checkpoint"
"""The rule of turns that are kept because their turn has come."""

_LANE, _EDGES = 46, 96  # pixels of a lane, and of all else
_MARKS = 0.30  # of a lane: how far its marks stand below its name
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
    dense: str
    size: int
    dense_size: int
    colour: str
    rows: NDArray[np.bool_] = field(compare=False)


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
    fig = figure(palette, height=timeline_height(len(lanes), events=bool(events)), left=12, right=12)
    low, high = (int(indices[0]) + 1, int(indices[-1]) + 1) if len(indices) else (1, 1)
    edge = max(0.6, 0.015 * len(indices))
    top = 1.0 if events else 0.35
    fig.update_layout(
        uirevision=f"{low}-{high}", dragmode="zoom", hovermode="closest",
        xaxis=axis(
            palette, "turn", range=[low - edge, high + edge], fixedrange=False, showgrid=False,
            **({"dtick": 1} if high - low < 8 else {}),
        ),
        yaxis=axis(palette, range=[0.4 - len(lanes), top], showgrid=False, showticklabels=False),
    )  # fmt: skip
    _add_events(fig, events, palette)
    for place, lane in enumerate(lanes):
        _add_lane(fig, lane, -place, labels, palette, marks=len(indices) * len(lanes), first=place == 0)
    if selected is not None and low <= selected + 1 <= high:
        fig.add_vline(
            x=selected + 1, line={"color": palette.ink, "width": 1.5}, layer="below", name="selected"
        )
    return fig


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
        begun = ", ".join(f"turn {event.turn + 1:,}: {event.told.rstrip('.')}" for event in events[:8])
        told.append(f"{len(events):,} events, among them {begun}." if len(events) > 8 else f"{begun}.")
    if selected is not None:
        told.append(f"Turn {selected + 1:,} is selected.")
    return " ".join(told)


def _add_lane(
    fig: go.Figure,
    lane: Lane,
    place: int,
    labels: Sequence[str],
    palette: Palette,
    *,
    marks: int,
    first: bool,
) -> None:
    decisions, dense = lane.decisions, len(lane.decisions) > _DENSE
    forced = np.isin(decisions.indices, list(decisions.overrides))
    flips = np.isin(decisions.indices, list(lane.flips))
    kept, grey, green = palette.kept, palette.dropped, palette.forced
    looks = [
        _Look("dropped", "circle-open", "line-ns", 7, 6, grey, ~decisions.kept & ~forced),
        _Look("kept", "circle", "line-ns", 9, 16, kept, decisions.kept & ~forced),
        _Look("dropped anyway", "diamond-open", "diamond-open", 10, 7, green, ~decisions.kept & forced),
        _Look("kept anyway", "diamond", "diamond", 10, 7, green, decisions.kept & forced),
    ]
    hover = _hover(lane, labels, told=marks <= _REASONS)
    for look in looks:
        _add_marks(fig, decisions, look, place, marks, dense=dense, first=first, hover=hover)
    checkpoints = _checkpoints(decisions)
    for look in (
        _Look("checkpoint", "square-open", "square-open", 16, 10, palette.ink, checkpoints),
        _Look("unlike the reference", "circle-open", "circle-open", 16, 10, palette.flip, flips),
    ):
        if look.rows.any():
            _add_marks(fig, decisions, look, place, marks, dense=dense, first=False, hover=None)
    told = f"<b>{plain(lane.label, _LABEL)}</b> {int(decisions.kept.sum()):,} kept"
    told += f" · {len(lane.flips):,} unlike" if len(lane.flips) else ""
    fig.add_annotation(
        xref="paper", x=0, y=place, text=told, showarrow=False, xanchor="left", yanchor="middle", name="lane",
        font={"size": 12, "color": palette.ink}, bgcolor=palette.background,
    )  # fmt: skip


def _add_marks(
    fig: go.Figure,
    decisions: TurnDecisions,
    look: _Look,
    place: int,
    marks: int,
    *,
    dense: bool,
    first: bool,
    hover: list[str] | None,
) -> None:
    """Marks of one kind in one lane; the first lane stands for all in the legend."""
    rows = np.flatnonzero(look.rows)
    indices = decisions.indices[rows]
    words = (
        {"hoverinfo": "skip"}
        if hover is None
        else {"hovertext": [hover[row] for row in rows], "hoverinfo": "text"}
    )
    size = look.dense_size if dense else look.size
    ring = hover is None
    fig.add_trace(
        scatter(marks)(
            x=indices + 1 if len(rows) else [None],
            y=np.full(len(rows), place - _MARKS) if len(rows) else [None],
            customdata=indices.tolist(), mode="markers", name=look.name, legendgroup=look.name,
            showlegend=first and (bool(len(rows)) or not look.name.endswith("anyway")),
            marker={
                "symbol": look.dense if dense else look.symbol, "size": size, "color": look.colour,
                "line": {"width": 2.5 if ring else 1.5, "color": look.colour},
            },
            **steady(), **words,
        )
    )  # fmt: skip


def _hover(lane: Lane, labels: Sequence[str], *, told: bool) -> list[str]:
    """Turn number, who and first words, and the outcome of each turn, with its reason when `told`."""
    # The rule's `because` is the same for every turn, and a note may tokenize the whole text.
    brief = replace(lane.decisions, because="", note=None)
    name = plain(lane.label, _LABEL)
    lines = []
    for row, index in enumerate(brief.indices.tolist()):
        head = f"<b>Turn {index + 1}</b> {plain(labels[index], 60)}"
        if told:
            why = f"{name}<br>{wrapped(brief[row].reason)}"
        else:
            score = None if brief.scores is None or np.isnan(brief.scores[row]) else float(brief.scores[row])
            why = f"{name}: {'kept' if brief.kept[row] else 'dropped'}"
            why += f", {number(score)}" if score is not None else ""
        lines.append(f"{head}<br>{why}")
    return lines


def _checkpoints(decisions: TurnDecisions) -> NDArray[np.bool_]:
    """(n,) turns that a checkpoint decided; only policies whose turns are decided one by one have any."""
    if decisions.told is None:
        return np.zeros(len(decisions), dtype=np.bool_)
    rules = [decisions.told(index).rule for index in decisions.indices.tolist()]
    return np.array([rule == CHECKPOINT for rule in rules], dtype=np.bool_)


def _add_events(fig: go.Figure, events: Sequence[Event], palette: Palette) -> None:
    """A line through all lanes where something begins, and a mark above them that tells what, and why."""
    for event in events:
        if event.kind == "state":
            continue
        dash, width = ("solid", 2) if event.kind == "session" else ("dot", 1.5)
        line = {"color": palette.muted, "dash": dash, "width": width}
        fig.add_vline(x=event.turn + 0.5, line=line, layer="below", name=event.kind)
    for kind, name, symbol in (
        ("session", "session begins", "triangle-right"),
        ("conversation", "conversation begins", "triangle-right-open"),
        ("state", "workflow state", "hourglass"),
    ):
        found = [event for event in events if event.kind == kind]
        if not found:
            continue
        fig.add_scatter(
            x=[event.turn + (1.0 if kind == "state" else 0.5) for event in found], y=[0.7] * len(found),
            customdata=[event.turn for event in found], mode="markers", name=name, showlegend=True,
            hovertext=[f"<b>Turn {event.turn + 1}</b><br>{wrapped(event.told)}" for event in found],
            hoverinfo="text", **steady(),
            marker={"symbol": symbol, "size": 11, "color": palette.muted},
        )  # fmt: skip
