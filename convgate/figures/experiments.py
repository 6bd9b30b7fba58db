"""Outcomes over tokens: of the arms of a replay or an ablation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import cycle
from typing import Any

import plotly.graph_objects as go

from convgate.core.text import format_share
from convgate.experiments.ablations import ABLATIONS, AblationResult
from convgate.figures.hover import describe, plain
from convgate.figures.layout import axis, drawing, marker
from convgate.figures.palette import LIGHT, Palette
from convgate.versions.card import Metric

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
_DASHES = ("solid", "dash", "dot", "dashdot")
_TITLES = {"turns": "Number of turns", "mode": "Filter by mode", "length": "Length of the conversation"}
_LABEL_SIDES = ("middle left", "middle right", "top left")  # arms with equal tokens are above each other
_MIN_RANGE = 0.2  # of shares; less would exaggerate small differences


@dataclass(frozen=True, slots=True)
class OutcomePoint:
    """What an arm sends, and what comes of it."""

    arm: str
    tokens: float  # mean of a request
    outcome: Metric  # 0…1
    group: str = ""  # of cases, or a budget; empty: the only one


def outcome_over_tokens_figure(
    points: Sequence[OutcomePoint], palette: Palette, *, title: str | None = None, height: int = 280
) -> go.Figure:
    """Return the outcome of each arm over its tokens, with intervals; points without an outcome are left out.

    An arm has a colour, and a label where there are few. With groups, a line joins its points and the symbol
    says the group; labels beside points would overlap.
    """
    drawn = [point for point in points if point.outcome.value is not None]
    arms = list(dict.fromkeys(point.arm for point in drawn))
    groups = list(dict.fromkeys(point.group for point in drawn))
    has_groups = len(groups) > 1
    symbol_of = dict(zip(groups if has_groups else arms, cycle(_SYMBOLS), strict=False))
    is_labelled = not has_groups and len(arms) <= len(_LABEL_SIDES)
    fig = drawing(palette, height=height, top=64 if has_groups else 16 if is_labelled else 40)
    looks = zip(arms, cycle(palette.series), cycle(_DASHES), cycle(_LABEL_SIDES), strict=False)
    for arm, colour, dash, side in looks:
        own = sorted((point for point in drawn if point.arm == arm), key=lambda point: point.tokens)
        symbols = [symbol_of[point.group if has_groups else arm] for point in own]
        fig.add_scatter(
            x=[point.tokens for point in own],
            y=[point.outcome.value for point in own],
            error_y=_error_bars(own, colour),
            mode="lines+markers" if has_groups else "markers+text" if is_labelled else "markers",
            texttemplate=f"<b>{plain(arm)}</b> %{{y:.0%}}", textposition=side,
            textfont={"color": palette.ink},
            cliponaxis=False, showlegend=not is_labelled, name=plain(arm),
            marker={**marker("circle", 11, colour), "symbol": symbols},
            line={"color": colour, "width": 1.5, "dash": dash},
            text=[plain(f"{arm}, {point.group}" if point.group else arm) for point in own],
            hovertemplate="%{text}: %{y:.0%} at %{x:,.0f} tokens<extra></extra>",
        )  # fmt: skip
    for group in groups if has_groups else ():
        fig.add_scatter(
            x=[None], y=[None], mode="markers", name=plain(group),
            marker=marker(symbol_of[group], 9, palette.muted),
        )  # fmt: skip
    low, high = _range(drawn)
    first, last = (end((point.tokens for point in drawn), default=1.0) for end in (min, max))
    room = 0.7 * max(last - first, 0.2 * last)  # for labels on both sides
    ends = [max(0.0, first - room), last + room] if is_labelled else [0, 1.1 * last]
    fig.update_layout(
        xaxis=axis(palette, "tokens of a request, mean", range=ends, tickformat=","),
        yaxis=axis(palette, title, range=[low, high], tickformat=".0%"),
    )
    return fig.figure()


def describe_outcomes(subject: str, points: Sequence[OutcomePoint]) -> str:
    """Return the chart in words, as alternative text."""
    return describe(
        subject,
        {
            f"{point.arm} {point.group}".strip(): f"{format_share(value)} at {point.tokens:,.0f} tokens"
            for point in points
            if (value := point.outcome.value) is not None
        },
    )


def ablations_page(results: Sequence[AblationResult]) -> str:
    """Return an HTML page with a chart for each ablation of each set; it needs no network."""
    blocks: list[str] = []
    for result in results:
        for ablation in ABLATIONS:
            points = [
                OutcomePoint(point.arm, point.tokens.value or 0.0, point.outcome, point.group)
                for point in result.points
                if point.ablation == ablation
            ]
            if points:
                title = result.outcome.replace("_", " ")
                figure = outcome_over_tokens_figure(points, LIGHT, title=title, height=360)
                is_first = not blocks
                blocks.append(
                    f"<h2>{escape(result.name)}: {_TITLES[ablation]}</h2>"
                    + figure.to_html({"displayModeBar": False}, full_html=False, include_plotlyjs=is_first)
                )
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ablations</title>'
    return f'{head}<body style="font-family: sans-serif">{"".join(blocks)}</body></html>\n'


def _error_bars(points: Sequence[OutcomePoint], colour: str) -> dict[str, Any]:
    """Return plotly's error bars, of length 0 where there is no interval."""
    outcomes = [point.outcome for point in points]
    ends = [(m.value or 0.0, m.interval or (m.value or 0.0, m.value or 0.0)) for m in outcomes]
    return {
        "type": "data", "symmetric": False, "color": colour, "thickness": 1.5, "width": 4,
        "array": [high - value for value, (_, high) in ends],
        "arrayminus": [value - low for value, (low, _) in ends],
        "visible": any(m.interval for m in outcomes),
    }  # fmt: skip


def _range(points: Sequence[OutcomePoint]) -> tuple[float, float]:
    """Return the range of the outcomes and their intervals, with a margin."""
    ends = [
        end for p in points for end in (p.outcome.value, *(p.outcome.interval or ())) if end is not None
    ] or [0.0, 1.0]
    low, high = min(ends), max(ends)
    margin = max(0.02, (_MIN_RANGE - (high - low)) / 2)
    return low - margin, high + margin
