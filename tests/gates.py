"""Gates and embeddings for tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

import numpy as np
import torch
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.embedding.base import Embeddings
from convgate.gate.config import GateConfig
from convgate.gate.facts import facts_of
from convgate.gate.model import Gate, GateState, Message
from convgate.training.gate_module import GateModule


@cache
def trained_gate(*, seed: int = 0, dimension: int = 384) -> Gate:
    """A gate whose every part does something, as after training."""
    gate = GateModule(GateConfig(dimension=dimension), seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in gate.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        gate.tiers.bilinear.recency.fill_(0.3)
        gate.tiers.bilinear.decay_rate.fill_(-1.0)
        gate.tiers.attention.residual_gate.fill_(0.5)
        gate.tiers.attention.head.weight.mul_(5)
    return gate.to_gate()


def unit_vectors(n: int, *, seed: int = 0, dimension: int = 384) -> Embeddings:
    """(n, d) random unit vectors."""
    vectors = np.random.default_rng(seed).normal(size=(n, dimension)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def trained_full_gate(
    *, seed: int = 0, dimension: int = 16, hidden: int = 8, heads: int = 2, band: int = 4, window: int = 256
) -> Gate:
    """A small gate of the full preset whose every part does something, as after training."""
    config = GateConfig(
        preset="full", dimension=dimension, hidden=hidden, heads=heads, band=band, window=window
    )
    gate = GateModule(config, seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for tensor in (*gate.parameters(), *gate.buffers()):
            tensor.add_(0.2 * torch.randn(tensor.shape, generator=generator))
        gate.tiers.standardise.spread.abs_().add_(0.5)
        gate.tiers.residual_gate.fill_(0.5)
    return gate.to_gate()


def full_state(gate: Gate, turns: Sequence[Turn], *, seed: int = 0) -> GateState:
    """The state of turns whose embeddings are random."""
    return gate.state(vectors_of(gate, turns, seed=seed), [facts_of(turn) for turn in turns])


def vectors_of(gate: Gate, turns: Sequence[Turn], *, seed: int = 0) -> Embeddings:
    """(n, d) random unit vectors; those of the first turns are the same however many there are."""
    return unit_vectors(len(turns), seed=seed, dimension=gate.config.dimension)


def full_message(gate: Gate, turn: Turn, *, seed: int = 99, typed: bool = False) -> Message:
    """A message with a random embedding."""
    facts = facts_of(turn, typed=typed)
    return Message(unit_vectors(1, seed=seed, dimension=gate.config.dimension)[0], facts)


_SPEAKERS = (
    *(("user", None), ("assistant", None), ("user", "Anna"), ("user", "anna lee"), ("user", "Bob Smith")),
    *(
        ("user", "c++"),
        ("user", "🦊"),
        ("user", "k1l|away"),
        ("user", "a.*b"),
        ("user", " "),
        ("assistant", "Zoë"),
    ),
)
_WORDS = (
    *("grub", "boots", "booting", "kernel", "kernel", "the", "it", "she", "than", "both", "why?", "¿qué?"),
    *("Anna", "anna:", "@bob", "bob,", "c++", "🦊", "k1l|away", "a.*b", "ZOË", "user", "lee", "smith"),
    *("https://a.example", "f()", "{", "日本語", "", "\n\n", "Straße", "STRASSE", "!"),
)
_TIMES = st.datetimes(datetime(2024, 1, 1), datetime(2024, 1, 4)) | st.datetimes(
    datetime(2024, 1, 1), datetime(2024, 1, 4), timezones=st.sampled_from([UTC, timezone(timedelta(hours=9))])
)


@st.composite
def any_turn(draw: st.DrawFn) -> Turn:
    """A turn of one of a few speakers, who may name others, at any time or none."""
    role, name = draw(st.sampled_from(_SPEAKERS))
    text = " ".join(draw(st.lists(st.sampled_from(_WORDS), max_size=8)))
    return Turn.of(role, text, name=name, timestamp=draw(st.none() | _TIMES))


def any_turns(most: int = 14, *, least: int = 0) -> st.SearchStrategy[list[Turn]]:
    """The turns of a conversation, out of order in time."""
    return st.lists(any_turn(), min_size=least, max_size=most)
