"""Text on charts, and what was clicked. Plotly reads a little HTML and TeX, and transcripts are untrusted.

>>> plain("<b>Hi</b>\\n  there")
'&lt;b&gt;Hi&lt;/b&gt; there'
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from convgate.core.decisions import Floats
from convgate.core.text import format_number, isolate, to_line

_MESSAGE = re.compile(r"“[^”]*”|\bmessages? (\d+(?:(?:, \d+)* and \d+|–\d+)?)\b(?! from the )")
LINE = 56  # characters: what fits on a phone

# Control characters, and those that change the direction of writing (they could make a line read otherwise).
_HIDDEN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_REPLACED = {code: " " if chr(code).isspace() else None for code in _HIDDEN}


def plain(text: str, limit: int = 80) -> str:
    """Return the text on one line of at most `limit` characters, with nothing that plotly would interpret.

    Control characters and those that change the direction of writing go; `$` would open a formula.
    """
    return _escape(isolate(_shorten(text, limit)))


def wrapped(text: str, limit: int = 240) -> str:
    """Return the same on lines of `LINE` characters."""
    short = _shorten(text, limit)
    lines = textwrap.wrap(short, LINE) if len(short) > LINE else [short]
    return "<br>".join(map(_escape, lines))


def head(turn: int, label: str) -> str:
    """Return the first line of a turn's hover text: its number on screen, from 1, who and first words."""
    return f"<b>Turn {turn + 1}</b> {plain(label, 60)}"


def describe(subject: str, facts: Mapping[str, object]) -> str:
    """Return a chart's alternative text: its subject and the facts that are known, in one sentence.

    Facts that are None, 0 or empty are left out; numbers are shortened.

    >>> describe("Scores of turns 1 to 9", {"kept": "4 of 9", "flipped": 0, "threshold": 0.6123})
    'Scores of turns 1 to 9: kept 4 of 9, threshold 0.61.'
    """
    known = [f"{name} {_fact(value)}" for name, value in facts.items() if value not in (None, "", 0)]
    return f"{subject}{': ' if known else ''}{', '.join(known)}".rstrip(".") + "."


def _fact(value: object) -> str:
    if isinstance(value, float):
        return format_number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def describe_range(values: Floats) -> str | None:
    """Return the lowest and the highest value in words; None of no values."""
    if not len(values):
        return None
    return f"{format_number(float(values.min()))} to {format_number(float(values.max()))}"


def on_screen(reason: str) -> str:
    """Return a reason with its messages numbered as turns are on the screen, from 1; quotes stay as they are.

    >>> on_screen("COMPLETE at message 5, after “never change message 2 in message 3”.")
    'COMPLETE at turn 6, after “never change message 2 in message 3”.'
    >>> on_screen("Kept: near message 0; it answers message 12, and message 14 follows it.")
    'Kept: near turn 1; it answers turn 13, and turn 15 follows it.'
    >>> on_screen("Dropped as corrected: message 11 corrects it."), on_screen("message 0: no such state")
    ('Dropped as corrected: turn 12 corrects it.', 'turn 1: no such state')
    >>> on_screen("another subject (router, messages 19–33)."), on_screen("messages 2, 4 and 6")
    ('another subject (router, turns 20–34).', 'turns 3, 5 and 7')
    """
    return _MESSAGE.sub(_number_from_one, reason)


def _number_from_one(match: re.Match[str]) -> str:
    if match[1] is None:
        return match[0]
    numbers = re.sub(r"\d+", lambda number: f"{int(number[0]) + 1:,}", match[1])
    return f"{'turn' if match[1].isdigit() else 'turns'} {numbers}"


def clicked_turn(points: Sequence[Mapping[str, Any]]) -> int | None:
    """Return the 0-based index of the turn that was clicked last; None when none was.

    points: `state["selection"]["points"]` of a chart of this package. They come from a browser; what cannot
    be a turn is ignored.

    >>> clicked_turn([{"curve_number": 0, "customdata": 56}]), clicked_turn([])
    (56, None)
    """
    turns = (point.get("customdata") for point in reversed(points))
    return next((turn for turn in turns if _is_index(turn)), None)


def clicked_cell(points: Sequence[Mapping[str, Any]]) -> tuple[int, int] | None:
    """Return (current, earlier) of the matrix cell that was clicked last, 0-based; None when none was.

    >>> clicked_cell([{"customdata": [56, 12]}])
    (56, 12)
    """
    for point in reversed(points):
        match point.get("customdata"):
            case [current, earlier] if _is_index(current) and _is_index(earlier):
                return current, earlier
    return None


def _is_index(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _shorten(text: str, limit: int) -> str:
    return to_line(text[: 4 * limit + 1].translate(_REPLACED), limit)


def _escape(text: str) -> str:
    return escape(text, quote=False).replace("$", "&#36;")
