"""Numbers and times in words that pages share."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.text import format_age, pluralize
from convgate.transcripts.characters import isolate

ago, counted = format_age, pluralize  # until pages import convgate.text


def told_apart(titles: Mapping[str, str]) -> dict[str, str]:
    """Titles with a number where they are alike, for Streamlit tells options apart by what they show.

    >>> told_apart({"a": "Talk", "b": "Other", "c": "Talk"})
    {'a': 'Talk', 'b': 'Other', 'c': 'Talk (2)'}
    """
    seen: dict[str, int] = {}
    found = {}
    for key, title in titles.items():
        title = isolate(title)
        seen[title] = seen.get(title, 0) + 1
        found[key] = title if seen[title] == 1 else f"{title} ({seen[title]})"
    return found
