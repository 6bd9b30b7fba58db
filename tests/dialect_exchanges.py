"""Random exchanges, of which lists of every dialect are written."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

QUESTIONS = (
    "TASK find a flight to Lisbon", "GENERAL thanks", "You must never delete the backups.",
    "DEBUGGING it crashes at the start", "Always answer in English.", "LEARNING why is the sky blue",
)  # fmt: skip


@dataclass(frozen=True)
class Call:
    id: str
    name: str
    output: Mapping[str, Any]


@dataclass(frozen=True)
class Exchange:
    """A question, batches of calls that are all answered, and the answer; None: the run goes on."""

    question: str
    thinks: bool
    shows: bool  # an image beside the question
    hosted: bool  # a tool that the provider runs itself
    batches: Sequence[Sequence[Call]] = field(default_factory=list)
    answer: str | None = None


def random_exchanges(rng: random.Random) -> list[Exchange]:
    """Return some exchanges; the last one waits for the answer."""
    number = iter(range(1000))

    def batch() -> list[Call]:
        return [
            Call(f"c{next(number)}", rng.choice(["look", "count"]), {"found": rng.randint(0, 9)})
            for _ in range(rng.choice([1, 1, 2, 3]))
        ]

    exchanges = []
    for is_last in [False] * rng.randint(0, 6) + [True]:
        batches = [batch() for _ in range(rng.choice([0, 0, 1, 2]))]
        answer = None if is_last else f"So it is, {rng.randint(0, 99)}."
        exchanges.append(
            Exchange(
                rng.choice(QUESTIONS),
                rng.random() < 0.3,
                rng.random() < 0.2,
                rng.random() < 0.2,
                batches,
                answer,
            )
        )
    return exchanges
