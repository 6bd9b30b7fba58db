"""Time between messages, however their clocks are set: never negative, never guessed.

>>> from datetime import datetime
>>> clock = Clock()
>>> for hour in (9, 10, 7, 11):
...     gap, clock = clock.tick(datetime(2026, 1, 1, hour))
...     print(gap)
None
3600.0
0.0
3600.0
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo


@dataclass(frozen=True, slots=True)
class Clock:
    """What the times of the messages so far say.

    A time before the latest is a message out of order, and the gap goes on running from the latest. When the
    next one is nearer to it than to the latest, the clock was set back, and gaps run from message to message
    again, until a time after the latest comes: its gap runs from that.
    """

    latest: datetime | None = None  # UTC; without a zone while no message named one
    behind: datetime | None = None  # of the last message with a time, when it lay before `latest`
    set_back: bool = False  # whether the one before that lay there, too
    zone: tzinfo | None = None  # of the newest time that names one

    def tick(self, moment: datetime | None) -> tuple[float | None, Clock]:
        """Seconds from the last message to one of that time, 0 or more, and the clock after it.

        None where there is nothing to count: no time before, or none now. A time without a zone is in the
        zone of the times beside it that name one.
        """
        at, zone = self._read(moment)
        if at is None:
            return None, self
        latest, behind = (_in_zone(known, at, zone) for known in (self.latest, self.behind))
        if latest is None:
            return None, Clock(at, zone=zone)
        if at >= latest:
            return (at - latest).total_seconds(), Clock(at, zone=zone)
        if behind is not None and at >= behind and (self.set_back or at - behind <= latest - at):
            return (at - behind).total_seconds(), Clock(latest, at, set_back=True, zone=zone)
        return 0.0, Clock(latest, at, zone=zone)

    def _read(self, moment: datetime | None) -> tuple[datetime | None, tzinfo | None]:
        """The time in UTC, or as it is while no zone is known; the zone that holds from here on."""
        if moment is None:
            return None, self.zone
        # An offset alone: who lives in a zone with summer time still counts whole hours.
        zone = moment.tzinfo if moment.utcoffset() is not None else self.zone
        return _utc(moment.replace(tzinfo=zone)), zone


def _in_zone(known: datetime | None, beside: datetime, zone: tzinfo | None) -> datetime | None:
    """A time from before a zone was known, as one of the zone that is known now."""
    if known is None or (known.tzinfo is None) == (beside.tzinfo is None):
        return known
    return _utc(known.replace(tzinfo=zone))


def _utc(moment: datetime) -> datetime | None:
    """None for a time whose hour in UTC no calendar has: the first and last of all years."""
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        return None
