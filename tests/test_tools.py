"""Benchmarks and ablations measure what their names say."""

from __future__ import annotations

import pytest
import torch

from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES, PARTS
from convgate.training.full_tiers import FullTiersModule
from tools.ablations import variants
from tools.benchmark.memory import scoring_memory
from tools.benchmark.speed import largest_difference


def test_the_naive_gate_is_compared_with_the_same_logits():
    assert largest_difference(100) < 1e-5


@pytest.mark.slow
def test_memory_does_not_grow_with_the_square_of_n():
    large = scoring_memory(10_000)
    if large is None:
        pytest.skip("this system does not tell a process's peak memory")
    assert large < 80, "10,000 × 10,000 are 400 MB of floats, and 100 MB of anything"


def tiers_of(name: str) -> FullTiersModule:
    tiers = FullTiersModule(GateConfig("full", 16, hidden=8))
    with torch.no_grad():
        variants()[name](tiers)
    return tiers


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_left_out_is_at_its_usual_value_whatever_it_holds(part: str):
    standard = tiers_of(f"without {part}").standardise(torch.randn(5, len(FEATURES)) * 100)
    for column, feature in enumerate(FEATURES):
        assert (standard[:, column].abs().max() < 1e-20) == (feature.part == part), feature.name


@pytest.mark.parametrize(("name", "share"), [("tier 1 alone", 0.0), ("tier 2 alone", 1.0)])
def test_a_single_tier_ablation_uses_that_tier_alone(name: str, share: float):
    tiers = tiers_of(name)
    assert float(tiers.activation) == pytest.approx(share, abs=1e-9)
    assert not tiers.residual_gate.requires_grad
