"""Words on charts. Plotly reads a little HTML and TeX in them, and transcripts are untrusted.

>>> plain("<b>Hi</b>\\n  there")
'&lt;b&gt;Hi&lt;/b&gt; there'
"""

from __future__ import annotations

import re
import textwrap
from html import escape

from convgate.text import format_number, format_share, format_signed
from convgate.transcripts.characters import isolate

number, signed, percent = format_number, format_signed, format_share  # until pages import convgate.text

_MESSAGE = re.compile(r"(?:(?<=\bat )|(?<=\bin ))message (\d+)|\bmessage (\d+)(?= corrects it)")
LINE = 56  # characters: what fits on a phone

# Control characters, and those that turn the direction of writing (they could make a line read otherwise).
_HIDDEN = (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SEEN = {code: " " if chr(code).isspace() else None for code in _HIDDEN}


def plain(text: str, limit: int = 80) -> str:
    """The text on one line, at most `limit` characters, with nothing left that plotly would interpret.

    Control characters and those that turn the direction of writing go; `$` would open a formula.
    """
    return _safe(isolate(_short(text, limit)))


def wrapped(text: str, limit: int = 240) -> str:
    """The same on lines of `LINE` characters."""
    short = _short(text, limit)
    if len(short) <= LINE:
        return _safe(short)
    return "<br>".join(_safe(line) for line in textwrap.wrap(short, LINE))


def on_screen(reason: str) -> str:
    """A reason with its messages numbered as turns are on the screen, from 1.

    >>> on_screen("The workflow reached COMPLETE at message 5.")
    'The workflow reached COMPLETE at turn 6.'
    >>> on_screen("Dropped as corrected: message 11 corrects it.")
    'Dropped as corrected: turn 12 corrects it.'
    """
    return _MESSAGE.sub(lambda match: f"turn {int(match[1] or match[2]) + 1:,}", reason)


def _short(text: str, limit: int) -> str:
    line = " ".join(text[: 4 * limit].translate(_SEEN).split())  # a turn may have 100,000 characters
    return line if len(line) <= limit and len(text) <= 4 * limit else f"{line[: limit - 1].rstrip()}…"


def _safe(text: str) -> str:
    return escape(text, quote=False).replace("$", "&#36;")
