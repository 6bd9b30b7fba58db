"""Markdown tables, values with their intervals, and numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from convgate.core.text import format_number, format_signed


def with_interval(value: float, low: float | None, high: float | None, *, difference: bool = False) -> str:
    """Return a value with its 95% interval, smaller and never broken in two, for a cell of a table.

    >>> with_interval(0.6, 0.55, 0.65).replace("\u2060", "")
    '0.60 :small[0.55–0.65]'
    """
    format_value = format_signed if difference else format_number
    if low is None or high is None:
        return format_value(value)
    between = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" if difference else "\u2060–\u2060"
    return f"{format_value(value)} :small[{format_value(low)}{between}{format_value(high)}]"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """Return a Markdown table of Markdown cells; numbers: all columns but the first are right-aligned."""
    line = ["---", *(("---:" if numbers else "---") for _ in head[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, line, *rows))


def draw_numbers(rows: Iterable[tuple[str, str, str, str]], *, key: str) -> None:
    """Draw numbers side by side; each row is label, value, text below it, help."""
    with st.container(horizontal=True, key=key, gap="medium"):
        for label, value, note, help in rows:
            st.metric(
                label, value, note, delta_color="off", delta_arrow="off", width="content", help=help or None
            )
