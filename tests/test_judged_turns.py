"""Turns that nobody judged: policies see them, and nothing is learned from them or measured on them."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import torch

from convgate.conversation import Conversation, History, Situation, Turn
from convgate.decisions import TurnDecisions
from convgate.errors import TrainingError
from convgate.evaluation.calibration import BestFBeta
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.fitting import fit_threshold as calibrate
from convgate.evaluation.judge import count_tokens, judge
from convgate.gate.model import Gate, GateOutput
from convgate.policies.base import history_indices
from convgate.training import trainer as loop
from convgate.training.comparison import compare_gates, fit_threshold_on
from convgate.training.episodes import Episode, batch, read_episodes
from convgate.training.report import make_verdict
from convgate.training.trainer import Trainer, training_loss
from convgate.transcripts.relevance_sets import Case, RelevanceSet, read_relevance_set, write_relevance_set
from tests.planted import QUICK, planted, small_encoder, small_gate, with_cases
from tools.pretraining.lengthening import lengthen


def judged_turns(episode: Episode) -> int:
    """How many turns are judged, over all cases."""
    return sum(one.width if one.judged is None else len(one.judged) for one in episode.questions)


def half_judged(name: str = "own", **how: int) -> RelevanceSet:
    """The planted set with every other turn of each history judged."""
    sets = planted(name, **how)  # type: ignore[arg-type]
    cases = []
    for case in sets.cases:
        judged = frozenset(range((case.turn or 0) % 2, case.turn or 0, 2))
        cases.append(replace(case, judged=judged, relevant=case.relevant & judged))
    return with_cases(sets, *cases)


def read(sets: RelevanceSet) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), sets)


def otherwise(episodes: list[Episode]) -> list[Episode]:
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
    sets = planted(conversations=1)
    case = replace(sets.cases[3], window=6, judged=frozenset({7, 9}), relevant=frozenset({9}))
    assert case.turn == 11
    (episode,) = read(with_cases(sets, case, sets.cases[0]))
    found = batch(small_gate(), episode, [0, 1])
    assert torch.nonzero(found.mask[0]).flatten().tolist() == [5, 6, 7, 8, 9, 10]
    assert torch.nonzero(found.judged[0]).flatten().tolist() == [7, 9]
    assert torch.nonzero(found.relevant[0]).flatten().tolist() == [9]
    assert torch.equal(found.judged[1], found.mask[1])
    assert (episode.questions[0].case, episode.start) == (case.id, 0)


def test_what_is_not_judged_changes_neither_loss_nor_gradient() -> None:
    gate, sets = small_gate(), half_judged(conversations=1)
    losses, gradients = [], []
    for (episode,) in (read(sets), otherwise(read(sets))):
        cases = batch(gate, episode, range(len(episode.questions)))
        output = gate(cases.turns, cases.messages, cases.mask)
        loss = training_loss(output, cases.relevant, cases.judged, overlap_weight=0.5)
        (gradient,) = torch.autograd.grad(loss, output.logit)
        assert gradient[cases.judged].abs().min() > 0
        assert not gradient[~cases.judged].any()
        losses.append(float(loss.detach()))
        gradients.append(gradient)
    assert losses[0] == losses[1]
    assert torch.equal(*gradients)


def test_what_is_not_judged_changes_no_weight_no_curve_no_threshold_and_no_verdict() -> None:
    known, validation, held = (half_judged(name, seed=seed) for seed, name in enumerate(["a", "b", "c"]))
    ends = []
    for form in (list, otherwise):
        trainer = Trainer(small_gate(), {"a": form(read(known))}, {"b": form(read(validation))}, QUICK)
        best = trainer.run()
        threshold = fit_threshold_on(best, {"b": form(read(validation))})
        report = compare_gates(small_gate(), best, {"c": form(read(held))})
        assert report is not None
        verdict = make_verdict(report)
        ends.append(
            (trainer.history, {k: v.tolist() for k, v in best.state_dict().items()}, threshold, verdict)
        )
    assert ends[0] == ends[1]
    assert ends[0][2] is not None


def test_a_turn_that_is_not_judged_is_no_negative_either(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []

    def counting(
        output: GateOutput, relevant: torch.Tensor, mask: torch.Tensor, **how: float
    ) -> torch.Tensor:
        judged.append(int(mask.sum()))
        return training_loss(output, relevant, mask, **how)

    monkeypatch.setattr(loop, "training_loss", counting)
    episode, other = read(half_judged(conversations=2))
    expected = [judged_turns(each) for each in (episode, other)]
    one = replace(QUICK, episodes=1, epochs=1)
    trainer = Trainer(small_gate(), {"a": [episode]}, {"b": [other]}, one)
    trainer.run()
    assert judged == expected
    assert max(expected) < sum(question.width for question in episode.questions)


def test_precision_in_validation_is_that_of_judged_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    keeps_all = Gate.forward

    def everything(self: Gate, *words: torch.Tensor) -> GateOutput:
        output = keeps_all(self, *words)
        return output._replace(logit=output.logit + 100)

    episode, other = read(half_judged(conversations=2))
    trainer = Trainer(small_gate(), {"a": [episode]}, {"b": [other]}, replace(QUICK, episodes=1, epochs=1))
    monkeypatch.setattr(Gate, "forward", everything)
    epoch = trainer.epoch()
    assert epoch.recall == 1
    relevant = sum(len(question.relevant) for question in other.questions)
    assert epoch.precision == pytest.approx(relevant / judged_turns(other))


def test_judged_turns_alone_are_fixed_or_broken() -> None:
    gate, sets = small_gate(), planted(conversations=1)
    worse = small_gate(seed=1)
    with torch.no_grad():
        worse.threshold_logit.fill_(-20)  # keeps everything
        gate.threshold_logit.fill_(20)  # keeps nothing
    case = replace(sets.cases[0], judged=frozenset({0, 1, 2}), relevant=frozenset({1}))
    report = compare_gates(gate, worse, {"own": read(with_cases(sets, case))})
    assert report is not None
    verdict = make_verdict(report)
    assert verdict is not None
    assert (verdict.fixed, verdict.broken) == (1, 2)
    assert verdict.parent_f1 == 0
    assert verdict.child_f1 == pytest.approx(2 / (3 + 1))


def test_a_case_of_which_nothing_is_judged_is_left_out() -> None:
    sets = planted(conversations=2)
    empty = [replace(case, judged=frozenset(), relevant=frozenset()) for case in sets.cases[:6]]
    (episode,) = read(with_cases(sets, *empty, *sets.cases[6:]))
    assert episode.conversation == "own-1"
    with pytest.raises(TrainingError, match="own has no case to learn from"):
        read(with_cases(sets, *empty))


def test_a_case_whose_judged_turns_are_all_before_its_stretch_is_left_out() -> None:
    turns = tuple(Turn.of("user", f"turn {number}") for number in range(300))
    first = Case("early", "long", 280, None, frozenset({90}), window=200, judged=frozenset({90, 85}))
    others = [
        Case("late", "long", 280, None, frozenset({260}), window=100),
        Case("begin", "long", 105, None, frozenset({100}), window=20),
    ]
    long = RelevanceSet("long", {"long": Conversation("long", turns)}, (first, *others))
    episodes = read(long)
    read_cases = {question.case: (one.start, question) for one in episodes for question in one.questions}
    start, late = read_cases["late"]
    assert start > 90, "the stretch of the late case begins after what was judged"
    assert start + late.stop - late.width + late.relevant[0] == 260
    assert "early" not in read_cases


def test_a_relevant_turn_that_is_not_judged_is_told() -> None:
    sets = planted(conversations=1)
    wrong = replace(sets.cases[0], judged=frozenset({1}), relevant=frozenset({1, 3}))
    with pytest.raises(TrainingError, match=r"case 'own-0-8' of own: turn 3 is relevant, but not among"):
        read(with_cases(sets, wrong))
    outside = replace(sets.cases[0], judged=frozenset({99}), relevant=frozenset())
    with pytest.raises(TrainingError, match=r"case 'own-0-8' of own: turn 99 is not in its history"):
        read(with_cases(sets, outside))


def test_what_is_not_judged_stays_so_in_a_longer_history() -> None:
    sets = []
    for number in range(2):
        people = (f"Ada{number}", f"Ben{number}")
        turns = tuple(
            Turn.of("user", f"{number} says {place}", name=people[place % 2], timestamp="2024-01-01T10:00:00")
            for place in range(4)
        )
        id = f"t{number}"
        judged = frozenset({1, 2}) if number == 0 else None
        case = Case(f"{id}-q", id, None, Turn.of("user", "What?"), frozenset({2}), judged=judged)
        sets.append(RelevanceSet(id, {id: Conversation(id, turns)}, (case,)))
    long = lengthen(sets, count=1, seed=0, parts=(2, 2))
    texts = [turn.text for turn in long.conversations["long-0"].turns]
    partly, wholly = sorted(long.cases, key=lambda case: case.id)
    assert partly.judged is not None
    left = {texts[row] for row in range(8) if row not in partly.judged}
    assert left == {"0 says 0", "0 says 3"}
    assert wholly.judged is None


# Measuring


@dataclass
class Middle:
    """Keeps what scores ½ and more; a turn scores what its text says."""

    name: ClassVar[str] = "middle"
    label: ClassVar[str] = "Middle"
    ranks: ClassVar[bool] = True
    needs_encoder: ClassVar[bool] = False
    seen: int = 0

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        scores = np.array([float(turn.text) for turn in history])
        self.seen = len(scores)
        return TurnDecisions(
            policy=self.name,
            rule="test",
            indices=history_indices(history),
            kept=scores >= 0.5,
            scores=scores,
            why_kept="kept.",
            why_dropped="dropped.",
        )


def scored(*cases: Case) -> RelevanceSet:
    talk = Conversation("t", tuple(Turn.of("user", text) for text in ("0.9", "0.2", "0.7", "0.4", "now")))
    return RelevanceSet("own", {"t": talk}, cases)


def test_a_policy_decides_on_everything_and_is_measured_on_what_is_judged() -> None:
    case = Case("c", "t", 4, None, frozenset({0, 3}), window=3, judged=frozenset({2, 3}))
    case = replace(case, relevant=frozenset({3}))
    policy, sets = Middle(), scored(case)
    (judged,) = judge(sets, policy, tokens={"t": np.array([1, 2, 4, 8, 16])})
    assert policy.seen == 3
    assert judged.indices.tolist() == [2, 3]
    assert (judged.relevant.tolist(), judged.kept.tolist()) == ([False, True], [True, False])
    assert judged.scores is not None
    assert (judged.scores.tolist(), judged.tokens.tolist()) == ([0.7, 0.4], [4, 8])
    found = evaluate([sets], [policy]).sets["own"].policies["middle"].overall
    assert found["map"].value == 1 / 2
    assert (found["precision"].value, found["recall"].value) == (0, 0)


def test_a_case_without_judged_turns_is_no_case_of_any_metric() -> None:
    whole = Case("c", "t", 4, None, frozenset({0}))
    empty = replace(whole, id="e", relevant=frozenset(), judged=frozenset())
    one, both = scored(whole), scored(whole, empty)
    assert json.dumps(evaluate([one], [Middle()]).to_json()) == json.dumps(
        evaluate([both], [Middle()]).to_json()
    )
    assert evaluate([scored(empty)], [Middle()]).sets["own"].to_json()["cases"] == 0
    assert count_tokens(scored(empty)) == {}


def test_the_calibrated_threshold_is_that_of_the_judged_turns() -> None:
    whole = Case("c", "t", 4, None, frozenset({0}))
    part = replace(whole, judged=frozenset({0, 1}))
    lower = replace(whole, relevant=frozenset({0, 3}))
    fitted = {
        name: calibrate([scored(case)], Middle(), BestFBeta()).rule.threshold
        for name, case in (("whole", whole), ("part", part), ("lower", lower))
    }
    assert fitted["whole"] == fitted["part"] == 0.9
    assert fitted["lower"] == 0.4
    without = replace(lower, relevant=frozenset({0}), judged=frozenset({0, 1, 2}))
    assert calibrate([scored(without)], Middle(), BestFBeta()).rule.threshold == 0.9


def test_a_set_keeps_its_judged_turns_in_a_file(tmp_path: Path) -> None:
    sets = half_judged()
    write_relevance_set(sets, tmp_path / "own.jsonl")
    assert read_relevance_set(tmp_path / "own.jsonl").cases == sets.cases
