"""Evaluations with small policies, comparisons turn by turn, and their tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.evaluation.comparison import OUTCOMES, compare, count_outcomes, outcome_codes
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.judged_cases import JudgedSet, count_tokens, judge_set
from convgate.evaluation.metrics import RANKING_METRICS
from convgate.evaluation.report import markdown, rich_tables
from convgate.policies.base import history_indices
from convgate.policies.build import build_policy
from convgate.transcripts import Case, RelevanceSet


def make_conversation(id, *texts):
    return Conversation(id=id, turns=tuple(Turn.of("user", text) for text in texts))


def case(id, conversation, turn, relevant=(), *, query=None, window=None, tags=()):
    return Case(
        id=id,
        conversation=conversation,
        turn=turn,
        query=query,
        relevant=frozenset(relevant),
        window=window,
        tags=tuple(tags),
    )


def relevance_set(cases, *conversations, name="tiny"):
    return RelevanceSet(
        name=name,
        conversations={conversation.id: conversation for conversation in conversations},
        cases=tuple(cases),
    )


def decisions(policy, history, kept, scores=None):
    return TurnDecisions(
        policy=policy,
        rule="test",
        indices=history_indices(history),
        kept=np.array(kept, dtype=bool),
        scores=None if scores is None else np.array(scores, dtype=float),
        why_kept="kept.",
        why_dropped="dropped.",
    )


@dataclass
class KeepAll:
    """Keeps all, ranks nothing."""

    name: str = "everything"
    ranks: bool = False

    def decide(self, current, history):
        return decisions(self.name, history, [True] * len(history))


@dataclass
class Recency:
    """Keeps the last `k`, ranks by position."""

    k: int = 1
    name: str = "recency"
    ranks: bool = True

    def decide(self, current, history):
        positions = np.arange(len(history))
        return decisions(self.name, history, positions >= len(history) - self.k, positions)


@dataclass
class Oracle:
    """Looks up the answer."""

    answers: dict = field(default_factory=dict)
    name: str = "perfect"
    ranks: bool = True

    def decide(self, current, history):
        relevant = self.answers[current.turn.text]
        kept = [index in relevant for index in range(history.start, history.stop)]
        return decisions(self.name, history, kept, kept)


def words(text):
    return len(text.split())


FOUR = make_conversation(
    "four", "a b c", "d", "e f", "now"
)  # 7, 5 and 6 tokens before "now": words and 4 a turn
TWO = make_conversation("two", "x", "y")


@pytest.fixture
def small_set():
    cases = [
        case("four-3", "four", 3, {0, 2}, tags=["returns"]),
        case("two-1", "two", 1, (), tags=["new"]),
        case("two-0", "two", 0),
    ]
    return relevance_set(cases, FOUR, TWO)


def values(result, policy, tag=None):
    policy_result = result.policies[policy]
    summary = policy_result.overall if tag is None else policy_result.by_tag[tag]
    return {name: measure.value for name, measure in summary.measures.items()}


def test_every_metric_equals_its_hand_computed_value(small_set):
    result = evaluate([small_set], [Recency(), KeepAll()], token_counter=words).sets["tiny"]
    assert values(result, "recency") == {
        "answerable": 0,  # turn 0 of "four" is needed, too
        "missed": 1 / 2,
        "answerable_area": 0,  # both take 13 of 18 tokens
        **{f"answerable@{budget}": 0 for budget in ("15%", "25%", "35%", "50%")},
        "map": pytest.approx((1 + 2 / 3) / 2),
        "recall@5": 1,
        "recall@10": 1,
        "recall@25": 1,
        "recall@50": 1,
        "precision": 1 / 2,  # keeps turn 2 of "four" and turn 0 of "two"
        "recall": 1 / 2,
        "f1": 1 / 2,
        "exact_empty": 1 / 2,  # the empty history alone
        "kept_token_share": (6 + 5) / (7 + 5 + 6 + 5),
    }
    everything = values(result, "everything")
    assert [everything[name] for name in RANKING_METRICS] == [None] * 5
    assert everything["precision"] == 2 / 4
    assert everything["recall"] == everything["kept_token_share"] == everything["answerable"] == 1
    assert everything["answerable@50%"] is None, "a policy that does not rank fills no budget"


def test_only_needed_turns_have_to_be_sent_and_budgets_are_filled_with_whole_turns():
    needs_one = replace(case("four-3", "four", 3, {0, 2}), needed=frozenset({2}))
    result = evaluate([relevance_set([needs_one], FOUR)], [Recency()], token_counter=words).sets["tiny"]
    recency = values(result, "recency")
    assert (recency["answerable"], recency["missed"], recency["recall"]) == (1, 0, 1 / 2)
    budgets = {name: recency[f"answerable@{name}"] for name in ("15%", "25%", "35%", "50%")}
    assert budgets == {"15%": 0, "25%": 0, "35%": 1, "50%": 1}, "turn 2 has 6 of 18 tokens"
    assert recency["answerable_area"] == pytest.approx(4 / 11), "from 35% on, of 0, 5, …, 50%"
    assert result.attainable == {"15%": 0, "25%": 0, "35%": 1, "50%": 1}


def test_a_window_cuts_the_history_and_its_tokens():
    windowed = relevance_set([case("four-3", "four", 3, {2}, window=2)], FOUR)
    result = evaluate([windowed], [KeepAll(), Recency()], token_counter=words).sets["tiny"]
    assert values(result, "everything")["precision"] == 1 / 2
    assert values(result, "recency")["kept_token_share"] == 6 / (5 + 6)


@st.composite
def sets_with_answers(draw):
    """A set of up to four conversations, and what is relevant at each turn's text."""
    cases, conversations, answers = [], [], {}
    for number in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 8))
        conversations.append(make_conversation(f"c{number}", *(f"{number} {turn}" for turn in range(length))))
        for turn in draw(st.sets(st.integers(0, length - 1), min_size=1)):
            relevant = draw(st.sets(st.integers(0, turn - 1))) if turn else set()
            answers[f"{number} {turn}"] = relevant
            tags = draw(st.sets(st.sampled_from("xyz")))
            cases.append(case(f"c{number}-{turn}", f"c{number}", turn, relevant, tags=sorted(tags)))
    return relevance_set(cases, *conversations), answers


