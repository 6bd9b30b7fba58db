"""Two policies turn by turn on one set."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.evaluation import outcomes
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.judge import count_tokens
from convgate.evaluation.outcomes import JudgedSet, judge_set, side_by_side
from convgate.policies.registry import make_policy
from convgate.transcripts import Case, RelevanceSet


@pytest.fixture
def talks() -> RelevanceSet:
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


def judged(talks: RelevanceSet, name: str, **parameters: object) -> JudgedSet:
    policy = make_policy(name, encoder=None, **parameters)  # type: ignore[arg-type]
    return judge_set(talks, policy, tokens=count_tokens(talks))


def test_each_judged_turn_comes_out_in_one_way(talks: RelevanceSet) -> None:
    sides = side_by_side(judged(talks, "last_k", k=2), judged(talks, "last_k", k=3))
    assert [case.id for case in sides.a.cases] == ["a-5", "b-5", "c-5"]
    told = [
        (sides.a.cases[case].id, turn, outcomes.OUTCOMES[code])
        for case, turn, code in zip(sides.a.case, sides.a.turns, sides.codes, strict=True)
    ]
    assert told[:3] == [("a-5", 0, "both right"), ("a-5", 3, "both right"), ("a-5", 4, "both right")]
    assert [row for row in told if row[2] == "fixed"] == [("b-5", 2, "fixed")]
    assert [row for row in told if row[2] == "broken"] == [("c-5", 2, "broken")]
    assert sides.counts == {"fixed": 1, "broken": 1, "both wrong": 5, "both right": 6}
    assert sides.rows("fixed").tolist() == [told.index(("b-5", 2, "fixed"))]
    assert sorted(sides.rows(None).tolist()) == list(range(len(told)))
    assert sides.codes[sides.rows(None)].tolist() == sorted(sides.codes.tolist())


def test_metrics_and_intervals_are_those_of_an_evaluation(talks: RelevanceSet) -> None:
    sides = side_by_side(judged(talks, "bm25"), judged(talks, "everything"))
    found = evaluate([talks], {"a": make_policy("bm25"), "b": make_policy("everything")}).sets["talks"]
    assert sides.summary_a == found.policies["a"].overall
    assert sides.summary_b == found.policies["b"].overall
    assert sides.b.scores is None
    assert sides.a.scores is not None
    f1 = sides.comparison.differences["f1"].value
    assert f1 is not None
    assert f1 == pytest.approx(sides.summary_b["f1"].value - sides.summary_a["f1"].value)  # type: ignore[operator]


def test_the_other_way_round_fixed_is_broken(talks: RelevanceSet) -> None:
    a, b = judged(talks, "last_k", k=1), judged(talks, "everything")
    there, back = side_by_side(a, b), side_by_side(b, a)
    assert (there.counts["fixed"], there.counts["broken"]) == (back.counts["broken"], back.counts["fixed"])
    assert there.counts["fixed"] > 0
    assert np.array_equal(there.a.relevant, back.a.relevant)


def test_a_set_without_cases_has_no_outcomes(talks: RelevanceSet) -> None:
    empty = RelevanceSet("empty", talks.conversations, ())
    sides = side_by_side(judged(empty, "bm25"), judged(empty, "last_k", k=2))
    assert sum(sides.counts.values()) == 0
    assert sides.summary_a["f1"].value is None
