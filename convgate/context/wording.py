"""Words that several reasons share."""

from __future__ import annotations

_LONGEST = 80  # characters of a quotation


def quoted(text: str) -> str:
    """The beginning of a text in quotation marks, on one line.

    >>> quoted("must work\\nwith LDAP")
    '“must work with LDAP”'
    """
    words = " ".join(text[: 4 * _LONGEST].split()).rstrip(".")
    return f"“{words if len(words) <= _LONGEST else words[:_LONGEST].rsplit(' ', 1)[0] + '…'}”"
