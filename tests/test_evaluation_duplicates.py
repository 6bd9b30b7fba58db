"""A turn that several sets judge for one message counts once, in figures and in training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.evaluation.fitting import fit_threshold
from convgate.evaluation.goals import Goal
from convgate.evaluation.tuning import score_cases
from convgate.gate.thresholds import make_rule
from convgate.labels.exchange import write_labels
from convgate.labels.gold import gold_set
from convgate.policies.gate import GatePolicy
from convgate.store import Answer, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.transcripts import Case, RelevanceSet, read_relevance_set
from tests.fakes import FakeEncoder
from tests.gates import trained_gate
from tests.planted_sets import make_relevance_set

TURNS = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"said {i}") for i in range(8))


def make_set(name: str, *cases: Case, turns: Sequence[Turn] = TURNS) -> RelevanceSet:
    return RelevanceSet(name, {"t": Conversation("t", tuple(turns))}, cases)


def case(turn: int | None, judged: dict[int, bool] | None, id: str = "c", **more: object) -> Case:
    relevant = frozenset(turn for turn, matters in (judged or {}).items() if matters)
    query = None if turn is not None else Turn.of("user", "and?")
    known = None if judged is None else frozenset(judged)
    return Case(id, "t", turn, query, relevant, judged=known, **more)


def judged_turns(sets: Sequence[RelevanceSet]) -> dict[str, list[tuple[int | None, list[int], list[int]]]]:
    return {
        one.name: [(c.turn, sorted(c.judged or ()), sorted(c.relevant)) for c in one.cases] for one in sets
    }


def test_turns_judged_by_the_first_set_are_dropped_from_later_sets() -> None:
    first = make_set("mine", case(5, {0: True, 1: False}), case(None, {7: True}, "q"))
    second = make_set(
        "theirs",
        case(5, {1: True, 2: True, 3: False}),
        case(3, {0: True}, "other message"),
        case(None, {7: False}, "q"),
    )
    counted, overlaps = remove_duplicates([first, second])
    assert counted[0] == first
    assert judged_turns(counted)["theirs"] == [(5, [2, 3], [2]), (3, [0], [0])]
    assert overlaps == [Overlap("theirs", "mine", 2)]


def test_a_message_is_identified_by_all_turns_up_to_it() -> None:
    known = make_set("known", case(5, {0: True}))
    grown = make_set("grown", case(5, {0: True}), turns=[*TURNS, Turn.of("user", "and more")])
    named = RelevanceSet(
        "named", {"x": Conversation("x", TURNS)}, (replace(case(5, {0: True}), conversation="x"),)
    )
    for other in (grown, named):
        assert remove_duplicates([known, other])[1] == [Overlap(other.name, "known", 1)]
    both = {
        "t": Conversation("t", TURNS),
        "later": Conversation("later", (*TURNS, Turn.of("user", "and more"))),
    }
    again = replace(case(5, {0: False, 1: True}, "again"), conversation="later")
    (within,), overlaps = remove_duplicates([RelevanceSet("saved", both, (case(5, {0: True}), again))])
    assert judged_turns([within])["saved"] == [(5, [0], [0]), (5, [1], [1])]
    assert overlaps == [Overlap("saved", "saved", 1)]
    otherwise = make_set("otherwise", case(5, {0: True}), turns=[Turn.of("user", "else"), *TURNS[1:]])
    twice = make_set("twice", case(4, {0: True}), case(4, {0: True}, "again"))
    assert remove_duplicates([known, otherwise, twice]) == ([known, otherwise, twice], [])


@given(
    st.lists(
        st.dictionaries(st.integers(2, 7), st.dictionaries(st.integers(0, 1), st.booleans(), min_size=1)),
        max_size=4,
    )
)
def test_every_judged_turn_counts_once_with_the_first_answer(sets: list[dict[int, dict[int, bool]]]) -> None:
    given = [
        make_set(f"s{n}", *(case(turn, answers, f"c{turn}") for turn, answers in one.items()))
        for n, one in enumerate(sets)
    ]
    counted, overlaps = remove_duplicates(given)
    first: dict[tuple[int, int], bool] = {}
    for one in sets:
        for message, answers in one.items():
            for turn, matters in answers.items():
                first.setdefault((message, turn), matters)
    left = [
        ((c.turn, turn), turn in c.relevant) for one in counted for c in one.cases for turn in c.judged or ()
    ]
    assert len(left) == len(first)
    assert dict(left) == first
    total = sum(len(answers) for one in sets for answers in one.values())
    assert sum(overlap.turns for overlap in overlaps) == total - len(first)


# Where sets come together


@pytest.fixture
def labelled(tmp_path: Path) -> tuple[RelevanceSet, RelevanceSet]:
    """Labels, and the set that they were exported to before one of the conversations grew."""
    store = Store(tmp_path / "convgate.db")
    conversations, labels = Conversations(store), Labels(store)
    for conversation in make_relevance_set(conversations=6).conversations.values():
        (added,) = conversations.add([NewConversation(conversation)])
        answers: dict[int, Answer] = {0: "relevant", 1: "not_relevant", 3: "relevant"}
        labels.answer(CurrentKey(added.key, 9), answers, by="Ada")
    (tmp_path / "exported.jsonl").write_bytes(write_labels(store, "relevance-set"))
    labels.answer(CurrentKey(added.key, 9), {5: "not_relevant"}, by="Ada")
    conversations.grow(added.key, [Turn.of("user", "and more")])
    return gold_set(store), read_relevance_set(tmp_path / "exported.jsonl")


def test_figures_of_labels_and_of_what_was_exported_of_them_are_those_of_the_labels(
    labelled: tuple[RelevanceSet, RelevanceSet],
) -> None:
    gold, exported = labelled
    policy = GatePolicy(trained_gate(seed=5), FakeEncoder(), make_rule("absolute"))
    alone, both = score_cases([gold], policy), score_cases([gold, exported], policy)
    kept = alone.kept(make_rule("absolute"))
    assert both.figures(kept) == alone.figures(kept)
    assert both.conversations == alone.conversations == 6
    assert both.overlaps == (Overlap("exported", "labels", 18),)
    backwards = score_cases([exported, gold], policy)
    assert (len(backwards.relevant), backwards.overlaps) == (19, (Overlap("labels", "exported", 18),))
    fitted = fit_threshold([gold, exported], policy, Goal.best_f_beta())
    assert fitted.threshold == fit_threshold([gold], policy, Goal.best_f_beta()).threshold
    assert fitted.notes[0] == "18 judged turns of exported are in labels too; each counts once."
