"""Times by this machine's clock."""

from __future__ import annotations

from datetime import datetime


def clock(moment: datetime, now: datetime) -> str:
    """The time of day; with its day where that is not today's.

    >>> clock(datetime(2026, 3, 5, 9, 5), datetime(2026, 3, 5, 12))
    '09:05'
    >>> clock(datetime(2026, 3, 5, 9, 5), datetime(2027, 3, 6, 12))
    '5 Mar 2026, 09:05'
    """
    here, today = moment.astimezone(), now.astimezone()
    if here.date() == today.date():
        return f"{here:%H:%M}"
    year = f" {here.year}" if here.year != today.year else ""
    return f"{here.day} {here:%b}{year}, {here:%H:%M}"


def span(start: datetime, end: datetime) -> str:
    """From when to when.

    >>> span(datetime(2026, 3, 5, 9), datetime(2026, 3, 6, 9, 30))
    '5 Mar, 09:00 – 6 Mar, 09:30'
    """
    here, there = start.astimezone(), end.astimezone()
    until = f"{there:%H:%M}" if here.date() == there.date() else f"{there.day} {there:%b}, {there:%H:%M}"
    return f"{here.day} {here:%b}, {here:%H:%M} – {until}"
