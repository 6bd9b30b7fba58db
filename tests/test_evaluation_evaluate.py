"""Whole evaluations with tiny policies, by hand."""

import json
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.decisions import TurnDecisions
from convgate.errors import EvaluationError, PolicyError
from convgate.evaluation.comparison import compare
from convgate.evaluation.curves import pooled_curve
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.judge import count_tokens, judge
from convgate.evaluation.metrics import METRICS, RANKING_METRICS
from convgate.gate.model import Gate
from convgate.policies.base import history_indices
from convgate.policies.gate import GatePolicy
from convgate.transcripts import Case, RelevanceSet
from tests.fakes import FakeEncoder


def talk(id, *texts):
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
        name=name, conversations={talk.id: talk for talk in conversations}, cases=tuple(cases)
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
class Everything:
    """Keeps all, ranks nothing."""

    name: str = "everything"
    ranks: bool = False

    def decide(self, situation, history):
        return decisions(self.name, history, [True] * len(history))


@dataclass
class Recency:
    """Keeps the last `k`, ranks by position."""

    k: int = 1
    name: str = "recency"
    ranks: bool = True

    def decide(self, situation, history):
        positions = np.arange(len(history))
        return decisions(self.name, history, positions >= len(history) - self.k, positions)


@dataclass
class Perfect:
    """Looks up the answer."""

    answers: dict = field(default_factory=dict)
    name: str = "perfect"
    ranks: bool = True

    def decide(self, situation, history):
        relevant = self.answers[situation.turn.text]
        kept = [index in relevant for index in range(history.start, history.stop)]
        return decisions(self.name, history, kept, kept)


def words(text):
    return len(text.split())


FOUR = talk("four", "a b c", "d", "e f", "now")  # 7, 5 and 6 tokens before "now": words and 4 a turn
TWO = talk("two", "x", "y")


@pytest.fixture
def tiny():
    cases = [
        case("four-3", "four", 3, {0, 2}, tags=["returns"]),
        case("two-1", "two", 1, (), tags=["new"]),
        case("two-0", "two", 0),
    ]
    return relevance_set(cases, FOUR, TWO)


def values(result, policy, tag=None):
    found = result.policies[policy]
    summary = found.overall if tag is None else found.by_tag[tag]
    return {name: measure.value for name, measure in summary.measures.items()}


