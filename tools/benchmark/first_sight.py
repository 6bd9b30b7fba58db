"""Selecting from a conversation that is seen for the first time, against encoding its turns once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from convgate.core.conversation import Conversation
from convgate.core.settings import Settings
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import default_encoder
from convgate.selection.load import load
from tools.benchmark.budget import sample_turns
from tools.benchmark.speed import Compared, compare

GOAL = 1.2  # times encoding
TURNS = 1_000


def measure_first_sight(*, rounds: int) -> Compared:
    """Time encoding turns once (the baseline), and selecting from them with empty caches.

    Every round has other texts, so that no cache of the process knows them.
    """
    encoder, turns = BundledEncoder(), sample_turns(TURNS * (2 * rounds + 3))
    parts = iter([tuple(turns[start : start + TURNS]) for start in range(0, len(turns), TURNS)])

    def encode() -> None:
        encoder.encode([turn.scored_text for turn in next(parts)])

    def select() -> None:
        with TemporaryDirectory(prefix="convgate-bench-") as home:
            settings = Settings(home=Path(home), guard={"log": False})
            selector = load(settings, encoder=default_encoder(home=settings.home))
            selector.select_at(Conversation("bench", next(parts)), budget=53_000)

    return compare(encode, select, rounds=rounds, warm_up=1)
