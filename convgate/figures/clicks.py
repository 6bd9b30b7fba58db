"""What was clicked: turns and cells read back from the points that a chart's selection reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def clicked_turn(points: Sequence[Mapping[str, Any]]) -> int | None:
    """The 0-based index of the turn that was clicked last; None when nothing was.

    points: `state["selection"]["points"]` of a chart of this package. They come from a browser, so what
    cannot be a turn is passed over.

    >>> clicked_turn([{"curve_number": 0, "customdata": 56}]), clicked_turn([])
    (56, None)
    """
    return next(
        (turn for point in reversed(points) if (turn := _index(point.get("customdata"))) is not None), None
    )


def clicked_cell(points: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """(current, earlier) of the matrix's cell that was clicked last, 0-based; None when nothing was.

    >>> clicked_cell([{"customdata": [56, 12]}])
    (56, 12)
    """
    for point in reversed(points):
        match point.get("customdata"):
            case [current, earlier] if _index(current) is not None and _index(earlier) is not None:
                return current, earlier
    return None


def _index(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
