"""Times, each pair of things taken in turns within one run so that noise meets both alike."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

import numpy as np
import torch

from convgate.embedding.base import Embeddings
from convgate.gate.config import GateConfig
from convgate.gate.model import Message
from convgate.gate.thresholds import Stricter
from convgate.training.gate_module import GateModule
from convgate.training.reference_tiers import ReferenceTiersModule
from tools.benchmark.naive import naive_logits


@dataclass(frozen=True, slots=True)
class Compared:
    """Two things timed in one run, by their fastest rounds: what is above that is the machine's noise."""

    baseline_ms: float  # the fastest round
    ours_ms: float
    ratio: float  # baseline / ours: above 1 ours is the faster
    median_ratio: float  # the same of the medians


def compare(
    baseline: Callable[[], object], ours: Callable[[], object], *, rounds: int, warm_up: int = 2
) -> Compared:
    """Both run in every round, one after the other."""
    for _ in range(warm_up):
        baseline(), ours()
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for kept, function in zip(times, (baseline, ours), strict=True):
            start = time.perf_counter()
            function()
            kept.append((time.perf_counter() - start) * 1e3)
    first, second = min(times[0]), min(times[1])
    return Compared(first, second, first / second, median(times[0]) / median(times[1]))


def perturbed_module(*, seed: int = 0) -> GateModule:
    """A reference gate whose attention tier does something, so that nothing is timed on zeros."""
    gate = GateModule(GateConfig(), seed=seed)
    assert isinstance(gate.tiers, ReferenceTiersModule)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        tier = gate.tiers.attention
        for parameter in tier.parameters():
            parameter.add_(0.05 * torch.randn(parameter.shape, generator=generator))
        tier.residual_gate.zero_()
    return gate.eval()


def random_embeddings(n: int, *, seed: int = 0) -> Embeddings:
    """(n, 384) unit vectors."""
    vectors = np.random.default_rng(seed).normal(size=(n, 384)).astype(np.float32)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def time_scoring(n: int, *, rounds: int) -> Compared:
    """Naive gate against ours, from cached embeddings and turn features to final scores and threshold."""
    module, embeddings, current = perturbed_module(), random_embeddings(n), random_embeddings(1, seed=1)[0]
    gate = module.to_gate()
    turns, s, rule = torch.from_numpy(embeddings), torch.from_numpy(current), Stricter()
    state = gate.state(embeddings)

    def naive() -> None:
        scores = torch.sigmoid(naive_logits(module, turns, s)).double().numpy()
        rule.cut(scores, learned=gate.learned_threshold)

    def ours() -> None:
        scored = gate.score(state, Message(current))
        rule.cut(scored.scores, learned=scored.learned_threshold)

    return compare(naive, ours, rounds=rounds)


def largest_difference(n: int) -> float:
    """Largest difference between a naive logit and ours: both compute the same thing."""
    module, embeddings, current = perturbed_module(), random_embeddings(n), random_embeddings(1, seed=1)[0]
    gate = module.to_gate()
    naive = naive_logits(module, torch.from_numpy(embeddings), torch.from_numpy(current)).double().numpy()
    return float(np.abs(naive - gate.score(gate.state(embeddings), Message(current)).logits).max())
