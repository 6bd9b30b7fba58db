"""The bench measures what it says; its figures are reported, never asserted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from convgate.benchmark.memory import scoring_memory
from convgate.benchmark.naive import naive_logits
from convgate.gate.model import Message
from convgate.benchmark.speed import compare, largest_difference, perturbed_gate, time_rescoring, time_scoring
from tests.fakes import FakeEncoder
from tests.gates import unit_vectors


def test_naive_gate_computes_the_same_logits():
    gate, turns, situation = perturbed_gate(), unit_vectors(200), unit_vectors(1, seed=5)[0]
    naive = naive_logits(gate, torch.from_numpy(turns), torch.from_numpy(situation))
    scores = gate.score(gate.state(turns), Message(situation))
    assert scores.logits == pytest.approx(naive.numpy(), abs=1e-5)
    assert np.abs(scores.attention - scores.tier1).max() > 0.01
    assert largest_difference(100) < 1e-5


def test_comparison_takes_both_in_turns_and_divides_the_fastest_rounds():
    order = []
    result = compare(lambda: order.append("a"), lambda: order.append("b"), rounds=3, warm_up=1)
    assert order == ["a", "b"] * 4
    assert result.ratio == pytest.approx(result.baseline_ms / result.ours_ms)


def test_scoring_and_rescoring_are_timed():
    assert time_scoring(50, rounds=2).ours_ms > 0
    assert time_rescoring(FakeEncoder(), n=20, rounds=2).ours_ms > 0


def test_memory_grows_with_n_and_not_with_its_square():
    small, large = scoring_memory(2_000), scoring_memory(10_000)
    if small is None or large is None:
        pytest.skip("this system does not tell a process's peak memory")
    # Five times as many turns; with the square it would be 25 times, and 10,000 × 10,000 floats are 400 MB.
    assert large < 8 * max(small, 8), "below 8 MB the system's own noise counts"
    assert large < 200
