"""Tables of Markdown, values with their intervals as cells of them, and strips of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from convgate.core.text import format_number, format_signed


def with_interval(value: float, low: float | None, high: float | None, *, difference: bool = False) -> str:
    """A value with its 95% interval, smaller and never broken in two, for a cell of a table.

    >>> with_interval(0.6, 0.55, 0.65).replace("\u2060", "")
    '0.60 :small[0.55–0.65]'
    """
    told = format_signed if difference else format_number
    if low is None or high is None:
        return told(value)
    between = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" if difference else "\u2060–\u2060"
    return f"{told(value)} :small[{told(low)}{between}{told(high)}]"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """A table of cells that are Markdown already; `numbers` sets all columns but the first to the right."""
    line = ["---", *(("---:" if numbers else "---") for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))


def draw_numbers(rows: Iterable[tuple[str, str, str, str]], *, key: str) -> None:
    """A strip of numbers: label, value, what stands below it, help."""
    with st.container(horizontal=True, key=key, gap="medium"):
        for label, value, told, help in rows:
            st.metric(
                label, value, told, delta_color="off", delta_arrow="off", width="content", help=help or None
            )
