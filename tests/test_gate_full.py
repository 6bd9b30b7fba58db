"""The full preset as a whole: its parts add up, and what is kept equals what is made anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from threadpoolctl import ThreadpoolController
from torch import Tensor

from convgate.conversation import Conversation, Turn
from convgate.errors import EncoderError, GateError
from convgate.gate.checkpoint import WEIGHTS, read_gate, save_gate
from convgate.gate.config import GateConfig
from convgate.gate.explain import edited, leave_one_out, relevance_matrix, strongest_links, word_effects
from convgate.gate.facts import facts_of
from convgate.gate.features import FEATURES, NAMES, PARTS, message_features, turn_features
from convgate.gate.model import Gate, GateScores, Message, State
from convgate.gate.normalise import Standardise, Whitening
from convgate.gate.one_thread import one_thread
from convgate.gate.states import KeptStates
from convgate.policies.gate import GatePolicy
from tests.fakes import FakeEncoder
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
    """Turns of three people, a minute apart."""
    start = datetime(2024, 1, 1)
    return [
        Turn.of(
            "user",
            f"{('anna', 'bob', 'cy')[i * 7 % 3]} quokka{i % 5} kernel{i % 11}?",
            name=("Anna", "Bob Smith", "Cy")[i % 3],
            timestamp=start + timedelta(minutes=i),
        )
        for i in range(n)
    ]


def grown(gate: Gate, turns: Sequence[Turn], cuts: Sequence[int]) -> State:
    """The state of the turns, extended piece by piece."""
    vectors, facts = vectors_of(gate, turns), [facts_of(turn) for turn in turns]
    bounds = [0, *sorted(min(cut, len(turns)) for cut in cuts), len(turns)]
    state = gate.state(vectors[:0], [])
    for start, stop in pairwise(bounds):
        state = gate.extended(state, vectors[start:stop], facts[start:stop])
    return state


def all_links(gate: Gate, state: State) -> NDArray[np.float32]:
    scores = gate.score(state, QUESTION)
    return np.asarray(gate.links(state, scores, range(len(state))))


def assert_same(gate: Gate, one: State, other: State) -> None:
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
    memory = full_state(gate, turns).memory
    vectors, band = memory.vectors.first(len(turns)), gate.config.band
    with torch.inference_mode():
        vector = gate.tiers.whitening(torch.from_numpy(message.embedding)).numpy()
    columns, passages = memory.columns, memory.passages
    found = message_features(columns, vectors, passages, message.facts, vector, n, width=width)
    rows = turn_features(columns, vectors, passages, 0, len(turns), width=band)
    return torch.from_numpy(rows), torch.from_numpy(found.copy())


def test_parameters_and_buffers_are_of_the_stated_shapes():
    gate = Gate(GateConfig(preset="full", dimension=384, hidden=32))
    buffers = {name: tuple(buffer.shape) for name, buffer in gate.named_buffers()}
    count = len(FEATURES)
    assert buffers == {
        "tiers.whitening.W": (384, 384),
        "tiers.whitening.mean": (384,),
        "tiers.standardise.usual": (count,),
        "tiers.standardise.spread": (count,),
    }
    assert gate.parameter_count < 15_000
    assert gate.tiers.bilinear.weight.shape == (count,)
    assert 0 < float(gate.tiers.attention.lasting.detach().min()) < 1


def test_output_shapes():
    gate, turns = GATE, chat(6)
    rows, found = pair_features(gate, turns, QUESTION, 6, 6)
    assert rows.shape == (6, gate.config.band, len(FEATURES))
    output = gate(rows, found[None].expand(3, -1, -1), torch.ones(3, 6, dtype=torch.bool))
    assert output.logit.shape == output.tier1.shape == output.attention.shape == (3, 6)
    assert output.activation.shape == ()
    threads = gate.tiers.attention.threads(gate.tiers.standardise(rows))
    assert {tensor.shape for tensor in threads} == {(gate.config.heads, 6, 6)}


def test_features_are_counted_from_their_usual_value_in_units_of_their_spread():
    standardise = Standardise(2)
    standardise.usual.copy_(torch.tensor([1.0, -2.0]))
    standardise.spread.copy_(torch.tensor([2.0, 4.0]))
    features = torch.tensor([[1.0, 0.0], [5.0, -2.0]])
    assert standardise(features).tolist() == [[0, 0.5], [2, 0]]
    assert features.tolist() == [[1, 0], [5, -2]], "what is given is left as it is"


def test_whitening_turns_embeddings_by_a_measured_matrix_around_their_mean():
    whitening = Whitening(2)
    whitening.mean.copy_(torch.tensor([1.0, 0.0]))
    whitening.W.copy_(torch.tensor([[0.0, 1.0], [3.0, 0.0]]))
    assert whitening(torch.tensor([[2.0, 4.0], [1.0, 0.0]])).tolist() == [pytest.approx([0.8, 0.6]), [0, 0]]


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
    gate, turns = Gate(GateConfig(preset="full", dimension=16, band=4)), chat(5)
    with torch.no_grad():
        gate.tiers.bilinear.weight.copy_(torch.linspace(-1, 1, len(FEATURES)))
        gate.tiers.bilinear.bias.fill_(0.25)
    x = gate.tiers.standardise(pair_features(gate, turns, QUESTION, 5, 5)[1])
    parts = gate.score(full_state(gate, turns), QUESTION).parts
    for part in PARTS:
        own = [place for place, feature in enumerate(FEATURES) if feature.part == part]
        expected = x[:, own] @ torch.linspace(-1, 1, len(FEATURES))[own] + (0.25 if part == "message" else 0)
        assert parts[part] == pytest.approx(expected.numpy(), abs=1e-5), part


def test_weights_depend_on_the_kind_of_message():
    gate, x = (
        trained_full_gate(),
        torch.randn(2, 5, len(FEATURES), generator=torch.Generator().manual_seed(0)),
    )
    tier = gate.tiers.bilinear
    with torch.no_grad():
        weights = tier.weights(x.mean(dim=1))
        kind = torch.tanh(tier.kind.weight @ x[0].mean(dim=0) + tier.kind.bias)
        assert torch.allclose(weights[0], tier.weight + tier.by_kind.weight @ kind, atol=1e-5)
        assert not torch.allclose(weights[0], weights[1])


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
    rows, found = pair_features(gate, turns, asked, n, n)
    with torch.no_grad():
        output = gate(rows, found[None], torch.ones(1, n, dtype=torch.bool))
    assert scores.tier1 == pytest.approx(output.tier1[0].numpy(), abs=1e-4)
    assert scores.attention == pytest.approx(output.attention[0].numpy(), abs=1e-3)
    assert scores.logits == pytest.approx(output.logit[0].numpy(), abs=1e-3)


def test_banded_scores_of_a_longer_history_are_those_of_the_forward_pass():
    gate, turns = trained_full_gate(band=16), chat(700)
    scores = gate.score(full_state(gate, turns), QUESTION)
    rows, found = pair_features(gate, turns, QUESTION, 700, 700)
    with torch.no_grad():
        output = gate(rows, found[None], torch.ones(1, 700, dtype=torch.bool))
    assert scores.logits == pytest.approx(output.logit[0].numpy(), abs=1e-3)
    assert np.std((scores.attention - scores.tier1)[-256:]) > 0.01, (
        "the attention tier must do something here"
    )


def test_attention_tier_leaves_turns_older_than_its_window_to_the_feature_tier():
    gate, turns = trained_full_gate(window=5), chat(12)
    scores = gate.score(full_state(gate, turns), QUESTION)
    assert (scores.attention[:7] == scores.tier1[:7]).all()
    assert (scores.attention[7:] != scores.tier1[7:]).all()
    assert scores.logits == pytest.approx(sum(scores.parts.values()))


def test_state_of_a_window_grows_as_if_it_were_made_at_once():
    gate, turns = trained_full_gate(window=5), chat(30)
    state = full_state(gate, turns)
    assert state.above.shape == state.below.shape == (gate.config.heads, 5)
    for stops in ([3, 7, 20], [5, 6], [4, 29]):
        assert_same(gate, grown(gate, turns, stops), state)


def test_no_links_are_told_that_are_not_followed():
    gate, turns = trained_full_gate(window=5), chat(12)
    state = full_state(gate, turns)
    links = gate.links(state, gate.score(state, QUESTION), range(12))
    assert not links[:8].any(), "of the window's turns 7 to 11 the first can have no link inside it"
    assert links[8:, 7:].any(axis=1).all()
    assert not links[:, :7].any()


@given(turns=any_turns(least=1), message=any_turn(), data=st.data())
def test_masked_turns_and_other_messages_of_a_batch_change_nothing(
    turns: list[Turn], message: Turn, data: st.DataObject
):
    gate, asked = data.draw(st.sampled_from([GATE, NARROW])), full_message(GATE, message)
    stop = data.draw(st.integers(1, len(turns)))
    width = data.draw(st.integers(0, stop))
    rows, found = pair_features(gate, turns, asked, stop, width)
    alone = torch.zeros(1, stop, len(FEATURES))
    alone[0, stop - width :] = found
    window = torch.arange(stop)[None] >= stop - width
    batch = torch.full((3, len(turns), len(FEATURES)), 1e3)  # what is masked must not be read
    batch[1, stop - width : stop] = found
    mask = torch.zeros(3, len(turns), dtype=torch.bool)
    mask[1, stop - width : stop] = True
    mask[2] = True
    with torch.no_grad():
        expected = gate(rows[:stop], alone, window).logit[0, stop - width :]
        output = gate(rows, batch, mask)
    assert torch.isfinite(output.logit).all()
    assert output.logit[1, stop - width : stop].numpy() == pytest.approx(expected.numpy(), abs=1e-4)


@given(turns=any_turns(), cuts=st.lists(st.integers(0, 14), max_size=3))
def test_state_grown_in_pieces_is_the_state_made_at_once(turns: list[Turn], cuts: list[int]):
    assert_same(GATE, grown(GATE, turns, cuts), full_state(GATE, turns))


@given(turns=any_turns(), data=st.data())
def test_first_turns_of_a_state_are_the_state_of_the_first_turns(turns: list[Turn], data: st.DataObject):
    n = data.draw(st.integers(0, len(turns)))
    assert_same(GATE, GATE.first(full_state(GATE, turns), n), full_state(GATE, turns[:n]))


@given(turns=any_turns(), others=any_turns(6), data=st.data())
def test_state_stays_what_it_is_while_two_continuations_are_added(
    turns: list[Turn], others: list[Turn], data: st.DataObject
):
    n = data.draw(st.integers(0, len(turns)))
    start, vectors = full_state(GATE, turns[:n]), vectors_of(GATE, turns)
    other = GATE.extended(
        start, unit_vectors(len(others), seed=7, dimension=16), [facts_of(t) for t in others]
    )
    continued = GATE.extended(start, vectors[n:], [facts_of(turn) for turn in turns[n:]])
    assert_same(GATE, start, full_state(GATE, turns[:n]))
    assert_same(GATE, continued, full_state(GATE, turns))
    assert [fact.speaker for fact in other.facts[n:]] == [facts_of(turn).speaker for turn in others]


def test_states_longer_than_a_block_of_links_are_the_same_however_they_grew():
    turns = chat(520)
    whole = full_state(GATE, turns)
    assert_same(GATE, grown(GATE, turns, [1, 255, 257]), whole)
    assert_same(GATE, GATE.first(whole, 300), full_state(GATE, turns[:300]))


@pytest.fixture
def often() -> Iterator[None]:
    """Threads take turns as often as can be."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("often")
