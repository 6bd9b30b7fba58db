"""Numbers and times in words that pages share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from convgate.transcripts.characters import isolate

_STEPS = (("minute", 60), ("hour", 60), ("day", 24), ("week", 7), ("month", 52 / 12), ("year", 12))


def counted(number: int, thing: str, plural: str | None = None) -> str:
    """A number and what it counts.

    >>> counted(1, "turn"), counted(18903, "token"), counted(2, "reply", "replies")
    ('1 turn', '18,903 tokens', '2 replies')
    """
    return f"{number:,} {thing if number == 1 else plural or thing + 's'}"


def ago(moment: datetime, now: datetime | None = None) -> str:
    """How long ago that was, in the largest unit that fits.

    >>> ago(datetime(2026, 1, 1, 12, tzinfo=UTC), datetime(2026, 1, 3, 11, tzinfo=UTC))
    '1 day ago'
    """
    value = ((now or datetime.now(UTC)) - moment).total_seconds()
    unit = ""
    for name, size in _STEPS:
        if value < size:
            break
        value, unit = value / size, name
    return f"{counted(int(value), unit)} ago" if unit else "just now"


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
