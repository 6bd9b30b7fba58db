"""What a new gate measures on its data: the whitening, and usual value and spread of its features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from convgate.embedding.base import Embeddings
from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES
from convgate.gate.full import FullTiers
from convgate.training.encoder_calibration import measure_embeddings
from convgate.training.episodes import Episode, read_episodes
from tests.planted import planted, small_encoder, small_gate
from tools.pretraining.sets import measure_features


def full_tiers(dimension: int) -> FullTiers:
    return FullTiers(GateConfig("full", dimension, hidden=8))


def drawn(spreads: Sequence[float], *, count: int = 4_000) -> Embeddings:
    """(count, d) with these standard deviations along directions that are no axes, around a mean."""
    rng = np.random.default_rng(0)
    directions = np.linalg.qr(rng.standard_normal((len(spreads), len(spreads))))[0]
    rows = rng.standard_normal((count, len(spreads))) * spreads @ directions.T + 0.7
    return np.asarray(rows, dtype=np.float32)


def whitened(tiers: FullTiers, embeddings: Embeddings) -> Embeddings:
    """W(e − m), before it is brought to length 1."""
    return np.asarray((embeddings - tiers.whitening.mean.numpy()) @ tiers.whitening.W.numpy().T)


def test_whitening_takes_the_root_of_every_directions_spread() -> None:
    tiers, embeddings = full_tiers(3), drawn([1.0, 0.25, 0.04])
    measure_embeddings(tiers, embeddings)
    found = whitened(tiers, embeddings)
    assert found.mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-4)
    spreads = np.sqrt(np.linalg.eigvalsh(np.cov(found.T)))[::-1]
    assert spreads / spreads[0] == pytest.approx([1.0, 0.5, 0.2], rel=0.05)
    assert np.allclose(tiers.whitening.W.numpy(), tiers.whitening.W.numpy().T, atol=1e-5)


def test_directions_that_no_embedding_has_stay_finite() -> None:
    tiers, embeddings = full_tiers(8), drawn([1.0] * 8, count=3)
    measure_embeddings(tiers, embeddings)
    assert torch.isfinite(tiers.whitening.W).all()
    assert np.isfinite(whitened(tiers, embeddings)).all()


def test_features_of_the_measured_set_have_mean_0_and_spread_1() -> None:
    gate = small_gate()
    assert isinstance(gate.tiers, FullTiers)
    episodes = read_episodes(gate, small_encoder(), planted())
    with torch.no_grad():
        measure_features(gate.tiers, [episodes], seed=0)
    rows = np.concatenate([q.features for episode in episodes for q in episode.questions]).astype(np.float32)
    standard = (rows - gate.tiers.standardise.usual.numpy()) / gate.tiers.standardise.spread.numpy()
    varies = rows.std(axis=0) > 0.05
    assert 10 < varies.sum() < len(FEATURES)
    assert standard.mean(axis=0) == pytest.approx(np.zeros(len(FEATURES)), abs=1e-3)
    assert standard[:, varies].std(axis=0) == pytest.approx(np.ones(varies.sum()), rel=1e-3)
    assert gate.tiers.standardise.spread[torch.from_numpy(~varies)].tolist() == pytest.approx(
        [0.05] * int((~varies).sum())
    )


def constant(episodes: list[Episode], value: float) -> list[Episode]:
    return [
        replace(e, questions=tuple(replace(q, features=np.full_like(q.features, value)) for q in e.questions))
        for e in episodes
    ]


def test_every_set_counts_alike_whatever_its_size() -> None:
    gate = small_gate()
    assert isinstance(gate.tiers, FullTiers)
    large = constant(read_episodes(gate, small_encoder(), planted(conversations=9)), 1.0)
    little = constant(read_episodes(gate, small_encoder(), planted(conversations=1)), 5.0)
    measure_features(gate.tiers, [large, little], seed=0)
    assert gate.tiers.standardise.usual.tolist() == pytest.approx([3.0] * len(FEATURES))
    assert gate.tiers.standardise.spread.tolist() == pytest.approx([2.0] * len(FEATURES))


def test_a_seed_fixes_what_is_drawn() -> None:
    gate = small_gate()
    assert isinstance(gate.tiers, FullTiers)
    episodes = read_episodes(gate, small_encoder(), planted(conversations=120))
    found = []
    for seed in (1, 1, 2):
        measure_features(gate.tiers, [episodes], seed=seed)
        found.append(gate.tiers.standardise.usual.clone())
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])
