"""What a person looks at in Monitor, as one value that an address can carry.

?period=7d&until=2026-03-05T12:00&live=1
?on=simulation&from=own&shares=40,15,20,10,15&toward=DEBUGGING&far=0.15&minutes=90&rate=600&step=25
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import cast

from convgate.context.mode import MODES, Mode
from convgate.ui.query import QueryReader

PERIODS = {
    "1h": timedelta(hours=1),
    "24h": timedelta(hours=24),
    "7d": timedelta(days=7),
    "30d": timedelta(days=30),
}
PERIOD_NAMES = {"1h": "1 hour", "24h": "24 hours", "7d": "7 days", "30d": "30 days"}
ORIGINS = {"samples": "The samples", "baseline": "The baseline", "own": "My own"}

LEAST_FAR, MOST_FAR = 0.01, 1.5  # nats
LEAST_MINUTES, MOST_MINUTES = 5, 600
LEAST_RATE, MOST_RATE = 10, 3_000  # requests an hour
OWN = (40, 15, 20, 10, 15)
"""Shares of the modes, in any unit, until a person says others."""

FAR = 0.15
"""Nats, of the worked example."""

_WRITTEN = "%Y-%m-%dT%H:%M"  # UTC


@dataclass(frozen=True, slots=True)
class View:
    """A period of the log, or a simulation."""

    period: str = "24h"  # one of PERIODS
    until: datetime | None = None  # UTC, whole minutes; None: now
    live: bool = False  # drawn anew by itself
    simulate: bool = False
    origin: str = "samples"  # one of ORIGINS: where the usual shares of modes come from
    shares: tuple[int, ...] = OWN  # of the modes in their order, when they are a person's own
    toward: Mode = "DEBUGGING"  # the mode of which there are more when modes drift
    far: float = FAR  # nats from the usual shares, LEAST_FAR…MOST_FAR
    minutes: int = 90  # that the drift lasts
    rate: int = 600  # requests an hour
    step: int | None = None  # of the simulation, from 1; None: the last one

    @property
    def length(self) -> timedelta:
        """Of the period."""
        return PERIODS[self.period]

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is as usual is left out."""
        if not self.simulate:
            query = {"period": self.period}
            if self.until is not None:
                query["until"] = self.until.strftime(_WRITTEN)
            return query | ({"live": "1"} if self.live else {})
        query = {"on": "simulation", "from": self.origin}
        if self.origin == "own":
            query["shares"] = ",".join(map(str, self.shares))
        query |= {
            "toward": self.toward,
            "far": f"{self.far:g}",
            "minutes": str(self.minutes),
            "rate": str(self.rate),
        }
        return query | ({} if self.step is None else {"step": str(self.step)})

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = _Reader(query)
        view = cls(
            period=reader.one_of("period", PERIODS, "24h"),
            until=reader.moment("until"),
            live=reader.one_of("live", ("0", "1"), "0") == "1",
            simulate=reader.one_of("on", ("log", "simulation"), "log") == "simulation",
            origin=reader.one_of("from", ORIGINS, "samples"),
            shares=reader.shares("shares"),
            toward=cast(Mode, reader.one_of("toward", MODES, "DEBUGGING")),
            far=reader.far("far"),
            minutes=reader.between("minutes", LEAST_MINUTES, MOST_MINUTES, 90),
            rate=reader.between("rate", LEAST_RATE, MOST_RATE, 600),
            step=reader.number("step"),
        )
        return view, reader.problems


class _Reader(QueryReader):
    """Reads times, shares and numbers with limits, too."""

    def moment(self, name: str) -> datetime | None:
        text = self.query.get(name)
        if text is None:
            return None
        try:
            found = datetime.strptime(text, _WRITTEN).replace(tzinfo=UTC)
        except ValueError:
            found = None
        if found is None or not 1971 <= found.year <= 9900:
            self.leave_out(name, text, "a time in UTC, as in 2026-03-05T12:00")
            return None
        return found

    def between(self, name: str, least: int, most: int, start: int) -> int:
        wanted = f"a whole number between {least:,} and {most:,}"
        found = self.number(name, wanted)
        if found is None:
            return start
        if least <= found <= most:
            return found
        self.leave_out(name, self.query[name], wanted)
        return start

    def far(self, name: str) -> float:
        text = self.query.get(name)
        if text is None:
            return FAR
        plain = text.isascii() and text.replace(".", "", 1).isdecimal() and len(text) < 12
        if plain and LEAST_FAR <= float(text) <= MOST_FAR:
            return float(text)
        self.leave_out(name, text, f"a number between {LEAST_FAR:g} and {MOST_FAR:g}")
        return FAR

    def shares(self, name: str) -> tuple[int, ...]:
        text = self.query.get(name)
        if text is None:
            return OWN
        parts = text.split(",")
        if len(parts) == len(MODES) and all(part.isascii() and part.isdecimal() for part in parts):
            found = tuple(int(part[:6]) for part in parts)
            if any(found) and max(found) <= 100:
                return found
        self.leave_out(name, text, f"the shares of {', '.join(MODES)}: five numbers up to 100, not all 0")
        return OWN
