"""Characters that no file, database or tokenizer takes: NUL, and halves of surrogate pairs."""

from __future__ import annotations

import re

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


def printable(text: str) -> str:
    r"""Text without control characters, which could rewrite the terminal that shows it.

    >>> printable("red \x1b[31malert")
    'red  [31malert'
    """
    return "".join(character if character.isprintable() else " " for character in text)
