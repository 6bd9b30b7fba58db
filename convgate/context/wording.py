"""Words that several reasons share."""

from __future__ import annotations

import functools

from convgate.context.invariant import InvariantType

_LONGEST = 80  # characters of a quotation


def quoted(text: str) -> str:
    """The beginning of a text in quotation marks, on one line.

    >>> quoted("must work\\nwith LDAP")
    '“must work with LDAP”'
    """
    return _quoted(text[: 4 * _LONGEST])


def typed(type: InvariantType) -> str:
    """A type in words.

    >>> typed("hard_constraint")
    'hard constraint'
    """
    return type.replace("_", " ")


@functools.lru_cache(4_096)
def _quoted(text: str) -> str:
    words = " ".join(text.split()).rstrip(".")
    return f"“{words if len(words) <= _LONGEST else words[:_LONGEST].rsplit(' ', 1)[0] + '…'}”"
