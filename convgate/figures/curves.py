"""What is sent and who gets all they need: of one rule at every value, and of several policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.evaluation.metrics import BUDGETS
from convgate.evaluation.results import Summary
from convgate.figures.hover import plain
from convgate.figures.layout import TRANSPARENT, add_line, drawing, mark_threshold, share_axis, steady
from convgate.figures.palette import Palette

if TYPE_CHECKING:
    from convgate.evaluation.answer_curve import AnswerCurve  # it imports scipy, which Compare does not need

MAX_LABELLED = 3
"""Policies that are labelled beside their marks; more have a legend."""

_MAX_POINTS = 300  # of a line
_NEAR = (0.25, 0.06)  # shares between marks whose labels would overlap
_DASHES = ("solid", "dash", "dot", "dashdot")
_SYMBOLS = ("diamond", "square", "triangle-up", "circle", "cross", "x", "triangle-down", "star")

# Plotly takes clicks on marks only, so a line that can be clicked has invisible ones.
_CLICKABLE: dict[str, Any] = {
    "mode": "lines+markers", "marker": {"size": 8, "opacity": 0, "color": TRANSPARENT}, **steady(opacity=0),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerMark:
    """One setting on the figure: what it keeps and who gets all they need."""

    name: str
    tokens: float  # 0…1
    answerable: float  # 0…1


def answer_curve_figure(
    curve: AnswerCurve | None,
    *,
    today: AnswerMark,
    new: AnswerMark,
    promise: AnswerMark | None,
    palette: Palette,
) -> go.Figure:
    """Return the share of messages with all they need over the share of tokens, as steps; can be clicked.

    curve: None for rules that have none. promise: where the curve begins to keep it. `customdata` of a point
    is its row in the curve.
    """
    fig = drawing(palette, height=330, top=26)
    if curve is not None:
        rows = _thin(np.arange(len(curve.values))[::-1])  # the fewest tokens first
        add_line(
            fig, "answerable", curve.kept_token_share[rows], curve.answerable[rows],
            (palette.kept, "solid"), hover="%{y:.0%} of the messages, with %{x:.0%} of the tokens",
            customdata=rows.tolist(), showlegend=False, **_CLICKABLE,
        )  # fmt: skip
        fig.traces[-1]["line"]["shape"] = "hv"
    share = share_axis(palette, "messages with all they need")
    fig.update_layout(
        xaxis=share_axis(palette, "tokens sent, of the full history"), yaxis={**share, "range": [-0.02, 1.1]}
    )
    if promise is not None:
        mark_threshold(fig, promise.tokens, promise.name, palette, across="x")
    marks = [today] if (today.tokens, today.answerable) == (new.tokens, new.answerable) else [today, new]
    for mark in marks:
        colour = palette.background if mark is today and len(marks) > 1 else palette.kept
        fig.add_scatter(
            x=[mark.tokens], y=[mark.answerable], mode="markers", name=mark.name, showlegend=False,
            marker={"size": 12, "color": colour, "line": {"color": palette.ink, "width": 2}},
            hoverinfo="skip", cliponaxis=False,
        )  # fmt: skip
        # The curve rises, so it leaves room above to the left of a mark, and below to its right.
        is_inside = 0.15 < mark.tokens < 0.85
        is_above = mark is today if is_inside or len(marks) > 1 else mark.tokens >= 0.85
        is_left = is_above if is_inside else mark.tokens >= 0.85
        fig.add_annotation(
            x=mark.tokens, y=mark.answerable, text=f"<b>{mark.name}</b>",
            xanchor="right" if is_left else "left", xshift=-8 if is_left else 8,
            yshift=14 if is_above else -14, font={"color": palette.ink}, bgcolor=palette.background,
        )  # fmt: skip
    return fig.figure()


def answers_over_tokens_figure(policies: Mapping[str, Summary], *, palette: Palette) -> go.Figure:
    """Return the share of the cases with all needed turns sent, over the share of the tokens sent.

    policies: by name, the first on top; each is a mark by its own rule and, where it ranks, a line with a dot
    at each budget that was measured.
    """
    is_labelled = len(policies) <= MAX_LABELLED
    fig = drawing(palette, height=360, top=16 if is_labelled else 84)
    marks = [
        (summary["kept_token_share"].value, summary["answerable"].value) for summary in policies.values()
    ]
    sides = _label_sides([(x or 0.0, y or 0.0) for x, y in marks])
    looks = zip(cycle(palette.series), cycle(_DASHES), cycle(_SYMBOLS), strict=False)
    for place, ((name, summary), (colour, dash, symbol)) in enumerate(
        zip(policies.items(), looks, strict=False)
    ):
        label = plain(name)
        shares = [summary[f"answerable@{budget:.0%}"].value for budget in BUDGETS]
        if is_ranked := None not in shares:
            add_line(
                fig, label, list(BUDGETS), shares, (colour, dash), width=1.5, legendgroup=label,
                zorder=-place - 1, showlegend=not is_labelled, mode="lines+markers",
                marker={"size": 5, "color": colour},
                hover=f"{label}, a budget of %{{x:.0%}}: %{{y:.0%}}",
            )  # fmt: skip
        outline = {"color": palette.background, "width": 1}
        (x, y), (xanchor, yshift) = marks[place], sides[place]
        fig.add_scatter(
            x=[x], y=[y], name=label, legendgroup=label, showlegend=not (is_ranked or is_labelled),
            mode="markers", cliponaxis=False,
            marker={"color": colour, "symbol": symbol, "size": 11, "line": outline},
            hovertemplate=f"{label}, by its own rule: %{{y:.0%}} at %{{x:.0%}}<extra></extra>",
        )  # fmt: skip
        if is_labelled and None not in (x, y):
            fig.add_annotation(
                x=x, y=y, text=f"<b>{label}</b> {y:.0%} with {x:.0%}", yshift=yshift, xanchor=xanchor,
                xshift=8 if xanchor == "left" else -8, bgcolor=palette.background,
                font={"color": palette.ink},
            )  # fmt: skip
    fig.update_layout(
        xaxis=share_axis(palette, "tokens sent, of the full history"),
        yaxis=share_axis(palette, "messages with all they need"),
    )
    return fig.figure()


def _label_sides(marks: Sequence[tuple[float, float]]) -> list[tuple[str, int]]:
    """Return the anchor of each mark's label and its pixels upwards, which differ where another is near."""
    sides = []
    for place, (x, y) in enumerate(marks):
        n_near = sum(
            abs(x - left) < _NEAR[0] and abs(y - height) < _NEAR[1] for left, height in marks[:place]
        )
        sides.append(("right" if x > 0.5 else "left", (0, 18, -18)[n_near % 3]))
    return sides


def _thin(rows: NDArray[np.integer]) -> NDArray[np.integer]:
    """Return at most `_MAX_POINTS` of the rows, evenly spread, with both ends."""
    return rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), _MAX_POINTS)).astype(np.int64))]
