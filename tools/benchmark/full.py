"""Scoring by the full preset, against the naive reference gate and against itself on longer histories."""

from __future__ import annotations

import numpy as np
import torch

from convgate.core.conversation import Turn
from convgate.gate.config import GateConfig
from convgate.gate.facts import TurnFacts, facts_of
from convgate.gate.model import Gate, GateState, Message
from convgate.gate.thresholds import Absolute, Stricter
from convgate.training.gate_module import GateModule
from tools.benchmark.naive import naive_logits
from tools.benchmark.speed import Compared, compare, perturbed_module, random_embeddings

_WORDS, _PER_TURN = 5_000, 18  # of the made-up language, and of a turn on average


def full_gate(*, seed: int = 0) -> Gate:
    """A gate of the full preset whose every part does something."""
    gate = GateModule(GateConfig(preset="full", hidden=32), seed=seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in gate.tiers.parameters():
            parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))
    return gate.to_gate()


def made_up_turns(n: int, *, seed: int = 0) -> list[TurnFacts]:
    """Facts of n turns of a user and an assistant, whose words are as common as words are (Zipf)."""
    rng = np.random.default_rng(seed)
    chances = 1 / np.arange(1, _WORDS + 1)
    lengths = rng.poisson(_PER_TURN, size=n) + 1
    words = rng.choice(_WORDS, size=int(lengths.sum()), p=chances / chances.sum())
    texts = np.split(words, np.cumsum(lengths)[:-1])
    return [
        facts_of(Turn.of(("user", "assistant")[place % 2], " ".join(f"w{word}" for word in text)))
        for place, text in enumerate(texts)
    ]


def _ready(gate: Gate, n: int) -> tuple[GateState, Message]:
    state = gate.state(random_embeddings(n), made_up_turns(n))
    question = Turn.of("user", "is w40 or w900 what w7 and w77 said about w2000 or w3000 then")
    return state, Message(random_embeddings(1, seed=1)[0], facts_of(question))


def time_full_scoring(n: int, *, rounds: int) -> Compared:
    """The naive reference gate against the full preset, each to final scores and decisions.

    Ours starts from what is kept of the turns, and works out the message's features with all of them.
    """
    reference, full = perturbed_module(), full_gate()
    turns, s = torch.from_numpy(random_embeddings(n)), torch.from_numpy(random_embeddings(1, seed=1)[0])
    state, message = _ready(full, n)

    def naive() -> None:
        scores = torch.sigmoid(naive_logits(reference, turns, s)).double().numpy()
        Stricter().cut(scores, learned=reference.learned_threshold)

    def ours() -> None:
        scored = full.score(state, message)
        Absolute().cut(scored.scores, learned=scored.learned_threshold)

    return compare(naive, ours, rounds=rounds)


def time_growth(n: int, times: int, *, rounds: int) -> Compared:
    """Scoring times · n turns (the baseline) against scoring n turns; the ratio is how much more it costs."""
    gate = full_gate()
    long, short = _ready(gate, n * times), _ready(gate, n)
    return compare(lambda: gate.score(*long), lambda: gate.score(*short), rounds=rounds)
