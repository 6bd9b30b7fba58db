"""Untrusted text: transcripts, titles, file names, quotes in errors.

`show_text` draws it. Where Streamlit takes only Markdown, such as labels, `literal` returns Markdown for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, count

import streamlit as st

from convgate.core.text import isolate, truncate, writable

_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_JOINER = "\u2060"  # invisible, of no width, forbids a line break
# What Streamlit replaces even when it is escaped: emoji and material shortcodes, arrows, bare addresses.
_REPLACED = re.compile(r"(:|@|[<>=~-](?=\\?[<>=~-])|\bwww(?=\\\.))", re.IGNORECASE)


def show_text(text: str, *, limit: int | None = None) -> None:
    """Draw the text as it is, without HTML, Markdown, formulas, shortcodes or links.

    limit: max number of characters.
    """
    st.text(writable(text if limit is None else truncate(text, limit)), width="stretch")


def literal(text: str, *, limit: int | None = None, ltr: bool = False) -> str:
    """Markdown that Streamlit draws as this text, on one line.

        >>> literal("a *b*", limit=20)
        'a \\\\*b\\\\*'

    White space becomes single spaces, and blank text a dash. Invisible characters keep shortcodes, addresses
    and the writing direction from taking effect, so use `show_text` for text to copy. ltr: for a message of
    the app that quotes text.
    """
    line = " ".join(text.split()) or "–"
    if limit is not None:
        line = truncate(line, limit)
    escaped = _PUNCTUATION.sub(lambda match: "\\" + match[0], isolate(writable(line), ltr=ltr))
    return _REPLACED.sub(lambda match: match[0] + _JOINER, escaped)


def make_labels_unique(titles: Mapping[str, str]) -> dict[str, str]:
    """Return the titles with a number after repeated ones: Streamlit needs options that look different.

    >>> make_labels_unique({"a": "Talk", "b": "Talk", "c": "Talk (2)"})
    {'a': 'Talk', 'b': 'Talk (2)', 'c': 'Talk (2) (2)'}
    """
    labels: dict[str, str] = {}
    for key, title in titles.items():
        numbered = (f"{isolate(title)} ({number})" for number in count(2))
        labels[key] = next(
            label for label in chain([isolate(title)], numbered) if label not in labels.values()
        )
    return labels
