"""What is measured is what is sent: beside what a policy keeps, what must hold and whole groups of turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.settings import Settings
from convgate.evaluation.answer_curve import answer_curve
from convgate.evaluation.judged_cases import count_tokens, judge_set
from convgate.evaluation.risk_control import Losses
from convgate.evaluation.sending import Sending, SentTurns
from convgate.evaluation.tuning import ScoredCases, score_cases
from convgate.gate.thresholds import Absolute
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.window import LastK
from convgate.selection.load import selector_of
from convgate.transcripts import Case, RelevanceSet
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

TALK = Conversation(
    "talk",
    (
        Turn.of("system", "You plan trips."),
        Turn.of("user", "I am allergic to nuts, never suggest anything with nuts."),
        Turn.of("assistant", "Noted."),
        Turn.of("user", "How warm is Rome?"),
        Turn("assistant", tool_calls=(ToolCall("a", "weather", "{}"),)),
        Turn.of("tool", "31 degrees", tool_call_id="a"),
        Turn.of("assistant", "31 degrees."),
        Turn.of("user", "And where do we eat?"),
    ),
)
KEPT = st.lists(st.booleans(), min_size=7, max_size=7)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(home=tmp_path_factory.mktemp("home"))


@pytest.mark.parametrize("pair_answers", [False, True])
def test_it_is_what_select_sends(settings: Settings, pair_answers: bool) -> None:
    settings = settings.updated(pair_answers=pair_answers)
    sending, current_history = Sending.of(settings), TALK.at(7)
    selector = replace(selector_of(LastK(k=0), settings), around=())

    @given(KEPT)
    def is_the_same(kept: list[bool]) -> None:
        decided = replace(LastK(k=0).decide(*current_history), kept=np.array(kept))
        sent = selector.select_current(*current_history, decisions=decided).decisions.kept
        assert sending.at(*current_history).of(np.array(kept)).tolist() == sent.tolist()

    is_the_same()


def always(sent: SentTurns) -> list[int]:
    return np.flatnonzero(np.isposinf(sent.reach(np.zeros(len(sent))))).tolist()


@pytest.mark.parametrize("pair_answers", [False, True])
def test_a_reach_says_what_each_threshold_sends(settings: Settings, pair_answers: bool) -> None:
    sent = Sending.of(settings.updated(pair_answers=pair_answers)).at(*TALK.at(7))
    assert always(sent) == ([0, 1, 2] if pair_answers else [0, 1])

    @given(st.permutations(range(7)), st.integers(-1, 7))
    def is_the_same(order: list[int], threshold: int) -> None:
        scores = np.array(order, dtype=float)
        assert (sent.reach(scores) >= threshold).tolist() == sent.of(scores >= threshold).tolist()

    is_the_same()


def test_what_belongs_to_a_result_that_is_answered_is_sent_at_every_threshold(settings: Settings) -> None:
    sent = Sending.of(settings).at(*TALK.at(5))
    assert always(sent) == [0, 1, 4], "the call, too"
    assert sent.of(np.zeros(5, dtype=np.bool_)).tolist() == [True, True, False, False, True]


def test_what_lifts_a_part_of_a_rule_is_sent_at_every_threshold(settings: Settings) -> None:
    texts = ("No nuts, and no milk.", "Sure.", "Milk is fine again.", "Fine.", "Write a recipe.")
    turns = [Turn.of(("user", "assistant")[place % 2], text) for place, text in enumerate(texts)]
    assert always(Sending.of(settings).at(*Conversation("talk", turns).at(4))) == [0, 2]


def labelled(needed: set[int]) -> RelevanceSet:
    case = Case(id="one", conversation="talk", turn=7, query=None, relevant=frozenset(needed))
    return RelevanceSet("mine", {"talk": TALK}, (case,))


def test_a_policy_misses_nothing_that_is_sent_whatever_it_keeps(settings: Settings) -> None:
    mine, policy = labelled({1}), build_policy("last_k", settings, FakeEncoder(), k=0)
    tokens = count_tokens(mine)
    alone, sent = (
        judge_set(mine, policy, tokens=tokens, sending=sending) for sending in (None, Sending.of(settings))
    )
    assert alone.turns[alone.kept].tolist() == []
    assert sent.turns[sent.kept].tolist() == [0, 1]


def test_a_rule_its_curve_and_its_promise_count_what_is_sent(settings: Settings) -> None:
    policy = GatePolicy(trained_gate(seed=5), FakeEncoder())

    def score(needed: set[int]) -> ScoredCases:
        return score_cases([labelled(needed)], policy, sending=Sending.of(settings))

    held, tool = score({1}), score({5})
    figures = held.figures(held.kept(Absolute(1.0)))
    assert figures.answerable.value == 1
    assert figures.tokens_kept == held.tokens[:2].sum()
    curve = answer_curve(held, Absolute())
    assert curve is not None
    assert curve.answerable.tolist() == [1.0] * len(curve.values)
    assert np.isinf(Losses(held).levels).all()
    (case,) = tool.cases
    scores = case.scores[[4, 5]]  # the call and its result are sent together
    assert tool.curve_sums(Absolute()).curve().recall[-1] == 0
    assert tool.kept(Absolute(float(scores.max()))).tolist()[4:6] == [True, True]
    assert tool.kept(Absolute(float(scores.max()) + 1e-6)).tolist()[4:6] == [False, False]


def test_without_it_a_policy_is_measured_alone(tmp_path: Path) -> None:
    scored = score_cases([labelled({1})], GatePolicy(trained_gate(seed=5), FakeEncoder()))
    assert not scored.kept(Absolute(1.0)).any()
