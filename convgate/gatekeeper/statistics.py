"""Decisions counted: how much is kept, of which category, by which rule, and what a person should look at.

The same figures come from a gatekeeper that runs (`gatekeeper.statistics`) and from decisions that were made.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.model_use import ModelUse

BY_DEFAULT = frozenset({"default", "other language"})
"""Rules that keep an exchange only because nothing says that it can be left out."""

LISTED = 100  # exchanges kept by default, the newest
_EXCERPT = 200  # characters of a message


@dataclass(frozen=True, slots=True)
class Counted:
    """Decisions of one kind."""

    kept: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class KeptByDefault:
    """An exchange that a person should look at: a rule of their own may say what it is."""

    item: int  # as in its decision
    user: str  # the beginning of the message, on one line; empty where only the decision is known
    assistant: str
    rule: str


@dataclass(frozen=True)
class Statistics:
    """What a number of decisions come to."""

    kept: int
    skipped: int
    categories: Mapping[str, Counted]  # by the deciding category, the most frequent first
    rules: Mapping[str, Counted]  # by the rule that decided, the most frequent first
    kept_by_default: int  # all of them
    by_default: Sequence[KeptByDefault]  # the newest LISTED, the newest first
    model: ModelUse = field(default_factory=ModelUse)

    @classmethod
    def of(cls, decisions: Iterable[GatekeeperDecision], exchanges: Iterable[Exchange] = ()) -> Statistics:
        """Of decisions that were made; the exchanges, in the same order, give the list its words."""
        tally = Tally()
        for decision, exchange in zip_longest(decisions, exchanges):
            tally.add(decision, exchange or Exchange(""))
        return tally.statistics()

    @property
    def decided(self) -> int:
        """How many exchanges were decided about."""
        return self.kept + self.skipped

    @property
    def keep_rate(self) -> float | None:
        """The share that was kept, 0…1; None before the first decision."""
        return self.kept / self.decided if self.decided else None

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "decided": self.decided,
            "kept": self.kept,
            "skipped": self.skipped,
            "keep_rate": self.keep_rate,
            "categories": {name: asdict(counted) for name, counted in self.categories.items()},
            "rules": {name: asdict(counted) for name, counted in self.rules.items()},
            "kept_by_default": self.kept_by_default,
            "by_default": [asdict(entry) for entry in self.by_default],
            "model": self.model.to_json(),
        }


class Tally:
    """Counts decisions as they are made. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._categories: dict[str, list[int]] = {}  # name → kept, skipped
        self._rules: dict[str, list[int]] = {}
        self._by_default: deque[tuple[GatekeeperDecision, Exchange]] = deque(maxlen=LISTED)
        self._defaults = 0

    def add(self, decision: GatekeeperDecision, exchange: Exchange) -> None:
        """Count one more decision."""
        column = 0 if decision.keep else 1
        default = decision.keep and decision.rule in BY_DEFAULT
        with self._lock:
            self._categories.setdefault(decision.category, [0, 0])[column] += 1
            self._rules.setdefault(decision.rule, [0, 0])[column] += 1
            if default:
                self._defaults += 1
                self._by_default.append((decision, _short(exchange)))

    def statistics(self, model: ModelUse | None = None) -> Statistics:
        """What was counted so far."""
        with self._lock:
            categories, rules = _counted(self._categories), _counted(self._rules)
            listed, defaults = list(self._by_default), self._defaults
        return Statistics(
            kept=sum(counted.kept for counted in categories.values()),
            skipped=sum(counted.skipped for counted in categories.values()),
            categories=categories,
            rules=rules,
            kept_by_default=defaults,
            by_default=[
                KeptByDefault(decision.item, short.user, short.assistant, decision.rule)
                for decision, short in reversed(listed)
            ],
            model=model or ModelUse(),
        )


def _short(exchange: Exchange) -> Exchange:
    """The exchange without what the list does not show: a message of a megabyte is not held for it."""
    return Exchange(_excerpt(exchange.user), _excerpt(exchange.assistant))


def _excerpt(text: str) -> str:
    line = " ".join(text[: 2 * _EXCERPT].split())
    return (
        line if len(line) <= _EXCERPT and len(text) <= 2 * _EXCERPT else f"{line[: _EXCERPT - 1].rstrip()}…"
    )


def _counted(columns: Mapping[str, Sequence[int]]) -> dict[str, Counted]:
    ordered = sorted(columns.items(), key=lambda entry: (-sum(entry[1]), entry[0]))
    return {name: Counted(*both) for name, both in ordered}
