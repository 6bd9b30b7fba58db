"""Episodes: cases as tensors; unjudged turns are neither learned nor measured."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from convgate.core.conversation import Conversation, Turn
from convgate.gate.model import Gate
from convgate.policies.gate import GatePolicy
from convgate.training.episodes import Episode, batch, read_episodes
from convgate.training.gate_module import GateModule
from convgate.training.trainer import training_loss
from convgate.transcripts.cases import Case, RelevanceSet
from tests.planted_sets import make_relevance_set, small_encoder, small_gate, with_cases

PRESETS = pytest.mark.parametrize("preset", ["full", "reference"])


def randomized_gate(preset: str) -> Gate:
    """A small gate whose every part does something, as after training."""
    module, generator = GateModule.of(small_gate(preset=preset)), torch.Generator().manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=generator))
    return module.to_gate()


def numbered(length: int, cases: list[tuple[int | None, int | None]]) -> RelevanceSet:
    """One conversation whose turns all differ, and cases: the turn (None: a later question) and the window.

    What matters to a case is every third turn of its history.
    """
    turns = tuple(Turn.of("user", f"turn {number} of many") for number in range(length))
    episodes = []
    for number, (turn, window) in enumerate(cases):
        stop = length if turn is None else turn
        query = Turn.of("user", f"question {number}") if turn is None else None
        relevant = frozenset(range(max(0, stop - (window or stop)), stop, 3))
        episodes.append(Case(f"c{number}", "long", turn, query, relevant, window))
    return RelevanceSet("numbered", {"long": Conversation("long", turns)}, tuple(episodes))


def read_back(sets: RelevanceSet, episodes: list[Episode]) -> dict[str, tuple[list[str], set[str]]]:
    """By the text of each message: the texts of its history, and those that matter, as episodes have them."""
    encoder = small_encoder()
    texts = [turn.text for conversation in sets.conversations.values() for turn in conversation.turns]
    texts += [case.query.text for case in sets.cases if case.query is not None]
    known = {
        row.astype(np.float16).tobytes(): text for row, text in zip(encoder.encode(texts), texts, strict=True)
    }
    cases = {}
    for episode in episodes:
        for question in episode.questions:
            rows = episode.embeddings[question.stop - question.width : question.stop]
            history = [known[row.tobytes()] for row in rows]
            message = known[question.embedding.tobytes()]
            assert message not in cases, "a case came twice"
            cases[message] = history, {history[row] for row in question.relevant}
    return cases


# Batches


@PRESETS
def test_cases_together_score_as_each_alone(preset: str) -> None:
    gate, sets = randomized_gate(preset), make_relevance_set()
    module = GateModule.of(gate)
    windowed = [replace(case, window=5, relevant=frozenset()) for case in sets.cases[::2]]
    (episode, *_) = read_episodes(gate, small_encoder(), with_cases(sets, *sets.cases[1::2], *windowed))
    assert len({question.stop for question in episode.questions}) > 3
    every = batch(module, episode, range(len(episode.questions)))
    together = module(every.turns, every.messages, every.mask)
    for place in range(len(episode.questions)):
        one = batch(module, episode, [place])
        alone = module(one.turns, one.messages, one.mask)
        for both, single in zip(together[:3], alone[:3], strict=True):
            there = one.mask[0]
            assert torch.equal(every.mask[place][: len(there)], there)
            assert torch.allclose(both[place][: len(there)][there], single[0][there], atol=1e-5)
        assert together.logit[place][every.mask[place]].std() > 0.01


@PRESETS
def test_a_case_scores_in_training_as_at_inference(preset: str) -> None:
    gate, encoder, sets = randomized_gate(preset), small_encoder(), make_relevance_set(conversations=2)
    module, policy = GateModule.of(gate), GatePolicy(gate, encoder)
    for episode in read_episodes(gate, encoder, sets):
        known = [case for case in sets.cases if case.conversation == episode.conversation]
        every = batch(module, episode, range(len(known)))
        logits = module(every.turns, every.messages, every.mask).logit
        for row, case in enumerate(known):
            scored = policy.score(*sets.current(case)).scores.logits
            assert logits[row][every.mask[row]].detach().numpy() == pytest.approx(scored, abs=0.02)


def test_the_mask_is_the_history_and_marks_what_matters() -> None:
    gate, sets = small_gate(), make_relevance_set(conversations=1)
    case = sets.cases[3]
    assert case.turn == 11
    narrow = replace(case, id="narrow", window=4, relevant=frozenset({8, 10}))
    (episode,) = read_episodes(gate, small_encoder(), with_cases(sets, narrow, sets.cases[0]))
    inputs = batch(GateModule.of(gate), episode, [0, 1])
    assert inputs.mask.shape == (2, 11)
    assert torch.nonzero(inputs.mask[0]).flatten().tolist() == [7, 8, 9, 10]
    assert torch.nonzero(inputs.mask[1]).flatten().tolist() == list(range(8))
    assert torch.nonzero(inputs.relevant[0]).flatten().tolist() == [8, 10]
    assert torch.nonzero(inputs.relevant[1]).flatten().tolist() == sorted(sets.cases[0].relevant)


# Stretches


@pytest.mark.parametrize("length", [130, 131, 231, 400])
def test_a_long_conversation_gives_each_case_once_with_its_history_cut_to_the_stretch(length: int) -> None:
    turns = [1, 5, 29, 30, 31, 60, 99, 100, 128, 129, 130, 131, 159, 160, 200, 229, 230, 231, 260, 329, 399]
    asked = [(turn, 100) for turn in turns if turn < length] + [(None, 100)]
    sets = numbered(length, asked)
    episodes = read_episodes(small_gate(), small_encoder(), sets)
    assert max(len(episode.embeddings) for episode in episodes) <= 130
    cases = read_back(sets, episodes)
    assert len(cases) == len(asked)
    for case in sets.cases:
        current, history = sets.current(case)
        posed = [turn.text for turn in history]
        read, relevant = cases[current.turn.text]
        assert read == posed[len(posed) - len(read) :]
        assert len(read) >= min(30, len(posed))
        expected = {history.conversation.turns[turn].text for turn in case.relevant}
        assert relevant == expected & set(read)


# What is read


def half_judged_set(name: str = "own", **how: int) -> RelevanceSet:
    """The planted set with every other turn of each history judged."""
    sets = make_relevance_set(name, **how)
    cases = []
    for case in sets.cases:
        judged = frozenset(range((case.turn or 0) % 2, case.turn or 0, 2))
        cases.append(replace(case, judged=judged, relevant=case.relevant & judged))
    return with_cases(sets, *cases)


def read(sets: RelevanceSet) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), sets)


def mark_unjudged_relevant(episodes: list[Episode]) -> list[Episode]:
    """The same with every turn that is not judged made relevant."""

    def told(episode: Episode) -> Episode:
        questions = []
        for question in episode.questions:
            assert question.judged is not None
            unjudged = np.setdiff1d(np.arange(question.width), question.judged)
            assert len(unjudged)
            questions.append(replace(question, relevant=np.union1d(question.relevant, unjudged)))
        return replace(episode, questions=tuple(questions))

    return [told(episode) for episode in episodes]


# Training


def test_the_gate_sees_the_whole_history_and_is_told_which_turns_are_judged() -> None:
    sets = make_relevance_set(conversations=1)
    case = replace(sets.cases[3], window=6, judged=frozenset({7, 9}), relevant=frozenset({9}))
    assert case.turn == 11
    (episode,) = read(with_cases(sets, case, sets.cases[0]))
    inputs = batch(small_gate(), episode, [0, 1])
    assert torch.nonzero(inputs.mask[0]).flatten().tolist() == [5, 6, 7, 8, 9, 10]
    assert torch.nonzero(inputs.judged[0]).flatten().tolist() == [7, 9]
    assert torch.nonzero(inputs.relevant[0]).flatten().tolist() == [9]
    assert torch.equal(inputs.judged[1], inputs.mask[1])
    assert (episode.questions[0].case, episode.start) == (case.id, 0)


def test_what_is_not_judged_changes_neither_loss_nor_gradient() -> None:
    gate, sets = GateModule.of(small_gate()), half_judged_set(conversations=1)
    losses, gradients = [], []
    for (episode,) in (read(sets), mark_unjudged_relevant(read(sets))):
        cases = batch(gate, episode, range(len(episode.questions)))
        output = gate(cases.turns, cases.messages, cases.mask)
        loss = training_loss(output, cases.relevant, cases.judged, ranking_weight=0.3)
        (gradient,) = torch.autograd.grad(loss, output.logit)
        assert gradient[cases.judged].abs().min() > 0
        assert not gradient[~cases.judged].any()
        losses.append(float(loss.detach()))
        gradients.append(gradient)
    assert losses[0] == losses[1]
    assert torch.equal(*gradients)
