"""What training makes smaller, by hand values, masks and edges."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from convgate.gate.model import GateOutput
from convgate.training.trainer import (
    ANY_WEIGHT,
    TIER1_WEIGHT,
    any_relevant,
    cross_entropy,
    soft_f1_loss,
    training_loss,
)


def row(*values: float) -> Tensor:
    return torch.tensor([list(values)], dtype=torch.float32)


def everywhere(like: Tensor) -> Tensor:
    return torch.ones_like(like, dtype=torch.bool)


def test_cross_entropy_is_the_sum_over_the_turns_by_the_root_of_their_number() -> None:
    logits, relevant = row(0.0, 2.0, -1.0, 3.0), row(0, 1, 0, 0)
    terms = [math.log(2), math.log1p(math.exp(-2)), math.log1p(math.exp(-1)), 3 + math.log1p(math.exp(-3))]
    found = cross_entropy(logits, relevant, everywhere(logits))
    assert found.shape == (1,)
    assert float(found) == pytest.approx(sum(terms) / math.sqrt(4))


def test_a_long_history_counts_between_a_mean_and_a_sum() -> None:
    logits, relevant = row(1.0, -1.0), row(0, 1)
    short = float(cross_entropy(logits, relevant, everywhere(logits)))
    long, known = logits.repeat(1, 9), relevant.repeat(1, 9)
    assert float(cross_entropy(long, known, everywhere(long))) == pytest.approx(3 * short)


def test_one_relevant_turn_among_many_still_pulls() -> None:
    pulls = {}
    for n in (9, 900):
        logits = torch.zeros(1, n, requires_grad=True)
        relevant = torch.zeros(1, n)
        relevant[0, 4] = 1
        cross_entropy(logits, relevant, everywhere(logits)).sum().backward()
        assert logits.grad is not None
        pulls[n] = -float(logits.grad[0, 4])
    assert pulls[9] == pytest.approx(0.5 / 3)
    assert pulls[900] == pytest.approx(0.5 / 30)


def test_overlap_of_sure_scores_is_one_less_the_f1() -> None:
    logits, relevant = row(50, 50, -50, -50, 50), row(1, 0, 1, 0, 1)
    # 3 are kept, 3 are relevant, 2 are both; a 1 above and below keeps it defined.
    assert float(soft_f1_loss(logits, relevant, everywhere(logits))) == pytest.approx(
        1 - (2 * 2 + 1) / (3 + 3 + 1)
    )
    assert float(soft_f1_loss(logits, (logits > 0).float(), everywhere(logits))) == pytest.approx(0)


def test_overlap_counts_turns_by_their_scores() -> None:
    logits, relevant = row(0.0, math.log(3)), row(0, 1)
    assert float(soft_f1_loss(logits, relevant, everywhere(logits))) == pytest.approx(
        1 - (2 * 0.75 + 1) / (0.5 + 0.75 + 1 + 1)
    )


def test_nothing_relevant_and_nothing_kept_is_no_loss() -> None:
    logits = row(-60, -60)
    assert float(soft_f1_loss(logits, row(0, 0), everywhere(logits))) == pytest.approx(0)
    assert float(cross_entropy(logits, row(0, 0), everywhere(logits))) == pytest.approx(0)


def test_masked_places_count_nothing_and_get_no_gradient() -> None:
    logits = torch.tensor([[0.5, 80.0, -1.0], [1e4, -1e4, 0.2]], requires_grad=True)
    relevant = torch.tensor([[1.0, 0, 0], [0, 0, 1.0]])
    mask = torch.tensor([[True, False, True], [False, False, True]])
    losses = cross_entropy(logits, relevant, mask)
    bare = [row(0.5, -1.0), row(1, 0)], [row(0.2), row(1)]
    for found, (alone, known) in zip(losses.tolist(), bare, strict=True):
        assert found == pytest.approx(float(cross_entropy(alone, known, everywhere(alone))))
    both, known = row(0.5, -1.0, 0.2), row(1, 0, 1)
    assert float(soft_f1_loss(logits.detach(), relevant, mask)) == pytest.approx(
        float(soft_f1_loss(both, known, everywhere(both)))
    )
    (losses.sum() + soft_f1_loss(logits, relevant, mask)).backward()
    assert logits.grad is not None
    assert torch.equal(logits.grad != 0, mask)


def test_a_case_without_turns_counts_nothing() -> None:
    logits = torch.tensor([[0.5, -1.0], [3.0, 3.0]])
    mask = torch.tensor([[True, True], [False, False]])
    assert cross_entropy(logits, torch.zeros(2, 2), mask)[1] == 0


def test_the_loss_of_anything_is_the_cross_entropy_of_one_probability() -> None:
    logits = row(0.0, 0.0)  # nothing is relevant with (1/2 · 1/2)^0.7
    nothing = 0.25**0.7
    assert float(any_relevant(logits, row(0, 1), everywhere(logits))) == pytest.approx(-math.log(1 - nothing))
    found = float(any_relevant(logits, row(0, 0), everywhere(logits)))
    assert found == pytest.approx(8 * math.log1p(-math.log(nothing) / 8))


def test_the_loss_of_anything_always_has_a_gradient() -> None:
    for logit, count, relevant in ((-4.0, 600, 0), (3.0, 5, 0), (-12.0, 600, 1)):
        logits = torch.full((1, count), logit, requires_grad=True)
        known = torch.zeros(1, count)
        known[0, :relevant] = 1
        loss = any_relevant(logits, known, everywhere(logits)).sum()
        assert loss > 0
        loss.backward()
        assert logits.grad is not None
        assert bool((logits.grad != 0).all())


def test_the_objective_is_both_tiers_and_the_overlap() -> None:
    logit, tier1 = torch.tensor([[0.5, -1.0], [2.0, 0.0]]), torch.tensor([[-0.3, 0.4], [0.0, 1.0]])
    relevant, mask = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([[True, True], [True, False]])
    output = GateOutput(logit, tier1, torch.full((2, 2), 9.0), torch.tensor(0.5))
    both = cross_entropy(logit, relevant, mask) + TIER1_WEIGHT * cross_entropy(tier1, relevant, mask)
    both = both + ANY_WEIGHT * any_relevant(logit, relevant, mask)
    for weight in (0.0, 2.0):
        expected = float(both.mean()) + weight * float(soft_f1_loss(logit, relevant, mask))
        assert float(training_loss(output, relevant, mask, overlap_weight=weight)) == pytest.approx(expected)
