"""A figure as plain data, which plotly checks once at the end instead of after each change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go


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
