"""Characters that no file, database or tokenizer takes: NUL, and halves of surrogate pairs."""

from __future__ import annotations

import re
from unicodedata import bidirectional

REPLACEMENT = "\ufffd"

_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


def writable(text: str) -> str:
    """The text with each unwritable character replaced by U+FFFD; the very same object when there is none.

    >>> writable("half an emoji: \\ud83d")
    'half an emoji: \ufffd'
    """
    if "\0" not in text:
        if text.isascii():
            return text
        try:
            text.encode()  # many times faster than a search
        except UnicodeEncodeError:
            pass
        else:
            return text
    return _UNWRITABLE.sub(REPLACEMENT, text)


# Classes of the bidirectional algorithm (Unicode Standard Annex 9).
_EMBEDDING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF"})
_ISOLATE = frozenset({"LRI", "RLI", "FSI"})
_DIRECTED = _EMBEDDING | _ISOLATE | {"PDI", "R", "AL", "AN"}


def isolate(text: str, *, ltr: bool = False) -> str:
    """Return a line of text so that its direction of writing changes nothing of the sentence around it.

    Embeddings and overrides are left out, isolates are closed, and the whole is isolated: from the left when
    `ltr`, otherwise as its first letter is written. Text from left to right is given back as it is.

    >>> isolate("שלום") == "\\u2068שלום\\u2069", isolate("plain \\u202e")
    (True, '\\u2068plain \\u2069')
    """
    if text.isascii() or not any(bidirectional(character) in _DIRECTED for character in text):
        return text
    kept, depth = [], 0
    for character in text:
        kind = bidirectional(character)
        if kind in _EMBEDDING or (kind == "PDI" and not depth):
            continue
        depth += (kind in _ISOLATE) - (kind == "PDI")
        kept.append(character)
    return ("\u2066" if ltr else "\u2068") + "".join(kept) + "\u2069" * (depth + 1)


def printable(text: str) -> str:
    r"""Text without control characters, which could rewrite the terminal that shows it.

    >>> printable("red \x1b[31malert")
    'red  [31malert'
    """
    return "".join(character if character.isprintable() else " " for character in text)
