"""What all figures share: theme, axes, and the marks and lines that mean the same everywhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.figures.palette import Palette

FONT = '"Source Sans", "Source Sans Pro", "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
CONFIG: dict[str, Any] = {"displayModeBar": False, "displaylogo": False, "scrollZoom": False}
"""For `st.plotly_chart(config=…)`, with `theme=None`, or Streamlit's colours replace these.

Without plotly's toolbar, which would cover the legend: drag to zoom, double-click to reset.
"""

TRANSPARENT = "rgba(0,0,0,0)"
Values = Sequence[object] | NDArray[Any]
MANY = 2_000  # marks; from here on WebGL draws them, since SVG gets slow


class Drawing:
    """Traces and layout of a figure, in plotly's own terms.

    A `go.Figure` checks all it has at every change, which takes ten times as long as checking it once, and
    pages draw several figures again at each move of a slider.
    """

    def __init__(self, layout: Mapping[str, Any]) -> None:
        self.layout: dict[str, Any] = dict(layout)
        self.traces: list[dict[str, Any]] = []

    def figure(self) -> go.Figure:
        """Return the figure; ValueError for a name or a value that plotly does not know."""
        return go.Figure(data=self.traces, layout=self.layout)

    def add_trace(self, trace: Mapping[str, Any]) -> None:
        """Add a trace of any `type`, on top of those before."""
        self.traces.append(dict(trace))

    def add_scatter(self, **trace: Any) -> None:
        """Add marks, a line, or both."""
        self.add_trace({"type": "scatter", **trace})

    def add_bar(self, **trace: Any) -> None:
        """Add bars."""
        self.add_trace({"type": "bar", **trace})

    def add_annotation(self, **annotation: Any) -> None:
        """Add a text."""
        self.layout["annotations"] = [*self.layout.get("annotations", []), {"showarrow": False, **annotation}]

    def add_shape(self, **shape: Any) -> None:
        """Add a line or an area."""
        self.layout["shapes"] = [*self.layout.get("shapes", []), shape]

    def add_vline(self, x: object, **shape: Any) -> None:
        """Add a line from the bottom to the top."""
        self.add_shape(type="line", xref="x", x0=x, x1=x, yref="paper", y0=0, y1=1, **shape)

    def add_hline(self, y: object, **shape: Any) -> None:
        """Add a line from left to right."""
        self.add_shape(type="line", yref="y", y0=y, y1=y, xref="paper", x0=0, x1=1, **shape)

    def update_layout(self, **layout: Any) -> None:
        """Change what is named, at any depth, and leave the rest.

        >>> drawing = Drawing({"margin": {"l": 5, "r": 6}})
        >>> drawing.update_layout(margin={"r": 0}, showlegend=False)
        >>> drawing.layout
        {'margin': {'l': 5, 'r': 0}, 'showlegend': False}
        """
        self.layout = _merge(self.layout, layout)


def _merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for name, value in new.items():
        is_nested = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merge(merged[name], value) if is_nested else value
    return merged


def drawing(palette: Palette, *, height: int, right: int = 16, left: int = 52, top: int = 36) -> Drawing:
    """Return an empty drawing, transparent, `height` pixels high, with its legend in a line above the plot.

    Margins are fixed, so that the plot stays where it is when numbers change.
    """
    font = {"family": FONT, "size": 13, "color": palette.ink}
    return Drawing(
        {
            "template": {},
            "height": height,
            "margin": {"l": left, "r": right, "t": top, "b": 44, "pad": 0},
            "paper_bgcolor": TRANSPARENT,
            "plot_bgcolor": TRANSPARENT,
            "font": font,
            "hoverlabel": {
                "bgcolor": palette.surface, "bordercolor": palette.muted, "font": font, "align": "left",
            },
            "legend": {
                "orientation": "h", "x": 0, "y": 1, "yref": "container", "yanchor": "top",
                "bgcolor": TRANSPARENT, "font": {"size": 12}, "itemsizing": "constant", "entrywidth": 0,
                "itemclick": False, "itemdoubleclick": False,
            },
            "hovermode": "closest",
            "xaxis": axis(palette),
            "yaxis": axis(palette),
        }
    )  # fmt: skip


def axis(palette: Palette, title: str | None = None, **settings: Any) -> dict[str, Any]:
    """Return an axis with thin grid lines; fixed, unless `fixedrange=False` lets people zoom."""
    return {
        "title": {"text": title, "font": {"size": 12, "color": palette.muted}, "standoff": 8},
        "tickfont": {"size": 12, "color": palette.muted},
        "gridcolor": palette.grid,
        "linecolor": palette.grid,
        "zeroline": False,
        "fixedrange": True,
        **settings,
    }


def share_axis(palette: Palette, title: str | None = None) -> dict[str, Any]:
    """Return an axis of shares, 0…1 in percent."""
    return axis(palette, title, range=[-0.02, 1.04], tickformat=".0%", dtick=0.25)


def turn_axis(palette: Palette, first: int, last: int, **settings: Any) -> dict[str, Any]:
    """Return an axis of turn numbers from `first` to `last`, with room at the ends, that can be zoomed."""
    edge = max(0.6, 0.015 * (last - first + 1))
    if last - first < 8:
        settings = {"dtick": 1, **settings}
    ends = [first - edge, last + edge]
    return axis(palette, "turn", **{"range": ends, "fixedrange": False, "showgrid": False, **settings})


def steady(**marker: Any) -> dict[str, Any]:
    """Return settings that keep other marks as they are when one is clicked; plotly would fade them."""
    same = {"marker": marker or {"opacity": 1}}
    return {"selected": same, "unselected": same}


def marker(symbol: str, size: int, colour: str, width: float = 1.5) -> dict[str, Any]:
    """Return a mark's look; `size` and the outline's `width` are in pixels."""
    return {"symbol": symbol, "size": size, "color": colour, "line": {"width": width, "color": colour}}


def fill(colour: str, pattern: str, ink: str) -> dict[str, Any]:
    """Return a bar's look: a colour, with a pattern of plotly's in `ink` over it; "" is plain."""
    shape = {"shape": pattern, "fillmode": "overlay", "fgcolor": ink, "fgopacity": 0.35, "size": 6}
    return {"color": colour, "line": {"width": 0}, "pattern": {**shape, "solidity": 0.2}}


def scatter(count: int) -> Callable[..., dict[str, Any]]:
    """Return the maker of traces that suits a chart of `count` marks."""
    return partial(dict, type="scattergl" if count > MANY else "scatter")


def add_marks(
    fig: Drawing,
    name: str,
    x: Values,
    y: Values,
    turns: Sequence[int],
    look: dict[str, Any],
    *,
    hover: Sequence[str] | None = None,
    count: int = 0,
    **trace: Any,
) -> None:
    """Add marks of turns: `customdata` of each is the turn's 0-based index. Without `hover` they are mute.

    An empty trace keeps its place in the legend, so that the legend does not jump. count: marks of the whole
    chart, when there may be many.
    """
    words = {"hoverinfo": "skip"} if hover is None else {"hoverinfo": "text", "hovertext": list(hover)}
    if not len(x):
        x, y = [None], [None]
    fig.add_trace(
        scatter(count)(
            name=name, x=x, y=y, customdata=list(turns), marker=look,
            **{"mode": "markers", **words, **steady(), **trace},
        )
    )  # fmt: skip


def add_line(
    fig: Drawing,
    name: str,
    x: Values,
    y: Values,
    look: tuple[str, str],
    *,
    width: float = 2,
    hover: str | None = None,
    **trace: Any,
) -> None:
    """Add a line of a colour and a dash; `hover` is plotly's template, without which it is mute."""
    colour, dash = look
    words = {"hoverinfo": "skip"} if hover is None else {"hovertemplate": f"{hover}<extra></extra>"}
    line = {"color": colour, "dash": dash, "width": width}
    fig.add_trace(
        {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line, **words, **trace}
    )


