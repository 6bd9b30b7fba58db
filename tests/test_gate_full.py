"""The full preset: its parts add up, and grown states equal new ones."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from torch import Tensor

from convgate.core.conversation import Turn
from convgate.core.errors import EncoderError
from convgate.gate.config import GateConfig
from convgate.gate.explain import leave_out, strongest_links
from convgate.gate.facts import facts_of
from convgate.gate.features import FEATURES, NAMES, PARTS, message_features, turn_features
from convgate.gate.initial_weights import untrained_weights
from convgate.gate.model import Gate, GateScores, GateState, Message
from convgate.gate.scoring import MAX_SPREADS
from convgate.training.gate_module import GateModule
from tests.gates import (
    any_turn,
    any_turns,
    full_message,
    full_state,
    trained_full_gate,
    unit_vectors,
    vectors_of,
)

GATE = trained_full_gate()
NARROW = trained_full_gate(window=3)  # less than the band
QUESTION = full_message(GATE, Turn.of("user", "and the kernel, Anna?", name="Bob Smith"))


def chat(n: int) -> list[Turn]:
    """Turns of three people."""
    return [
        Turn.of(
            "user",
            f"{('anna', 'bob', 'cy')[i * 7 % 3]} quokka{i % 5} kernel{i % 11}?",
            name=("Anna", "Bob Smith", "Cy")[i % 3],
        )
        for i in range(n)
    ]


def extend_in_steps(gate: Gate, turns: Sequence[Turn], cuts: Sequence[int]) -> GateState:
    """The state of the turns, extended piece by piece."""
    vectors, facts = vectors_of(gate, turns), [facts_of(turn) for turn in turns]
    bounds = [0, *sorted(min(cut, len(turns)) for cut in cuts), len(turns)]
    state = gate.state(vectors[:0], [])
    for start, stop in pairwise(bounds):
        state = gate.extend(state, vectors[start:stop], facts[start:stop])
    return state


def all_links(gate: Gate, state: GateState) -> NDArray[np.float32]:
    scores = gate.score(state, QUESTION)
    return np.asarray(gate.links(state, scores, range(len(state))))


def assert_same(gate: Gate, one: GateState, other: GateState) -> None:
    assert len(one) == len(other)
    assert np.array_equal(one.embeddings, other.embeddings)
    assert list(one.facts) == list(other.facts)
    assert all_links(gate, one) == pytest.approx(all_links(gate, other), abs=1e-6)
    first, second = gate.score(one, QUESTION), gate.score(other, QUESTION)
    assert first.logits == pytest.approx(second.logits, abs=1e-5)
    for name, part in first.parts.items():
        assert part == pytest.approx(second.parts[name], abs=1e-5), name


def pair_features(
    gate: Gate, turns: Sequence[Turn], message: Message, n: int, width: int
) -> tuple[Tensor, Tensor]:
    """What the differentiable forward pass reads: of the turns, and of a message after n of them."""
    arrays = full_state(gate, turns).arrays
    vectors, band = arrays.vectors.first(len(turns)), gate.config.band
    vector = gate.tiers.scorer.whiten(message.embedding)
    columns, passages = arrays.columns, arrays.passages
    features = message_features(columns, vectors, passages, message.facts, vector, n, width=width)
    rows = turn_features(columns, vectors, passages, 0, len(turns), width=band)
    newest_first = rows.transpose(1, 2, 0)[:, ::-1]
    return torch.from_numpy(newest_first.copy()), torch.from_numpy(features.T.copy())


def test_untrained_gate_ranks_by_cosine():
    gate = Gate(GateConfig(preset="full", dimension=16, band=4))
    turns, message = chat(30), full_message(gate, Turn.of("user", "anna: kernel3 quokka1?", name="Cy"))
    scores = gate.score(full_state(gate, turns), message)
    cosine = vectors_of(gate, turns) @ message.embedding
    assert scores.tier1 == pytest.approx(cosine, abs=1e-6)
    assert scores.parts["meaning"] == pytest.approx(cosine, abs=1e-6)
    assert scores.attention.tolist() == [0] * 30
    assert np.array_equal(np.argsort(scores.logits), np.argsort(cosine))
    assert scores.learned_threshold == 0.5


@given(turns=any_turns(), message=any_turn(), typed=st.booleans(), seed=st.integers(0, 5))
def test_parts_add_up_exactly_to_the_logit(turns: list[Turn], message: Turn, typed: bool, seed: int):
    gate = trained_full_gate(seed=seed)
    scores = gate.score(full_state(gate, turns), full_message(gate, message, typed=typed))
    assert np.array_equal(sum(scores.parts.values(), start=np.zeros(len(turns))), scores.logits)
    assert list(scores.parts) == [*PARTS, "contextual"]
    blended = (1 - scores.activation) * scores.tier1 + scores.activation * scores.attention
    assert scores.logits == pytest.approx(blended)
    assert scores.scores == pytest.approx(1 / (1 + np.exp(-scores.logits)))


def test_parts_of_tier_1_are_its_features_times_their_weights():
    config, turns = GateConfig(preset="full", dimension=16, band=4), chat(5)
    weights = np.linspace(-1, 1, len(FEATURES), dtype=np.float32)
    changed = {"tiers.bilinear.weight": weights, "tiers.bilinear.bias": np.float32(0.25)}
    gate = Gate(config, untrained_weights(config) | changed)
    x = pair_features(gate, turns, QUESTION, 5, 5)[1].clamp(-MAX_SPREADS, MAX_SPREADS).numpy()
    parts = gate.score(full_state(gate, turns), QUESTION).parts
    for part in PARTS:
        own = [place for place, feature in enumerate(FEATURES) if feature.part == part]
        expected = x[:, own] @ weights[own] + (0.25 if part == "message" else 0)
        assert parts[part] == pytest.approx(expected, abs=1e-5), part


@given(
    turns=any_turns(20, least=1),
    message=any_turn(),
    seed=st.integers(0, 5),
    band=st.integers(1, 9),
    window=st.integers(1, 24),
)
def test_banded_scores_are_those_of_the_differentiable_forward_pass(
    turns: list[Turn], message: Turn, seed: int, band: int, window: int
):
    gate, n = trained_full_gate(seed=seed, band=band, window=window), len(turns)
    asked = full_message(gate, message)
    scores = gate.score(full_state(gate, turns), asked)
    rows, features = pair_features(gate, turns, asked, n, n)
    with torch.no_grad():
        output = GateModule.of(gate)(rows, features[None], torch.ones(1, n, dtype=torch.bool))
    assert scores.tier1 == pytest.approx(output.tier1[0].numpy(), abs=1e-4)
    assert scores.attention == pytest.approx(output.attention[0].numpy(), abs=1e-3)
    assert scores.logits == pytest.approx(output.logit[0].numpy(), abs=1e-3)


def test_attention_tier_leaves_turns_older_than_its_window_to_the_feature_tier():
    gate, turns = trained_full_gate(window=5), chat(12)
    scores = gate.score(full_state(gate, turns), QUESTION)
    assert (scores.attention[:7] == scores.tier1[:7]).all()
    assert (scores.attention[7:] != scores.tier1[7:]).all()
    assert scores.logits == pytest.approx(sum(scores.parts.values()))


def test_state_of_a_window_grows_as_if_it_were_made_at_once():
    gate, turns = trained_full_gate(window=5), chat(30)
    state = full_state(gate, turns)
    for stops in ([3, 7, 20], [5, 6], [4, 29]):
        assert_same(gate, extend_in_steps(gate, turns, stops), state)


@given(turns=any_turns(least=1), message=any_turn(), data=st.data())
def test_masked_turns_and_other_messages_of_a_batch_change_nothing(
    turns: list[Turn], message: Turn, data: st.DataObject
):
    gate, asked = data.draw(st.sampled_from([GATE, NARROW])), full_message(GATE, message)
    stop = data.draw(st.integers(1, len(turns)))
    width = data.draw(st.integers(0, stop))
    rows, features = pair_features(gate, turns, asked, stop, width)
    alone = torch.zeros(1, stop, len(FEATURES))
    alone[0, stop - width :] = features
    window = torch.arange(stop)[None] >= stop - width
    batch = torch.full((3, len(turns), len(FEATURES)), 1e3)  # what is masked must not be read
    batch[1, stop - width : stop] = features
    mask = torch.zeros(3, len(turns), dtype=torch.bool)
    mask[1, stop - width : stop] = True
    mask[2] = True
    module = GateModule.of(gate)
    with torch.no_grad():
        expected = module(rows[:stop], alone, window).logit[0, stop - width :]
        output = module(rows, batch, mask)
    assert torch.isfinite(output.logit).all()
    assert output.logit[1, stop - width : stop].numpy() == pytest.approx(expected.numpy(), abs=1e-4)


@given(turns=any_turns(), cuts=st.lists(st.integers(0, 14), max_size=3))
def test_state_grown_in_pieces_is_the_state_made_at_once(turns: list[Turn], cuts: list[int]):
    assert_same(GATE, extend_in_steps(GATE, turns, cuts), full_state(GATE, turns))


@given(turns=any_turns(), others=any_turns(6), data=st.data())
def test_a_state_is_unchanged_while_two_continuations_are_added(
    turns: list[Turn], others: list[Turn], data: st.DataObject
):
    n = data.draw(st.integers(0, len(turns)))
    start, vectors = full_state(GATE, turns[:n]), vectors_of(GATE, turns)
    other = GATE.extend(start, unit_vectors(len(others), seed=7, dimension=16), [facts_of(t) for t in others])
    continued = GATE.extend(start, vectors[n:], [facts_of(turn) for turn in turns[n:]])
    assert_same(GATE, start, full_state(GATE, turns[:n]))
    assert_same(GATE, continued, full_state(GATE, turns))
    assert [fact.speaker for fact in other.facts[n:]] == [facts_of(turn).speaker for turn in others]


def test_states_longer_than_a_block_of_links_are_the_same_however_they_grew():
    turns = chat(520)
    whole = full_state(GATE, turns)
    assert_same(GATE, extend_in_steps(GATE, turns, [1, 255, 257]), whole)
    assert_same(GATE, whole.first(300), full_state(GATE, turns[:300]))


@pytest.mark.usefixtures("frequent_thread_switches")
def test_threads_that_extend_one_state_at_once_get_their_own_continuation():
    turns, start = chat(40), full_state(GATE, chat(40))
    ends = [[Turn.of("user", f"end {i} anna", name=f"p{i}") for _ in range(30)] for i in range(4)]
    barrier = Barrier(len(ends))

    def extend(place: int) -> tuple[GateState, GateScores]:
        barrier.wait()
        vectors = unit_vectors(30, seed=place, dimension=16)
        state = GATE.extend(start, vectors, [facts_of(turn) for turn in ends[place]])
        return state, GATE.score(state.first(40), QUESTION)

    with ThreadPoolExecutor(len(ends)) as pool:
        states = list(pool.map(extend, range(len(ends))))
    before = GATE.score(full_state(GATE, turns), QUESTION).logits
    for place, (state, scores) in enumerate(states):
        assert scores.logits == pytest.approx(before, abs=1e-5)
        vectors = np.concatenate([vectors_of(GATE, turns), unit_vectors(30, seed=place, dimension=16)])
        assert_same(GATE, state, GATE.state(vectors, [facts_of(turn) for turn in (*turns, *ends[place])]))


@given(turns=any_turns())
def test_links_of_a_turn_sum_to_one_at_most_and_go_to_the_band_before_it(turns: list[Turn]):
    links = all_links(GATE, full_state(GATE, turns))
    n, band = len(turns), GATE.config.band
    ago = np.arange(n)[:, None] - np.arange(n)[None]
    assert (links[(ago < 1) | (ago > band)] == 0).all()
    assert (links[(ago >= 1) & (ago <= band)] > 0).all()
    assert (links.sum(axis=1) <= 1 + 1e-6).all()


@pytest.mark.parametrize(
    "turns",
    [
        [Turn.of("user", ""), Turn.of("user", " \n"), Turn.of("user", "?")],
        [Turn.of("user", "x" * 100_000), Turn.of("user", "log line " * 12_000)],
        [Turn.of("user", "🦊🦊", name="🦊"), Turn.of("user", "\ud800", name=" "), Turn.of("", "日本語")],
    ],
)
def test_turns_of_any_text_are_scored(turns: list[Turn]):
    assert np.isfinite(GATE.score(full_state(GATE, turns), QUESTION).logits).all()
    message = full_message(GATE, turns[0])
    assert np.isfinite(GATE.score(full_state(GATE, chat(5)), message).logits).all()


def test_nan_is_refused_and_leaves_the_state_unchanged():
    state, vectors = full_state(GATE, chat(3)), unit_vectors(1, dimension=16)
    vectors[0, 3] = np.nan
    with pytest.raises(EncoderError, match="NaN"):
        GATE.extend(state, vectors, [facts_of(Turn.of("user", "hi"))])
    with pytest.raises(EncoderError, match="current"):
        GATE.score(state, Message(vectors[0], QUESTION.facts))
    assert_same(GATE, state, full_state(GATE, chat(3)))


def test_every_parameter_but_the_threshold_receives_a_gradient():
    gate = GateModule.of(GATE).train()
    rows, features = pair_features(GATE, chat(12), QUESTION, 12, 12)
    gate(rows, features[None], torch.ones(1, 12, dtype=torch.bool)).logit.square().sum().backward()
    without = {name for name, p in gate.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    assert without == {"threshold_logit"}


def test_leaving_a_turn_out_is_scoring_a_history_without_it():
    turns, state = chat(8), full_state(GATE, chat(8))
    without = leave_out(GATE, state, QUESTION, 3)
    facts = [facts_of(turn) for place, turn in enumerate(turns) if place != 3]
    expected = GATE.score(GATE.state(np.delete(state.embeddings, 3, axis=0), facts), QUESTION).scores
    assert np.isnan(without[3])
    assert np.delete(without, 3) == pytest.approx(expected, abs=1e-6)
    scores = GATE.score(state, QUESTION)
    assert strongest_links(GATE, state, QUESTION, scores, 0) == []  # the first turn continues none
    assert {link.other for link in strongest_links(GATE, state, QUESTION, scores, 2)} == {0, 1}
    links = strongest_links(GATE, state, QUESTION, scores, 6, limit=2)
    assert [link.other for link in links] == list(np.argsort(-all_links(GATE, state)[6], kind="stable")[:2])


def test_a_turn_is_found_by_its_best_passage_whatever_its_share_of_the_text():
    config = GateConfig(preset="full", dimension=16)
    weights = untrained_weights(config)
    weights["tiers.whitening.mean"] += np.float32(0.2)
    weights["tiers.bilinear.weight"][NAMES.index("passage")] = 1
    gate = Gate(config, weights)
    turns, message = chat(4), full_message(gate, chat(1)[0])
    vectors, facts = vectors_of(gate, turns), [facts_of(turn) for turn in turns]
    passages = [row[None] for row in vectors]
    plain = gate.score(gate.state(vectors, facts, passages), message).scores
    all_scores = []
    for share in (0.5, 0.02):
        passages[1] = np.stack([vectors[1] * (1 - share), message.embedding * share])
        all_scores.append(gate.score(gate.state(vectors, facts, passages), message).scores)
    assert all_scores[0] == pytest.approx(all_scores[1], abs=1e-6)
    assert all_scores[0][1] > plain[1] + 0.1
    grown = gate.extend(gate.state(vectors[:1], facts[:1]), vectors[1:], facts[1:], passages[1:])
    assert gate.score(grown, message).scores == pytest.approx(all_scores[1], abs=1e-6)


@pytest.mark.usefixtures("frequent_thread_switches")
def test_eight_threads_score_on_one_state_as_one_does():
    state = full_state(GATE, chat(200))
    messages = [full_message(GATE, turn) for turn in chat(8)]
    expected = [GATE.score(state, message).logits for message in messages]
    with ThreadPoolExecutor(8) as pool:
        scores = list(pool.map(lambda message: GATE.score(state, message), messages * 5))
    for place, score in enumerate(scores):
        assert np.array_equal(score.logits, expected[place % 8])
