"""Cells of CSV files that a spreadsheet opens."""

from __future__ import annotations

from convgate.transcripts.characters import writable

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def plain_cell(text: str) -> str:
    """Text that is not ours; what a spreadsheet would take for a formula gets an apostrophe.

    >>> plain_cell("=1+1"), plain_cell("one")
    ("'=1+1", 'one')
    """
    text = writable(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
