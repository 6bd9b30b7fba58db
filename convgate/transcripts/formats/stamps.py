r"""Times that people's apps write before messages: dates in any order, clocks of 12 or 24 hours.

>>> stamp = read_stamp("31.12.25, 9:15 PM")
>>> stamp.moment("dmy").isoformat()
'2025-12-31T21:15:00'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Literal

from convgate.transcripts.problems import Report
from convgate.transcripts.timestamps import parse_timestamp

DateOrder = Literal["dmy", "mdy", "ymd"]

MARKS = "\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that say in which direction to write, for a class of a pattern."""

_AM = frozenset({"a", "am", "上午", "午前", "오전", "ص", "πμ", "öö"})
_PM = frozenset({"p", "pm", "下午", "午後", "오후", "م", "μμ", "ös"})
HALVES = r"[ap]\.?[ \u00a0\u202f]?m\.?|[ap]\b|[上下]午|午[前後]|오[전후]|[صم]|[πμ]\.?μ\.?|ö[ös]"
_SEPARATOR = rf"[{MARKS}]?[./-][{MARKS}]?[ ]?"
DATE = rf"\d{{1,4}}{_SEPARATOR}\d{{1,2}}{_SEPARATOR}\d{{1,4}}\.?"
CLOCK = r"\d{1,2}[:.]\d\d(?:[:.]\d\d)?"
STAMP = (
    rf"(?:(?P<date>{DATE})(?:[T,]|(?=\s))[ \u00a0]?)?"
    rf"(?:(?P<before>{HALVES})\s?|(?(date)[^\W\d]{{1,4}} |(?!)))?"  # "à", "klo"
    rf"(?P<clock>{CLOCK})(?:\s?(?P<after>{HALVES}))?"
)
"""A clock, perhaps with a date before it; at most one in a pattern, for its groups have names."""

_STAMP = re.compile(STAMP, re.IGNORECASE)
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T ].+")
_NUMBER = re.compile(r"\d+")
_US_DATE = re.compile(r"[1-9]/|1\d/[1-9]/")  # numbers of one digit, which others with AM and PM write as two


@dataclass(frozen=True, slots=True)
class Stamp:
    """A time of day, with the three numbers of a date where there is one."""

    date: tuple[int, int, int] | None
    clock: tuple[int, int, int]  # hour 0…23, minute, second; perhaps out of range
    usual_order: DateOrder | None = None  # of dates that are written like this one

    def moment(self, order: DateOrder) -> datetime | None:
        """Return the moment when the numbers of the date are in this order; None when there is none."""
        if self.date is None:
            return None
        day, month, year = self.date if order == "dmy" else (self.date[1], self.date[0], self.date[2])
        if order == "ymd" or self.date[0] > 31:
            year, month, day = self.date
        try:
            return datetime(year + 2000 if year < 100 else year, month, day, *self.clock)
        except ValueError:
            return None


def read_stamp(text: str) -> Stamp | None:
    """Return the time that a text is; None when it is something else."""
    match = _STAMP.fullmatch(text.strip())
    return stamp_of(match) if match else None


def stamp_of(match: re.Match[str]) -> Stamp:
    """Return the time of a match of a pattern with `STAMP`."""
    hour, minute, second = (*_numbers(match["clock"]), 0)[:3]
    half = re.sub(r"[.\s]", "", match["before"] or match["after"] or "").lower()
    if half in _PM and hour < 12:
        hour += 12
    elif half in _AM and hour == 12:
        hour = 0
    if not match["date"]:
        return Stamp(None, (hour, minute, second))
    year_or_day, month, rest = _numbers(match["date"])
    is_us = match["after"] in ("AM", "PM") and _US_DATE.match(match["date"])
    order: DateOrder | None = "mdy" if is_us else "dmy" if "." in match["date"] else None
    return Stamp((year_or_day, month, rest), (hour, minute, second), order)


def read_moments(texts: Sequence[str], report: Report) -> list[datetime | None]:
    """Return the moments that texts of one transcript name, None for a text without a date."""
    stamps = [read_stamp(text) for text in texts]
    order = find_date_order([stamp for stamp in stamps if stamp], report)
    moments: list[datetime | None] = []
    for text, stamp in zip(texts, stamps, strict=True):
        moments.append(stamp.moment(order) if stamp else None)
        if _ISO.fullmatch(text):
            with suppress(ValueError):
                moments[-1] = parse_timestamp(text)
    return moments


def find_date_order(stamps: Sequence[Stamp], report: Report) -> DateOrder:
    """Return the order of the numbers in which most dates exist and the fewest go back in time.

    When that does not tell day first from month first, the usual order is taken, else day first, and there
    is a warning unless the numbers have dots between them. A year of two digits comes first only where the
    number can be no month.
    """
    dated = [stamp for stamp in stamps if stamp.date]
    orders: tuple[DateOrder, ...] = ("dmy", "mdy")
    if all(stamp.date[0] > 12 for stamp in dated if stamp.date):
        orders = (*orders, "ymd")
    moments = {order: [stamp.moment(order) for stamp in dated] for order in orders}
    n_wrong = {order: _count_wrong(moments[order]) for order in orders}
    best = min(orders, key=n_wrong.__getitem__)
    if best == "dmy" and n_wrong["mdy"] == n_wrong["dmy"] and moments["mdy"] != moments["dmy"]:
        usual = next((stamp.usual_order for stamp in dated if stamp.usual_order), None)
        best, first = ("mdy", "month") if usual == "mdy" else ("dmy", "day")
        if usual != "dmy":
            report.warn_once(
                f"whether day or month comes first in dates cannot be known; {first} first was taken"
            )
    return best


def _count_wrong(moments: Sequence[datetime | None]) -> int:
    times = [moment for moment in moments if moment]
    return len(moments) - len(times) + sum(later < earlier for earlier, later in pairwise(times))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, _NUMBER.findall(text)))
