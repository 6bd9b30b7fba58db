"""What of a message is the person's own statement: not quoted, no code, and not asked."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from convgate.gatekeeper.pattern import CLAUSE, Span, compiled, spelled_out
from convgate.gatekeeper.patterns import LANGUAGES

_LONGEST_QUOTE = 300  # characters; what is longer is a quotation mark that stands alone
_BLANKED = bytes(ord("_") if chr(code).isalnum() or chr(code) == "'" else code for code in range(256))


@functools.cache
def _foreign() -> Any:
    """Code and quotations: fenced, in backticks, between quotation marks, a quoted line, a comment."""
    return compiled(
        r"```(?:[^`]|`[^`]|``[^`])*(?:```|$)|`[^`\n]+`|"
        rf'"[^"\n]{{2,{_LONGEST_QUOTE}}}"|'
        r"(?:^|\n)\s*>[^\n]*|[^\s#/][^\n#/]*\s(#|//) [^\n]*"
    )


@functools.cache
def _asked() -> Any:
    openers = "|".join(spelled_out(words, {}) for language in LANGUAGES for words in language.questions)
    linking = r"\b(?:and|but|so|or|hi|hey|hello|well|ok|okay|no|et|mais|und|aber) "
    return compiled(rf"(?:{CLAUSE}|{linking.replace(' ', r'[, ]+')})((?:{openers})(?:[^.!?\n]|[.]\S)*[?])")


@functools.cache
def _asked_without_mark() -> Any:
    """An English question word with its verb before the subject, as in "what do we always use"."""
    return compiled(
        r"(?:^|[.!?\n]\s*)((?:what|which|who|how|why|where|when)(?:'s|s)?\s+(?:[a-z]+\s+){0,2}"
        r"(?:do|does|did|should|can|could|would|is|are|was|were|happens|means?)\b[^.!?\n]*)"
    )


def own_words(text: bytes) -> bytes:
    """A folded message with quotations and code blanked; a message that is nothing else stays."""
    if b'"' not in text and b"`" not in text and b">" not in text and b"#" not in text and b"//" not in text:
        return text
    blanked = bytearray(text)
    for found in _foreign().finditer(text):
        start, end = found.span()
        if found.group(1):  # a comment: what stands before it is code or the person's own
            start = found.start(1)
        blanked[start:end] = text[start:end].translate(_BLANKED)
    return bytes(blanked) if any(97 <= byte <= 122 for byte in blanked) else text


def questions(text: bytes) -> Sequence[Span]:
    """The parts of a folded message that ask."""
    asked = [found.span(1) for found in _asked().finditer(text)] if b"?" in text else []
    return asked + [found.span(1) for found in _asked_without_mark().finditer(text)]
