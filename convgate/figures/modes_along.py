"""Along a conversation: the mode of each user's turn, and the tokens by section of each context built."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import plotly.graph_objects as go

from convgate.context.mode import MODES, Mode
from convgate.context.section import SECTIONS, SectionName
from convgate.figures.drawing import Drawing
from convgate.figures.hover import plain
from convgate.figures.layout import axis, drawing, scatter, steady
from convgate.figures.modes import SECTION_LABELS, mode_colour, mode_letter, section_look
from convgate.figures.palette import Palette
from convgate.text import format_share

_STRIP, _TOKENS = 104, 150  # pixels of the strip of modes with the axis, and of the bars above it
_LETTERS = 60  # turns; of more, letters would not fit on their marks
_MODE, _FELL = 0.0, 0.75  # levels of the strip


@dataclass(frozen=True, slots=True)
class ModeMark:
    """The mode of one user's turn."""

    turn: int  # 0-based
    mode: Mode  # that was applied
    found: Mode  # of the message by itself
    confidence: float  # 0…1
    label: str  # who and the first words; untrusted


@dataclass(frozen=True, slots=True)
class Built:
    """A context that was built for a turn."""

    turn: int  # 0-based; the message to answer
    tokens: Mapping[SectionName, int]
    present: int  # tokens of the message to answer
    trouble: str = ""  # a breach or a fallback, in a few words


def modes_along_height(built: Sequence[Built]) -> int:
    """The figure's height in pixels."""
    return _STRIP + (_TOKENS if built else 0)


def modes_along_figure(
    marks: Sequence[ModeMark], built: Sequence[Built], *, turns: int, palette: Palette, current: int | None
) -> go.Figure:
    """A mark a user's turn, `turns` turns in all; bars of the contexts that were built stand above.

    `customdata` of marks and bars is the turn's 0-based index. A mark is filled where the message by itself
    has the mode that was applied, open where the mode is carried over. `current` gets a band.
    """
    fig = drawing(palette, height=modes_along_height(built), left=52, right=12, top=16)
    edge = max(0.6, 0.012 * turns)
    fig.update_layout(
        barmode="stack", bargap=0.15, uirevision=f"{turns}", hovermode="closest", showlegend=False,
        xaxis=axis(
            palette, "turn", range=[1 - edge, turns + edge], showgrid=False, anchor="y",
            **({"dtick": 1} if turns < 16 else {}),
        ),
        yaxis=axis(
            palette, range=[-0.7, 1.1], showgrid=False, showticklabels=False,
            domain=[0, 0.26] if built else [0, 1],
        ),
    )  # fmt: skip
    if built:
        fig.layout["yaxis2"] = axis(palette, "tokens", domain=[0.34, 1], rangemode="tozero", nticks=4)
        _add_bars(fig, built, palette)
    if current is not None:
        half = max(0.5, 0.004 * turns)  # a band that can be seen, whose letter can be read
        fig.add_shape(
            type="rect", xref="x", x0=current + 1 - half, x1=current + 1 + half, yref="paper", y0=0, y1=1,
            line={"color": palette.muted, "width": 1}, fillcolor=palette.grid, layer="below", name="current",
        )  # fmt: skip
    _add_marks(fig, marks, palette)
    return fig.figure()


def describe_modes_along(marks: Sequence[ModeMark], built: Sequence[Built], current: int | None) -> str:
    """The chart in a few sentences, for people who do not see it."""
    if not marks:
        return "No message of a user, so no modes."
    told = [f"Modes of {len(marks):,} messages."]
    before: Mode | None = None
    changes = []
    for mark in marks:
        if mark.mode != before:
            changes.append(f"{mark.mode} from turn {mark.turn + 1:,}")
            before = mark.mode
    told.append(", ".join(changes[:12]) + (", …" if len(changes) > 12 else "") + ".")
    if built:
        totals = [sum(one.tokens.values()) + one.present for one in built]
        told.append(f"{len(built):,} contexts of {min(totals):,} to {max(totals):,} tokens.")
    if current is not None:
        told.append(f"Turn {current + 1:,} is answered.")
    return " ".join(told)


def _add_bars(fig: Drawing, built: Sequence[Built], palette: Palette) -> None:
    x, turns = [one.turn + 1 for one in built], [one.turn for one in built]
    for section in SECTIONS:
        tokens = [one.tokens.get(section, 0) for one in built]
        if any(tokens):
            look = section_look(section, palette)
            label = SECTION_LABELS[section]
            _add_layer(fig, x, tokens, turns, label, look.colour, look.pattern, look.text)
    present = [one.present for one in built]
    _add_layer(fig, x, present, turns, "message to answer", palette.ink, "", palette.background)
    troubled = [one for one in built if one.trouble]
    if troubled:
        fig.add_scatter(
            x=[one.turn + 1 for one in troubled], yaxis="y2", mode="markers", name="fallback or breach",
            y=[sum(one.tokens.values()) + one.present for one in troubled], hoverinfo="text",
            hovertext=[f"Turn {one.turn + 1:,}<br>{plain(one.trouble, 120)}" for one in troubled],
            customdata=[one.turn for one in troubled], **steady(),
            marker={"symbol": "x", "size": 9, "color": palette.threshold},
        )  # fmt: skip


def _add_layer(
    fig: Drawing,
    x: list[int],
    tokens: list[int],
    turns: list[int],
    label: str,
    colour: str,
    pattern: str,
    text: str,
) -> None:
    fig.add_bar(
        x=x, y=tokens, customdata=turns, name=label, yaxis="y2", **steady(opacity=1),
        hovertemplate=f"turn %{{x}}<br>{label}: %{{y:,}} tokens<extra></extra>",
        marker={
            "color": colour, "line": {"width": 0},
            "pattern": {
                "shape": pattern, "fillmode": "overlay", "fgcolor": text, "fgopacity": 0.35, "size": 5,
                "solidity": 0.2,
            },
        },
    )  # fmt: skip


def _add_marks(fig: Drawing, marks: Sequence[ModeMark], palette: Palette) -> None:
    """One trace a mode."""
    few = len(marks) <= _LETTERS
    for mode in MODES:
        chosen = [mark for mark in marks if mark.mode == mode]
        if not chosen:
            continue
        colour = mode_colour(mode, palette)
        fig.add_trace(
            scatter(len(marks))(
                x=[mark.turn + 1 for mark in chosen], y=[_MODE] * len(chosen),
                customdata=[mark.turn for mark in chosen], name=mode,
                mode="markers", hoverinfo="text", hovertext=[_hover(mark) for mark in chosen], **steady(),
                marker={
                    "symbol": ["square" if mark.found == mark.mode else "square-open" for mark in chosen],
                    "size": 15 if few else 8, "color": colour, "line": {"width": 2, "color": colour},
                },
            )
        )  # fmt: skip
        if few:
            fig.add_scatter(
                x=[mark.turn + 1 for mark in chosen], y=[_FELL] * len(chosen), mode="text",
                text=[mode_letter(mode)] * len(chosen), hoverinfo="skip", name="letters",
                textfont={"size": 12, "color": palette.ink},
            )  # fmt: skip


def _hover(mark: ModeMark) -> str:
    by_itself = "" if mark.found == mark.mode else f", by itself {mark.found}"
    return (
        f"<b>Turn {mark.turn + 1:,}</b> {plain(mark.label, 60)}<br>"
        f"{mark.mode}{by_itself} ({format_share(mark.confidence)} sure)"
    )