def test_threads_that_extend_one_state_at_once_get_their_own_continuation():
    turns, start = chat(40), full_state(GATE, chat(40))
    ends = [[Turn.of("user", f"end {i} anna", name=f"p{i}") for _ in range(30)] for i in range(4)]
    barrier = Barrier(len(ends))

    def extend(place: int) -> tuple[State, GateScores]:
        barrier.wait()
        vectors = unit_vectors(30, seed=place, dimension=16)
        state = GATE.extended(start, vectors, [facts_of(turn) for turn in ends[place]])
        return state, GATE.score(GATE.first(state, 40), QUESTION)

    with ThreadPoolExecutor(len(ends)) as pool:
        found = list(pool.map(extend, range(len(ends))))
    before = GATE.score(full_state(GATE, turns), QUESTION).logits
    for place, (state, scores) in enumerate(found):
        assert scores.logits == pytest.approx(before, abs=1e-5)
        vectors = np.concatenate([vectors_of(GATE, turns), unit_vectors(30, seed=place, dimension=16)])
        assert_same(GATE, state, GATE.state(vectors, [facts_of(turn) for turn in (*turns, *ends[place])]))


@pytest.mark.usefixtures("often")
def test_scoring_while_another_thread_extends():
    turns = chat(400)
    start, expected = full_state(GATE, turns[:50]), GATE.score(full_state(GATE, turns[:50]), QUESTION).logits
    vectors, facts = vectors_of(GATE, turns), [facts_of(turn) for turn in turns]

    def extend() -> State:
        state = start
        for i in range(50, 400, 7):
            state = GATE.extended(state, vectors[i : i + 7], facts[i : i + 7])
        return state

    with ThreadPoolExecutor(1) as pool:
        growing = pool.submit(extend)
        while not growing.done():
            assert GATE.score(start, QUESTION).logits == pytest.approx(expected, abs=1e-6)
    assert_same(GATE, growing.result(), full_state(GATE, turns))


