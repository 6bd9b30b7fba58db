"""What Monitor shows, as one value that an address can carry.

?period=7d&until=2026-03-05T12:00
?on=simulation&from=own&shares=40,15,20,10,15&toward=DEBUGGING&nats=0.15&minutes=90&rate=600&step=25
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

from convgate.context.mode import MODES, Mode
from convgate.ui.page_state import Address
from convgate.ui.query import QueryReader

PERIODS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(30)}
PERIOD_NAMES = {"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}
ORIGINS = {"baseline": "The baseline", "own": "My own"}

MIN_NATS, MAX_NATS = 0.01, 1.5
MIN_MINUTES, MAX_MINUTES = 5, 600
MIN_RATE, MAX_RATE = 10, 3_000  # requests an hour
OWN_SHARES = (40, 15, 20, 10, 15)

_TIME = "%Y-%m-%dT%H:%M"  # UTC


@dataclass(frozen=True, slots=True)
class View:
    """A period of the log, or a simulation."""

    period: str = "24h"  # one of PERIODS
    until: datetime | None = None  # UTC, whole minutes; None: now
    is_live: bool = False  # whether it refreshes by itself
    simulates: bool = False
    origin: str = "baseline"  # one of ORIGINS: where the usual shares of modes come from
    shares: tuple[int, ...] = OWN_SHARES  # of the modes in their order, in any unit, for "own"
    toward: Mode = "DEBUGGING"  # the mode of which there are more when modes drift
    nats: float = 0.15  # from the usual shares, MIN_NATS…MAX_NATS
    minutes: int = 90  # that the drift lasts
    rate: int = 600  # requests an hour
    step: int | None = None  # of the simulation, from 1; None: its peak

    def to_query(self) -> dict[str, str]:
        """Return the view as an address has it; defaults are left out."""
        if not self.simulates:
            query = {"period": self.period}
            if self.until is not None:
                query["until"] = self.until.strftime(_TIME)
            return query | ({"live": "1"} if self.is_live else {})
        query = {"on": "simulation", "from": self.origin}
        if self.origin == "own":
            query["shares"] = ",".join(map(str, self.shares))
        query |= {"toward": self.toward, "nats": f"{self.nats:g}"}
        query |= {"minutes": str(self.minutes), "rate": str(self.rate)}
        return query | ({} if self.step is None else {"step": str(self.step)})

    @classmethod
    def from_query(cls, query: Mapping[str, str], _: View | None = None) -> tuple[View, list[str]]:
        """Return the view of an address, and a sentence for each part of it that cannot be read."""
        reader = _Reader(query)
        view = cls(
            period=reader.one_of("period", PERIODS, "24h"),
            until=reader.time("until"),
            is_live=reader.one_of("live", ("0", "1"), "0") == "1",
            simulates=reader.one_of("on", ("log", "simulation"), "log") == "simulation",
            origin=reader.one_of("from", ORIGINS, "baseline"),
            shares=reader.shares("shares"),
            toward=cast(Mode, reader.one_of("toward", MODES, "DEBUGGING")),
            nats=reader.between("nats", MIN_NATS, MAX_NATS, 0.15),
            minutes=int(reader.between("minutes", MIN_MINUTES, MAX_MINUTES, 90)),
            rate=int(reader.between("rate", MIN_RATE, MAX_RATE, 600)),
            step=reader.number("step"),
        )
        return view, reader.problems


class _Reader(QueryReader):
    """Reads times, shares and numbers with limits, too."""

    def time(self, name: str) -> datetime | None:
        text = self.query.get(name)
        if text is None:
            return None
        try:
            time = datetime.strptime(text, _TIME).replace(tzinfo=UTC)
        except ValueError:
            time = None
        if time is None or not 1971 <= time.year <= 9900:
            self.leave_out(name, text, "a time in UTC, as in 2026-03-05T12:00")
            return None
        return time

    def between(self, name: str, low: float, high: float, default: float) -> float:
        text = self.query.get(name)
        if text is None:
            return default
        is_number = text.isascii() and text.replace(".", "", 1).isdecimal() and len(text) < 12
        if is_number and low <= float(text) <= high:
            return float(text)
        self.leave_out(name, text, f"a number between {low:,} and {high:,}")
        return default

    def shares(self, name: str) -> tuple[int, ...]:
        text = self.query.get(name)
        if text is None:
            return OWN_SHARES
        parts = text.split(",")
        if len(parts) == len(MODES) and all(part.isascii() and part.isdecimal() for part in parts):
            shares = tuple(int(part[:6]) for part in parts)
            if any(shares) and max(shares) <= 100:
                return shares
        self.leave_out(name, text, f"the shares of {', '.join(MODES)}: five numbers up to 100, not all 0")
        return OWN_SHARES


ADDRESS = Address("monitor", View.from_query)  # the view between reruns