@given(sets_with_answers())
def test_a_perfect_policy_gets_one_wherever_a_metric_is_defined(drawn):
    given_set, answers = drawn
    result = evaluate([given_set], [Oracle(answers)], token_counter=words).sets["tiny"]
    for tag in (None, *result.tags):
        measured = values(result, "perfect", tag)
        assert measured.pop("missed") in (0.0, None)
        budgets = [name for name in measured if name.startswith("answerable_") or "%" in name]
        for name in ("kept_token_share", "recall@5", *budgets):  # up to 7 relevant turns do not fit in 5
            del measured[name]
        assert set(measured.values()) <= {1.0, None}


@given(sets_with_answers(), st.randoms(use_true_random=False))
def test_the_order_of_cases_and_conversations_changes_nothing(drawn, random):
    given_set, answers = drawn
    policies = [Oracle(answers), Recency(2), KeepAll()]
    ids = random.sample(list(given_set.conversations), len(given_set.conversations))
    shuffled = replace(
        given_set,
        cases=tuple(random.sample(given_set.cases, len(given_set.cases))),
        conversations={id: given_set.conversations[id] for id in ids},
    )
    original, other = (evaluate([one], policies, token_counter=words) for one in (given_set, shuffled))
    assert original.to_json() == other.to_json()


@pytest.fixture
def thirty_conversations():
    """30 conversations; the last turn is relevant in 24 of them, the one before in 6."""
    conversations = [make_conversation(f"c{n:02}", "a", "b", "now") for n in range(30)]
    cases = [
        case(f"c{n:02}-2", f"c{n:02}", 2, {int(n % 5 > 0)}, tags=["even"] * (n % 2 == 0)) for n in range(30)
    ]
    return evaluate([relevance_set(cases, *conversations)], [Recency(), KeepAll()], token_counter=words)


def test_a_comparison_equals_its_hand_computed_value(thirty_conversations):
    difference = compare(thirty_conversations.sets["tiny"], baseline="everything", policy="recency")
    assert difference["recall"].value == pytest.approx(24 / 30 - 1)
    assert difference["precision"].value == pytest.approx(24 / 30 - 1 / 2)
    assert difference["precision"].low > 0
    assert difference["map"].value is difference["map"].interval is None


@pytest.fixture
def three_conversations() -> RelevanceSet:
    """Three conversations of six turns, with a message to answer at the end of each."""
    words = ("lake", "bread", "lake house", "tea", "bread", "lake")
    conversations = {
        id: Conversation(id, tuple(Turn.of("user", f"{word} {id}") for word in words)) for id in "abc"
    }
    cases = (
        Case("b-5", "b", 5, None, frozenset({0, 2})),
        Case("a-5", "a", 5, None, frozenset({3, 4}), judged=frozenset({0, 3, 4})),
        Case("c-5", "c", 5, None, frozenset()),
    )
    return RelevanceSet("talks", conversations, cases)


def judge(conversations: RelevanceSet, name: str, **parameters: object) -> JudgedSet:
    policy = build_policy(name, Settings(), None, **parameters)
    return judge_set(conversations, policy, tokens=count_tokens(conversations))


def test_each_judged_turn_has_exactly_one_outcome(three_conversations: RelevanceSet) -> None:
    a, b = judge(three_conversations, "last_k", k=2), judge(three_conversations, "last_k", k=3)
    assert [case.id for case in a.cases] == ["a-5", "b-5", "c-5"]
    codes = outcome_codes(a.relevant, a.kept, b.kept)
    rows = [
        (a.cases[case].id, turn, OUTCOMES[code])
        for case, turn, code in zip(a.case, a.turns, codes, strict=True)
    ]
    assert rows[:3] == [("a-5", 0, "both right"), ("a-5", 3, "both right"), ("a-5", 4, "both right")]
    assert [row for row in rows if row[2] == "fixed"] == [("b-5", 2, "fixed")]
    assert [row for row in rows if row[2] == "broken"] == [("c-5", 2, "broken")]
    counts = {"fixed": 1, "broken": 1, "both wrong": 5, "both right": 6}
    assert count_outcomes(a.relevant, a.kept, b.kept) == counts


def rendered_text(tables, width=120):
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        for table in tables:
            console.print(table)
    return capture.get()


def test_names_from_files_cannot_break_the_tables():
    name, tag, policy = "a|b\n# <b>x", "[link](http://x)\x1b[2J", "[red]\x1b[2J"
    talk = relevance_set([case("four-3", "four", 3, {0, 2}, tags=[tag])], FOUR, name=name)
    evaluation = evaluate([talk], [Recency(name=policy)], token_counter=words)
    text = markdown(evaluation, by_tag=True)
    assert "### a\\|b \\# \\<b\\>x\n" in text
    assert "\\[link\\](http://x) \\[2J" in text
    assert "\x1b" not in rendered_text(rich_tables(evaluation))
    assert "[red]" in rendered_text(rich_tables(evaluation))
