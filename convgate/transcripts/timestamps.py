"""Points in time as exporters write them: ISO 8601, or a number since 1970 in seconds or finer."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from convgate.core.text import quote
from convgate.transcripts.fields import value_at

Warn = Callable[[str, str], None]
"""Is told what is odd, and in which field."""

TIMESTAMP_FIELDS = (
    *("timestamp", "created_at", "createdAt", "create_time", "inserted_at", "sent_at", "datetime"),
    *("date_time", "time", "ts", "date", "createdDateTime", "created_date"),
)
"""Where a message says when it came, the likelier name first."""

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_UTC = re.compile(r"(?<!\s)\s*(?:z|utc|gmt)$", re.IGNORECASE)  # (?<!\s): each run of spaces is read once
_COMPACT_DATE = re.compile(r"(?:19|20)\d{6}")
_IN_WORDS = re.compile(r"[A-Z][a-z]+, (\d\d? [A-Z][a-z]+ \d{4} at \d\d?:\d\d:\d\d) UTC")  # of Google Takeout
_OF_MONGODB = ("$date", "$numberLong")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEWEST_FIRST = "messages are listed with the newest first; they are read from the oldest on"
UNTIMED = "the message counts as one without a time"
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))  # numbers below, units in a second


def parse_timestamp(value: object) -> datetime | None:
    """Return the moment that a transcript's value names; None for null or blank text.

    Text is ISO 8601 and keeps its zone, or stays naive when it names none; numbers, also in text,
    count from 1970 in UTC: seconds, or milli-, micro- or nanoseconds by their size. Objects as MongoDB
    exports them hold either.

    Raises ValueError when it is no moment.

    >>> parse_timestamp("2026-05-08T13:56:00Z").isoformat(), parse_timestamp(1778248560000).isoformat()
    ('2026-05-08T13:56:00+00:00', '2026-05-08T13:56:00+00:00')
    """
    while isinstance(value, Mapping) and (key := next(filter(value.__contains__, _OF_MONGODB), None)):
        value = value[key]
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if _NUMBER.fullmatch(text) and not _COMPACT_DATE.fullmatch(text):
            return _since_1970(float(text))
        with suppress(ValueError):
            return datetime.fromisoformat(_UTC.sub("Z", text))
        if match := _IN_WORDS.fullmatch(text):
            with suppress(ValueError):
                return datetime.strptime(match[1], "%d %B %Y at %H:%M:%S").replace(tzinfo=UTC)
    elif value is None:
        return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    raise ValueError(
        f"{quote(value, 40)} is not a time; write it as 2026-05-08T13:56:00, or as seconds since 1970"
    )


def time_of(
    message: Mapping[str, Any], field: str, warn: Warn | None = None, keys: Sequence[str] = TIMESTAMP_FIELDS
) -> tuple[str | None, datetime | None]:
    """Return the first key of a message that holds a readable time, and the time; None for both without one.

    `warn` is told of what cannot be read; `field` names the message there.
    """
    for key in keys:
        if (value := value_at(message, key) if "." in key else message.get(key)) is not None:
            try:
                return key, parse_timestamp(value)
            except ValueError as error:
                if warn:
                    warn(f"{error}; {UNTIMED}", f"{field}.{key}" if field else key)
    return None, None


def is_newest_first(moments: Sequence[datetime | None]) -> bool:
    """Return whether three moments or more, all known, fall from each to the next; all with a zone or none.

    >>> is_newest_first([datetime(2026, 5, 3), datetime(2026, 5, 2), datetime(2026, 5, 1)])
    True
    """
    return len(moments) > 2 and falls(moments, strictly=True)


def falls(moments: Sequence[datetime | None], *, strictly: bool = False) -> bool:
    """Return whether moments never rise, and fall once at least; as in `is_newest_first`."""
    times = [moment for moment in moments if moment is not None]
    if len(times) < max(2, len(moments)) or len({time.tzinfo is None for time in times}) > 1:
        return False
    return all(a > b if strictly else a >= b for a, b in pairwise(times)) and times[0] > times[-1]


def to_utc(moment: datetime | None) -> datetime:
    """Return a moment that can be compared with any other; none is the earliest."""
    moment = moment or datetime.min
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _since_1970(number: float) -> datetime:
    try:
        units = next(units for limit, units in _UNITS if abs(number) < limit)
        return _EPOCH + timedelta(seconds=number / units)
    except (StopIteration, OverflowError):
        raise ValueError("the number is too large for a time since 1970") from None
