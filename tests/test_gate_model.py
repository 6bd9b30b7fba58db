"""The gate in layers: parameters, hand values, masks and edges, equivalences, gradients."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from convgate.errors import EncoderError, GateError
from convgate.gate.bilinear import positions
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate, Message
from convgate.gate.reference import REFERENCE_PARAMETERS
from tests.gates import trained_gate, unit_vectors
from tools.benchmark.naive import naive_logits


def test_reference_has_exactly_the_published_parameters():
    gate = Gate()
    assert gate.parameter_count == REFERENCE_PARAMETERS == 221_829
    counts = {name: parameter.numel() for name, parameter in gate.named_parameters()}
    assert counts["tiers.bilinear.W"] == 147_456
    assert (
        counts["tiers.bilinear.recency"]
        == counts["tiers.bilinear.decay_rate"]
        == counts["threshold_logit"]
        == 1
    )
    assert sum(n for name, n in counts.items() if name.startswith("tiers.attention.")) == 74_370
    assert sum(n for name, n in counts.items() if "turn_projection" in name) == 24_704
    assert sum(n for name, n in counts.items() if "situation_projection" in name) == 24_640
    assert sum(n for name, n in counts.items() if "self_attention" in name) == 12_480
    assert sum(n for name, n in counts.items() if "cross_attention" in name) == 12_480
    assert sum(n for name, n in counts.items() if "head" in name) == 65


def test_untrained_gate_ranks_by_cosine_similarity():
    turns, situation = unit_vectors(40), unit_vectors(1, seed=9)[0]
    # Close cosines could swap places by the oldest turn's 0.007; these are not close.
    turns[:20] = 0.98 * turns[:20] + np.linspace(-0.5, 0.5, 20)[:, None] * situation
    turns = (turns / np.linalg.norm(turns, axis=1, keepdims=True)).astype(np.float32)
    gate = Gate()
    scores = gate.score(gate.state(turns), Message(situation))
    cosine = turns @ situation
    assert np.abs(scores.tier1 - cosine).max() < 0.008
    assert np.array_equal(np.argsort(scores.logits[:20]), np.argsort(cosine[:20]))
    assert scores.activation == pytest.approx(1 / (1 + math.exp(5)))
    assert np.abs(scores.attention).max() == 0
    assert scores.learned_threshold == 0.5


def test_oldest_turn_of_an_untrained_gate_loses_0_007():
    gate = Gate()
    scores = gate.score(gate.state(unit_vectors(5)), Message(unit_vectors(1)[0]))
    assert scores.parts["decay"][0] == pytest.approx(-0.0067, abs=1e-4)
    assert scores.parts["decay"][-1] == 0
    assert gate.tiers.bilinear.oldest_penalty == pytest.approx(0.67, abs=0.01)


def test_tier_1_has_the_values_of_its_formula():
    gate = Gate(GateConfig(dimension=2))
    with torch.no_grad():
        gate.tiers.bilinear.W.copy_(torch.tensor([[2.0, 0.0], [1.0, 1.0]]))
        gate.tiers.bilinear.recency.fill_(0.5)
        gate.tiers.bilinear.decay_rate.fill_(math.log(math.e - 1))  # softplus of it is 1
    turns = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    situation = np.array([0.6, 0.8], dtype=np.float32)
    parts = gate.score(gate.state(turns), Message(situation)).parts
    # sᵀW = (0.6·2 + 0.8·1, 0.8·1) = (2.0, 0.8)
    assert parts["semantic"] == pytest.approx([2.0, 1.84, 0.8])
    assert parts["recency"] == pytest.approx([0.0, 0.25, 0.5])
    assert parts["decay"] == pytest.approx([-(1 - math.exp(-1)), -(1 - math.exp(-0.5)), 0.0])


def test_positions_run_from_oldest_to_newest():
    assert positions(0).tolist() == []
    assert positions(1).tolist() == [1.0]
    assert positions(5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]


@given(n=st.integers(0, 60), seed=st.integers(0, 1000))
def test_parts_add_up_exactly_to_the_logit(n: int, seed: int):
    gate = trained_gate(seed=seed)
    scores = gate.score(gate.state(unit_vectors(n, seed=seed)), Message(unit_vectors(1, seed=seed + 1)[0]))
    assert np.array_equal(sum(scores.parts.values(), start=np.zeros(n)), scores.logits)
    blended = (1 - scores.activation) * scores.tier1 + scores.activation * scores.attention
    assert scores.logits == pytest.approx(blended)
    assert scores.scores == pytest.approx(1 / (1 + np.exp(-scores.logits)))
    assert set(scores.parts) == {"semantic", "recency", "decay", "contextual"}


@pytest.mark.parametrize("n", [2, 3, 50, 300])
def test_fast_scoring_equals_the_batched_forward_pass_and_the_naive_gate(n: int):
    gate, turns, situation = trained_gate(), unit_vectors(n), unit_vectors(1, seed=5)[0]
    fast = gate.score(gate.state(turns), Message(situation))
    output = gate(
        torch.from_numpy(turns)[None], torch.from_numpy(situation)[None], torch.ones(1, n, dtype=torch.bool)
    )
    naive = naive_logits(gate, torch.from_numpy(turns), torch.from_numpy(situation))
    assert fast.logits == pytest.approx(output.logit[0].detach().numpy(), abs=2e-5)
    assert fast.attention == pytest.approx(output.attention[0].detach().numpy(), abs=2e-5)
    assert fast.logits == pytest.approx(naive.numpy(), abs=2e-5)
    assert np.std(fast.attention - fast.tier1) > 0.01, "the attention tier must do something here"


def test_reduced_precision_of_long_histories_stays_close():
    gate, turns, situation = trained_gate(), unit_vectors(1500), unit_vectors(1, seed=5)[0]
    fast = gate.score(gate.state(turns), Message(situation)).logits
    naive = naive_logits(gate, torch.from_numpy(turns), torch.from_numpy(situation)).numpy()
    assert np.abs(fast - naive).max() < 0.01 * np.std(naive) + 2e-3


def test_turns_attend_to_each_other():
    gate, turns, situation = trained_gate(), unit_vectors(6), unit_vectors(1, seed=5)[0]
    before = gate.score(gate.state(turns), Message(situation))
    turns[0] = -turns[0]
    after = gate.score(gate.state(turns), Message(situation))
    assert after.tier1[3] == pytest.approx(before.tier1[3])
    assert abs(after.attention[3] - before.attention[3]) > 1e-4


def test_batch_equals_one_by_one_and_padding_changes_nothing():
    gate, lengths = trained_gate(), [1, 4, 7]
    histories = [unit_vectors(n, seed=n) for n in lengths]
    situations = unit_vectors(3, seed=99)
    padded, mask = torch.zeros(3, 7, 384), torch.zeros(3, 7, dtype=torch.bool)
    for row, history in enumerate(histories):
        padded[row, : len(history)] = torch.from_numpy(history)
        mask[row, : len(history)] = True
    padded[~mask] = 1e3  # padding must not be read
    batch = gate(padded, torch.from_numpy(situations), mask).logit.detach().numpy()
    for row, history in enumerate(histories):
        alone = gate.score(gate.state(history), Message(situations[row]))
        assert batch[row, : len(history)] == pytest.approx(alone.logits, abs=3e-5)


def test_history_of_nothing_in_a_batch_is_finite():
    gate = trained_gate()
    output = gate(torch.zeros(1, 3, 384), torch.zeros(1, 384), torch.zeros(1, 3, dtype=torch.bool))
    assert torch.isfinite(output.logit).all()


def test_no_turns_give_no_scores_and_one_turn_stands_by_tier_1():
    gate, situation = trained_gate(), unit_vectors(1, seed=5)[0]
    assert len(gate.score(gate.state(unit_vectors(0)), Message(situation)).scores) == 0
    one = gate.score(gate.state(unit_vectors(1)), Message(situation))
    assert one.logits == pytest.approx(one.tier1)
    assert one.parts["contextual"].tolist() == [0.0]


def test_permuting_turns_permutes_the_semantic_part():
    gate, turns, situation = trained_gate(), unit_vectors(9), unit_vectors(1, seed=5)[0]
    order = np.random.default_rng(3).permutation(9)
    before = gate.score(gate.state(turns), Message(situation)).parts["semantic"]
    after = gate.score(gate.state(turns[order]), Message(situation)).parts["semantic"]
    assert after == pytest.approx(before[order], abs=1e-6)


def test_extending_a_state_equals_building_it_anew():
    gate, turns, situation = trained_gate(), unit_vectors(20), unit_vectors(1, seed=5)[0]
    grown = gate.extended(gate.state(turns[:13]), turns[13:])
    assert gate.score(grown, Message(situation)).logits == pytest.approx(
        gate.score(gate.state(turns), Message(situation)).logits, abs=1e-6
    )


def test_every_parameter_but_the_threshold_receives_a_gradient():
    gate = trained_gate().train()
    mask = torch.ones(1, 5, dtype=torch.bool)
    turns, situation = torch.from_numpy(unit_vectors(5))[None], torch.from_numpy(unit_vectors(1, seed=5))
    gate(turns, situation, mask).logit.sum().backward()
    without = {name for name, p in gate.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    # A key's bias shifts all of a softmax's logits alike, so it has no effect by construction.
    assert without - {"tiers.attention.self_attention.key.bias"} == {"threshold_logit"}


def test_seed_fixes_an_untrained_gate_and_leaves_the_global_generator_alone():
    torch.manual_seed(7)
    expected = torch.rand(1)
    torch.manual_seed(7)
    first, second = Gate(seed=3), Gate(seed=3)
    assert torch.equal(torch.rand(1), expected)
    projections = [gate.tiers.attention.turn_projection.weight for gate in (first, second, Gate(seed=4))]
    assert torch.equal(projections[0], projections[1])
    assert not torch.equal(projections[0], projections[2])


def test_nan_in_an_embedding_names_the_turn():
    turns = unit_vectors(4)
    turns[2, 7] = np.nan
    with pytest.raises(
        EncoderError, match="the embedding of a turn gave a NaN or infinite vector for text 2"
    ):
        Gate().state(turns)


def test_infinite_situation_is_refused():
    gate, situation = Gate(), unit_vectors(1)[0]
    situation[0] = np.inf
    with pytest.raises(EncoderError, match="the situation"):
        gate.score(gate.state(unit_vectors(2)), Message(situation))


def test_wrong_dimension_names_both():
    with pytest.raises(GateError, match="reads embeddings of 384 dimensions; a turn has 128"):
        Gate().state(unit_vectors(2, dimension=128))
    gate = Gate()
    with pytest.raises(GateError, match="384 dimensions; the situation has 12"):
        gate.score(gate.state(unit_vectors(2)), Message(unit_vectors(1, dimension=12)[0]))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"preset": "huge"}, "preset must be one of reference.*'huge'"),
        ({"hidden": 0}, "hidden must be from 1 to .*; got 0"),
        ({"situation": "dream"}, "situation must be one of current, leaning; got 'dream'"),
    ],
)
def test_config_refuses_what_it_cannot_build(values: dict, message: str):
    with pytest.raises(GateError, match=message):
        GateConfig(**values)
