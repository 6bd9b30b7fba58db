"""Counts of decisions: how many are kept, by category and by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.language_model import ModelUse

BY_DEFAULT = frozenset({"default", "other language"})
"""Rules that keep an exchange only for its content: no check says more of it."""

Key = tuple[str, str, bool]  # category, rule, whether it is kept


@dataclass(frozen=True, slots=True)
class KeptSkipped:
    """Counts of decisions of one kind."""

    kept: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class Statistics:
    """Counts of a number of decisions."""

    counts: Mapping[Key, int]
    model: ModelUse = ModelUse()  # noqa: RUF009 - frozen

    @property
    def decided(self) -> int:
        """How many exchanges were decided."""
        return sum(self.counts.values())

    @property
    def kept(self) -> int:
        """How many were kept."""
        return sum(count for (_, _, keep), count in self.counts.items() if keep)

    @property
    def keep_rate(self) -> float | None:
        """The share that was kept, 0…1; None before the first decision."""
        return self.kept / self.decided if self.decided else None

    @property
    def categories(self) -> dict[str, KeptSkipped]:
        """Counts by the deciding category, the most frequent first."""
        return self._group(0)

    @property
    def rules(self) -> dict[str, KeptSkipped]:
        """Counts by the deciding rule, the most frequent first."""
        return self._group(1)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values."""
        return {
            "decided": self.decided,
            "kept": self.kept,
            "skipped": self.decided - self.kept,
            "keep_rate": self.keep_rate,
            "categories": {name: asdict(counts) for name, counts in self.categories.items()},
            "rules": {name: asdict(counts) for name, counts in self.rules.items()},
            "kept_by_default": sum(counts.kept for name, counts in self.rules.items() if name in BY_DEFAULT),
            "model": asdict(self.model),
        }

    def _group(self, part: int) -> dict[str, KeptSkipped]:
        totals: Counter[tuple[object, bool]] = Counter()
        for key, count in self.counts.items():
            totals[key[part], key[2]] += count
        names = {str(name) for name, _ in totals}
        names_by_count = sorted(names, key=lambda name: (-totals[name, True] - totals[name, False], name))
        return {name: KeptSkipped(totals[name, True], totals[name, False]) for name in names_by_count}


def key_of(decision: GatekeeperDecision) -> Key:
    """Return what a decision is counted under."""
    return decision.category, decision.rule, decision.keep
