"""The bills of policies on the same conversations, as figures and in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from convgate.core.text import format_dollars, format_duration, format_share, join_words, pluralize
from convgate.costs.prices import Price, Usage
from convgate.evaluation.logged_usage import LoggedUsage

PRICED = " (cache reused)"
"""Behind the name of a policy whose cached prefixes are used again."""

TABLE_NOTE = (
    "bill: of the input. change: from everything. cached: of the tokens, those read from the cache."
    " missed: of a request's needed turns, those not sent. cost more: conversations that cost more than with"
    f" everything. {PRICED.strip()}: cached prefixes are sent again where that costs less."
)


@dataclass(frozen=True, slots=True)
class BillRow:
    """What one policy's requests of all conversations cost."""

    policy: str
    cost: float  # USD, of the input
    change: float | None  # from sending everything, as a share: -0.31 is 31% less; None where that is free
    cached_share: float | None  # of the tokens, those read from the cache
    tokens: int  # of the input
    cached: int  # of these, read from the cache
    written: int  # of these, written to the cache
    missed: float | None  # mean share of a request's needed turns that were not sent; None without labels
    labelled: int  # requests that need something
    costlier_share: float | None  # of the conversations, those that cost more than with everything

    def to_cells(self) -> dict[str, str]:
        """Return the figures of a table, as text by the names that `TABLE_NOTE` explains."""
        return {
            "bill": format_dollars(self.cost),
            "change": "–" if self.change is None else f"{self.change:+.0%}".replace("-", "−"),
            "cached": "–" if self.cached_share is None else f"{self.cached_share:.0%}",
            "tokens": f"{self.tokens:,}",
            "missed": "–" if self.missed is None else f"{self.missed:.1%}",
            "cost more": "–" if self.costlier_share is None else f"{self.costlier_share:.0%}",
        }

    def costs_of_parts(self, price: Price) -> tuple[float, float, float]:
        """Return what is read from the cache, what is written to it and the rest cost, in USD."""
        rest = self.tokens - self.cached - self.written
        parts = Usage(0, self.cached, 0), Usage(0, 0, self.written), Usage(rest, 0, 0)
        cached, written, plain = map(price.cost, parts)
        return cached, written, plain


@dataclass(frozen=True, slots=True)
class BillReport:
    """What each policy's requests of the same conversations cost."""

    price: Price
    rows: tuple[BillRow, ...]  # sending everything is the first
    conversations: int
    requests: int
    timed_pauses: int  # between requests, from the times of turns
    assumed_pauses: int
    left_out: int  # conversations without a request
    answer_tokens: int  # of what the model said, in no bill
    pauses: tuple[float, ...]  # seconds, of which the assumed ones were drawn; empty where none was
    logged: LoggedUsage | None = None  # where answers have a `usage`

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)

    def compare_last(self, others: Iterable[BillRow]) -> str:
        """Return the last row's bill compared with other rows, in a sentence."""
        last = self.rows[-1]
        changes = {
            "sending everything" if row is self.rows[0] else row.policy: last.cost / row.cost - 1
            for row in others
            if row.cost
        }
        comparisons = [
            f"{abs(change):.0%} {'less' if change <= 0 else 'more'} than {name}"
            for name, change in changes.items()
        ]
        compared = join_words(comparisons) if comparisons else format_dollars(last.cost)
        missed = (
            "" if last.missed is None else f", and misses {format_share(last.missed)} of the needed turns"
        )
        return f"On {pluralize(self.requests, 'request')}, {last.policy} costs {compared}{missed}."

    def notes(self) -> list[str]:
        """Return sentences on prices, pauses, and what is in no bill."""
        price = self.price
        answers = format_dollars(self.answer_tokens * price.output / 1e6)
        values = f": {join_words(map(format_duration, self.pauses), last='or')}" if self.pauses else ""
        notes = [
            f"{price.name}, USD for a million tokens: {price.input:g} input, {price.cached:g} read from the"
            f" cache, {price.write:g} written to it, which lives for {format_duration(price.life_seconds)}."
            f" Answers cost {answers} with every policy, in no bill.",
            f"{pluralize(self.conversations, 'conversation')}; {pluralize(self.timed_pauses, 'pause')} from"
            f" the times of turns, {self.assumed_pauses:,} assumed{values}.",
        ]
        if self.left_out:
            left_out = pluralize(self.left_out, "conversation")
            notes.append(f"{left_out} without a message of a user left out.")
        if self.logged:
            notes.append(self.logged.describe())
        return notes