def add_selected(
    fig: Drawing, turn: int, x: object, levels: Sequence[float], palette: Palette, *, count: int = 0
) -> None:
    """Add a line and rings around the selected turn."""
    fig.add_vline(x, line={"color": palette.muted, "width": 1}, layer="below", name="selected")
    look, n = marker("circle-open", 22, palette.ink, 2), len(levels)
    add_marks(fig, "selected", [x] * n, levels, [turn] * n, look, showlegend=False, count=count)


def share_range(levels: Floats) -> tuple[float, float]:
    """Return 0 and 1, or the tenths around levels that lie close together, as an untrained gate's scores do.

    >>> share_range(np.array([0.12, 0.88])), share_range(np.array([0.48, 0.57]))
    ((0.0, 1.0), (0.3, 0.7))
    """
    if not len(levels):
        return 0.0, 1.0
    low, high = int(np.floor(10 * levels.min())), int(np.ceil(10 * levels.max()))
    while high - low < 3:  # a range of one tenth would exaggerate small differences
        low, high = max(0, low - 1), min(10, high + 1)
    return (0.0, 1.0) if high - low > 5 else (low / 10, high / 10)


def mark_threshold(fig: Drawing, value: float, label: str, palette: Palette, *, across: str) -> None:
    """Add the dashed threshold line with its number at its end.

    label: trusted text. across: "y" for a level on the y axis, "x" for one on the x axis. A value outside
    the axis has no line, only its number with an arrow at the edge, so that the axis need not move.
    """
    is_level = across == "y"
    low, high = sorted(fig.layout["yaxis" if is_level else "xaxis"]["range"])
    place = min(max(value, low), high)
    if place == value:
        add = fig.add_hline if is_level else fig.add_vline
        add(value, line={"color": palette.threshold, "width": 2, "dash": "dash"}, name="threshold")
    else:
        down, up = ("↓", "↑") if is_level else ("←", "→")
        label = f"{label} {up if value > high else down}"
    along = (place - low) / (high - low)
    anchor = "left" if along < 0.2 else "right" if along > 0.8 else "center"
    where: dict[str, Any] = (
        {"xref": "paper", "x": 1, "xanchor": "left", "y": place, "yanchor": "middle", "xshift": 3}
        if is_level
        else {"yref": "paper", "y": 1, "yanchor": "bottom", "x": place, "xanchor": anchor}
    )
    fig.add_annotation(
        text=label, name="threshold", font={"size": 13, "color": palette.threshold_text}, **where
    )
