"""The reference gate: parameters, hand values, masks, equivalences, gradients, states."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.gate.config import GateConfig
from convgate.gate.explain import leave_out, relevance_matrix, strongest_links
from convgate.gate.initial_weights import untrained_weights
from convgate.gate.model import Gate, Message
from convgate.gate.reference import attend
from convgate.policies.gate import GatePolicy
from convgate.training.gate_module import GateModule
from tests.fakes import FakeEncoder
from tests.gates import trained_gate, unit_vectors
from tools.benchmark.naive import naive_logits


def test_reference_has_exactly_the_published_parameters():
    gate = Gate()
    assert gate.parameter_count == 221_829
    counts = {name: array.size for name, array in gate.weights.items()}
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
    turns, current = unit_vectors(40), unit_vectors(1, seed=9)[0]
    # Close cosines could swap places by the oldest turn's 0.007; these are not close.
    turns[:20] = 0.98 * turns[:20] + np.linspace(-0.5, 0.5, 20)[:, None] * current
    turns = (turns / np.linalg.norm(turns, axis=1, keepdims=True)).astype(np.float32)
    gate = Gate()
    scores = gate.score(gate.state(turns), Message(current))
    cosine = turns @ current
    assert np.abs(scores.tier1 - cosine).max() < 0.008
    assert np.array_equal(np.argsort(scores.logits[:20]), np.argsort(cosine[:20]))
    assert scores.activation == pytest.approx(1 / (1 + math.exp(5)))
    assert np.abs(scores.attention).max() == 0
    assert scores.learned_threshold == 0.5


def test_tier_1_has_the_values_of_its_formula():
    config = GateConfig(dimension=2)
    changed = {
        "tiers.bilinear.W": np.array([[2, 0], [1, 1]], dtype=np.float32),
        "tiers.bilinear.recency": np.float32(0.5),
        "tiers.bilinear.decay_rate": np.float32(math.log(math.e - 1)),  # softplus of it is 1
    }
    gate = Gate(config, untrained_weights(config) | changed)
    turns = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    current = np.array([0.6, 0.8], dtype=np.float32)
    parts = gate.score(gate.state(turns), Message(current)).parts
    # sᵀW = (0.6·2 + 0.8·1, 0.8·1) = (2.0, 0.8)
    assert parts["semantic"] == pytest.approx([2.0, 1.84, 0.8])
    assert parts["recency"] == pytest.approx([0.0, 0.25, 0.5])
    assert parts["decay"] == pytest.approx([-(1 - math.exp(-1)), -(1 - math.exp(-0.5)), 0.0])


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
    gate, turns, current = trained_gate(), unit_vectors(n), unit_vectors(1, seed=5)[0]
    fast = gate.score(gate.state(turns), Message(current))
    module = GateModule.of(gate)
    output = module(
        torch.from_numpy(turns)[None], torch.from_numpy(current)[None], torch.ones(1, n, dtype=torch.bool)
    )
    naive = naive_logits(module, torch.from_numpy(turns), torch.from_numpy(current))
    assert fast.logits == pytest.approx(output.logit[0].detach().numpy(), abs=2e-5)
    assert fast.attention == pytest.approx(output.attention[0].detach().numpy(), abs=2e-5)
    assert fast.logits == pytest.approx(naive.numpy(), abs=2e-5)
    assert np.std(fast.attention - fast.tier1) > 0.01, "the attention tier must do something here"


@pytest.mark.parametrize("scale", [1, 30])
def test_attention_in_blocks_is_that_of_the_whole_matrix_however_large_its_logits(scale: float):
    rng = np.random.default_rng(0)
    shapes = ((1_500, 8), (700, 8), (700, 2))
    queries, keys, values = (rng.normal(size=shape).astype(np.float32) for shape in shapes)
    logits = scale * queries.astype(np.float64) @ keys.T
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    expected = weights @ values / weights.sum(axis=1, keepdims=True)
    assert attend(np.float32(scale) * queries, keys, values) == pytest.approx(expected, abs=1e-4)


def test_batch_equals_one_by_one_and_padding_changes_nothing():
    gate, lengths = trained_gate(), [1, 4, 7]
    histories = [unit_vectors(n, seed=n) for n in lengths]
    current_messages = unit_vectors(3, seed=99)
    padded, mask = torch.zeros(3, 7, 384), torch.zeros(3, 7, dtype=torch.bool)
    for row, history in enumerate(histories):
        padded[row, : len(history)] = torch.from_numpy(history)
        mask[row, : len(history)] = True
    padded[~mask] = 1e3  # padding must not be read
    batch = GateModule.of(gate)(padded, torch.from_numpy(current_messages), mask).logit.detach().numpy()
    for row, history in enumerate(histories):
        alone = gate.score(gate.state(history), Message(current_messages[row]))
        assert batch[row, : len(history)] == pytest.approx(alone.logits, abs=3e-5)


def test_history_of_nothing_in_a_batch_is_finite():
    output = GateModule.of(trained_gate())(
        torch.zeros(1, 3, 384), torch.zeros(1, 384), torch.zeros(1, 3, dtype=torch.bool)
    )
    assert torch.isfinite(output.logit).all()


def test_no_turns_give_no_scores_and_one_turn_stands_by_tier_1():
    gate, current = trained_gate(), unit_vectors(1, seed=5)[0]
    assert len(gate.score(gate.state(unit_vectors(0)), Message(current)).scores) == 0
    one = gate.score(gate.state(unit_vectors(1)), Message(current))
    assert one.logits == pytest.approx(one.tier1)
    assert one.parts["contextual"].tolist() == [0.0]


def test_every_parameter_but_the_threshold_receives_a_gradient():
    gate = GateModule.of(trained_gate()).train()
    mask = torch.ones(1, 5, dtype=torch.bool)
    turns, current = torch.from_numpy(unit_vectors(5))[None], torch.from_numpy(unit_vectors(1, seed=5))
    gate(turns, current, mask).logit.sum().backward()
    without = {name for name, p in gate.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    # A key's bias shifts all of a softmax's logits alike, so it has no effect by construction.
    assert without - {"tiers.attention.self_attention.key.bias"} == {"threshold_logit"}


def conversation(*texts: str) -> Conversation:
    return Conversation(id="t", turns=tuple(Turn.of("user", text) for text in texts))


def test_new_message_encodes_only_the_new_texts():
    policy, encoder = GatePolicy(trained_gate(), FakeEncoder()), FakeEncoder()
    policy = GatePolicy(policy.gate, encoder)
    policy.decide(*conversation("a b", "c d", "e f").at(2))
    assert encoder.calls == [["a b", "c d"], ["e f"]]
    policy.decide(*conversation("a b", "c d", "e f", "g h").at(3))
    assert encoder.calls[2:] == [["e f"], ["g h"]]


@pytest.mark.parametrize(
    "histories",
    [
        [["a", "b"], ["a", "b", "c"], ["a"], ["a", "b", "c", "d"]],
        [["a", "b"], ["x", "b"], ["a", "y"], []],
        [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["a", "b"]],
    ],
)
def test_states_are_those_made_anew(histories: list[list[str]]):
    gate, encoder = trained_gate(), FakeEncoder()
    policy = GatePolicy(gate, encoder)
    for texts in histories:
        state, _ = policy.read(*conversation(*texts).with_question("?"))
        anew = gate.state(encoder.encode(texts))
        assert np.allclose(state.embeddings, anew.embeddings)
        assert np.allclose(state.projected, anew.projected, atol=1e-6)


def test_fingerprint_tells_weights_apart():
    one, other = (GateModule(GateConfig(), seed=seed).to_gate() for seed in (1, 2))
    assert Gate(one.config, dict(one.weights)).fingerprint == one.fingerprint
    assert one.fingerprint != other.fingerprint


N = 12


@pytest.fixture
def scored():
    gate, turns, current = trained_gate(), unit_vectors(N), unit_vectors(1, seed=5)[0]
    state = gate.state(turns)
    message = Message(current)
    return gate, turns, state, message, gate.score(state, message)


def test_attention_of_a_turn_sums_to_one(scored):
    gate, _, state, _, scores = scored
    weights = gate.links(state, scores, [0, 7])
    assert weights.shape == (2, N)
    assert weights.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_leaving_a_turn_out_equals_scoring_a_history_without_it(scored):
    gate, turns, state, message, _ = scored
    without = leave_out(gate, state, message, 4)
    expected = gate.score(gate.state(np.delete(turns, 4, axis=0)), message).scores
    assert np.isnan(without[4])
    assert np.delete(without, 4) == pytest.approx(expected, abs=1e-6)


def test_strongest_links_are_sorted_capped_and_measured(scored):
    gate, _, state, message, scores = scored
    links = strongest_links(gate, state, message, scores, 6, limit=3)
    weights = gate.links(state, scores, [6])[0]
    assert [link.weight for link in links] == sorted((link.weight for link in links), reverse=True)
    assert len(links) == 3
    assert all(link.other != 6 for link in links)
    assert links[0].weight == pytest.approx(np.delete(weights, 6).max())
    for link in links:
        expected = scores.scores[6] - leave_out(gate, state, message, link.other)[6]
        assert link.effect == pytest.approx(expected)
    assert any(abs(link.effect) > 1e-5 for link in links)


def test_matrix_holds_the_scores_of_each_turn_as_the_current_one(scored):
    gate, turns, state, _, _ = scored
    current_messages, seen = unit_vectors(N, seed=8), []
    matrix = relevance_matrix(
        gate,
        state,
        [Message(vector) for vector in current_messages],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert matrix.shape == (N, N)
    assert np.isnan(matrix[np.triu_indices(N)]).all()
    expected = gate.score(gate.state(turns[:9]), Message(current_messages[9])).scores
    assert matrix[9, :9] == pytest.approx(expected, abs=1e-6)
    assert seen[-1] == (N, N)
