"""Outcomes over tokens: what each arm of an ablation sends, and what comes of it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import cycle

import plotly.graph_objects as go

from convgate.experiments.ablations import ABLATIONS, AblationPoint, AblationResult
from convgate.figures.hover import plain
from convgate.figures.layout import axis, drawing, share_axis
from convgate.figures.palette import LIGHT, Palette

_SYMBOLS = ("diamond", "square", "triangle-up", "circle")
_TITLES = {"turns": "Number of turns", "mode": "Filter by mode", "length": "Length of the conversation"}


def outcome_over_tokens_figure(
    points: Sequence[AblationPoint], outcome: str, *, palette: Palette
) -> go.Figure:
    """Return the outcome of each arm over the tokens that it sends, with intervals.

    Points of one arm, for groups of cases, are joined. outcome: which measure it is.
    """
    fig = drawing(palette, height=360, top=64)
    arms = dict.fromkeys(point.arm for point in points)
    for arm, colour, symbol in zip(arms, cycle(palette.series), cycle(_SYMBOLS), strict=False):
        own = [point for point in points if point.arm == arm and point.outcome.value is not None]
        fig.add_scatter(
            x=[point.tokens.value for point in own],
            y=[point.outcome.value for point in own],
            error_y={
                "type": "data", "symmetric": False, "color": colour, "thickness": 1,
                "array": [_distance(point, point.outcome.high) for point in own],
                "arrayminus": [_distance(point, point.outcome.low) for point in own],
            },
            mode="lines+markers+text", name=plain(arm), text=[plain(point.group) for point in own],
            textposition="top center", textfont={"size": 11, "color": palette.muted},
            marker={"color": colour, "symbol": symbol, "size": 10}, line={"color": colour, "width": 1},
            hovertemplate=f"{plain(arm)} %{{text}}: %{{y:.0%}} with %{{x:,.0f}} tokens<extra></extra>",
        )  # fmt: skip
    fig.update_layout(
        xaxis=axis(palette, "tokens sent, mean of a request", rangemode="tozero"),
        yaxis=share_axis(palette, plain(outcome.replace("_", " "))),
    )
    return fig.figure()


def ablations_page(results: Sequence[AblationResult]) -> str:
    """Return an HTML page with a chart for each ablation of each set; it needs no network."""
    blocks: list[str] = []
    for result in results:
        for ablation in ABLATIONS:
            points = [point for point in result.points if point.ablation == ablation]
            if points:
                figure = outcome_over_tokens_figure(points, result.outcome, palette=LIGHT)
                is_first = not blocks
                blocks.append(
                    f"<h2>{escape(result.name)}: {_TITLES[ablation]}</h2>"
                    + figure.to_html({"displayModeBar": False}, full_html=False, include_plotlyjs=is_first)
                )
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ablations</title>'
    return f'{head}<body style="font-family: sans-serif">{"".join(blocks)}</body></html>\n'


def _distance(point: AblationPoint, end: float | None) -> float:
    """Return how far an end of the interval is from the outcome; 0 without an interval."""
    return 0.0 if end is None or point.outcome.value is None else abs(end - point.outcome.value)