@given(turns=any_turns())
def test_links_of_a_turn_sum_to_one_at_most_and_go_to_the_band_before_it(turns: list[Turn]):
    links = all_links(GATE, full_state(GATE, turns))
    n, band = len(turns), GATE.config.band
    ago = np.arange(n)[:, None] - np.arange(n)[None]
    assert (links[(ago < 1) | (ago > band)] == 0).all()
    assert (links[(ago >= 1) & (ago <= band)] > 0).all()
    assert (links.sum(axis=1) <= 1 + 1e-6).all()


def test_links_of_some_turns_are_the_rows_of_all():
    state = full_state(GATE, chat(9))
    scores = GATE.score(state, QUESTION)
    assert np.array_equal(GATE.links(state, scores, [7, 0, 7]), all_links(GATE, state)[[7, 0, 7]])
    assert GATE.links(state, scores, []).shape == (0, 9)


def test_links_are_the_mean_of_the_heads_of_the_forward_pass():
    turns = chat(9)
    rows, _ = pair_features(GATE, turns, QUESTION, 9, 9)
    with torch.no_grad():
        heads = GATE.tiers.attention.threads(GATE.tiers.standardise(rows)).links
    assert not torch.allclose(heads[0], heads[1], atol=1e-3)
    assert all_links(GATE, full_state(GATE, turns)) == pytest.approx(heads.mean(dim=0).numpy(), abs=1e-5)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_hardly_any_turns(n: int):
    state = full_state(GATE, chat(n))
    scores = GATE.score(state, QUESTION)
    assert scores.logits.shape == scores.scores.shape == scores.attention.shape == (n,)
    assert all(part.shape == (n,) for part in scores.parts.values())
    assert np.isfinite(scores.logits).all()
    assert GATE.semantic(unit_vectors(3, dimension=16), state, QUESTION).shape == (3,)
    assert len(GATE.extended(state, unit_vectors(0, dimension=16), [])) == n


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


