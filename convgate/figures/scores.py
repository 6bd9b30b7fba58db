"""The scores of a history's turns over their turn numbers, with the threshold and what it keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from scipy.special import expit

from convgate.decisions import TurnDecisions
from convgate.figures.drawing import Drawing
from convgate.figures.hover import on_screen, plain
from convgate.figures.layout import axis, drawing, mark_threshold, scatter, steady
from convgate.figures.palette import Palette
from convgate.figures.score_levels import Chart, level_axis
from convgate.text import format_number

HEIGHT = 340  # pixels
RUG_HEIGHT = 28  # pixels more for a second policy


def scores_figure(
    decisions: TurnDecisions,
    *,
    labels: Sequence[str],
    palette: Palette,
    selected: int | None = None,
    flipped: Mapping[int, str] | Collection[int] = (),
    show_tiers: bool = False,
    other: TurnDecisions | None = None,
    other_label: str = "",
) -> go.Figure:
    """One mark a turn; `customdata` of each mark is the turn's 0-based index, as one integer.

    labels: who and first words of each turn of the conversation, `labels[index]`; untrusted. selected and
    flipped are turn indices; a flip's arrow points to where the turn went, and its text, when given, is
    shown on hover. `show_tiers` adds the scores of both tiers as lines, where the policy has them. `other`
    shows below what a second policy keeps, under `other_label` or its plain name.

    Turns without a score stand beneath the others. Axes depend on the turns and their scores alone: moving a
    threshold moves nothing else, and the zoom that a person chose stays.
    """
    rug = RUG_HEIGHT if other is not None else 0
    fig = drawing(palette, height=HEIGHT + rug, right=64)
    chart = Chart(decisions, labels, flipped if isinstance(flipped, Mapping) else dict.fromkeys(flipped, ""))
    low, high = chart.extent
    edge = max(0.6, 0.015 * len(decisions))
    fig.update_layout(
        uirevision=f"{decisions.policy} {low}-{high}", dragmode="zoom", hovermode="closest",
        xaxis=axis(
            palette, "turn", range=[low - edge, high + edge], fixedrange=False, showgrid=False,
            **({"dtick": 1} if high - low < 8 else {}),
        ),
        yaxis=level_axis(chart, palette),
    )  # fmt: skip
    if show_tiers:
        _add_tiers(fig, chart, palette)
    _add_turns(fig, chart, palette)
    _add_flips(fig, chart, palette)
    if selected is not None:
        _add_selected(fig, chart, selected, palette)
    if len(chart.unscored):
        _mark_unscored(fig, chart, palette)
    if decisions.threshold is not None and chart.scored:
        label = f"threshold<br><b>{format_number(decisions.threshold)}</b>"
        mark_threshold(fig, decisions.threshold, label, palette, across="y")
    if other is not None:
        _add_rug(fig, chart, other, other_label, palette)
    return fig.figure()


def describe_scores(
    decisions: TurnDecisions, *, selected: int | None = None, flipped: Collection[int] = ()
) -> str:
    """The chart in a sentence or two, for people who do not see it."""
    if not len(decisions):
        return "There are no earlier turns to score."
    first, last = int(decisions.indices[0]) + 1, int(decisions.indices[-1]) + 1
    told = f"Scores of turns {first} to {last}: {int(decisions.kept.sum()):,} kept of {len(decisions):,}"
    scores = decisions.scores if decisions.scores is None else decisions.scores[~np.isnan(decisions.scores)]
    if scores is None:
        told += " by a policy without scores"
    elif not len(scores):
        told += ", none of them with a score"
    else:
        if len(scores) < len(decisions):
            told += f", {len(decisions) - len(scores):,} of them without a score"
        told += f", scores from {format_number(float(scores.min()))} to {format_number(float(scores.max()))}"
        if decisions.threshold is not None:
            told += f", threshold {format_number(decisions.threshold)}"
    if flipped:
        told += f"; {len(flipped):,} changed by the last move"
    if selected is not None and selected in decisions.indices:
        told += f". Turn {selected + 1} is selected. {on_screen(decisions.of(selected).reason).rstrip('.')}"
    return f"{told}."


def _add_turns(fig: Drawing, chart: Chart, palette: Palette) -> None:
    """A trace for what is kept, one for what is dropped, one for what a later stage decided."""
    kept, forced = chart.decisions.kept, chart.forced
    dot = 9 if len(kept) <= 150 else 7 if len(kept) <= 600 else 5  # pixels
    classes = [
        ("dropped", ~kept & ~forced, palette.dropped, "circle-open", dot - 1, 2),
        ("kept", kept & ~forced, palette.kept, "circle", dot, 1),
    ]
    if forced.any():
        classes += [
            ("dropped anyway", forced & ~kept, palette.forced, "diamond-open", 11, 4),
            ("kept anyway", forced & kept, palette.forced, "diamond", 11, 3),
        ]
    for name, chosen, colour, symbol, size, rank in classes:
        rows = np.flatnonzero(chosen)
        _add_marks(
            fig, chart, rows, name=name, legendrank=rank, mode="markers", hovertext=chart.hover(rows),
            hoverinfo="text", marker=_marker(symbol, size, colour, 1.5),
        )  # fmt: skip


def _add_flips(fig: Drawing, chart: Chart, palette: Palette) -> None:
    rows = np.flatnonzero(np.isin(chart.decisions.indices, list(chart.flipped)))
    if not len(rows):
        return
    kept = chart.decisions.kept[rows]
    _add_marks(
        fig, chart, rows, name="flipped", mode="markers+text",
        text=["▲" if up else "▼" for up in kept],
        textposition=["top center" if up else "bottom center" for up in kept],
        textfont={"color": palette.flip_text, "size": 13}, hoverinfo="skip",
        marker=_marker("circle-open", 16, palette.flip, 3),
    )  # fmt: skip


def _add_selected(fig: Drawing, chart: Chart, selected: int, palette: Palette) -> None:
    row = chart.row_of(selected)
    if row is None:
        return
    fig.add_vline(x=selected + 1, line={"color": palette.muted, "width": 1}, layer="below", name="selected")
    _add_marks(
        fig, chart, np.array([row]), name="selected", mode="markers", hoverinfo="skip", showlegend=False,
        marker=_marker("circle-open", 22, palette.ink, 2),
    )  # fmt: skip


def _mark_unscored(fig: Drawing, chart: Chart, palette: Palette) -> None:
    """Says at the edge what stands beneath the scores."""
    fig.add_annotation(
        text="no score", showarrow=False, name="unscored", xref="paper", x=1, xanchor="left", xshift=3,
        y=float(chart.levels[chart.unscored[0]]), yanchor="middle",
        font={"size": 12, "color": palette.muted},
    )  # fmt: skip


def _add_tiers(fig: Drawing, chart: Chart, palette: Palette) -> None:
    """Both tiers and the final score as lines, all on the scale of the score."""
    decisions = chart.decisions
    if decisions.tier1 is None or decisions.attention is None or decisions.scores is None:
        return
    numbers = decisions.indices + 1
    for name, levels, colour, dash in (
        ("tier 1", expit(decisions.tier1), palette.tier1, "dot"),
        ("tier 2", expit(decisions.attention), palette.tier2, "dashdot"),
        ("final", decisions.scores, palette.ink, "solid"),
    ):
        kind = scatter(len(numbers))
        line = {"color": colour, "dash": dash, "width": 1.25 if len(numbers) <= 150 else 0.75}
        fig.add_trace(kind(x=numbers, y=levels, mode="lines", name=name, line=line, hoverinfo="skip"))


def _add_rug(fig: Drawing, chart: Chart, other: TurnDecisions, label: str, palette: Palette) -> None:
    """What the second policy keeps, as long ticks beneath, and what it drops, as short ones."""
    name = plain(label or other.policy.replace("_", " "), 24)
    share = RUG_HEIGHT / (HEIGHT + RUG_HEIGHT - 80)
    fig.update_layout(
        yaxis={"domain": [share + 0.03, 1]},
        yaxis2=axis(palette, domain=[0, share], range=[-1, 1], showgrid=False, tickvals=[0], ticktext=[""]),
        xaxis={"anchor": "y2"},
    )
    for word, chosen, symbol, size, colour in (
        ("dropped", ~other.kept, "line-ns", 5, palette.dropped),
        ("kept", other.kept, "line-ns", 18, palette.kept),
    ):
        indices = other.indices[chosen]
        fig.add_trace(
            scatter(len(other))(
                x=indices + 1, y=np.zeros(len(indices)), yaxis="y2", mode="markers", name=f"{name}: {word}",
                customdata=indices.tolist(), showlegend=word == "kept",
                hovertext=[f"<b>Turn {index + 1}</b> {word} by {name}" for index in indices.tolist()],
                hoverinfo="text",
                marker=_marker(symbol, size, colour, 2 if word == "kept" else 1),
            )
        )  # fmt: skip


def _add_marks(fig: Drawing, chart: Chart, rows: NDArray[np.int64], **trace: object) -> None:
    """Marks at some rows. Empty traces keep their place in the legend, so that it does not jump."""
    indices = chart.decisions.indices[rows]
    fig.add_trace(
        scatter(len(chart.decisions))(
            x=indices + 1 if len(rows) else [None],
            y=chart.levels[rows] if len(rows) else [None],
            customdata=indices.tolist(),
            **steady(),
            **trace,
        )
    )


def _marker(symbol: str, size: int, colour: str, width: float) -> dict[str, object]:
    return {"symbol": symbol, "size": size, "color": colour, "line": {"width": width, "color": colour}}
