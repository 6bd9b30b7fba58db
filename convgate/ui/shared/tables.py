"""Markdown tables, values with their intervals, and numbers side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from convgate.core.text import format_share, format_signed
from convgate.versions.card import Metric


def interval_cell(measure: Metric | None, *, is_difference: bool = False) -> str:
    """Return a share and its 95% interval as a cell of a Markdown table; a dash when undefined.

    A difference is in points, and bold when its interval excludes 0.
    """
    if measure is None or measure.value is None:
        return "–"
    format_value = format_points if is_difference else format_share
    if measure.low is None or measure.high is None:
        return format_value(measure.value)
    between = "\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}" if is_difference else "\u2060–\u2060"
    low, high = format_value(measure.low), format_value(measure.high)
    cell = f"{format_value(measure.value)} :small[{low}{between}{high}]"
    return f"**{cell}**" if is_difference and measure.low * measure.high > 0 else cell


def format_points(difference: float) -> str:
    """Return a difference of shares in points, with one decimal below ten.

    >>> format_points(0.344), format_points(-0.0067), format_points(0)
    ('+34', '−0.7', '0.0')
    """
    return format_signed(100 * difference, 0 if abs(difference) >= 0.0995 else 1)


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
