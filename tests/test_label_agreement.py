"""Counts over labels, and agreement compared with reference libraries."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime, timedelta

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from convgate.core.conversation import Conversation, Turn
from convgate.labels.agreement import (
    Agreement,
    TurnAnswers,
    group_agreement,
    pair_agreement,
    shared_turns,
    training_warnings,
)
from convgate.store import Conversations, CurrentKey, Entry, Labels, NewConversation, Store
from convgate.store.label_log import ANSWERS, AnnotatorKind
from tests.stores import clear_store


def add(store: Store, name: str, turns: int = 10) -> str:
    talk = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, talk), title=name)])
    return added.key


def add_answers(store: Store, place: CurrentKey, who: str, at: datetime, **answers: str | None) -> None:
    """Answers by turn, such as t3="relevant", given at a time."""
    entries = [
        Entry(place, int(turn[1:]), who, answer, at=at.isoformat()) for turn, answer in answers.items()
    ]
    Labels(store).record(entries, by=who, kind="answer")


MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["Ada", "Bo", "Cy", "bot", "adjudicate"]),
            st.integers(0, 1),
            st.dictionaries(st.integers(0, 2), st.none() | st.sampled_from(ANSWERS), min_size=1),
            st.integers(0, 20),
        ),
        st.sampled_from(["undo Ada", "undo Bo", "redo Ada"]),
    ),
    max_size=20,
)


@pytest.fixture(scope="module")
def of_many(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


@settings(max_examples=40)
@given(ACTIONS)
def test_counts_are_those_of_all_entries(
    of_many: Store, actions: list[tuple[str, int, dict[int, str | None], int] | str]
) -> None:
    store = clear_store(of_many)
    labels, key = Labels(store), add(store, "talk")
    for action in actions:
        if isinstance(action, str):
            what, who = action.split()
            (labels.undo if what == "undo" else labels.redo)(who)
            continue
        who, message, answers, day = action
        place = CurrentKey(key, 6 + 2 * message)
        if who == "adjudicate":
            labels.adjudicate(place, answers, by="Ada")
            continue
        kind: AnnotatorKind = "agent" if who == "bot" else "person"
        at = (MONDAY + timedelta(days=day)).isoformat()
        entries = [Entry(place, turn, who, answer, at=at, kind=kind) for turn, answer in answers.items()]
        labels.record(entries, by=who, kind="answer", by_kind=kind)
    by_place: dict[tuple[CurrentKey, int], dict[str, Entry]] = defaultdict(dict)
    for entry in labels.entries():
        if entry.kind == "person":
            by_place[entry.current, entry.turn][entry.annotator] = entry
    disputed = {
        (place, turn)
        for (place, turn), by in by_place.items()
        if {"relevant", "not_relevant"} <= {entry.value for entry in by.values()}
    }
    rows = labels.disagreements(adjudicated=True)
    assert sorted((row.current.turn, row.turn) for row in rows) == sorted(
        (place.turn, turn) for place, turn in disputed
    )
    judged = [
        {who: entry.value == "relevant" for who, entry in sorted(by.items()) if entry.value != "unsure"}
        for by in by_place.values()
    ]
    assert sorted(map(str, (dict(turn.relevant) for turn in shared_turns(store)))) == sorted(
        str(answers) for answers in judged if len(answers) > 1
    )


def test_disagreements_come_newest_first_with_all_answers(store: Store) -> None:
    places = [CurrentKey(add(store, f"talk {n}"), 8) for n in range(5)]
    for day, place in enumerate(places):
        add_answers(store, place, "Ada", MONDAY, t0="relevant", t1="relevant", t2="unsure")
        add_answers(
            store, place, "Bo", MONDAY + timedelta(days=day), t0="not_relevant", t1="relevant", t2="relevant"
        )
    add_answers(store, places[0], "Cy", MONDAY, t0="unsure", t1="not_relevant")
    labels = Labels(store)
    rows = labels.disagreements()
    titles = [row.title for row in rows]
    assert titles == ["talk 4", "talk 3", "talk 2", "talk 1", "talk 0", "talk 0"]
    assert (rows[0].current, rows[0].turn) == (places[4], 0)
    assert rows[0].answers == {"Ada": "relevant", "Bo": "not_relevant"}
    assert [row.turn for row in rows[4:]] == [0, 1]
    assert rows[4].answers == {"Ada": "relevant", "Bo": "not_relevant", "Cy": "unsure"}
    labels.set_trains("Ada", trains=False)
    assert [row.turn for row in labels.disagreements(training=True)] == [1]
    assert labels.disagreements(places[0]) == rows[4:]
    assert labels.disagreements(CurrentKey(places[0].conversation, 6)) == []


def shared(both: int, only_first: int, only_second: int, neither: int, message: int = 1) -> list[TurnAnswers]:
    """Turns before one message that Ada and Bo answered."""
    cells = {
        (True, True): both,
        (True, False): only_first,
        (False, True): only_second,
        (False, False): neither,
    }
    return [
        TurnAnswers(CurrentKey(str(message), 1), {"Ada": ada, "Bo": bo})
        for (ada, bo), count in cells.items()
        for _ in range(count)
    ]


def votes_of(votes: list[tuple[int, int]]) -> list[TurnAnswers]:
    """Turns, each by how many call it relevant and how many not."""
    answers = [[True] * yes + [False] * no for yes, no in votes if yes + no > 1]
    return [
        TurnAnswers(CurrentKey("1", 1), {str(who): one for who, one in enumerate(turn)}) for turn in answers
    ]


def pair(both: int, only_first: int, only_second: int, neither: int) -> Agreement:
    return pair_agreement("Ada", "Bo", shared(both, only_first, only_second, neither))


CELLS = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda cells: sum(cells) > 0)


@given(CELLS)
def test_kappa_is_that_of_scikit_learn(cells: tuple[int, int, int, int]) -> None:
    both, one, other, neither = cells
    value = pair(*cells).value
    if value is None:
        assert sum(cells) in (both, neither), "undefined only when all answers are alike"
        return
    first = [1] * both + [1] * one + [0] * other + [0] * neither
    second = [1] * both + [0] * one + [1] * other + [0] * neither
    assert value == pytest.approx(cohen_kappa_score(first, second), abs=1e-9)


@given(CELLS)
def test_kappa_is_symmetric_and_1_for_equal_answers(cells: tuple[int, int, int, int]) -> None:
    both, one, other, neither = cells
    assert pair(both, other, one, neither).value == pytest.approx(pair(*cells).value)
    alike = pair(both + 1, 0, 0, neither + 1)
    assert alike.value == pytest.approx(1.0)


VOTES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20)


@given(VOTES)
def test_alpha_is_that_of_the_library(votes: list[tuple[int, int]]) -> None:
    value = group_agreement(["Ada", "Bo", "Cy"], votes_of(votes)).value
    pairable = [(yes, no) for yes, no in votes if yes + no > 1]
    if value is None:
        assert not any(yes for yes, _ in pairable) or not any(no for _, no in pairable)
        return
    expected = krippendorff.alpha(value_counts=np.array(pairable), level_of_measurement="nominal")
    assert value == pytest.approx(expected, abs=1e-9)
    swapped = group_agreement(["Ada", "Bo", "Cy"], votes_of([(no, yes) for yes, no in votes]))
    assert swapped.value == pytest.approx(value)


def test_the_interval_is_over_conversations_and_spans_the_value() -> None:
    turns = [turn for message in range(20) for turn in shared(6, 1, 1, 4, message)]
    turns += [turn for message in range(20, 26) for turn in shared(2, 3, 3, 2, message)]
    agreement = pair_agreement("Ada", "Bo", turns)
    assert agreement.value is not None
    assert agreement.interval[0] < agreement.value < agreement.interval[1]
    few = pair_agreement("Ada", "Bo", turns[-50:])
    assert few.interval is not None, "over messages, where there are few conversations"
    assert pair(20, 5, 10, 15).interval is None, "one message cannot show how much messages differ"


def add_two_annotators(store: Store, place: CurrentKey, at: datetime, *, alike: int, apart: int) -> None:
    """Ada and Bo answer turns of a message, half of them relevant, some of them differently."""
    turns = range(alike + apart)
    ada = {f"t{turn}": "relevant" if turn % 2 else "not_relevant" for turn in turns}
    flipped = {"relevant": "not_relevant", "not_relevant": "relevant"}
    bo = {
        name: answer if turn < alike else flipped[answer] for turn, (name, answer) in enumerate(ada.items())
    }
    add_answers(store, place, "Ada", at, **ada)
    add_answers(store, place, "Bo", at, **bo)


def test_training_is_warned_of_low_agreement_and_open_disagreements(store: Store) -> None:
    assert training_warnings(store) == []
    place = CurrentKey(add(store, "talk", 60), 58)
    add_two_annotators(store, place, MONDAY, alike=20, apart=20)
    low, _unresolved = training_warnings(store)
    assert "kappa 0.00" in low
    Labels(store).adjudicate(place, dict.fromkeys(range(20, 39), "relevant"), by="Ada")
