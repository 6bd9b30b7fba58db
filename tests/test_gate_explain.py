"""Explanations: what they say is what scoring again gives."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.errors import GateError
from convgate.gate.explain import (
    attention_weights,
    best_passage,
    edited,
    leave_one_out,
    named_parts,
    relevance_matrix,
    strongest_links,
    word_effects,
)
from convgate.gate.model import Gate, Message
from tests.fakes import FakeEncoder
from tests.gates import trained_gate, unit_vectors

N = 12


@pytest.fixture
def scored():
    gate, turns, situation = trained_gate(), unit_vectors(N), unit_vectors(1, seed=5)[0]
    state = gate.state(turns)
    message = Message(situation)
    return gate, turns, state, message, gate.score(state, message)


def test_attention_of_a_turn_sums_to_one(scored):
    gate, _, state, _, scores = scored
    weights = attention_weights(gate, state, scores, [0, 7])
    assert weights.shape == (2, N)
    assert weights.sum(axis=1) == pytest.approx([1, 1], abs=1e-5)


def test_leaving_a_turn_out_equals_scoring_a_history_without_it(scored):
    gate, turns, state, message, _ = scored
    without = leave_one_out(gate, state, message, 4)
    expected = gate.score(gate.state(np.delete(turns, 4, axis=0)), message).scores
    assert np.isnan(without[4])
    assert np.delete(without, 4) == pytest.approx(expected, abs=1e-6)


def test_strongest_links_are_sorted_capped_and_measured(scored):
    gate, _, state, message, scores = scored
    links = strongest_links(gate, state, message, scores, 6, limit=3)
    weights = attention_weights(gate, state, scores, [6])[0]
    assert [link.weight for link in links] == sorted((link.weight for link in links), reverse=True)
    assert len(links) == 3
    assert all(link.other != 6 for link in links)
    assert links[0].weight == pytest.approx(np.delete(weights, 6).max())
    for link in links:
        expected = scores.scores[6] - leave_one_out(gate, state, message, link.other)[6]
        assert link.effect == pytest.approx(expected)
    assert any(abs(link.effect) > 1e-5 for link in links)


def test_single_turn_has_no_links():
    gate, message = trained_gate(), Message(unit_vectors(1, seed=5)[0])
    state = gate.state(unit_vectors(1))
    assert strongest_links(gate, state, message, gate.score(state, message), 0) == []


def test_row_that_is_not_there_is_refused(scored):
    gate, _, state, message, scores = scored
    with pytest.raises(GateError, match="row 12 asked for, but there are 12 scored turns"):
        strongest_links(gate, state, message, scores, N)


def test_edited_turn_is_scored_with_its_new_text(scored):
    gate, turns, state, message, scores = scored
    changed = turns.copy()
    changed[3] = message.embedding
    expected = gate.score(gate.state(changed), message).scores
    assert edited(gate, state, message, 3, message.embedding).scores == pytest.approx(expected, abs=1e-6)
    assert scores.scores[3] != pytest.approx(expected[3])
    assert np.array_equal(state.embeddings[3], turns[3]), "the state itself is left alone"


def test_words_of_the_question_carry_the_semantic_part():
    encoder, text = FakeEncoder(), "the NaN loss appears and vanishes"
    gate, message = Gate(), Message(encoder.encode(["why NaN loss"])[0])
    state = gate.state(encoder.encode([text]))
    effects = {text[e.start : e.stop]: e.effect for e in word_effects(gate, encoder, text, state, message)}
    assert set(effects) == set(text.split())
    assert min(effects["NaN"], effects["loss"]) > max(
        effects[word] for word in ("the", "appears", "vanishes")
    )
    assert word_effects(gate, encoder, "  ", state, message) == []
    assert len(word_effects(gate, encoder, "word " * 100, state, message, limit=7)) == 7


class TwoPassages(FakeEncoder):
    """Splits a text at its semicolon."""

    def split_passages(self, text: str) -> list[str]:
        return text.split(";")

    def encode_passages(self, texts, *, progress=None):
        return [self.encode(self.split_passages(text)) * 0.5 for text in texts]


def test_best_passage_is_the_one_that_is_nearest_to_the_message():
    encoder, text = TwoPassages(), "we bought green tiles; the NaN loss vanished; nothing else"
    gate, message = Gate(), Message(encoder.encode(["why NaN loss"])[0])
    assert best_passage(gate, encoder, text, message) == "the NaN loss vanished"
    assert best_passage(gate, encoder, "the NaN loss", message) is None


def test_matrix_holds_the_scores_of_each_turn_as_the_current_one(scored):
    gate, turns, state, _, _ = scored
    situations, seen = unit_vectors(N, seed=8), []
    matrix = relevance_matrix(
        gate,
        state,
        [Message(vector) for vector in situations],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert matrix.shape == (N, N)
    assert np.isnan(matrix[np.triu_indices(N)]).all()
    expected = gate.score(gate.state(turns[:9]), Message(situations[9])).scores
    assert matrix[9, :9] == pytest.approx(expected, abs=1e-6)
    assert seen[-1] == (N, N)


def test_named_parts_add_up_with_the_other_turns_last(scored):
    *_, scores = scored
    parts = named_parts({name: column[2] for name, column in scores.parts.items()})
    assert list(parts)[-1] == "contextual"
    assert sum(parts.values()) == pytest.approx(scores.logits[2], abs=1e-12)
