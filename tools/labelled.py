"""Labelled files, and how many of their labels are matched, as cells of Markdown tables."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scipy.stats import binomtest


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The JSON objects of a file, a line each, which may be compressed."""
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return [json.loads(line) for line in content.splitlines() if line]


@dataclass
class Counts:
    """Right ones and all, by what is measured."""

    outcomes: dict[str, list[bool]] = field(default_factory=dict)

    def add(self, name: str, *, right: bool) -> None:
        """Count one."""
        self.outcomes.setdefault(name, []).append(right)

    def share(self, name: str) -> float:
        """Of those that are right; 1 when there is none."""
        outcomes = self.outcomes.get(name)
        return sum(outcomes) / len(outcomes) if outcomes else 1.0

    def cells(self, names: Sequence[str]) -> str:
        """Return a row's cells: shares with their 95 % Wilson intervals, and the numbers of all."""
        return " | ".join(write_share(self.outcomes.get(name, ())) for name in names)


def write_share(outcomes: Sequence[bool]) -> str:
    """Return the share that is right, its 95 % Wilson interval, and the number of all.

    >>> write_share([True, True, False, True])
    '75.0% of 4 (30%–95%)'
    """
    if not outcomes:
        return "–"
    interval = binomtest(sum(outcomes), len(outcomes)).proportion_ci(method="wilson")
    share = sum(outcomes) / len(outcomes)
    return f"{share:.1%} of {len(outcomes)} ({interval.low:.0%}–{interval.high:.0%})"