def test_5000_turns_of_one_speaker_are_scored():
    turns = [Turn.of("user", f"word{i % 9}", name="Anna") for i in range(5_000)]
    scores = GATE.score(full_state(GATE, turns), QUESTION)
    assert scores.logits.shape == (5_000,)
    assert np.isfinite(scores.logits).all()


def test_what_is_kept_of_a_turn_does_not_grow_with_their_number():
    def size(n: int) -> int:
        memory = full_state(GATE, chat(n)).memory
        growing = [*memory.bands, *memory.contexts, memory.vectors, memory.embeddings]
        growing += [kept for kept in vars(memory.columns).values() if isinstance(kept, type(memory.vectors))]
        return sum(kept.first(10**9).nbytes for kept in growing)

    assert size(2_048) < 2.5 * size(1_024)


def test_facts_are_asked_for():
    vectors = unit_vectors(3, dimension=16)
    with pytest.raises(GateError, match=r"3 embeddings .* are given for 0 turns"):
        GATE.state(vectors)
    state = full_state(GATE, chat(3))
    with pytest.raises(GateError, match=r"2 embeddings .* are given for 1 turns"):
        GATE.extended(state, vectors[:2], [facts_of(Turn.of("user", "hi"))])
    assert len(GATE.extended(state, vectors[:0], [])) == 3, "what was refused has left no trace"
    with pytest.raises(GateError, match="reads facts of the message"):
        GATE.score(state, Message(vectors[0]))


def test_nan_is_refused_and_leaves_no_trace():
    state, vectors = full_state(GATE, chat(3)), unit_vectors(1, dimension=16)
    vectors[0, 3] = np.nan
    with pytest.raises(EncoderError, match="NaN"):
        GATE.extended(state, vectors, [facts_of(Turn.of("user", "hi"))])
    with pytest.raises(EncoderError, match="the situation"):
        GATE.score(state, Message(vectors[0], QUESTION.facts))
    assert_same(GATE, state, full_state(GATE, chat(3)))


