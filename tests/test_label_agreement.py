"""Agreement: the numbers are those of the libraries, and the words follow from the numbers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from convgate.labels.agreement import (
    Agreement,
    Pause,
    agreement,
    agreement_of_all,
    agreement_of_pairs,
    labelling_pause,
    training_warnings,
)
from convgate.store import Entry, Labels, SituationKey, Store
from convgate.store.label_counts import LabelCounts
from tests.stores import emptied
from tests.test_label_counts import MONDAY, add, say, shared, turn_counts

NOW = MONDAY + timedelta(days=14)  # two weeks are over


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def pair(both: int, only_first: int, only_second: int, neither: int) -> Agreement:
    (found,) = agreement_of_pairs([shared(both, only_first, only_second, neither)])
    return found


def test_kappa_by_hand() -> None:
    # 35 of 50 alike; by chance (25 · 30 + 25 · 20) / 50² = half; so (.7 - .5) / (1 - .5)
    found = pair(20, 5, 10, 15)
    assert found.value == pytest.approx(0.4)
    assert (found.coefficient, found.shared, found.agreed) == ("kappa", 50, 35)


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
def test_who_comes_first_changes_no_kappa_and_alike_is_one(cells: tuple[int, int, int, int]) -> None:
    both, one, other, neither = cells
    assert pair(both, other, one, neither).value == pytest.approx(pair(*cells).value)
    alike = pair(both + 1, 0, 0, neither + 1)
    assert alike.value == pytest.approx(1.0)


VOTES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=20)


@given(VOTES)
def test_alpha_is_that_of_the_library(votes: list[tuple[int, int]]) -> None:
    value = agreement_of_all(["Ada", "Bo", "Cy"], [turn_counts(votes)]).value
    told = [(yes, no) for yes, no in votes if yes + no > 1]
    if value is None:
        assert not any(yes for yes, _ in told) or not any(no for _, no in told)
        return
    expected = krippendorff.alpha(value_counts=np.array(told), level_of_measurement="nominal")
    assert value == pytest.approx(expected, abs=1e-9)
    swapped = agreement_of_all(["Ada", "Bo", "Cy"], [turn_counts([(no, yes) for yes, no in votes])])
    assert swapped.value == pytest.approx(value)


def test_alpha_of_answers_that_are_all_alike_turn_by_turn_is_one() -> None:
    found = agreement_of_all(["Ada", "Bo", "Cy"], [turn_counts([(3, 0), (0, 2), (1, 0), (0, 3)])])
    assert found.value == pytest.approx(1.0)
    assert (found.shared, found.agreed) == (3, 3)


@pytest.fixture(scope="module")
def of_many(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


@settings(max_examples=20)
@given(st.permutations(["Ada", "Bo", "Cy"]), st.integers(0, 1_000))
def test_permuting_annotators_changes_nothing(of_many: Store, names: list[str], seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = rng.choice(["relevant", "not_relevant", "unsure"], size=(3, 8))
    values = []
    for order in (["Ada", "Bo", "Cy"], names):
        store = emptied(of_many)
        place = SituationKey(add(store, "talk"), 8)
        entries = [
            Entry(place, turn, who, str(answers[row, turn]))
            for row, who in enumerate(order)
            for turn in range(8)
        ]
        Labels(store).record(entries, by="Ada", kind="import")
        report = agreement(store)
        values.append(
            {tuple(sorted(order.index(name) for name in one.annotators)): one.value for one in report}
        )
    assert values[1] == pytest.approx(values[0])


def test_the_interval_is_over_conversations_and_spans_the_value() -> None:
    rows = [shared(6, 1, 1, 4, message) for message in range(20)]
    rows += [shared(2, 3, 3, 2, message) for message in range(20, 26)]
    (found,) = agreement_of_pairs(rows)
    assert found.interval is not None
    assert found.value is not None
    assert found.interval[0] < found.value < found.interval[1]
    (few,) = agreement_of_pairs(rows[-5:])
    assert few.interval is not None, "over messages, where there are few conversations"
    assert pair(20, 5, 10, 15).interval is None, "one message cannot show how much messages differ"


@pytest.mark.parametrize(
    ("cells", "level", "value"),
    [
        ((5, 1, 1, 5), "few", "0.66"),
        ((30, 0, 0, 0), "undefined", ""),
        ((25, 2, 2, 25), "good", "0.85"),
        ((25, 4, 5, 25), "fair", "0.69"),
        ((25, 10, 10, 25), "low", "0.42"),
    ],
)
def test_the_level_says_what_the_number_means(
    cells: tuple[int, int, int, int], level: str, value: str
) -> None:
    found = pair(*cells)
    assert found.level == level
    assert (value or "Ada, Bo: 30 of 30") in found.summary


def test_a_single_answer_to_everything_against_a_mixture_is_no_agreement_beyond_chance() -> None:
    assert pair(10, 10, 0, 0).value == 0.0


def agree(store: Store, place: SituationKey, at: datetime, *, alike: int, apart: int) -> None:
    """Ada and Bo answer turns of a message, half of them relevant, some of them differently."""
    turns = range(alike + apart)
    ada = {f"t{turn}": "relevant" if turn % 2 else "not_relevant" for turn in turns}
    flipped = {"relevant": "not_relevant", "not_relevant": "relevant"}
    bo = {
        name: answer if turn < alike else flipped[answer] for turn, (name, answer) in enumerate(ada.items())
    }
    say(store, place, "Ada", at, **ada)
    say(store, place, "Bo", at, **bo)


def test_training_is_warned_of_low_agreement_and_open_disagreements(store: Store) -> None:
    assert training_warnings(store) == []
    place = SituationKey(add(store, "talk", 60), 58)
    agree(store, place, MONDAY, alike=20, apart=20)
    low, unresolved = training_warnings(store)
    assert "kappa 0.00" in low
    assert unresolved.startswith("20 turns have")
    Labels(store).adjudicate(place, dict.fromkeys(range(20, 39), "relevant"), by="Ada")
    assert training_warnings(store)[1].startswith("1 turn has")


def test_who_does_not_train_gives_no_reason_to_warn_of_training(store: Store) -> None:
    place = SituationKey(add(store, "talk", 60), 58)
    agree(store, place, MONDAY, alike=40, apart=0)
    relevant = {f"t{turn}": "relevant" if turn % 2 else "unsure" for turn in range(40)}
    say(store, place, "Cy", MONDAY, **relevant)
    assert training_warnings(store) == []
    before = agreement(store)
    opposite = {f"t{turn}": "not_relevant" if turn % 2 else "relevant" for turn in range(40)}
    say(store, place, "Dy", MONDAY, **opposite)
    assert len(training_warnings(store)) == 5, "three pairs, alpha and open disagreements"
    Labels(store).set_trains("Dy", trains=False)
    assert training_warnings(store) == []
    assert agreement(store, training=True) == before
    assert len(agreement(store)) == 7, "annotators see everybody: six pairs and alpha"


def test_more_than_two_annotators_get_alpha_as_well(store: Store) -> None:
    place = SituationKey(add(store, "talk", 60), 58)
    agree(store, place, MONDAY, alike=20, apart=20)
    assert [one.coefficient for one in agreement(store)] == ["kappa"]
    say(store, place, "Cy", MONDAY, **{f"t{turn}": "relevant" for turn in range(40)})
    *pairs, together = agreement(store)
    assert [one.coefficient for one in pairs] == ["kappa"] * 3
    assert (together.coefficient, together.annotators) == ("alpha", ("Ada", "Bo", "Cy"))


def two_low_weeks(store: Store) -> SituationKey:
    place = SituationKey(add(store, "talk", 60), 58)
    agree(store, place, MONDAY, alike=12, apart=12)
    agree(store, SituationKey(place.conversation, 56), MONDAY + timedelta(days=8), alike=12, apart=12)
    return place


def test_two_successive_weeks_of_low_agreement_pause_labelling(store: Store) -> None:
    two_low_weeks(store)
    assert labelling_pause(store, MONDAY + timedelta(days=13)) is None, "the second week is not over"
    assert labelling_pause(store, NOW) == Pause(("Ada", "Bo"), 0, 20)
    assert labelling_pause(store, NOW + timedelta(days=60)) is not None, "a pause does not pass by waiting"


def test_a_pause_ends_when_twenty_shared_turns_are_settled_since(store: Store) -> None:
    place = two_low_weeks(store)
    labels = Labels(store)
    labels.adjudicate(place, dict.fromkeys(range(19), "relevant"), by="Ada")
    pause = labelling_pause(store, datetime.now(UTC))
    assert pause is not None
    assert pause.adjudicated == 19
    labels.adjudicate(place, {30: "relevant"}, by="Ada")
    assert labelling_pause(store, datetime.now(UTC)) is not None, "turn 30 is answered by nobody"
    labels.adjudicate(place, {19: "relevant"}, by="Ada")
    assert labelling_pause(store, datetime.now(UTC)) is None
    labels.undo("Ada")
    assert labelling_pause(store, datetime.now(UTC)) is not None


def test_a_pause_ends_when_nothing_is_left_to_settle(store: Store) -> None:
    place = SituationKey(add(store, "talk", 60), 58)
    other = SituationKey(place.conversation, 56)
    agree(store, place, MONDAY, alike=16, apart=6)
    agree(store, other, MONDAY + timedelta(days=8), alike=16, apart=6)
    pause = labelling_pause(store, datetime.now(UTC))
    assert pause is not None
    assert (pause.adjudicated, pause.needed) == (0, 12)
    for row in LabelCounts(store).disagreements(per_page=100).rows[1:]:
        Labels(store).adjudicate(row.situation, {row.turn: "relevant"}, by="Ada")
    assert labelling_pause(store, datetime.now(UTC)) == Pause(("Ada", "Bo"), 11, 12)
    (last,) = LabelCounts(store).disagreements(per_page=100).rows
    Labels(store).adjudicate(last.situation, {last.turn: "relevant"}, by="Ada")
    assert labelling_pause(store, datetime.now(UTC)) is None


@pytest.mark.parametrize(("days", "alike", "apart"), [(15, 12, 12), (8, 24, 0), (8, 5, 5)])
def test_weeks_apart_better_ones_and_those_with_too_few_turns_pause_nothing(
    store: Store, days: int, alike: int, apart: int
) -> None:
    place = SituationKey(add(store, "talk", 60), 58)
    agree(store, place, MONDAY, alike=12, apart=12)
    other = SituationKey(place.conversation, 56)
    agree(store, other, MONDAY + timedelta(days=days), alike=alike, apart=apart)
    assert labelling_pause(store, MONDAY + timedelta(days=40)) is None
