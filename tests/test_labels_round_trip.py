"""What is written comes back from either format, as a spreadsheet saves it, and is a training set."""

from __future__ import annotations

import csv
import io
from datetime import UTC
from itertools import count
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.labels.csv_table import COLUMNS, escape_formula, unescape_formula
from convgate.labels.exchange import Kind, read_labels, write_labels
from convgate.labels.gold import gold_set
from convgate.store import (
    ADJUDICATED,
    Answer,
    Conversations,
    Entry,
    Labels,
    NewConversation,
    SituationKey,
    Store,
    documents,
)
from convgate.store.label_log import ANSWERS, AnnotatorKind
from convgate.transcripts import read_relevance_set
from tests.label_files import TALK, add, add_all, brought, case, holds, lines


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store(tmp_path / "other.db")


@pytest.fixture
def key(store: Store) -> str:
    return add(store, "talk")


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
TIMES = st.datetimes(timezones=st.just(UTC))
PEOPLE: dict[str, str] = {"Ada": "person", "=cmd|' /C calc'!A0": "person", "bot": "agent"}


@st.composite
def entries(draw: st.DrawFn, keys: list[str], turns: list[int]) -> list[Entry]:
    found = {}
    for _ in range(draw(st.integers(1, 12))):
        number = draw(st.integers(0, len(keys) - 1))
        if draw(st.booleans()):
            place = SituationKey(keys[number], draw(st.integers(1, turns[number] - 1)))
            stop = place.turn or 0
        else:
            question = draw(TEXTS.filter(str.strip))
            place, stop = SituationKey(keys[number], None, question), turns[number]
        turn = draw(st.integers(0, stop - 1))
        who = draw(st.sampled_from([*PEOPLE, ADJUDICATED]))
        if what := draw(st.booleans()):
            value = draw(TEXTS.filter(str.strip))
        else:
            value = draw(st.sampled_from(["relevant", "not_relevant", "unsure"]))
        entry = Entry(
            place,
            turn,
            who,
            value,
            "note" if what else "answer",
            draw(st.none() | TIMES.map(lambda time: time.isoformat())),
            draw(st.none() | TEXTS.filter(bool)),
            PEOPLE.get(who, "adjudication"),  # type: ignore[arg-type]
        )
        found[place, turn, who, what] = entry
    return list(found.values())


def test_everything_comes_back_from_either_format(store: Store, other: Store, tmp_path: Path) -> None:
    keys = add_all(store)
    add_all(other)
    turns = [Conversations(store).summary(key).turns for key in keys]
    talks = {key: Conversations(store).get(key).conversation for key in keys}
    empty = Store(tmp_path / "empty.db")
    empty.close()

    @settings(max_examples=25)
    @given(entries(keys, turns))
    def check(told: list[Entry]) -> None:
        Labels(store).record(told, by="Ada", kind="bulk")
        expected = holds(store)
        assert expected
        new = Store(copyfile(tmp_path / "empty.db", tmp_path / "new.db"))
        kinds: dict[Kind, Store] = {"relevance-set": new, "csv": other}
        for kind, target in kinds.items():
            assert holds(target) == []
            written = write_labels(store, kind)
            found = brought(written, target)
            assert (holds(target), found.problems, found.format) == (expected, (), kind)
            for key in {entry.situation.conversation for entry in expected}:
                assert Conversations(target).get(key).conversation == talks[key]
            assert write_labels(target, kind) == written
        new.close()
        Labels(other).undo("Importer")
        Labels(store).undo("Ada")

    check()


def test_a_written_set_is_a_training_set_as_it_stands(store: Store, tmp_path: Path) -> None:
    keys = add_all(store)
    labels = Labels(store)
    labels.answer(SituationKey(keys[0], 6), {0: "relevant", 1: "not_relevant", 2: "unsure"}, by="Ada")
    labels.answer(SituationKey(keys[0], 6), {0: "relevant", 1: "relevant"}, by="Bo")
    labels.answer(SituationKey(keys[3], None, "and?"), {0: "relevant"}, by="bot")
    labels.set_trains("bot", trains=False)
    labels.set_status(SituationKey(keys[1], 2), "skipped", by="Ada")  # of a queue, and no label
    file = tmp_path / "labels.jsonl"
    file.write_bytes(write_labels(store, "relevance-set"))
    read = read_relevance_set(file)
    says = [case for case in read.cases if case.says_something]
    assert says == list(gold_set(store).cases)
    assert len(read.cases) == 2, "a message without gold labels is there for its other labels"
    assert read.conversations[keys[0]].turns == Conversations(store).get(keys[0]).conversation.turns