def test_every_metric_by_hand(tiny):
    result = evaluate([tiny], [Recency(), Everything()], token_counter=words).sets["tiny"]
    assert values(result, "recency") == {
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
    assert everything["recall"] == everything["kept_token_share"] == 1


def test_metrics_by_tag(tiny):
    result = evaluate([tiny], [Everything()], token_counter=words).sets["tiny"]
    assert list(result.policies["everything"].by_tag) == ["new", "returns"]
    returns, new = (values(result, "everything", tag) for tag in ("returns", "new"))
    assert (returns["precision"], returns["exact_empty"]) == (2 / 3, None)
    assert (new["recall"], new["exact_empty"]) == (None, 0)


def test_the_json_is_that_of_the_design(tiny):
    printed = json.loads(
        json.dumps(
            evaluate([tiny], [Recency(), Everything()], token_counter=words).to_json(), allow_nan=False
        )
    )
    assert list(printed) == ["sets"]
    assert list(printed["sets"]["tiny"]) == ["cases", "conversations", "policies"]
    assert printed["sets"]["tiny"]["cases"] == 3
    assert list(printed["sets"]["tiny"]["policies"]) == ["recency", "everything"]
    everything = printed["sets"]["tiny"]["policies"]["everything"]
    assert set(everything) == {*METRICS, "by_tag", "ci"}
    assert set(everything["ci"]) == set(METRICS)
    assert set(everything["by_tag"]["new"]) == {"cases", "ci", *METRICS}
    assert everything["map"] is everything["ci"]["map"] is None
    low, high = everything["ci"]["kept_token_share"]
    assert low == high == 1


def test_a_set_from_one_conversation_has_values_but_no_intervals():
    one = relevance_set([case("four-3", "four", 3, {0}), case("four-2", "four", 2, {0})], FOUR)
    printed = evaluate([one], [Recency()], token_counter=words).to_json()["sets"]["tiny"]["policies"][
        "recency"
    ]
    assert printed["recall"] == 0
    assert set(printed["ci"].values()) == {None}


def test_a_set_without_cases_has_no_values():
    printed = evaluate([relevance_set([], FOUR)], [Recency()], token_counter=words).to_json()
    assert printed["sets"]["tiny"]["cases"] == 0
    assert {printed["sets"]["tiny"]["policies"]["recency"][name] for name in METRICS} == {None}


def test_a_gate_without_anything_to_score_has_no_reliability():
    for cases in ([], [case("four-0", "four", 0, set())]):
        result = evaluate(
            [relevance_set(cases, FOUR)], [GatePolicy(Gate(), FakeEncoder())], token_counter=words
        )
        assert result.sets["tiny"].policies["gate"].reliability == ()


def test_reliability_counts_every_turn_by_its_score():
    gate = GatePolicy(Gate(), FakeEncoder())
    cases = relevance_set([case("four-3", "four", 3, {2})], FOUR)
    bins = evaluate([cases], [gate], token_counter=words).sets["tiny"].policies["gate"].reliability
    assert sum(one.count for one in bins) == 3
    assert sum(one.count * one.right for one in bins) == pytest.approx(1)


def test_a_window_cuts_the_history_and_its_tokens():
    windowed = relevance_set([case("four-3", "four", 3, {2}, window=2)], FOUR)
    result = evaluate([windowed], [Everything(), Recency()], token_counter=words).sets["tiny"]
    assert values(result, "everything")["precision"] == 1 / 2
    assert values(result, "recency")["kept_token_share"] == 6 / (5 + 6)


def test_scores_of_a_policy_that_does_not_rank_are_not_taken_for_a_ranking(tiny):
    result = evaluate([tiny], [Recency(ranks=False)], token_counter=words).sets["tiny"]
    assert values(result, "recency")["map"] is None
    assert values(result, "recency")["recall"] == 1 / 2


def test_a_typed_question_sees_the_whole_conversation():
    asked = relevance_set([case("q", "four", None, {3}, query=Turn.of("user", "when?"))], FOUR)
    assert values(evaluate([asked], [Everything()]).sets["tiny"], "everything")["precision"] == 1 / 4


def test_when_every_turn_is_relevant_keeping_everything_is_right():
    full = relevance_set([case("four-3", "four", 3, {0, 1, 2})], FOUR)
    result = evaluate([full], [Everything(), Recency()], token_counter=words).sets["tiny"]
    assert values(result, "everything")["f1"] == 1
    assert values(result, "recency")["map"] == 1
    assert values(result, "recency")["recall"] == 1 / 3


@st.composite
def sets_with_answers(draw):
    """A set of up to four conversations, and what is relevant at each turn's text."""
    cases, conversations, answers = [], [], {}
    for number in range(draw(st.integers(1, 4))):
        length = draw(st.integers(1, 8))
        conversations.append(talk(f"c{number}", *(f"{number} {turn}" for turn in range(length))))
        for turn in draw(st.sets(st.integers(0, length - 1), min_size=1)):
            relevant = draw(st.sets(st.integers(0, turn - 1))) if turn else set()
            answers[f"{number} {turn}"] = relevant
            tags = draw(st.sets(st.sampled_from("xyz")))
            cases.append(case(f"c{number}-{turn}", f"c{number}", turn, relevant, tags=sorted(tags)))
    return relevance_set(cases, *conversations), answers


@given(sets_with_answers())
def test_a_perfect_policy_gets_one_wherever_a_metric_is_defined(drawn):
    given_set, answers = drawn
    result = evaluate([given_set], [Perfect(answers)], token_counter=words).sets["tiny"]
    for tag in (None, *result.tags):
        found = values(result, "perfect", tag)
        del found["kept_token_share"], found["recall@5"]  # up to 7 relevant turns do not fit in 5
        assert set(found.values()) <= {1.0, None}


@given(sets_with_answers(), st.randoms(use_true_random=False))
def test_the_order_of_cases_and_conversations_changes_nothing(drawn, random):
    given_set, answers = drawn
    policies = [Perfect(answers), Recency(2), Everything()]
    ids = random.sample(list(given_set.conversations), len(given_set.conversations))
    shuffled = replace(
        given_set,
        cases=tuple(random.sample(given_set.cases, len(given_set.cases))),
        conversations={id: given_set.conversations[id] for id in ids},
    )
    original, other = (evaluate([one], policies, token_counter=words) for one in (given_set, shuffled))
    assert original.to_json() == other.to_json()


def test_the_seed_moves_intervals_and_no_values():
    conversations = [talk(f"c{n}", *"abcdefgh") for n in range(31)]
    cases = [case(f"c{n}-7", f"c{n}", 7, {n % 7}) for n in range(31)]
    drawn = relevance_set(cases, *conversations)

    def ranked(seed):
        result = evaluate([drawn], [Recency()], token_counter=words, seed=seed).sets["tiny"]
        return result.policies["recency"].overall["map"]

    assert ranked(0) == ranked(0)
    assert ranked(0).value == ranked(1).value
    assert ranked(0).interval != ranked(1).interval


def test_policies_may_be_named_apart(tiny):
    result = evaluate([tiny], {"last 1": Recency(1), "last 3": Recency(3)}, token_counter=words).sets["tiny"]
    assert list(result.policies) == ["last 1", "last 3"]
    assert values(result, "last 1")["recall"] < values(result, "last 3")["recall"]


def test_two_policies_or_sets_of_one_name_are_refused(tiny):
    with pytest.raises(EvaluationError, match="two policies are named 'recency'"):
        evaluate([tiny], [Recency(1), Recency(2)])
    with pytest.raises(EvaluationError, match="two relevance sets are named 'tiny'"):
        evaluate([tiny, tiny], [Everything()], token_counter=words)


@dataclass
class Faulty:
    """Gives what it is told to."""

    given: object
    name: str = "faulty"
    ranks: bool = True

    def decide(self, situation, history):
        return self.given(history)


@pytest.mark.parametrize(
    ("given_decisions", "problem"),
    [
        (
            lambda h: decisions("faulty", replace(h, stop=h.stop - 1), [True] * (len(h) - 1)),
            "decided about 2 turns",
        ),
        (lambda h: decisions("faulty", h, [True] * 3), "gave no scores"),
        (lambda h: decisions("faulty", h, [True] * 3, [1, np.nan, 0]), "score of turn 1 is not a number"),
    ],
)
def test_a_policy_with_unusable_decisions_is_named_with_its_case(given_decisions, problem):
    one = relevance_set([case("four-3", "four", 3, {0})], FOUR)
    with pytest.raises(PolicyError, match=rf"'faulty' cannot be evaluated: in case 'four-3' .*{problem}"):
        evaluate([one], [Faulty(given_decisions)], token_counter=words)


@dataclass
class Prepared(Everything):
    """Remembers what it was given beforehand."""

    seen: list = field(default_factory=list)

    def prepare(self, conversations, *, progress=None):
        self.seen += [turn.text for conversation in conversations for turn in conversation.turns]
        progress(1, 1)


def test_a_policy_is_given_all_turns_and_questions_beforehand():
    asked = relevance_set([case("q", "two", None, (), query=Turn.of("user", "when?"))], FOUR, TWO)
    policy, stages = Prepared(), []
    evaluate([asked], [policy], token_counter=words, progress=lambda *report: stages.append(report))
    assert policy.seen == ["x", "y", "when?"]  # nothing from a conversation without cases
    assert ("tiny: preparing everything", 1, 1) in stages
    assert stages[-1] == ("tiny: everything", 1, 1)


def test_tokens_are_counted_once_a_turn(tiny):
    counted = []

    def counter(text):
        counted.append(text)
        return 1

    evaluate([tiny], [Everything(), Recency()], token_counter=counter)
    assert sorted(counted) == sorted(turn.text for turn in (*FOUR.turns, *TWO.turns))


def test_a_curve_pools_the_turns_of_all_cases(tiny):
    tokens = count_tokens(tiny, words)
    curve = pooled_curve(case.turns for case in judge(tiny, Recency(), tokens=tokens))
    assert curve.thresholds.tolist() == [0, 1, 2]
    assert curve.recall.tolist() == [1, 1 / 2, 1 / 2]
    assert curve.kept_share.tolist() == [1, 1 / 2, 1 / 4]
    assert pooled_curve(case.turns for case in judge(tiny, Everything(), tokens=tokens)) is None


@pytest.fixture
def many():
    """30 conversations; the last turn is relevant in 24 of them, the one before in 6."""
    conversations = [talk(f"c{n:02}", "a", "b", "now") for n in range(30)]
    cases = [
        case(f"c{n:02}-2", f"c{n:02}", 2, {int(n % 5 > 0)}, tags=["even"] * (n % 2 == 0)) for n in range(30)
    ]
    return evaluate([relevance_set(cases, *conversations)], [Recency(), Everything()], token_counter=words)


def test_a_comparison_by_hand(many):
    difference = compare(many.sets["tiny"], baseline="everything", policy="recency").differences
    assert difference["recall"].value == pytest.approx(24 / 30 - 1)
    assert difference["precision"].value == pytest.approx(24 / 30 - 1 / 2)
    assert difference["precision"].low > 0
    assert difference["map"].value is difference["map"].interval is None


def test_a_comparison_on_a_tag_uses_its_cases_alone(many):
    difference = compare(many.sets["tiny"], baseline="everything", policy="recency", tag="even").differences
    assert difference["recall"].value == pytest.approx(12 / 15 - 1)


def test_a_policy_does_not_differ_from_itself(many):
    comparison = compare(many.sets["tiny"], baseline="recency", policy="recency").to_json()
    assert comparison["baseline"] == "recency"
    assert comparison["difference"]["f1"] == 0
    assert comparison["ci"]["f1"] == [0, 0]


def test_comparing_what_was_not_evaluated_says_what_was(many):
    with pytest.raises(EvaluationError, match="not evaluated with 'bm25', only with recency, everything"):
        compare(many.sets["tiny"], baseline="bm25", policy="recency")
    with pytest.raises(EvaluationError, match="no tag 'odd'; its tags: even"):
        compare(many.sets["tiny"], baseline="everything", policy="recency", tag="odd")
