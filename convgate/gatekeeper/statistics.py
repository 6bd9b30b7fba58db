"""Counts of decisions: how many are kept, by category and by rule."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.model import ModelUse

BY_DEFAULT = frozenset({"default", "other language"})
"""Rules that keep an exchange only because nothing says that it can be left out."""


@dataclass(frozen=True, slots=True)
class KeptSkipped:
    """Counts of decisions of one kind."""

    kept: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class Statistics:
    """Counts of a number of decisions."""

    kept: int
    skipped: int
    categories: Mapping[str, KeptSkipped]  # by the deciding category, the most frequent first
    rules: Mapping[str, KeptSkipped]  # by the deciding rule, the most frequent first
    kept_by_default: int
    model: ModelUse = field(default_factory=ModelUse)

    @classmethod
    def of(cls, decisions: Iterable[GatekeeperDecision]) -> Statistics:
        """Return the counts of these decisions."""
        tally = Tally()
        for decision in decisions:
            tally.add(decision)
        return tally.statistics()

    @property
    def decided(self) -> int:
        """How many exchanges were decided."""
        return self.kept + self.skipped

    @property
    def keep_rate(self) -> float | None:
        """The share that was kept, 0…1; None before the first decision."""
        return self.kept / self.decided if self.decided else None

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "decided": self.decided,
            "kept": self.kept,
            "skipped": self.skipped,
            "keep_rate": self.keep_rate,
            "categories": {name: asdict(counts) for name, counts in self.categories.items()},
            "rules": {name: asdict(counts) for name, counts in self.rules.items()},
            "kept_by_default": self.kept_by_default,
            "model": self.model.to_json(),
        }


class Tally:
    """Counts decisions as they are made. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._categories: Counter[tuple[str, bool]] = Counter()  # (name, whether it was kept)
        self._rules: Counter[tuple[str, bool]] = Counter()

    def add(self, decision: GatekeeperDecision) -> None:
        """Count one decision."""
        with self._lock:
            self._categories[decision.category, decision.keep] += 1
            self._rules[decision.rule, decision.keep] += 1

    def statistics(self, model: ModelUse | None = None) -> Statistics:
        """Return the counts so far."""
        with self._lock:
            categories, rules = _group(self._categories), _group(self._rules)
        return Statistics(
            kept=sum(counts.kept for counts in categories.values()),
            skipped=sum(counts.skipped for counts in categories.values()),
            categories=categories,
            rules=rules,
            kept_by_default=sum(rules[name].kept for name in BY_DEFAULT & rules.keys()),
            model=model or ModelUse(),
        )


def _group(counts: Counter[tuple[str, bool]]) -> dict[str, KeptSkipped]:
    names = {name for name, _ in counts}
    grouped = {name: KeptSkipped(counts[name, True], counts[name, False]) for name in names}
    return dict(sorted(grouped.items(), key=lambda entry: (-entry[1].kept - entry[1].skipped, entry[0])))
