"""Episodes: cases as tensors, batched and masked, long conversations in stretches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from convgate.conversation import Conversation, Turn
from convgate.errors import ConversationError, TrainingError
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.policies.gate import GatePolicy
from convgate.training.episodes import Episode, batch, batches, read_episodes
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from tests.fakes import FakeEncoder
from tests.planted import planted, small_encoder, small_gate, with_cases

PRESETS = pytest.mark.parametrize("preset", ["full", "reference"])


def stirred(gate: Gate) -> Gate:
    """The gate with every part doing something, as after training."""
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in gate.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return gate


def numbered(length: int, cases: list[tuple[int | None, int | None]]) -> RelevanceSet:
    """One conversation whose turns all differ, and cases: the turn (None: a later question) and the window.

    What matters to a case is every third turn of its history.
    """
    turns = tuple(Turn.of("user", f"turn {number} of many") for number in range(length))
    made = []
    for number, (turn, window) in enumerate(cases):
        stop = length if turn is None else turn
        query = Turn.of("user", f"question {number}") if turn is None else None
        relevant = frozenset(range(max(0, stop - (window or stop)), stop, 3))
        made.append(Case(f"c{number}", "long", turn, query, relevant, window))
    return RelevanceSet("numbered", {"long": Conversation("long", turns)}, tuple(made))


def read_back(sets: RelevanceSet, episodes: list[Episode]) -> dict[str, tuple[list[str], set[str]]]:
    """By the text of each message: the texts of its history, and those that matter, as episodes have them."""
    encoder = small_encoder()
    texts = [turn.text for talk in sets.conversations.values() for turn in talk.turns]
    texts += [case.query.text for case in sets.cases if case.query is not None]
    known = {
        row.astype(np.float16).tobytes(): text for row, text in zip(encoder.encode(texts), texts, strict=True)
    }
    found = {}
    for episode in episodes:
        for question in episode.questions:
            rows = episode.embeddings[question.stop - question.width : question.stop]
            history = [known[row.tobytes()] for row in rows]
            message = known[question.embedding.tobytes()]
            assert message not in found, "a case came twice"
            found[message] = history, {history[row] for row in question.relevant}
    return found


# Batches


@PRESETS
def test_cases_together_score_as_each_alone(preset: str) -> None:
    gate, sets = stirred(small_gate(preset=preset)), planted()
    windowed = [replace(case, window=5, relevant=frozenset()) for case in sets.cases[::2]]
    (episode, *_) = read_episodes(gate, small_encoder(), with_cases(sets, *sets.cases[1::2], *windowed))
    assert len({question.stop for question in episode.questions}) > 3
    every = batch(gate, episode, range(len(episode.questions)))
    together = gate(every.turns, every.messages, every.mask)
    for place in range(len(episode.questions)):
        one = batch(gate, episode, [place])
        alone = gate(one.turns, one.messages, one.mask)
        for both, single in zip(together[:3], alone[:3], strict=True):
            there = one.mask[0]
            assert torch.equal(every.mask[place][: len(there)], there)
            assert torch.allclose(both[place][: len(there)][there], single[0][there], atol=1e-5)
        assert together.logit[place][every.mask[place]].std() > 0.01


@PRESETS
def test_a_case_scores_in_training_as_it_does_in_use(preset: str) -> None:
    gate, encoder, sets = stirred(small_gate(preset=preset)), small_encoder(), planted(conversations=2)
    policy = GatePolicy(gate, encoder)
    for episode in read_episodes(gate, encoder, sets):
        known = [case for case in sets.cases if case.conversation == episode.conversation]
        every = batch(gate, episode, range(len(known)))
        logits = gate(every.turns, every.messages, every.mask).logit
        for row, case in enumerate(known):
            scored = policy.score(*sets.situation(case)).scores.logits
            assert logits[row][every.mask[row]].detach().numpy() == pytest.approx(scored, abs=0.02)


def test_the_mask_is_the_history_and_marks_what_matters() -> None:
    gate, sets = small_gate(), planted(conversations=1)
    case = sets.cases[3]
    assert case.turn == 11
    narrow = replace(case, id="narrow", window=4, relevant=frozenset({8, 10}))
    (episode,) = read_episodes(gate, small_encoder(), with_cases(sets, narrow, sets.cases[0]))
    found = batch(gate, episode, [0, 1])
    assert found.mask.shape == (2, 11)
    assert torch.nonzero(found.mask[0]).flatten().tolist() == [7, 8, 9, 10]
    assert torch.nonzero(found.mask[1]).flatten().tolist() == list(range(8))
    assert torch.nonzero(found.relevant[0]).flatten().tolist() == [8, 10]
    assert torch.nonzero(found.relevant[1]).flatten().tolist() == sorted(sets.cases[0].relevant)


def test_all_cases_come_thirty_at_a_time() -> None:
    gate, sets = small_gate(), numbered(80, [(turn, None) for turn in range(10, 80)])
    (episode,) = read_episodes(gate, small_encoder(), sets)
    found = list(batches(gate, episode))
    assert [len(cases.mask) for cases in found] == [30, 30, 10]
    assert [int(row.sum()) for cases in found for row in cases.mask] == list(range(10, 80))


# Stretches


@pytest.mark.parametrize("length", [129, 130, 131, 160, 229, 230, 231, 330, 400])
def test_a_long_conversation_gives_each_case_once_with_its_history_cut_to_the_stretch(length: int) -> None:
    turns = [1, 5, 29, 30, 31, 60, 99, 100, 128, 129, 130, 131, 159, 160, 200, 229, 230, 231, 260, 329, 399]
    asked = [(turn, 100) for turn in turns if turn < length] + [(None, 100)]
    sets = numbered(length, asked)
    episodes = read_episodes(small_gate(), small_encoder(), sets)
    assert max(len(episode.embeddings) for episode in episodes) <= 130
    found = read_back(sets, episodes)
    assert len(found) == len(asked)
    for case in sets.cases:
        situation, history = sets.situation(case)
        posed = [turn.text for turn in history]
        read, relevant = found[situation.turn.text]
        assert read == posed[len(posed) - len(read) :]
        assert len(read) >= min(30, len(posed))
        expected = {history.conversation.turns[turn].text for turn in case.relevant}
        assert relevant == expected & set(read)


def test_stretches_begin_shortly_before_the_first_case() -> None:
    sets = numbered(400, [(250, 100), (330, 100)])
    (episode,) = read_episodes(small_gate(), small_encoder(), sets)
    assert [question.width for question in episode.questions] == [30, 100]
    assert len(episode.embeddings) == 130


def test_only_later_questions_with_windows_are_read_from_the_end() -> None:
    sets = numbered(300, [(None, 50), (None, 20)])
    found = read_back(sets, read_episodes(small_gate(), small_encoder(), sets))
    texts = [turn.text for turn in sets.conversations["long"].turns]
    assert found["question 0"][0] == texts[-30:]
    assert found["question 1"][0] == texts[-20:]


def test_a_conversation_with_a_case_that_has_no_window_is_read_whole() -> None:
    sets = numbered(300, [(250, 100), (200, None), (None, None)])
    (episode,) = read_episodes(small_gate(), small_encoder(), sets)
    assert len(episode.embeddings) == 300
    assert sorted(question.width for question in episode.questions) == [100, 200, 300]


# What is read


def test_each_different_text_is_encoded_once(fake_encoder: FakeEncoder) -> None:
    sets = planted(conversations=3)
    gate = small_gate(fake_encoder)
    read_episodes(gate, fake_encoder, sets)
    texts = [turn.text for talk in sets.conversations.values() for turn in talk.turns]
    assert sorted(fake_encoder.texts) == sorted(set(texts))


def test_the_message_is_what_the_gates_situation_says() -> None:
    turns = [
        Turn.of("user", text) for text in ("apples are red", "so are cherries", "bridges carry us", "why?")
    ]
    sets = RelevanceSet(
        "s", {"a": Conversation("a", tuple(turns))}, (Case("1", "a", 3, None, frozenset({2})),)
    )
    encoder = small_encoder()
    gate = Gate(GateConfig("full", 16, hidden=8, situation="leaning", encoder=encoder.identity))
    (episode,) = read_episodes(gate, encoder, sets)
    leaning = encoder.encode(["so are cherries\nbridges carry us\nwhy?"])[0].astype(np.float16)
    assert np.array_equal(episode.questions[0].embedding, leaning)
    every = batch(gate, episode, [0])
    scored = GatePolicy(gate, encoder).score(*sets.situation(sets.cases[0])).scores.logits
    assert gate(every.turns, every.messages, every.mask).logit[0].detach().numpy() == pytest.approx(
        scored, abs=0.02
    )


def test_the_reference_preset_carries_no_features() -> None:
    (episode, *_) = read_episodes(small_gate(preset="reference"), small_encoder(), planted())
    assert episode.turns.size == 0
    assert all(question.features.size == 0 and question.width for question in episode.questions)


def test_cases_with_nothing_before_them_are_left_out() -> None:
    sets = planted(conversations=1)
    empty = Case("empty", "own-0", 0, None, frozenset())
    blind = Case("blind", "own-0", 5, None, frozenset(), window=0)
    (episode,) = read_episodes(small_gate(), small_encoder(), with_cases(sets, empty, sets.cases[0], blind))
    assert [question.width for question in episode.questions] == [sets.cases[0].turn]
    with pytest.raises(TrainingError, match="own has no case to learn from"):
        read_episodes(small_gate(), small_encoder(), with_cases(sets, empty, blind))


def test_a_set_that_nothing_can_be_learned_from_is_refused() -> None:
    sets = planted(conversations=2)
    with pytest.raises(TrainingError, match="own has no case to learn from"):
        read_episodes(small_gate(), small_encoder(), with_cases(sets))
    nothing = [replace(case, relevant=frozenset()) for case in sets.cases]
    with pytest.raises(TrainingError, match="nothing is relevant in any case of own"):
        read_episodes(small_gate(), small_encoder(), with_cases(sets, *nothing))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"conversation": "elsewhere"}, "'odd' of own is about 'elsewhere'"),
        ({"relevant": frozenset({1, 8})}, "'odd' of own: turn 8 is not in its history"),
        ({"relevant": frozenset({-1})}, "'odd' of own: turn -1 is not in its history"),
        ({"relevant": frozenset({4}), "window": 3}, "'odd' of own: turn 4 is not in its history"),
    ],
)
def test_a_case_about_what_is_not_there_is_named(change: dict[str, object], told: str) -> None:
    sets = planted(conversations=1)
    odd = replace(sets.cases[0], id="odd", **change)  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match=told):
        read_episodes(small_gate(), small_encoder(), with_cases(sets, *sets.cases, odd))


def test_a_message_that_is_not_there_is_told() -> None:
    sets = planted(conversations=1)
    with pytest.raises(ConversationError, match="turn 99"):
        read_episodes(small_gate(), small_encoder(), with_cases(sets, replace(sets.cases[0], turn=99)))


def test_progress_is_that_of_the_encoder() -> None:
    told: list[tuple[int, int]] = []
    sets = planted(conversations=1)
    read_episodes(
        small_gate(), small_encoder(), sets, progress=lambda done, total: told.append((done, total))
    )
    assert told[-1][0] == told[-1][1] == len({turn.text for turn in sets.conversations["own-0"].turns})