def test_every_parameter_but_the_threshold_receives_a_gradient():
    gate = trained_full_gate().train()
    rows, found = pair_features(gate, chat(12), QUESTION, 12, 12)
    gate(rows, found[None], torch.ones(1, 12, dtype=torch.bool)).logit.square().sum().backward()
    without = {name for name, p in gate.named_parameters() if p.grad is None or not p.grad.abs().sum() > 0}
    assert without == {"threshold_logit"}


def test_fingerprint_tells_weights_and_measured_buffers_apart():
    assert trained_full_gate().fingerprint == GATE.fingerprint
    for change in ("weight", "W", "usual"):
        gate = trained_full_gate()
        tiers = gate.tiers
        owner = {"weight": tiers.bilinear, "W": tiers.whitening, "usual": tiers.standardise}[change]
        with torch.no_grad():
            getattr(owner, change).view(-1)[0] += 1
        assert gate.fingerprint != GATE.fingerprint
    assert trained_full_gate(band=5).fingerprint != GATE.fingerprint


def test_saved_gate_scores_the_same_when_read(tmp_path: Path):
    save_gate(GATE, tmp_path)
    read, turns = read_gate(tmp_path), chat(20)
    assert read.config == GATE.config
    assert read.fingerprint == GATE.fingerprint
    for (name, one), (other_name, other) in zip(GATE.named_buffers(), read.named_buffers(), strict=True):
        assert name == other_name
        assert torch.equal(one, other)
    scores = [gate.score(full_state(gate, turns), QUESTION) for gate in (GATE, read)]
    assert np.array_equal(scores[0].logits, scores[1].logits)


def test_weights_without_a_measured_buffer_are_refused(tmp_path: Path):
    save_gate(GATE, tmp_path)
    weights = load_file(tmp_path / WEIGHTS)
    del weights["tiers.whitening.W"]
    save_file(weights, tmp_path / WEIGHTS)
    with pytest.raises(GateError, match="do not fit its config"):
        read_gate(tmp_path)


def test_leaving_a_turn_out_is_scoring_a_history_without_it():
    turns, state = chat(8), full_state(GATE, chat(8))
    without = leave_one_out(GATE, state, QUESTION, 3)
    facts = [facts_of(turn) for place, turn in enumerate(turns) if place != 3]
    expected = GATE.score(GATE.state(np.delete(state.embeddings, 3, axis=0), facts), QUESTION).scores
    assert np.isnan(without[3])
    assert np.delete(without, 3) == pytest.approx(expected, abs=1e-6)
    links = strongest_links(GATE, state, QUESTION, GATE.score(state, QUESTION), 6, limit=2)
    assert [link.other for link in links] == list(np.argsort(-all_links(GATE, state)[6], kind="stable")[:2])


def test_edited_turn_is_scored_with_its_new_text_and_facts():
    turns = chat(6)
    changed = [*turns[:2], Turn.of("assistant", "the kernel, Bob"), *turns[3:]]
    state, vectors = full_state(GATE, turns), vectors_of(GATE, turns)
    vectors[2] = unit_vectors(1, seed=50, dimension=16)[0]
    expected = GATE.score(GATE.state(vectors, [facts_of(turn) for turn in changed]), QUESTION)
    found = edited(GATE, state, QUESTION, 2, vectors[2], facts_of(changed[2]))
    assert found.logits == pytest.approx(expected.logits, abs=1e-6)
    assert_same(GATE, state, full_state(GATE, turns))


def test_matrix_holds_the_scores_of_each_turn_as_the_current_one():
    turns = chat(7)
    messages = [full_message(GATE, turn, seed=place) for place, turn in enumerate(turns)]
    matrix = relevance_matrix(GATE, full_state(GATE, turns), messages)
    assert matrix[5, :5] == pytest.approx(
        GATE.score(full_state(GATE, turns[:5]), messages[5]).scores, abs=1e-6
    )


def test_semantic_part_is_what_the_cosine_counts():
    turns, state = chat(6), full_state(GATE, chat(6))
    vectors = vectors_of(GATE, turns)
    semantic = GATE.semantic(vectors, state, QUESTION)
    with torch.no_grad():
        white = GATE.tiers.whitening(torch.from_numpy(vectors))
        cosine = (white @ GATE.tiers.whitening(torch.from_numpy(QUESTION.embedding))).numpy()
        _, x = pair_features(GATE, turns, QUESTION, 6, 6)
        standard = GATE.tiers.standardise(x)
        weight = float(GATE.tiers.bilinear.weights(standard.mean(dim=0))[0])
    assert x[:, 0].numpy() == pytest.approx(cosine, abs=1e-6)
    assert semantic == pytest.approx(weight * standard[:, 0].numpy(), abs=1e-5)


