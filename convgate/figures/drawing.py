"""A figure in the making, as plain data, so that plotly checks it once and not after each stroke."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go


class Drawing:
    """Traces and layout that become a figure when all is said.

    The words are plotly's own. A `go.Figure` checks the whole of what it has at every change, which takes
    ten times as long as to check it once, and pages draw several figures anew at each move of a slider.
    """

    def __init__(self, layout: Mapping[str, Any]) -> None:
        self.layout: dict[str, Any] = dict(layout)
        self.traces: list[dict[str, Any]] = []

    def figure(self) -> go.Figure:
        """What was drawn; raises ValueError for a word or a value that plotly does not know."""
        return go.Figure(data=self.traces, layout=self.layout)

    def add_trace(self, trace: Mapping[str, Any]) -> None:
        """A trace of any `type`, on top of those before."""
        self.traces.append(dict(trace))

    def add_scatter(self, **trace: Any) -> None:
        """Marks, a line, or both."""
        self.add_trace({"type": "scatter", **trace})

    def add_scattergl(self, **trace: Any) -> None:
        """The same by WebGL, for many."""
        self.add_trace({"type": "scattergl", **trace})

    def add_bar(self, **trace: Any) -> None:
        """Bars."""
        self.add_trace({"type": "bar", **trace})

    def add_waterfall(self, **trace: Any) -> None:
        """Bars of which each starts where the last one ended."""
        self.add_trace({"type": "waterfall", **trace})

    def add_heatmap(self, **trace: Any) -> None:
        """Cells whose colours are numbers."""
        self.add_trace({"type": "heatmap", **trace})

    def add_annotation(self, **annotation: Any) -> None:
        """A text somewhere."""
        self.layout["annotations"] = [*self.layout.get("annotations", []), annotation]

    def add_shape(self, **shape: Any) -> None:
        """A line or an area."""
        self.layout["shapes"] = [*self.layout.get("shapes", []), shape]

    def add_vline(self, x: float, **shape: Any) -> None:
        """A line from the bottom to the top."""
        self.add_shape(type="line", xref="x", x0=x, x1=x, yref="y domain", y0=0, y1=1, **shape)

    def add_hline(self, y: float, **shape: Any) -> None:
        """A line from left to right."""
        self.add_shape(type="line", yref="y", y0=y, y1=y, xref="x domain", x0=0, x1=1, **shape)

    def update_layout(self, **layout: Any) -> None:
        """Changes what is named, at any depth, and leaves the rest.

        >>> drawing = Drawing({"margin": {"l": 5, "r": 6}})
        >>> drawing.update_layout(margin={"r": 0}, showlegend=False)
        >>> drawing.layout
        {'margin': {'l': 5, 'r': 0}, 'showlegend': False}
        """
        self.layout = _merged(self.layout, layout)


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(old)
    for name, value in new.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(name), Mapping)
        merged[name] = _merged(merged[name], value) if both else value
    return merged
