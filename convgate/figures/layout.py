"""What all figures share: font, margins, legend, colours of the page, heights."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from convgate.decisions import Floats
from convgate.figures.drawing import Drawing
from convgate.figures.palette import Palette

FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
CONFIG: dict[str, Any] = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtonsToRemove": ["lasso2d", "select2d", "autoScale2d"],
}
"""What `st.plotly_chart(config=…)` gets, with `theme=None`, or Streamlit's colours replace these."""

UNDER_TOOLBAR = 50
"""A top margin, in pixels, that holds a threshold's number beneath the toolbar of a narrow figure."""

MANY = 2_000  # marks; from here on they are drawn by WebGL, for SVG gets slow


def drawing(palette: Palette, *, height: int, right: int = 16, left: int = 52, top: int = 36) -> Drawing:
    """An empty drawing, transparent, `height` pixels high, with its legend in a line above the plot.

    Margins are fixed, so that the plot stays where it is when numbers change.
    """
    return Drawing(
        {
            "template": {},
            "height": height,
            "margin": {"l": left, "r": right, "t": top, "b": 44, "pad": 0},
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": FONT, "size": 13, "color": palette.ink},
            "hoverlabel": {
                "bgcolor": palette.surface,
                "bordercolor": palette.muted,
                "font": {"family": FONT, "size": 13, "color": palette.ink},
                "align": "left",
            },
            "legend": {
                "orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top",
                "bgcolor": "rgba(0,0,0,0)", "font": {"size": 12}, "itemsizing": "constant", "entrywidth": 0,
                "itemclick": False, "itemdoubleclick": False,
            },
            "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": palette.muted, "activecolor": palette.kept},
            "xaxis": axis(palette),
            "yaxis": axis(palette),
        }
    )  # fmt: skip


def axis(palette: Palette, title: str | None = None, **settings: Any) -> dict[str, Any]:
    """An axis with thin grid lines; fixed, unless `fixedrange=False` lets people zoom."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": palette.muted}, "standoff": 8},
        "tickfont": {"size": 12, "color": palette.muted},
        "gridcolor": palette.grid,
        "linecolor": palette.grid,
        "zeroline": False,
        "fixedrange": True,
        **settings,
    }


def steady(**marker: Any) -> dict[str, Any]:
    """What keeps marks as they are when one of them is clicked; plotly would fade the others."""
    same = {"marker": marker or {"opacity": 1}}
    return {"selected": same, "unselected": same}


def scatter(count: int) -> Callable[..., dict[str, Any]]:
    """Makes a trace of the kind that suits a chart of `count` marks."""
    return partial(dict, type="scattergl" if count > MANY else "scatter")


def share_range(levels: Floats) -> tuple[float, float]:
    """0 and 1, or the tenths around levels that all lie close together, as an untrained gate's scores do.

    >>> share_range(np.array([0.12, 0.88])), share_range(np.array([0.48, 0.57]))
    ((0.0, 1.0), (0.3, 0.7))
    """
    if not len(levels):
        return 0.0, 1.0
    low, high = int(np.floor(10 * levels.min())), int(np.ceil(10 * levels.max()))
    while high - low < 3:  # one tenth alone would make much of little
        low, high = max(0, low - 1), min(10, high + 1)
    return (0.0, 1.0) if high - low > 5 else (low / 10, high / 10)


def mark_threshold(fig: Drawing, value: float, label: str, palette: Palette, *, across: str) -> None:
    """The dashed threshold line with its number at its end.

    label: trusted text. across: "y" for a level on the y axis, "x" for one on the x axis. A value outside
    the axis has no line, only its number with an arrow at the edge, so that the axis need not move.
    """
    low, high = sorted(fig.layout["yaxis" if across == "y" else "xaxis"]["range"])
    place = min(max(value, low), high)
    if place == value:
        line = {"color": palette.threshold, "width": 2, "dash": "dash"}
        if across == "y":
            fig.add_shape(
                type="line", xref="paper", x0=0, x1=1, y0=value, y1=value, line=line, name="threshold"
            )
        else:
            fig.add_shape(
                type="line", yref="paper", y0=0, y1=1, x0=value, x1=value, line=line, name="threshold"
            )
    else:
        up, down = ("↑", "↓") if across == "y" else ("→", "←")
        label = f"{label} {up if value > high else down}"
    along = (place - low) / (high - low)
    anchor = "left" if along < 0.2 else "right" if along > 0.8 else "center"
    where: dict[str, Any] = (
        {"xref": "paper", "x": 1, "xanchor": "left", "y": place, "yanchor": "middle", "xshift": 3}
        if across == "y"
        else {"yref": "paper", "y": 1, "yanchor": "bottom", "x": place, "xanchor": anchor}
    )
    fig.add_annotation(
        text=label, showarrow=False, name="threshold",
        font={"size": 13, "color": palette.threshold_text}, **where,
    )  # fmt: skip
