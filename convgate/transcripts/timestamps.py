"""Points in time as exporters write them: ISO 8601, or a number since 1970 in seconds or finer."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta

_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?")
_COMPACT_DATE = re.compile(r"(?:19|20)\d{6}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (math.inf, 1e9))  # numbers below, units in a second


def parse_timestamp(value: object) -> datetime | None:
    """The moment that a transcript's value names; None for null or blank text.

    Text is ISO 8601 and keeps its zone, or stays naive when it names none; numbers, also in text,
    count from 1970 in UTC: seconds, or milli-, micro- or nanoseconds by their size.

    Raises ValueError when it is no moment.

    >>> parse_timestamp("2026-05-08T13:56:00Z").isoformat(), parse_timestamp(1778248560000).isoformat()
    ('2026-05-08T13:56:00+00:00', '2026-05-08T13:56:00+00:00')
    """
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if _NUMBER.fullmatch(text) and not _COMPACT_DATE.fullmatch(text):
            return _since_1970(float(text))
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            pass
    elif value is None:
        return None
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return _since_1970(value)
    shown = repr(value) if len(repr(value)) < 40 else f"{repr(value)[:40]}…"
    raise ValueError(f"{shown} is not a time; write it as 2026-05-08T13:56:00, or as seconds since 1970")


def _since_1970(number: float) -> datetime:
    try:
        units = next(units for limit, units in _UNITS if abs(number) < limit)
        return _EPOCH + timedelta(seconds=number / units)
    except (StopIteration, OverflowError):
        raise ValueError("the number is too large for a time since 1970") from None
