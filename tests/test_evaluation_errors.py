"""Errors on labelled turns: which, in which order, by which cause; and suggestions in the place of labels."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import Override, TurnDecisions
from convgate.evaluation.errors import (
    HYBRID,
    LAST_EXCHANGE,
    OTHER_RULE,
    THRESHOLD,
    find_errors,
    group_by_cause,
    suggest_case,
)
from convgate.evaluation.judged_cases import JudgedCase, judge_case
from convgate.transcripts import Case
from tests.fakes import FakeEncoder


def decide(kept: list[bool], scores: list[float] | None = None, **columns: list[float]) -> TurnDecisions:
    """Decisions about as many turns; columns: the parts of their logits."""
    return TurnDecisions(
        "gate",
        "test",
        np.arange(len(kept)),
        np.array(kept),
        "{score}, kept.",
        "{score}, dropped.",
        scores=None if scores is None else np.array(scores),
        parts={name: np.array(column) for name, column in columns.items()},
    )


def judge(decisions: TurnDecisions, relevant: set[int], **fields: frozenset[int]) -> JudgedCase:
    case = Case("a", "talk", len(decisions), None, frozenset(relevant), **fields)
    return judge_case(case, decisions, np.arange(10, 10 + len(decisions)))


def test_missed_turns_come_first_and_of_each_kind_the_clearest() -> None:
    decisions = decide([True, False, True, False, True], [0.6, 0.3, 0.9, 0.1, 0.8])
    errors = find_errors([judge(decisions, {1, 3, 4})])
    assert [(error.kind, error.index) for error in errors] == [
        ("missed", 3), ("missed", 1), ("needless", 2), ("needless", 0),
    ]  # fmt: skip
    assert [error.tokens for error in errors] == [13, 11, 12, 10]
    assert errors[0].decision.reason == "Dropped: 0.10, dropped."


def test_what_is_relevant_and_not_needed_or_not_judged_is_no_error() -> None:
    decisions = decide([False, False, True, True])
    judged = judge(decisions, {0, 1}, needed=frozenset({1}), judged=frozenset({0, 1, 2}))
    assert [(error.kind, error.index) for error in find_errors([judged])] == [("missed", 1), ("needless", 2)]


def test_the_cause_is_the_part_furthest_from_its_median_in_the_direction_of_the_error() -> None:
    decisions = decide(
        [False, False, True, True, False],
        [0.1] * 5,
        message=[-9.0] * 5,  # the same for all, so that it misleads about none
        words=[0.0, -1.0, 0.0, 0.0, 0.0],
        recency=[-3.0, 0.0, 0.0, 0.5, 0.0],
    )
    errors = {error.index: error for error in find_errors([judge(decisions, {0, 1, 4})])}
    assert {index: (error.cause, error.effect) for index, error in errors.items()} == {
        0: ("recency", -3.0),
        1: ("words", -1.0),
        2: (THRESHOLD, 0.0),
        3: ("recency", 0.5),
        4: (THRESHOLD, 0.0),
    }
    groups = group_by_cause(list(errors.values()))
    assert [(cause, len(group)) for cause, group in groups.items()] == [
        ("recency", 2), ("threshold", 2), ("words", 1),
    ]  # fmt: skip


def test_what_another_stage_decided_is_not_the_fault_of_a_part() -> None:
    decisions = decide([False, False], [0.2, np.nan], words=[-1.0, 1.0]).with_overrides(
        {0: Override("limits", "too many.", kept=True)}
    )
    causes = {error.index: error.cause for error in find_errors([judge(decisions, {1})])}
    assert causes == {0: OTHER_RULE, 1: OTHER_RULE}


def test_an_error_as_json_names_the_message_and_the_turn() -> None:
    turns = tuple(Turn.of("user", text) for text in ("a long  " + "word " * 100, "b", "c?"))
    (error,) = find_errors([judge(decide([False, False], [0.1, 0.2]), {0})])
    values = error.to_json(Conversation("talk", turns))
    assert values["message"] == "c?"
    assert values["text"].startswith("a long word")
    assert len(values["text"]) == 200
    assert values["decision"]["index"] == 0
    assert values["decision"]["kept"] is False


@pytest.mark.parametrize("n_kept", [0, 2])
def test_hybrid_search_and_the_last_exchange_stand_in_for_labels(
    n_kept: int, fake_encoder: FakeEncoder
) -> None:
    texts = ["a red tree", "it is a plum", "the printer", "is broken", "which red tree was a plum"]
    roles = ["user", "assistant"] * 2 + ["user"]
    talk = Conversation("talk", tuple(map(Turn.of, roles, texts)))
    current, history = talk.at(4)
    decisions = decide([False] * (4 - n_kept) + [True] * n_kept)
    case, choices = suggest_case(current, history, decisions, fake_encoder)
    assert choices == {
        HYBRID: frozenset({0, 1}) if n_kept else frozenset(),  # as many as the decisions keep
        LAST_EXCHANGE: frozenset({2, 3}),
    }
    assert case.relevant == choices[HYBRID] | choices[LAST_EXCHANGE]
    errors = find_errors([judge_case(case, decisions, np.ones(4))], {case.id: choices})
    expected = {0: (HYBRID,), 1: (HYBRID,)} if n_kept else {2: (LAST_EXCHANGE,), 3: (LAST_EXCHANGE,)}
    assert {error.index: error.against for error in errors} == expected


def test_instructions_and_empty_turns_are_never_suggested(fake_encoder: FakeEncoder) -> None:
    talk = Conversation(
        "talk",
        (
            Turn.of("system", "Be brief."),
            Turn.of("user", "a"),
            Turn.of("assistant", ""),
            Turn.of("user", "b"),
        ),
    )
    case, _ = suggest_case(*talk.at(3), decide([True, True, True]), fake_encoder)
    assert case.judged == {1}
    assert case.relevant <= {1}
