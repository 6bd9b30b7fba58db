"""Times that any clock may show: always in UTC, and far enough from the first and last of all years."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]

FIRST = datetime(1971, 1, 1, tzinfo=UTC)
LAST = datetime(9900, 1, 1, tzinfo=UTC)
BEFORE_ALL = datetime(1970, 6, 1, tzinfo=UTC)


def wall_clock() -> datetime:
    """The present."""
    return datetime.now(UTC)


def in_utc(moment: datetime) -> datetime:
    """A time between FIRST and LAST; one without a zone is this machine's.

    >>> in_utc(datetime(1, 1, 1)).year, in_utc(datetime(2026, 3, 5, 9, tzinfo=UTC)).hour
    (1971, 9)
    """
    try:
        return min(max(moment.astimezone(UTC), FIRST), LAST)
    except (OverflowError, ValueError, OSError):  # no calendar, or no zone of this machine, has it
        return FIRST if moment.year < FIRST.year else LAST


def earlier(moment: datetime, *, seconds: float) -> datetime:
    """So many seconds, 0 or more, before it; BEFORE_ALL where that is earlier still."""
    if seconds >= (moment - BEFORE_ALL).total_seconds():
        return BEFORE_ALL
    return moment - timedelta(seconds=seconds)


def seconds_since(moment: datetime, now: datetime) -> float | None:
    """How long ago that was; None when the clock was set back since, and nobody knows."""
    passed = (now - moment).total_seconds()
    return None if passed < 0 else passed
