"""Selecting from a conversation that is seen for the first time, against encoding its turns once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.settings import Settings
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import default_encoder
from convgate.selection.load import load
from tools.benchmark.budget import sample_turns
from tools.benchmark.speed import Compared, compare

GOAL = 1.2  # times encoding


@dataclass(frozen=True, slots=True)
class FirstSight:
    """Encoding n turns once, against selecting from them with empty caches."""

    turns: int
    compared: Compared

    def to_json(self) -> dict[str, Any]:
        """Return the figures as plain JSON values, with the goal."""
        return {
            "turns": self.turns,
            "encode_ms": self.compared.baseline_ms,
            "selecting_ms": self.compared.ours_ms,
            "times_encoding": 1 / self.compared.ratio,
            "times_encoding_median": 1 / self.compared.median_ratio,
            "goal_at_most": GOAL,
        }


def measure_first_sight(*, n: int = 1_000, rounds: int = 3) -> FirstSight:
    """Time both in turn; every round has other texts, so that no cache of the process knows them."""
    encoder, turns = BundledEncoder(), sample_turns(n * (2 * rounds + 3))
    parts = iter([tuple(turns[start : start + n]) for start in range(0, len(turns), n)])

    def encode() -> None:
        encoder.encode([turn.scored_text for turn in next(parts)])

    def select() -> None:
        with TemporaryDirectory(prefix="convgate-bench-") as home:
            settings = Settings(home=Path(home), guard={"log": False})
            selector = load(settings, encoder=default_encoder(home=settings.home))
            selector.select_at(Conversation("bench", next(parts)), budget=53_000)

    return FirstSight(n, compare(encode, select, rounds=rounds, warm_up=1))
