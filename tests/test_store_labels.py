"""Labels: stored at once, taken back as they came, never lost."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import (
    ADJUDICATED,
    WHOLE,
    Conversations,
    Entry,
    Labels,
    NewConversation,
    SituationKey,
    Store,
)
from convgate.store.label_log import ANSWERS
from tests.stores import emptied

Talk = tuple[Labels, str]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def talk(store: Store) -> Talk:
    return Labels(store), add(store, "talk", 8)


def add(store: Store, name: str, turns: int) -> str:
    said = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, said), "a test")])
    return added.key


def gold(store: Store) -> dict[int, str]:
    with store.read() as db:
        return dict(db.execute("SELECT turn, answer FROM gold").fetchall())


def log(store: Store) -> int:
    with store.read() as db:
        return int(db.execute("SELECT count(*) FROM label_log").fetchone()[0])


def test_an_answer_holds_with_who_when_and_which_version(talk: Talk) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    saved = labels.answer(place, {0: "relevant", 3: "unsure"}, by="Ada", version="shipped")
    assert (saved.changed, saved.situation, saved.turn) == (2, place, 0)
    held = labels.of(place)
    assert held.of("Ada") == {0: "relevant", 3: "unsure"}
    assert (held.answers[0]["Ada"].at, held.answers[0]["Ada"].version) == (saved.at, "shipped")
    assert labels.of(SituationKey(key, 4)).answers == {}


def test_saying_the_same_again_stores_nothing(talk: Talk, store: Store) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    before = log(store)
    again = labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    assert (again.action, again.changed, log(store)) == (None, 0, before)


def test_who_stands_by_an_answer_gives_it_anew(talk: Talk) -> None:
    labels, key = talk
    first = labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    again = labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada", version="new", again=True)
    held = labels.of(SituationKey(key, 6)).answers[0]["Ada"]
    assert (again.changed, held.value, held.version) == (1, "relevant", "new")
    assert held.at >= first.at


def test_two_people_answer_the_same_turn_without_touching_each_other(talk: Talk) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    labels.answer(place, {2: "relevant"}, by="Ada")
    labels.answer(place, {2: "not_relevant"}, by="Bo")
    labels.undo("Ada")
    assert labels.of(place).of("Ada") == {}
    assert labels.of(place).of("Bo") == {2: "not_relevant"}


def test_undo_takes_back_one_action_after_the_other_and_redo_brings_them_again(talk: Talk) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    labels.answer(place, {0: "relevant"}, by="Ada")
    labels.answer(place, dict.fromkeys(range(6), "not_relevant"), by="Ada", kind="bulk")
    labels.set_status(place, "skipped", by="Ada")
    labels.adjudicate(place, {5: "relevant"}, by="Ada")
    labels.note(place, 1, "why not?", by="Ada")
    for expected in ("note", "adjudicate", "status", "bulk"):
        undone = labels.undo("Ada")
        assert undone is not None, expected
    held = labels.of(place)
    assert (held.of("Ada"), held.notes, held.answer(WHOLE, "Ada")) == ({0: "relevant"}, {}, None)
    assert held.answer(5, ADJUDICATED) is None
    for _ in range(4):
        assert labels.redo("Ada") is not None
    held = labels.of(place)
    assert held.of("Ada") == dict.fromkeys(range(6), "not_relevant")
    assert (held.answer(5, ADJUDICATED), held.answer(WHOLE, "Ada")) == ("relevant", "skipped")
    assert held.notes[1]["Ada"].value == "why not?"
    assert labels.redo("Ada") is None


def test_what_comes_back_is_as_old_as_it_was_and_of_the_version_of_then(talk: Talk) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    said = Entry(place, 0, "Ada", "relevant", at="2026-01-05T10:00:00.000+00:00", version="first")
    labels.record([said], by="Ada", kind="import")
    first = labels.of(place).answers[0]["Ada"]
    labels.answer(place, {0: "unsure"}, by="Ada", version="second")
    second = labels.of(place).answers[0]["Ada"]
    assert (first.version, second.version) == ("first", "second")
    for turn_back, expected in (("undo", first), ("redo", second), ("undo", first)):
        getattr(labels, turn_back)("Ada")
        assert labels.of(place).answers[0]["Ada"] == expected
    labels.undo("Ada")
    labels.redo("Ada")
    assert labels.of(place).answers[0]["Ada"] == first, "an import keeps its times"


def test_a_new_answer_ends_what_could_be_redone(talk: Talk) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    labels.undo("Ada")
    assert labels.can_undo("Ada") == (False, True)
    labels.answer(SituationKey(key, 6), {1: "relevant"}, by="Ada")
    assert labels.can_undo("Ada") == (True, False)
    assert labels.redo("Ada") is None


def test_undo_leaves_what_somebody_else_settled_since(talk: Talk) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    labels.adjudicate(place, {0: "relevant", 1: "relevant"}, by="Ada")
    labels.adjudicate(place, {0: "not_relevant"}, by="Bo")
    undone = labels.undo("Ada")
    assert undone is not None
    assert (undone.changed, undone.left) == (1, 1)
    assert labels.of(place).of(ADJUDICATED) == {0: "not_relevant"}


def test_undo_by_somebody_who_did_nothing_does_nothing(talk: Talk) -> None:
    assert talk[0].undo("nobody") is None
    assert talk[0].can_undo("nobody") == (False, False)


@pytest.mark.parametrize(
    ("situation", "turn", "value", "told"),
    [
        (("KEY", 6), 6, "relevant", "turn 6 is not before the message"),
        (("KEY", 0), 0, "relevant", "turns before it: none"),
        (("KEY", 8), 0, "relevant", "the conversation has 8 turns"),
        (("KEY", None), 0, "relevant", "either a turn or a question"),
        (("KEY", 6, "and?"), 0, "relevant", "either a turn or a question"),
        (("other", 6), 0, "relevant", "no conversation 'other'"),
        (("KEY", 6), 0, "perhaps", "an answer is one of relevant, not_relevant, unsure"),
        (("KEY", 6), WHOLE, "relevant", "an answer is one of done, skipped"),
    ],
)
def test_what_cannot_be_is_refused_whole(
    talk: Talk, store: Store, situation: tuple[str, int], turn: int, value: str, told: str
) -> None:
    labels, key = talk
    place = SituationKey(*[key if part == "KEY" else part for part in situation])  # type: ignore[arg-type]
    entries = [Entry(SituationKey(key, 6), 1, "Ada", "relevant"), Entry(place, turn, "Ada", value)]
    with pytest.raises(StoreError, match=told):
        labels.record(entries, by="Ada", kind="bulk")
    assert (log(store), labels.annotators()) == (0, []), "nothing of it is kept"


@pytest.mark.parametrize("name", ["", " Ada", "x" * 61, "a\nb", "Adjudicated"])
def test_a_name_that_cannot_be_an_annotators_is_refused(talk: Talk, name: str) -> None:
    with pytest.raises(StoreError, match=r"annotator's name|adjudicated"):
        talk[0].answer(SituationKey(talk[1], 6), {0: "relevant"}, by=name)


def test_an_agent_cannot_speak_under_the_name_of_a_person(talk: Talk) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    entry = Entry(SituationKey(key, 6), 1, "Ada", "relevant", kind="agent")
    with pytest.raises(StoreError, match="'Ada' is a person who labels, not an agent"):
        labels.record([entry], by="Ada", kind="feedback", by_kind="agent")


def test_gold_is_the_majority_of_people_unless_somebody_settled_it(talk: Talk, store: Store) -> None:
    labels, key = talk
    place = SituationKey(key, 6)
    labels.answer(place, {0: "relevant", 1: "relevant", 2: "unsure", 3: "relevant"}, by="Ada")
    labels.answer(place, {0: "relevant", 1: "not_relevant", 3: "not_relevant"}, by="Bo")
    labels.adjudicate(place, {3: "not_relevant"}, by="Bo")
    feedback = [Entry(place, turn, "bot", "relevant", kind="agent") for turn in (2, 4)]
    labels.record(feedback, by="bot", kind="feedback", by_kind="agent")
    assert gold(store) == {
        0: "relevant", 1: "unsure", 2: "unsure", 3: "not_relevant", 4: "relevant",
    }  # fmt: skip
    labels.answer(place, {1: "not_relevant"}, by="Cy")
    assert gold(store)[1] == "not_relevant"
    labels.set_trains("bot", trains=False)
    assert 4 not in gold(store)
    with pytest.raises(StoreError, match="nobody called"):
        labels.set_trains("nobody", trains=True)


def test_progress_is_counted_for_each_annotator(talk: Talk, store: Store) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant", 1: "relevant"}, by="Bo")
    labels.answer(SituationKey(key, 4), {0: "unsure"}, by="Bo")
    labels.set_status(SituationKey(key, 4), "done", by="Ada")
    ada, bo = labels.annotators()
    assert (ada.name, ada.answers, ada.last) == ("Ada", 0, None)
    assert (bo.name, bo.answers, bo.situations) == ("Bo", 3, 2)
    assert labels.people() == ["Ada", "Bo"]
    assert labels.last_situation("Bo") == SituationKey(key, 4)
    assert labels.last_situation("nobody") is None


def test_labels_go_when_their_conversation_is_purged_and_wait_while_it_is_deleted(
    talk: Talk, store: Store
) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    conversations = Conversations(store)
    conversations.delete([key])
    assert list(labels.entries()) == []
    conversations.undelete([key])
    assert [entry.value for entry in labels.entries()] == ["relevant"]
    conversations.delete([key])
    assert labels.annotators()[0].answers == 0
    conversations.purge()
    assert log(store) == 0
    assert labels.can_undo("Ada") == (False, False), "nothing is left to be undone"


def test_undo_goes_on_past_conversations_that_were_deleted_or_removed(talk: Talk, store: Store) -> None:
    labels, key = talk
    conversations, other, third = Conversations(store), add(store, "other", 8), add(store, "third", 8)
    for one in (key, other, third):
        labels.answer(SituationKey(one, 6), {2: "relevant"}, by="Ada")
    both = [Entry(SituationKey(one, 4), 1, "Ada", "relevant") for one in (third, key)]
    labels.record(both, by="Ada", kind="import")
    conversations.delete([other, third])
    part = labels.undo("Ada")
    assert part is not None
    assert (part.changed, part.situation, part.deleted) == (2, SituationKey(key, 4), "")
    gone = labels.undo("Ada")
    assert gone is not None
    assert (gone.changed, gone.situation, gone.turn, gone.deleted) == (1, None, WHOLE, "third 0")
    conversations.purge()
    conversations.undelete([third])
    last = labels.undo("Ada")
    assert last is not None
    assert last.situation == SituationKey(key, 6)
    assert labels.undo("Ada") is None
    again = labels.redo("Ada")
    assert again is not None
    assert (again.situation, again.changed) == (SituationKey(key, 6), 1)
    rest = labels.redo("Ada")
    assert rest is not None
    assert (rest.situation, rest.changed) == (SituationKey(key, 4), 1)
    assert labels.redo("Ada") is None, "what was removed cannot come back"


def test_what_was_undone_while_its_conversation_was_deleted_is_undone_when_it_comes_back(
    talk: Talk, store: Store
) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {2: "relevant"}, by="Ada")
    Conversations(store).delete([key])
    labels.undo("Ada")
    Conversations(store).undelete([key])
    assert labels.of(SituationKey(key, 6)).of("Ada") == {}
    assert labels.redo("Ada") is not None
    assert labels.of(SituationKey(key, 6)).of("Ada") == {2: "relevant"}


def test_the_log_cannot_be_rewritten(talk: Talk, store: Store) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"), store.write() as db:
        db.execute("UPDATE label_log SET after = 'not_relevant'")


def test_everything_is_erased_with_the_rest(talk: Talk, store: Store) -> None:
    labels, key = talk
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    store.erase()
    assert labels.annotators() == []


ACTIONS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(["Ada", "Bo"]),
            st.dictionaries(st.integers(0, 5), st.none() | st.sampled_from(ANSWERS), min_size=1),
        ),
        st.tuples(st.sampled_from(["Ada", "Bo"]), st.sampled_from(["undo", "redo"])),
    ),
    max_size=25,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


@given(ACTIONS)
def test_what_holds_is_what_the_log_comes_to_and_undoing_everything_leaves_nothing(
    shared: Store, actions: list[tuple[str, object]]
) -> None:
    labels, place = Labels(emptied(shared)), SituationKey(add(shared, "talk", 8), 6)
    for who, what in actions:
        if isinstance(what, dict):
            labels.answer(place, what, by=who)
        else:
            (labels.undo if what == "undo" else labels.redo)(who)
    with shared.read() as db:
        rows = db.execute("SELECT turn, annotator, after FROM label_log ORDER BY number").fetchall()
        held = db.execute("SELECT turn, annotator, answer FROM labels ORDER BY turn, annotator").fetchall()
    replayed = {(turn, who): after for turn, who, after in rows}
    assert held == sorted((*key, after) for key, after in replayed.items() if after is not None)
    for who in ("Ada", "Bo"):
        while labels.undo(who):
            pass
    assert labels.of(place).answers == {}
