"""What several policies keep of the same turns: a lane for each, and where something begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.core.decisions import TurnDecisions
from convgate.figures.drawing import Drawing
from convgate.figures.hover import describe, head, on_screen, plain, wrapped
from convgate.figures.layout import add_marks, add_selected, axis, drawing, marker, turn_axis
from convgate.figures.palette import Palette

CHECKPOINT = "checkpoint"
"""The rule of turns that a checkpoint keeps."""

_LANE, _EDGES = 46, 96  # pixels of a lane, and of all else
_MARKS = 0.42  # of a lane: how far its marks stand below its name
_DENSE = 300  # turns; of more, marks are small
_MAX_REASONS = 900  # marks whose hover text has the reason; more would make the page slow
_EVENTS = 0.7  # level of events
DASHES = {"session": "solid", "conversation": "dot"}


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


def timeline_height(lanes: int, *, events: bool) -> int:
    """Return the figure's height in pixels."""
    return _EDGES + _LANE * (lanes + events)


def timeline_figure(
    lanes: Sequence[Lane],
    *,
    labels: Sequence[str],
    palette: Palette,
    events: Sequence[Event] = (),
    selected: int | None = None,
) -> go.Figure:
    """Return a mark for each turn in each lane; `customdata` of a mark is the turn's 0-based index.

    labels: who and first words of each turn of the conversation, `labels[index]`; untrusted. Kept is filled,
    dropped hollow, what a later stage decided a diamond; a ring is a flip, a square a checkpoint. Where a
    session or a conversation begins a line goes through all lanes. Raises ValueError without lanes, or when
    they are about different turns.
    """
    if not lanes:
        raise ValueError("a timeline needs a lane")
    turns = lanes[0].decisions.indices
    if any(not np.array_equal(lane.decisions.indices, turns) for lane in lanes):
        raise ValueError("all lanes of a timeline are about the same turns")
    fig = drawing(palette, height=timeline_height(len(lanes), events=bool(events)), left=12, right=12)
    first, last = (int(turns[0]) + 1, int(turns[-1]) + 1) if len(turns) else (1, 1)
    levels = [0.28 - len(lanes), 1.0 if events else 0.35]
    fig.update_layout(
        uirevision=f"{first}-{last}", dragmode="zoom", xaxis=turn_axis(palette, first, last),
        yaxis=axis(palette, range=levels, showgrid=False, showticklabels=False),
    )  # fmt: skip
    for place, lane in enumerate(lanes):
        count = f"{int(lane.decisions.kept.sum()):,} kept"
        count += f" · {len(lane.flips):,} flipped" if len(lane.flips) else ""
        fig.add_annotation(
            text=f"<b>{plain(lane.label, 44)}</b> {count}", name="lane",
            xref="paper", x=0, xanchor="left", y=-place, yanchor="middle", bgcolor=palette.background,
            font={"size": 12, "color": palette.ink},
        )  # fmt: skip
    for event in events:
        if event.kind != "state":
            line = {"color": palette.muted, "dash": DASHES[event.kind], "width": 1}
            fig.add_vline(event.turn + 0.5, line=line, layer="below", name=event.kind)
    _add_lanes(fig, lanes, labels, palette)
    if selected is not None and first <= selected + 1 <= last:
        rings = [-place - _MARKS for place in range(len(lanes))]
        add_selected(fig, selected, selected + 1, rings, palette)
    add_events(fig, events, palette)
    return fig.figure()


def describe_timeline(
    lanes: Sequence[Lane], *, events: Sequence[Event] = (), selected: int | None = None
) -> str:
    """Return the chart in words, as alternative text."""
    facts: dict[str, object] = {}
    for lane in lanes:
        flips = f" ({len(lane.flips):,} flipped)" if len(lane.flips) else ""
        facts[lane.label] = f"{int(lane.decisions.kept.sum()):,} of {len(lane.decisions):,}{flips}"
    begun = [f"turn {event.turn + 1:,} {event.told.rstrip('.')}" for event in events[:8]]
    facts |= {"events": "; ".join(begun), "selected turn": None if selected is None else selected + 1}
    return describe("Turns kept", facts)


