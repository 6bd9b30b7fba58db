"""What the bundled model reads: spans of a text, marked in a line before it, and the tokenizer of both."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from convgate.core.bundled_encoder import bundled_folder

if TYPE_CHECKING:
    from tokenizers import Tokenizer

STATE_LAYERS = 4
"""Layers below the states, of six."""

Span = tuple[int, int]
"""Characters of a text, the end exclusive."""


def mark_spans(text: str, spans: Iterable[Span]) -> str:
    """Return the text behind a line with its spans, which do not overlap, in order.

    >>> mark_spans("No. Go!", [(0, 3), (4, 7)])
    '0-3 4-7\\nNo. Go!'
    """
    return f"{' '.join(f'{start}-{end}' for start, end in spans)}\n{text}"


def unmark_spans(marked: str) -> tuple[str, list[Span]]:
    """Return the text and the spans of `mark_spans`."""
    spans, _, text = marked.partition("\n")
    return text, [(int(start), int(end)) for start, end in (span.split("-") for span in spans.split())]


def read_spans(marked: str) -> list[str]:
    """Return the texts of the spans of `mark_spans`."""
    text, spans = unmark_spans(marked)
    return [text[slice(*span)] for span in spans]


@cache
def passage_tokenizer() -> Tokenizer:
    """Return the model's tokenizer for text of any length."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