def test_a_turn_is_found_by_its_best_passage_whatever_its_share_of_the_text():
    gate = Gate(GateConfig(preset="full", dimension=16))
    gate.tiers.whitening.mean.fill_(0.2)
    gate.tiers.bilinear.weight.data[NAMES.index("passage")] = 1.0
    turns, message = chat(4), full_message(gate, chat(1)[0])
    vectors, facts = vectors_of(gate, turns), [facts_of(turn) for turn in turns]
    passages = [row[None] for row in vectors]
    plain = gate.score(gate.state(vectors, facts, passages), message).scores
    found = []
    for share in (0.5, 0.02):
        passages[1] = np.stack([vectors[1] * (1 - share), message.embedding * share])
        found.append(gate.score(gate.state(vectors, facts, passages), message).scores)
    assert found[0] == pytest.approx(found[1], abs=1e-6)
    assert found[0][1] > plain[1] + 0.1
    grown = gate.extended(gate.state(vectors[:1], facts[:1]), vectors[1:], facts[1:], passages[1:])
    assert gate.score(grown, message).scores == pytest.approx(found[1], abs=1e-6)


def test_words_that_are_shared_carry_the_semantic_part():
    encoder, text = FakeEncoder(16), "the NaN loss vanishes"
    gate = Gate(GateConfig(preset="full", dimension=16))
    state = gate.state(encoder.encode([text]), [facts_of(Turn.of("user", text))])
    message = Message(encoder.encode(["NaN loss"])[0], facts_of(Turn.of("user", "NaN loss")))
    effects = {text[e.start : e.stop]: e.effect for e in word_effects(gate, encoder, text, state, message)}
    assert min(effects["NaN"], effects["loss"]) > max(effects["the"], effects["vanishes"])


def test_kept_states_are_those_made_anew():
    encoder, kept = FakeEncoder(16), KeptStates()
    talk = Conversation(id="t", turns=tuple(chat(30)))
    fork = (*talk.turns[:10], *chat(40)[35:])
    for turns in (talk.turns[:10], talk.turns[:20], talk.turns[:5], fork, talk.turns, ()):
        vectors = encoder.encode([turn.scored_text for turn in turns])
        anew = GATE.state(vectors, [facts_of(turn) for turn in turns])
        assert_same(GATE, kept.state(GATE, encoder, turns), anew)


def test_policy_scores_turns_by_their_speakers_times_and_words():
    talk = Conversation(id="t", turns=tuple(chat(12)))
    policy = GatePolicy(GATE, FakeEncoder(16))
    found = policy.score(*talk.at(11))
    encoder = FakeEncoder(16)
    vectors = encoder.encode([turn.scored_text for turn in talk.turns])
    state = GATE.state(vectors[:11], [facts_of(turn) for turn in talk.turns[:11]])
    expected = GATE.score(state, Message(vectors[11], facts_of(talk.turns[11])))
    assert found.scores.logits == pytest.approx(expected.logits, abs=1e-5)
    decisions = policy.decide(*talk.at(11))
    assert set(decisions.parts) == {*PARTS, "contextual"}


def test_scoring_is_on_one_thread_and_gives_the_others_back():
    blas = ThreadpoolController().select(user_api="blas").lib_controllers
    assert blas, "numpy brings one"
    before = [torch.get_num_threads(), *(library.get_num_threads() for library in blas)]
    with one_thread():
        assert [torch.get_num_threads(), *(library.get_num_threads() for library in blas)] == [1] * len(
            before
        )
    assert [torch.get_num_threads(), *(library.get_num_threads() for library in blas)] == before


def test_what_an_interrupted_growth_left_behind_is_put_aside():
    turns = chat(9)
    state, expected = GATE.first(full_state(GATE, turns[:6]), 6), full_state(GATE, turns)
    state.memory.embeddings.extend(expected.embeddings[6:])  # as far as it came
    assert_same(GATE, GATE.extended(state, expected.embeddings[6:], expected.facts[6:]), expected)
