"""Errors on labelled turns: which, in which order, by which cause; and suggestions in the place of labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import Override, TurnDecisions
from convgate.evaluation.errors import (
    HYBRID,
    LAST_EXCHANGE,
    OTHER_RULE,
    THRESHOLD,
    ErrorReport,
    JudgedMessage,
    find_errors,
    group_by_cause,
    judge_messages,
    suggest_case,
)
from convgate.evaluation.judged_cases import judge_case
from convgate.transcripts import Case
from tests.fakes import FakeEncoder

TALK = Conversation("talk", ())


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
        is_probability=True,
    )


def judge(decisions: TurnDecisions, relevant: set[int], **fields: frozenset[int]) -> JudgedMessage:
    case = Case("a", "talk", len(decisions), None, frozenset(relevant), **fields)
    return JudgedMessage(TALK, judge_case(case, decisions, np.arange(10, 10 + len(decisions))))


def test_missed_turns_come_first_and_of_each_kind_the_clearest() -> None:
    decisions = decide([True, False, True, False, True], [0.6, 0.3, 0.9, 0.1, 0.8])
    errors = find_errors([judge(decisions, {1, 3, 4})])
    assert [(error.kind, error.index) for error in errors] == [
        ("missed", 3), ("missed", 1), ("needless", 2), ("needless", 0), ("disputed", 2), ("disputed", 3),
    ]  # fmt: skip
    assert [error.tokens for error in errors[:4]] == [13, 11, 12, 10]
    assert errors[0].decision.reason == "Dropped: 0.10, dropped."


def test_labels_of_at_most_ten_percent_are_disputed_the_least_likely_first_sent_or_not() -> None:
    decisions = decide([True, True, False, True, False], [0.04, 0.97, 0.02, 0.5, 0.001])
    found = find_errors([judge(decisions, {0, 2, 3}, needed=frozenset({0, 2, 3}))])
    disputed = [(error.index, error.is_relevant) for error in found if error.kind == "disputed"]
    assert disputed == [(2, True), (1, False), (0, True)]
    cosine = replace(decisions, is_probability=False)
    kinds = {error.kind for error in find_errors([judge(cosine, {0, 2, 3})])}
    assert kinds == {"missed", "needless"}, "no probability"


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
    judged = judge(decide([False, False], [0.2, 0.3]), {0})
    (error,) = find_errors([replace(judged, conversation=Conversation("talk", turns))])
    values = error.to_json()
    assert values["message"] == "c?"
    assert values["text"].startswith("a long word")
    assert len(values["text"]) == 200
    assert values["decision"]["index"] == 0
    assert values["decision"]["kept"] is False


def test_hybrid_search_and_the_last_exchange_stand_in_for_labels(fake_encoder: FakeEncoder) -> None:
    texts = ["a red tree", "it is a plum", "the printer", "is broken", "call them", "they come", "red wine"]
    talk = Conversation(
        "talk", (*(Turn.of("user", text) for text in texts), Turn.of("user", "red plum tree"))
    )
    case, choices = suggest_case(*talk.at(7), fake_encoder)
    assert choices == {HYBRID: frozenset({0, 1, 6}), LAST_EXCHANGE: frozenset({6})}
    assert case.relevant == {0, 1, 6}
    assert case.judged is not None
    assert len(case.judged) == 6  # neither good nor bad is the fourth
    kept = [False, False, True, True, True, True, False]
    scores = [0.04, 0.2, 0.3, 0.4, 0.5, 0.6, 0.05]
    errors = find_errors([JudgedMessage(talk, judge_case(case, decide(kept, scores), np.ones(7)), choices)])
    missed = [(error.index, error.against) for error in errors if error.kind == "missed"]
    assert missed == [(6, (HYBRID, LAST_EXCHANGE)), (1, (HYBRID,))], "0 is too improbable for a guess"
    needless = [error.index for error in errors if error.kind == "needless"]
    assert needless == sorted(case.judged - case.relevant), "the lowest score first"
    longer = np.where(np.arange(7) == needless[-1], 9, 1)
    errors = find_errors([JudgedMessage(talk, judge_case(case, decide(kept, scores), longer), choices)])
    first = next(error.index for error in errors if error.kind == "needless")
    assert first == needless[-1], "what probably wastes the most tokens first"
    decisions = decide(kept, scores).with_overrides({needless[0]: Override("hold", "a rule.", kept=True)})
    held = find_errors([JudgedMessage(talk, judge_case(case, decisions, np.ones(7)), choices)])
    assert needless[0] not in {error.index for error in held}, "what must hold is sent whatever it is like"


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
    case, _ = suggest_case(*talk.at(3), fake_encoder)
    assert case.judged == {1}
    assert case.relevant <= {1}


def drop_all(_: CurrentMessage, history: History) -> TurnDecisions:
    return replace(decide([False] * len(history)), indices=np.arange(history.start, history.stop))


def test_what_the_gatekeeper_skips_is_not_guessed_about(fake_encoder: FakeEncoder) -> None:
    texts = ("the loss is nan", "check the mean of the batch", "thanks, done", "You're welcome.", "why nan?")
    turns = tuple(Turn.of("assistant" if n % 2 else "user", text) for n, text in enumerate(texts))
    judged = list(judge_messages(Conversation("talk", turns), [], drop_all, fake_encoder, n_newest=9))
    assert [each.judged.case.turn for each in judged] == [4], "short, but nothing answers it yet"
    assert {error.index for error in find_errors(judged)} <= {0, 1}


def test_the_report_counts_what_is_missed_and_what_is_sent_needlessly() -> None:
    report = ErrorReport.of([judge(decide([True, False, True], [0.6, 0.3, 0.9]), {1, 2})])
    assert not report.is_suggested
    assert report.summary == ("1 of 2 needed turns was not sent; 45% of the tokens sent were not relevant.")


def test_a_conversation_without_cases_is_judged_by_suggestions_for_its_newest_messages(
    fake_encoder: FakeEncoder,
) -> None:
    talk = Conversation("talk", tuple(Turn.of("user", text) for text in "abcdef"))
    case = Case("a", "talk", 3, None, frozenset({0}), window=2)
    (judged,) = judge_messages(talk, [case], drop_all, fake_encoder, n_newest=2)
    assert judged.judged.indices.tolist() == [1, 2]
    suggested = list(judge_messages(talk, [], drop_all, fake_encoder, n_newest=2))
    assert [each.judged.case.turn for each in suggested] == [4, 5]
    report = ErrorReport.of(suggested)
    assert report.is_suggested
    assert {(error.case.turn, error.index) for error in report.errors} >= {(4, 3), (5, 4)}