def add_events(
    fig: Drawing,
    events: Sequence[Event],
    palette: Palette,
    *,
    place: Callable[[Event], object] = lambda event: event.turn + (1.0 if event.kind == "state" else 0.5),
) -> None:
    """Add a mark above all else where something happens, with what and why on hover.

    place: where it is on the x axis; by default before its turn, for a state at it.
    """
    for kind, name, symbol in (
        ("session", "session begins", "triangle-right"),
        ("conversation", "conversation begins", "triangle-right-open"),
        ("state", "workflow state", "hourglass"),
    ):
        if chosen := [event for event in events if event.kind == kind]:
            look = marker(symbol, 11, palette.muted)
            add_event_marks(fig, name, chosen, look, _EVENTS, place, count=len(events))


def add_event_marks(
    fig: Drawing,
    name: str,
    events: Sequence[Event],
    look: dict[str, Any],
    level: float,
    place: Callable[[Event], object],
    *,
    count: int = 0,
    **trace: Any,
) -> None:
    """Add events as marks at a level, with their text on hover; of many, on one line."""
    text = wrapped if count <= _MAX_REASONS else plain
    hover = [f"<b>Turn {event.turn + 1}</b><br>{text(event.told)}" for event in events]
    turns = [event.turn for event in events]
    x = [place(event) for event in events]
    add_marks(fig, name, x, [level] * len(events), turns, look, hover=hover, **{"showlegend": True, **trace})


def _add_lanes(fig: Drawing, lanes: Sequence[Lane], labels: Sequence[str], palette: Palette) -> None:
    """Add a trace for each kind of mark, over all lanes: plotly takes long over many traces."""
    turns = lanes[0].decisions.indices
    kept = np.stack([lane.decisions.kept for lane in lanes])
    forced = np.stack([np.isin(turns, list(lane.decisions.overrides)) for lane in lanes])
    flips = np.stack([np.isin(turns, list(lane.flips)) for lane in lanes])
    checkpoints = np.stack([_checkpoints(lane.decisions) for lane in lanes])
    hover = [_hover(lane, labels, reasons=kept.size <= _MAX_REASONS) for lane in lanes]
    small = len(turns) > _DENSE
    for name, look, mask, always in (
        ("dropped", marker("circle-open", 3 if small else 7, palette.dropped), ~kept & ~forced, True),
        ("kept", marker("circle", 5 if small else 9, palette.kept), kept & ~forced, True),
        ("dropped anyway", marker("diamond-open", 7 if small else 10, palette.forced), ~kept & forced, False),
        ("kept anyway", marker("diamond", 7 if small else 10, palette.forced), kept & forced, False),
        ("checkpoint", marker("square-open", 10 if small else 22, palette.ink, 2.5), checkpoints, False),
        ("flipped", marker("circle-open", 8 if small else 16, palette.flip, 2.5), flips, False),
    ):
        if not (always or mask.any()):
            continue
        places, rows = np.nonzero(mask)
        words = None
        if name not in ("checkpoint", "flipped"):  # they surround other marks
            words = [hover[place][row] for place, row in zip(places.tolist(), rows.tolist(), strict=True)]
        x, y = turns[rows] + 1, -places - _MARKS
        add_marks(fig, name, x, y, turns[rows].tolist(), look, hover=words, count=mask.size)


def _hover(lane: Lane, labels: Sequence[str], *, reasons: bool) -> list[str]:
    """Return turn number, who and first words, and the outcome of each turn, with its reason if `reasons`."""
    # `because` is the same for every turn, and a note may tokenize the whole text.
    brief = replace(lane.decisions, because="", note=None)
    name = plain(lane.label, 44)
    lines = []
    for row, index in enumerate(brief.indices.tolist()):
        outcome = f": {'kept' if brief.kept[row] else 'dropped'}"
        if reasons:
            outcome = f"<br>{wrapped(on_screen(brief[row].reason))}"
        lines.append(f"{head(index, labels[index])}<br>{name}{outcome}")
    return lines


def _checkpoints(decisions: TurnDecisions) -> NDArray[np.bool_]:
    """Return (n,) turns that a checkpoint decided; only policies that decide turns one by one have any."""
    if decisions.told is None:
        return np.zeros(len(decisions), dtype=np.bool_)
    rules = [decisions.told(index).rule for index in decisions.indices.tolist()]
    return np.array([rule == CHECKPOINT for rule in rules], dtype=np.bool_)
