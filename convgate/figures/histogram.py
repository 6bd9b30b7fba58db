"""How the scores of a history spread, and where the threshold cuts them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.decisions import Floats
from convgate.figures.layout import axis, drawing, mark_threshold, share_range
from convgate.figures.palette import Palette
from convgate.text import format_number

BINS = 40


def histogram_figure(
    scores: Floats, kept: NDArray[np.bool_], threshold: float | None, palette: Palette
) -> go.Figure:
    """Counts of kept and dropped turns by score, one on the other, in `BINS` equal bins.

    scores and kept: (n,). The bins go from 0 to 1 when all scores lie there, or over the tenths around
    scores that lie close together, else from the lowest score to the highest; neither they nor the axes
    depend on the threshold.
    """
    low, high = _limits(scores)
    edges = np.linspace(low, high, BINS + 1)
    counts = {
        word: np.histogram(scores[chosen], edges)[0] for word, chosen in (("kept", kept), ("dropped", ~kept))
    }
    tallest = int((counts["kept"] + counts["dropped"]).max())
    fig = drawing(palette, height=220, top=48)
    middles = (edges[:-1] + edges[1:]) / 2
    spans = [f"{format_number(left)} to {format_number(right)}" for left, right in pairwise(edges)]
    for word, colour, fill in (
        ("kept", palette.kept, palette.kept),
        ("dropped", palette.dropped, "rgba(0,0,0,0)"),
    ):
        fig.add_bar(
            x=middles, y=counts[word], name=word, width=0.9 * (high - low) / BINS,
            marker={"color": fill, "line": {"color": colour, "width": 1.25}},
            hovertext=[f"{n:,} {word}, score {span}" for n, span in zip(counts[word], spans, strict=True)],
            hoverinfo="text",
        )  # fmt: skip
    room = 0.01 * (high - low)
    fig.update_layout(
        barmode="stack",
        xaxis=axis(palette, "score", range=[low - room, high + room], showgrid=False),
        yaxis=axis(palette, "turns", range=[0, 1.08 * max(tallest, 1)], nticks=4, tickformat=",d"),
    )
    if threshold is not None:
        mark_threshold(fig, threshold, f"threshold <b>{format_number(threshold)}</b>", palette, across="x")
    return fig.figure()


def describe_histogram(scores: Floats, kept: NDArray[np.bool_], threshold: float | None) -> str:
    """The chart in a sentence."""
    if not len(scores):
        return "There are no earlier turns to score."
    low, middle, high = (format_number(float(value)) for value in np.quantile(scores, [0, 0.5, 1]))
    told = (
        f"{len(scores):,} scores from {low} to {high}, half of them below {middle}; {int(kept.sum()):,} kept"
    )
    return f"{told}." if threshold is None else f"{told}, threshold {format_number(threshold)}."


def _limits(scores: Floats) -> tuple[float, float]:
    low, high = (float(scores.min()), float(scores.max())) if len(scores) else (0.0, 1.0)
    if low >= 0 and high <= 1:
        return share_range(scores)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