def test_a_set_of_one_annotator_rests_on_that_one(store: Store, key: str, tmp_path: Path) -> None:
    labels = Labels(store)
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    labels.answer(SituationKey(key, 6), {0: "not_relevant", 1: "relevant"}, by="Bo")
    file = tmp_path / "labels.jsonl"
    file.write_bytes(write_labels(store, "relevance-set", annotators=["Ada"]))
    (case,) = read_relevance_set(file).cases
    assert (case.relevant, case.judged) == (frozenset({0}), frozenset({0}))
    assert b"Bo" not in file.read_bytes()
    other = add(store, "other")
    labels.answer(SituationKey(other, 6), {0: "relevant"}, by="Ada")
    file.write_bytes(write_labels(store, "relevance-set", conversations=[other]))
    assert list(read_relevance_set(file).conversations) == [other]


def test_what_a_set_says_is_what_counts_as_true(store: Store, key: str, tmp_path: Path) -> None:
    place, file = SituationKey(key, 6), tmp_path / "labels.jsonl"
    kinds: dict[str, AnnotatorKind] = {"b": "agent", "a": "adjudication"}
    everybody = st.sampled_from(["Ada", "Bo", "Cy", "b1", "b2", ADJUDICATED])

    @settings(max_examples=60)
    @given(st.dictionaries(everybody, st.sampled_from(ANSWERS), min_size=1))
    def check(said: dict[str, Answer]) -> None:
        Labels(store).record(
            (Entry(place, 0, who, answer, kind=kinds.get(who[0], "person")) for who, answer in said.items()),
            by="Ada",
            kind="bulk",
        )
        file.write_bytes(write_labels(store, "relevance-set"))
        (case,) = read_relevance_set(file).cases
        assert [case] * case.says_something == list(gold_set(store).cases)
        Labels(store).undo("Ada")

    check()


def test_a_table_is_safe_to_open_and_has_words_to_know_turns_by(store: Store) -> None:
    key = add(store, "=HYPERLINK(evil)")
    labels = Labels(store)
    labels.answer(SituationKey(key, 6), {0: "relevant"}, by="@Ada", version="-v1")
    labels.note(SituationKey(key, 6), 0, '+note, with "quotes"\nand a line', by="@Ada")
    Conversations(store).rename(key, "=1+1")
    written = write_labels(store, "csv").decode()
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["turn_text"] == "'=HYPERLINK(evil) 0"
    assert rows[0]["message_text"] == "'=HYPERLINK(evil) 6"
    for row in rows:
        assert not [cell for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(st.text())
def test_an_apostrophe_that_was_put_there_is_taken_off_again(text: str) -> None:
    text = text.replace("\0", "").encode("utf-8", "ignore").decode()
    assert unescape_formula(escape_formula(text)) == text


def test_a_key_of_digits_survives_a_spreadsheet(store: Store) -> None:
    talks = (Conversation("t", (Turn.of("user", f"{i}"), Turn.of("user", "b"))) for i in count())
    keyed = ((documents.content_key(talk), talk) for talk in talks)
    key, talk = next(one for one in keyed if one[0].replace("e", "", 1).isdecimal() and one[0][0] != "e")
    Conversations(store).add([NewConversation(talk)])
    Labels(store).answer(SituationKey(key, 1), {0: "relevant"}, by="Ada")
    written = write_labels(store, "csv").decode()
    assert f"\n'{key}," in written
    before = holds(store)
    Labels(store).undo("Ada")
    brought(written.encode(), store)
    assert holds(store) == before


def test_a_spreadsheets_way_of_saving_is_read(store: Store, key: str) -> None:
    text = (
        "\ufeffConversation;Message;Turn;Annotator;Answer;Remarks\r\n"
        + f"{key};6.0;3;Ada;relevant;x\r\n;;;;;\r\n"
    )
    found = brought(text.encode("utf-16"), store)
    assert [entry.value for entry in found.entries] == ["relevant"]
    assert Labels(store).of(SituationKey(key, 6)).of("Ada") == {3: "relevant"}


def test_answers_are_understood_as_people_and_spreadsheets_spell_them(store: Store, key: str) -> None:
    spelled = ["Not relevant", "not-relevant", "NO", "FALSE", "0", "yes", "TRUE", "1", "Relevant", "maybe"]
    rows = [f"7,{turn % 7},Ada{turn},{word}" for turn, word in enumerate(spelled)]
    table = "\n".join(["message,turn,annotator,answer", *rows])
    found = read_labels(table.encode(), "t.csv", store, conversation=key)
    meant = ["not_relevant"] * 5 + ["relevant"] * 4 + ["unsure"]
    assert [entry.value for entry in found.entries] == meant
    say = [{"annotator": "Ada", "turn": 0, "answer": "not relevant"}]
    found = read_labels(lines(TALK, case(labels=say)), "s.jsonl", store)
    assert [entry.value for entry in found.entries] == ["not_relevant"]


@pytest.mark.parametrize("kind", ["relevance-set", "csv"])
def test_nothing_to_write_is_a_file_without_labels(store: Store, key: str, kind: Kind) -> None:
    written = write_labels(store, kind)
    assert written.decode().strip() == ("" if kind == "relevance-set" else ",".join(COLUMNS))
