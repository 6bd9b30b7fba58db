"""Counts over labels, compared with counting in Python."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import UTC, date, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.store import Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.store.label_counts import LabelCounts, SharedCounts, TurnCounts
from convgate.store.label_log import ANSWERS, AnnotatorKind
from tests.stores import emptied

Row = tuple[str, int, str, str, str]  # who, turn, answer, at, kind


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def add(store: Store, name: str, turns: int = 10) -> str:
    said = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, said), title=name)])
    return added.key


def say(store: Store, place: SituationKey, who: str, at: datetime, **answers: str | None) -> None:
    """Answers by turn, such as t3="relevant", given at a time."""
    entries = [
        Entry(place, int(turn[1:]), who, answer, at=at.isoformat()) for turn, answer in answers.items()
    ]
    Labels(store).record(entries, by=who, kind="answer")


MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_shared_turns_are_counted_by_message_and_week(store: Store) -> None:
    place = SituationKey(add(store, "talk"), 8)
    say(
        store,
        place,
        "Bo",
        MONDAY,
        t0="relevant",
        t1="relevant",
        t2="not_relevant",
        t3="not_relevant",
        t4="relevant",
    )
    say(
        store,
        place,
        "Ada",
        MONDAY + timedelta(days=6),
        t0="relevant",
        t1="not_relevant",
        t2="relevant",
        t4="unsure",
    )
    say(store, place, "Ada", MONDAY + timedelta(days=7), t3="not_relevant", t5="relevant")
    first, second = sorted(LabelCounts(store).shared(), key=lambda row: row.week)
    assert (first.first, first.second, first.week) == ("Ada", "Bo", date(2026, 3, 2))
    cells = (first.both, first.only_first, first.only_second, first.neither, first.unsure)
    assert cells == (1, 1, 1, 0, 1), "only Ada calls turn 2 relevant, only Bo turn 1"
    assert (second.week, second.neither, second.both) == (date(2026, 3, 9), 1, 0)


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["Ada", "Bo", "Cy", "bot", "settle"]),
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
    store = emptied(of_many)
    labels, key = Labels(store), add(store, "talk")
    for action in actions:
        if isinstance(action, str):
            what, who = action.split()
            (labels.undo if what == "undo" else labels.redo)(who)
            continue
        who, message, answers, day = action
        place = SituationKey(key, 6 + 2 * message)
        if who == "settle":
            labels.adjudicate(place, answers, by="Ada")  # type: ignore[arg-type]
            continue
        kind: AnnotatorKind = "agent" if who == "bot" else "person"
        at = (MONDAY + timedelta(days=day)).isoformat()
        entries = [Entry(place, turn, who, answer, at=at, kind=kind) for turn, answer in answers.items()]
        labels.record(entries, by=who, kind="answer", by_kind=kind)
    said: dict[tuple[SituationKey, int], dict[str, Entry]] = defaultdict(dict)
    for entry in labels.entries():
        if entry.kind == "person":
            said[entry.situation, entry.turn][entry.annotator] = entry
    pairs: Counter[tuple[str, str, int | None, date, str, str]] = Counter()
    for (place, _), by in said.items():
        for a, b in combinations(sorted(by), 2):
            later = max(datetime.fromisoformat(by[who].at or "") for who in (a, b))
            week = later.date() - timedelta(days=later.weekday())
            one, two = by[a].value or "", by[b].value or ""
            if "unsure" in (one, two):
                one = two = "unsure"
            pairs[a, b, place.turn, week, one, two] += 1
    counts = LabelCounts(store)
    with store.read() as db:
        turns = dict(db.execute("SELECT number, turn FROM situations").fetchall())
    assert pairs == Counter(
        {
            (row.first, row.second, turns[row.message], row.week, one, two): number
            for row in counts.shared()
            for one, two, number in (
                ("relevant", "relevant", row.both),
                ("relevant", "not_relevant", row.only_first),
                ("not_relevant", "relevant", row.only_second),
                ("not_relevant", "not_relevant", row.neither),
                ("unsure", "unsure", row.unsure),
            )
            if number
        }
    )
    disputed = {
        (place, turn)
        for (place, turn), by in said.items()
        if {"relevant", "not_relevant"} <= {entry.value for entry in by.values()}
    }
    page = counts.disagreements(settled=None, per_page=100)
    assert {(row.situation, row.turn) for row in page.rows} == disputed
    assert page.total == len(disputed)
    told = [[entry.value for entry in by.values() if entry.value != "unsure"] for by in said.values()]
    shared = [answers for answers in told if len(answers) > 1]
    together = counts.together()
    assert sum(row.turns for row in together) == len(shared)
    assert sum(row.agreed for row in together) == sum(len(set(answers)) == 1 for answers in shared)
    assert sum(row.relevant for row in together) == sum(answers.count("relevant") for answers in shared)


def test_disagreements_come_in_pages_newest_first_with_both_answers(store: Store) -> None:
    places = [SituationKey(add(store, f"talk {n}"), 8) for n in range(5)]
    for day, place in enumerate(places):
        say(store, place, "Ada", MONDAY, t0="relevant", t1="relevant", t2="unsure")
        say(store, place, "Bo", MONDAY + timedelta(days=day), t0="not_relevant", t1="relevant", t2="relevant")
    say(store, places[0], "Cy", MONDAY, t0="unsure", t1="not_relevant")
    counts = LabelCounts(store)
    page = counts.disagreements(1, 2)
    assert (page.total, [row.title for row in page.rows]) == (6, ["talk 4", "talk 3"])
    (row, _) = page.rows
    assert (row.situation, row.turn, row.at) == (places[4], 0, MONDAY + timedelta(days=4))
    assert (row.answers, row.settled) == ({"Ada": "relevant", "Bo": "not_relevant"}, None)
    last = counts.disagreements(3, 2)
    assert [(row.title, row.turn) for row in last.rows] == [("talk 0", 0), ("talk 0", 1)]
    assert last.rows[0].answers == {"Ada": "relevant", "Bo": "not_relevant", "Cy": "unsure"}
    past = counts.disagreements(4, 2)
    assert (past.rows, past.total) == ((), 6)
    assert counts.disagreements(annotators=["Ada", "Bo"]).total == 5
    assert [row.turn for row in counts.disagreements(annotators=["Bo", "Cy"]).rows] == [1]
    assert [(row.situation, row.turn) for row in counts.disagreements(situation=places[0]).rows] == [
        (places[0], 0), (places[0], 1),
    ]  # fmt: skip
    assert counts.disagreements(situation=SituationKey(places[0].conversation, 6)).total == 0


def test_a_settled_disagreement_leaves_the_list_and_comes_back_with_undo(store: Store) -> None:
    place = SituationKey(add(store, "talk"), 8)
    say(store, place, "Ada", MONDAY, t0="relevant", t1="relevant")
    say(store, place, "Bo", MONDAY, t0="not_relevant", t1="not_relevant")
    labels, counts = Labels(store), LabelCounts(store)
    before = datetime.now(UTC) - timedelta(seconds=1)
    labels.adjudicate(place, {0: "relevant"}, by="Ada")
    assert [row.turn for row in counts.disagreements().rows] == [1]
    (settled,) = counts.disagreements(settled=True).rows
    assert (settled.turn, settled.settled, settled.answers["Bo"]) == (0, "relevant", "not_relevant")
    assert settled.settled_at is not None
    assert settled.settled_at > before
    assert counts.disagreements(settled=None).total == 2
    assert counts.settled_since("Bo", "Ada", before) == 1
    assert counts.settled_since("Bo", "Cy", before) == 0
    assert counts.settled_since("Bo", "Ada", datetime.now(UTC) + timedelta(seconds=1)) == 0
    labels.undo("Ada")
    assert counts.disagreements().total == 2


def test_deleted_conversations_do_not_count_and_purged_ones_leave_nothing(store: Store) -> None:
    key = add(store, "talk")
    place = SituationKey(key, 8)
    say(store, place, "Ada", MONDAY, t0="relevant")
    say(store, place, "Bo", MONDAY, t0="not_relevant")
    Labels(store).adjudicate(place, {0: "relevant"}, by="Ada")
    counts, conversations = LabelCounts(store), Conversations(store)
    assert counts.known() == {place: {0}}
    conversations.delete([key])
    assert (counts.shared(), counts.together(), counts.known()) == ([], [], {})
    assert counts.disagreements(settled=None).total == 0
    conversations.purge()
    with store.read() as db:
        assert db.table("labels").count == 0


def test_answers_are_counted_by_day(store: Store) -> None:
    place = SituationKey(add(store, "talk"), 8)
    say(store, place, "Ada", MONDAY, t0="relevant", t1="unsure")
    say(store, place, "Ada", MONDAY + timedelta(days=2), t2="relevant", t3="relevant", t4="relevant")
    Labels(store).set_status(place, "done", by="Ada")
    say(store, place, "Bo", MONDAY, t0="relevant")
    per_day = LabelCounts(store).per_day("Ada", MONDAY.date())
    assert per_day == {date(2026, 3, 2): 2, date(2026, 3, 4): 3}
    assert LabelCounts(store).per_day("Ada", date(2026, 3, 3)) == {date(2026, 3, 4): 3}
    assert LabelCounts(store).per_day("nobody", MONDAY.date()) == {}


def test_known_is_what_is_settled_and_what_the_asked_one_answered(store: Store) -> None:
    place = SituationKey(add(store, "talk"), 8)
    say(store, place, "Ada", MONDAY, t0="relevant", t1="relevant", t2="unsure")
    say(store, place, "Bo", MONDAY, t1="not_relevant")
    counts = LabelCounts(store)
    assert counts.known() == {place: {0}}
    assert counts.known(by="Bo") == {place: {0, 1}}
    assert counts.known(by="Ada") == {place: {0, 1, 2}}


def shared(both: int, only_first: int, only_second: int, neither: int, message: int = 1) -> SharedCounts:
    """For other tests: the counts of one message."""
    return SharedCounts(
        "Ada", "Bo", message, message, date(2026, 3, 2), both, only_first, only_second, neither, 0
    )


def turn_counts(answers: list[tuple[int, int]], message: int = 1) -> TurnCounts:
    """For other tests: turns of one message, each by how many call it relevant and how many not."""
    told = [(yes, no) for yes, no in answers if yes + no > 1]
    return TurnCounts(
        message,
        message,
        len(told),
        sum(not (yes and no) for yes, no in told),
        sum(yes for yes, _ in told),
        sum(no for _, no in told),
        sum(yes * no / (yes + no - 1) for yes, no in told),
    )
