"""The scores of a history's turns over their numbers, with the threshold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from scipy.special import logit

from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.text import format_number, format_threshold
from convgate.figures.hover import describe, describe_range, head, on_screen, wrapped
from convgate.figures.layout import (
    MANY,
    add_marks,
    add_selected,
    axis,
    drawing,
    mark_threshold,
    marker,
    share_range,
    turn_axis,
)
from convgate.figures.palette import Palette

HEIGHT = 340  # pixels


def scores_figure(
    decisions: TurnDecisions,
    *,
    labels: Sequence[str],
    palette: Palette,
    selected: int | None = None,
    flipped: Mapping[int, str] = MappingProxyType({}),
    is_logit: bool = False,
) -> go.Figure:
    """Return one mark a turn; `customdata` of each mark is the turn's 0-based index.

    labels: speaker and first words of each turn of the conversation, `labels[index]`; untrusted. selected: a
    turn index. flipped: text for the hover by turn index; an arrow shows the direction of the flip. is_logit:
    an axis of logits, which spreads a gate's scores near 0 and 1; other policies keep their own axis.

    Turns without a score are drawn below the others. Axes depend on the turns and their scores alone, so a
    moved threshold changes neither them nor the zoom.
    """
    is_logit = is_logit and decisions.logits is not None
    levels, unscored, y_axis = _levels(decisions, palette, is_logit=is_logit)
    indices = decisions.indices
    first, last = (int(indices[0]) + 1, int(indices[-1]) + 1) if len(indices) else (1, 1)
    fig = drawing(palette, height=HEIGHT, right=64)
    fig.update_layout(
        uirevision=f"{decisions.policy} {first}-{last} {is_logit}", dragmode="zoom",
        xaxis=turn_axis(palette, first, last), yaxis=y_axis,
    )  # fmt: skip

    def add_rows(name: str, rows: NDArray[np.int64], look: dict[str, Any], **trace: Any) -> None:
        turns = indices[rows].tolist()
        add_marks(fig, name, indices[rows] + 1, levels[rows], turns, look, count=len(indices), **trace)

    for name, look, rank, rows in _classes(decisions, palette):
        hover = _hover(decisions, rows, labels, flipped)
        add_rows(name, rows, look, hover=hover, legendrank=rank)
    rows = np.flatnonzero(np.isin(indices, list(flipped)))
    if len(rows):
        kept = decisions.kept[rows]
        add_rows(
            "flipped", rows, marker("circle-open", 16, palette.flip, 3), mode="markers+text",
            text=["▲" if up else "▼" for up in kept],
            textposition=["top center" if up else "bottom center" for up in kept],
            textfont={"color": palette.flip_text, "size": 13},
        )  # fmt: skip
    if selected is not None and len(row := np.flatnonzero(indices == selected)):
        add_selected(fig, selected, selected + 1, [levels[row[0]]], palette, count=len(indices))
    if unscored.any():
        fig.add_annotation(
            text="no score", name="unscored", xref="paper", x=1, xanchor="left", xshift=3,
            y=float(levels[unscored][0]), yanchor="middle",
            font={"size": 12, "color": palette.muted},
        )  # fmt: skip
    if decisions.threshold is not None and y_axis["title"]["text"]:
        label = f"threshold<br><b>{format_threshold(decisions.threshold)}</b>"
        level = _to_logit(decisions.threshold) if is_logit else decisions.threshold
        mark_threshold(fig, level, label, palette, across="y")
    return fig.figure()


def describe_scores(
    decisions: TurnDecisions, *, selected: int | None = None, flipped: Collection[int] = ()
) -> str:
    """Return the chart in words, as alternative text."""
    if not len(decisions):
        return "There are no earlier turns to score."
    first, last = int(decisions.indices[0]) + 1, int(decisions.indices[-1]) + 1
    scores = np.array([]) if decisions.scores is None else decisions.scores[~np.isnan(decisions.scores)]
    is_shown = selected is not None and selected in decisions.indices
    return describe(
        f"Scores of turns {first} to {last}",
        {
            "kept": f"{int(decisions.kept.sum()):,} of {len(decisions):,}",
            "without a score": len(decisions) - len(scores),
            "scores": describe_range(scores),
            "threshold": decisions.threshold if len(scores) else None,
            "flipped": len(flipped),
            "selected": selected + 1 if selected is not None and is_shown else None,
            "reason": on_screen(decisions.of(selected).reason) if selected is not None and is_shown else None,
        },
    )


def _levels(
    decisions: TurnDecisions, palette: Palette, *, is_logit: bool
) -> tuple[Floats, NDArray[np.bool_], dict[str, Any]]:
    """Return (n,) levels of turns, whether each lacks a score that others have, and the y axis.

    Turns without a score are drawn below the others; where no turn has one, levels are 1 for kept and 0 for
    dropped, and the axis has no title.
    """
    scores = decisions.scores
    if scores is None or (len(scores) and np.isnan(scores).all()):
        outcomes = axis(palette, range=[-0.6, 1.6], tickvals=[0, 1], ticktext=["dropped", "kept"])
        return decisions.kept.astype(np.float64), np.zeros(len(decisions), dtype=np.bool_), outcomes
    unscored = np.isnan(scores)
    finite = scores[~unscored]
    ticks: dict[str, Any]
    if is_logit:
        scores, finite = _to_logit(scores), _to_logit(np.append(finite, [0.1, 0.9]))
        low, high = float(finite.min()), float(finite.max())
        ticks = {"tickvals": _to_logit(np.array(_LOGIT_TICKS)), "ticktext": [f"{t:g}" for t in _LOGIT_TICKS]}
    elif decisions.logits is not None:
        low, high = share_range(finite)
        ticks = {"tickformat": ".1f", "dtick": 0.2 if high - low > 0.6 else 0.1}
    else:
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        ticks = {"nticks": 6}
    room = 0.07 * (high - low) or 0.1 * (abs(high) or 1.0)
    title = "score (near 0 and 1 spread out)" if is_logit else "score"
    y_axis = axis(palette, title, range=[low - room, high + room], **ticks)
    return np.where(unscored, low - room / 2, scores), unscored, y_axis


_LOGIT_TICKS = (0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999)


def _to_logit(scores: Any) -> Any:
    """Return the logits of scores, which are finite also for 0 and 1."""
    return logit(np.clip(scores, 1e-6, 1 - 1e-6))


def _classes(
    decisions: TurnDecisions, palette: Palette
) -> list[tuple[str, dict[str, Any], int, NDArray[np.int64]]]:
    """Return name, look, place in the legend and rows of each kind of decision."""
    kept, forced = decisions.kept, np.isin(decisions.indices, list(decisions.overrides))
    size = 9 if len(kept) <= 150 else 7 if len(kept) <= 600 else 5  # pixels
    classes = [
        ("dropped", marker("circle-open", size - 1, palette.dropped), 2, ~kept & ~forced),
        ("kept", marker("circle", size, palette.kept), 1, kept & ~forced),
        ("dropped, not by score", marker("diamond-open", 11, palette.forced), 4, forced & ~kept),
        ("kept, not by score", marker("diamond", 11, palette.forced), 3, forced & kept),
    ]
    return [
        (name, look, rank, np.flatnonzero(mask))
        for name, look, rank, mask in classes
        if rank <= 2 or forced.any()
    ]


def _hover(
    decisions: TurnDecisions, rows: NDArray[np.int64], labels: Sequence[str], flipped: Mapping[int, str]
) -> list[str]:
    """Return number, speaker, first words and reason of turns; of many turns only the outcome, for speed."""
    brief = replace(decisions, note=None)  # a note may tokenize the whole text
    lines = []
    for row in rows.tolist():
        index = int(brief.indices[row])
        if len(brief) > MANY and index not in brief.overrides:
            score = brief.value(brief.scores, row)
            reason = "kept" if brief.kept[row] else "dropped"
            reason += "" if score is None else f", {format_number(score)}"
        else:
            decision = brief[row]
            reason = wrapped(f"{decision.outcome_name.capitalize()}: {decision.explanation}")
        flip = [wrapped(flipped[index])] if index in flipped else []
        lines.append("<br>".join([head(index, labels[index]), reason, *flip]))
    return lines
