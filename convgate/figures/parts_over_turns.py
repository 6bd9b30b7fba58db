"""What each part of the logit gives over the turns of a history."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from convgate.decisions import TurnDecisions
from convgate.figures.layout import axis, drawing, scatter
from convgate.figures.palette import Palette
from convgate.figures.waterfall import part_label
from convgate.text import format_signed


def parts_figure(decisions: TurnDecisions, *, palette: Palette, selected: int | None = None) -> go.Figure:
    """One line a part, and their sum, over turn numbers; `customdata` is the turn's 0-based index.

    A policy without parts gives empty axes.
    """
    indices = decisions.indices
    fig = drawing(palette, height=260)
    looks = (
        (palette.kept, "dot"),
        (palette.forced, "dash"),
        (palette.flip, "dashdot"),
        (palette.tier2, "longdash"),
        (palette.tier1, "longdashdot"),
        (palette.dropped, "dot"),
    )
    lines = [
        (part_label(name), column, *looks[i % len(looks)])
        for i, (name, column) in enumerate(decisions.parts.items())
    ]
    if decisions.logits is not None:
        lines.append(("sum", decisions.logits, palette.ink, "solid"))
    for name, column, colour, dash in lines:
        fig.add_trace(
            scatter(len(indices))(
                x=indices + 1, y=column, mode="lines", name=name, customdata=indices.tolist(),
                line={"color": colour, "dash": dash, "width": 1.75},
                hovertemplate=f"{name} %{{y:+.2f}}<extra></extra>",
            )
        )  # fmt: skip
    if selected is not None:
        fig.add_vline(
            x=selected + 1, line={"color": palette.muted, "width": 1}, layer="below", name="selected"
        )
    first, last = (indices[0] + 1, indices[-1] + 1) if len(indices) else (1, 1)
    fig.update_layout(
        hovermode="x unified",
        uirevision=f"{first}-{last}",
        xaxis=axis(palette, "turn", range=[first - 0.6, last + 0.6], fixedrange=False, showgrid=False),
        yaxis=axis(palette, "logit", zeroline=True, zerolinecolor=palette.muted),
    )
    return fig.figure()


def describe_parts(decisions: TurnDecisions) -> str:
    """The chart in a sentence."""
    if not decisions.parts or not len(decisions):
        return "This policy has no parts to show."
    spans = ", ".join(
        f"{part_label(name)} {format_signed(float(np.nanmin(column)))}"
        f" to {format_signed(float(np.nanmax(column)))}"
        for name, column in decisions.parts.items()
        if not np.isnan(column).all()
    )
    return f"Parts of the logits of {len(decisions):,} turns: {spans}."
