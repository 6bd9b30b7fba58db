"""Small relevance sets with a planted signal, and a gate small enough to learn it in seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from convgate.core.conversation import Conversation, Turn
from convgate.core.validation import dump
from convgate.embedding.base import Encoder
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.gate_module import GateModule
from convgate.training.records import RECORD_TYPE, RunRecord
from convgate.training.run import RECORD, Run
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from convgate.versions import Draft, Versions
from tests.fakes import FakeEncoder

PEOPLE = ("ada", "ben", "cleo", "dan")
TOPICS = ("apples", "bridges", "candles", "drums", "engines")
QUICK = TrainingSettings(epochs=3, learning_rate=0.02, averaging=0.2, episodes=24, cases=8, together=2)
"""Settings with which a small gate learns in less than a second."""


def make_relevance_set(
    name: str = "own", *, signal: str = "speaker", conversations: int = 8, turns: int = 14, seed: int = 0
) -> RelevanceSet:
    """Return conversations in which a turn is relevant when its speaker, or its word, is that of the message.

    The last six turns of each are cases; names and words mean nothing else.
    """
    rng = np.random.default_rng(seed)
    talks: dict[str, Conversation] = {}
    cases = []
    for number in range(conversations):
        pairs = [(PEOPLE[rng.integers(len(PEOPLE))], TOPICS[rng.integers(len(TOPICS))]) for _ in range(turns)]
        id = f"{name}-{number}"
        talks[id] = Conversation(
            id,
            tuple(
                Turn.of("user", f"about {topic} and word{rng.integers(1000)}", name=person)
                for person, topic in pairs
            ),
            format="relevance-set",
        )
        key = [person if signal == "speaker" else topic for person, topic in pairs]
        for turn in range(turns - 6, turns):
            relevant = frozenset(place for place in range(turn) if key[place] == key[turn])
            cases.append(Case(f"{id}-{turn}", id, turn, None, relevant))
    return RelevanceSet(name, talks, tuple(cases))


def write_planted_set(folder: Path, name: str = "own", **how: object) -> Path:
    """Write such a set to a file; return its path."""
    path = folder / f"{name}.jsonl"
    write_relevance_set(make_relevance_set(name, **how), path)
    return path


def small_encoder() -> FakeEncoder:
    return FakeEncoder(16)


def small_gate(encoder: Encoder | None = None, *, preset: str = "full", seed: int = 0) -> Gate:
    """An untrained gate for vectors of 16 dimensions."""
    identity = (encoder or small_encoder()).identity
    config = GateConfig(preset, identity.dimension, hidden=8, heads=2, band=8, encoder=identity)
    return GateModule(config, seed=seed).to_gate()


def write_record(run: Run, *, epochs: int) -> None:
    """Write the record of a run with so many saved epochs; their tensors are missing."""
    saved = tuple(Epoch(number, 0.5, 0.5, 0.8, 0.7, 0.3, best=True) for number in range(1, epochs + 1))
    record = RunRecord.new(small_gate().config, QUICK, (), parent="first")
    (run.folder / RECORD).write_bytes(
        dump(RECORD_TYPE, replace(record, epochs=saved, state_sha256="0" * 64), RECORD)
    )


def with_cases(sets: RelevanceSet, *cases: Case) -> RelevanceSet:
    """Return the set with these cases instead of its own."""
    return replace(sets, cases=cases)


def add_first(versions: Versions, draft: Draft | None = None) -> Versions:
    """Add the version `first`, which is untrained, and make it active."""
    versions.add(small_gate(), draft or Draft(threshold_rule="absolute"), name="first")
    versions.activate("first", who="Ada")
    return versions
