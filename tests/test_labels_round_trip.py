"""Labels in files: written, read back, recognized, undone; faults are named by line."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.core.conversation import Turn, prefix_hashes
from convgate.core.errors import StoreError, TranscriptError
from convgate.labels.exchange import COLUMNS, keep_labels, read_labels, write_labels
from convgate.labels.gold import gold_set
from convgate.store import ADJUDICATED, Answer, Conversations, CurrentKey, Entry, Labels, Store
from convgate.store.label_log import ANSWERS, AnnotatorKind
from convgate.transcripts import BadLinesError, read_relevance_set
from tests.label_files import (
    CONVERSATION_LINE,
    add,
    add_all,
    case,
    import_labels,
    labels_of,
    lines,
    sorted_entries,
)


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
    answers = {}
    for _ in range(draw(st.integers(1, 12))):
        number = draw(st.integers(0, len(keys) - 1))
        if draw(st.booleans()):
            place = CurrentKey(keys[number], draw(st.integers(1, turns[number] - 1)))
            stop = place.turn or 0
        else:
            question = draw(TEXTS.filter(str.strip))
            place, stop = CurrentKey(keys[number], None, question), turns[number]
        turn = draw(st.integers(0, stop - 1))
        who = draw(st.sampled_from([*PEOPLE, ADJUDICATED]))
        entry = Entry(
            place,
            turn,
            who,
            draw(st.sampled_from(ANSWERS)),
            draw(st.none() | TIMES.map(lambda time: time.isoformat())),
            draw(st.none() | TEXTS.filter(bool)),
            PEOPLE.get(who, "adjudication"),
        )
        answers[place, turn, who] = entry
    return list(answers.values())


def test_everything_comes_back_from_a_relevance_set(store: Store, other: Store, tmp_path: Path) -> None:
    keys = add_all(store)
    add_all(other)
    turns = [Conversations(store).summary(key).turns for key in keys]
    empty = Store(tmp_path / "empty.db")
    empty.close()

    @settings(max_examples=25)
    @given(entries(keys, turns))
    def check(entries: list[Entry]) -> None:
        Labels(store).record(entries, by="Ada", kind="answer")
        expected = by_turns(store)
        assert expected
        new = Store(copyfile(tmp_path / "empty.db", tmp_path / "new.db"))
        for target in (new, other):
            assert sorted_entries(target) == []
            labels_import = import_labels(write_labels(store, "relevance-set"), target)
            assert (by_turns(target), labels_import.problems) == (expected, ())
            again = read_labels(labels_of(write_labels(target, "relevance-set")), target)
            assert (again.new, again.known) == ((), len(expected))
        new.close()
        Labels(other).undo("Importer")
        Labels(store).undo("Ada")

    check()


def by_turns(store: Store) -> list[tuple[bytes, Entry]]:
    """All labels, by the turns of their conversations: its key depends on the file that it came from."""
    library = Conversations(store)
    pairs = [
        (
            prefix_hashes(library.get(one.current.conversation).conversation.turns)[-1],
            replace(one, current=replace(one.current, conversation="")),
        )
        for one in sorted_entries(store)
    ]
    return sorted(pairs, key=str)


def test_labels_of_a_set_become_gold_labels(store: Store, key: str, tmp_path: Path) -> None:
    place, file = CurrentKey(key, 6), tmp_path / "labels.jsonl"
    kinds: dict[str, AnnotatorKind] = {"b": "agent", "a": "adjudication"}
    everybody = st.sampled_from(["Ada", "Bo", "Cy", "b1", "b2", ADJUDICATED])

    @settings(max_examples=60)
    @given(st.dictionaries(everybody, st.sampled_from(ANSWERS), min_size=1))
    def check(answers: dict[str, Answer]) -> None:
        Labels(store).record(
            (
                Entry(place, 0, who, answer, kind=kinds.get(who[0], "person"))
                for who, answer in answers.items()
            ),
            by="Ada",
            kind="answer",
        )
        file.write_bytes(write_labels(store, "relevance-set"))
        (case,) = read_relevance_set(file).cases
        assert [case] * case.says_something == list(gold_set(store).cases)
        Labels(store).undo("Ada")

    check()


def test_a_table_has_no_formulas_and_shows_the_text_of_turns(store: Store) -> None:
    key = add(store, "=HYPERLINK(evil)")
    Labels(store).answer(CurrentKey(key, 6), {0: "relevant"}, by="@Ada", version="-v1")
    Conversations(store).rename(key, '=1+1, with "quotes"')
    written = write_labels(store, "csv").decode()
    rows = list(csv.DictReader(io.StringIO(written, newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert rows[0]["turn_text"] == "'=HYPERLINK(evil) 0"
    assert rows[0]["message_text"] == "'=HYPERLINK(evil) 6"
    for row in rows:
        assert not [cell for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]


def test_any_relevance_set_is_the_answers_of_somebody(store: Store) -> None:
    question = {"role": "user", "content": "and?"}
    later = {k: v for k, v in case(id="q", query=question, judged=[0, 7]).items() if k != "turn"}
    data = lines(CONVERSATION_LINE, case(window=4, relevant=[3]), later)
    labels_import = read_labels(labels_of(data, "set.jsonl"), store, annotator="corpus")
    assert (len(labels_import.new), labels_import.annotators, labels_import.replaced) == (1, {"corpus": 6}, 0)
    (conversation,) = labels_import.conversations
    assert (conversation.title, conversation.labels, conversation.new) == ("Talk", 6, True)
    assert Conversations(store).find().total == 0, "nothing is kept before somebody says so"
    saved = keep_labels(store, labels_import, by="Ada")
    assert (saved.changed, saved.kind) == (6, "import")
    labels = Labels(store)
    answers = labels.of(CurrentKey(conversation.key, 6)).of("corpus")
    assert answers == {2: "not_relevant", 3: "relevant", 4: "not_relevant", 5: "not_relevant"}
    assert labels.of(CurrentKey(conversation.key, None, "and?")).of("corpus") == {
        0: "relevant",
        7: "not_relevant",
    }
    assert Conversations(store).summary(conversation.key).tokens
    with pytest.raises(TranscriptError):
        read_labels(labels_of(data, "set.jsonl"), store)


def test_a_second_import_adds_nothing_and_undo_reverts_the_first(store: Store) -> None:
    data = lines(CONVERSATION_LINE, case(labels=[{"annotator": "Ada", "turn": 0, "answer": "relevant"}]))
    import_labels(data, store)
    before = sorted_entries(store)
    labels_import = read_labels(labels_of(data, "again"), store)
    assert (labels_import.new, labels_import.replaced) == ((), 0)
    assert keep_labels(store, labels_import, by="Importer").changed == 0
    assert sorted_entries(store) == before
    assert Conversations(store).find().total == 1
    assert Labels(store).undo("Importer") is not None
    assert sorted_entries(store) == []
    assert Conversations(store).find().total == 1


def test_a_backup_finds_its_conversation_after_that_has_grown(store: Store, key: str) -> None:
    Labels(store).answer(CurrentKey(key, 6), {0: "relevant"}, by="Ada")
    written = write_labels(store, "relevance-set")
    grown = Conversations(store).grow(key, [Turn.of("user", "more")]).key
    Labels(store).undo("Ada")
    labels_import = import_labels(written, store)
    assert ([conversation.key for conversation in labels_import.conversations], labels_import.new) == (
        [grown],
        (),
    )
    assert Labels(store).of(CurrentKey(grown, 6)).of("Ada") == {0: "relevant"}


def test_an_import_that_became_invalid_stores_nothing(store: Store, key: str, other: Store) -> None:
    Labels(store).answer(CurrentKey(key, 6), {0: "relevant", 1: "relevant"}, by="Ada")
    labels_import = read_labels(labels_of(write_labels(store, "relevance-set")), other)
    wrong = replace(
        labels_import, entries=(*labels_import.entries, Entry(CurrentKey("gone", 1), 0, "Ada", "relevant"))
    )
    with pytest.raises(StoreError):
        keep_labels(other, wrong, by="Ada")
    assert (sorted_entries(other), Conversations(other).find().total) == ([], 0)


def bad_places(error: BadLinesError) -> list[tuple[int | None, str | None]]:
    return [(problem.line, problem.field) for problem in error.problems]


@pytest.mark.parametrize(
    ("label", "field"),
    [
        (5, ""),
        ({"turn": 0, "answer": "relevant"}, ".annotator"),
        ({"annotator": 5}, ".annotator"),
        ({"annotator": "A", "turn": "0"}, ".turn"),
        ({"annotator": "A", "answer": "relevant"}, ".turn"),
        ({"annotator": "A", "turn": 6, "answer": "relevant"}, ".turn"),
        ({"annotator": "A", "turn": 0}, ".answer"),
        ({"annotator": "A", "turn": 0, "answer": "oui"}, ".answer"),
        ({"annotator": "A", "turn": 0, "answer": "unsure", "at": "x"}, ".at"),
        ({"annotator": "A", "turn": 0, "answer": "unsure", "at": "2026-11-22T10:30:00"}, ".at"),
        ({"annotator": "A", "turn": 0, "answer": "unsure", "at": "0001-01-01T00:00:00+14:00"}, ".at"),
        ({"annotator": "A", "turn": 0, "answer": "unsure", "kind": "x"}, ".kind"),
        ({"annotator": "A", "turn": 0, "answer": "unsure", "kind": "adjudication"}, ".kind"),
        ({"annotator": "adjudicated", "turn": 0, "answer": "unsure", "kind": "person"}, ".kind"),
        ({"annotator": "x" * 61, "turn": 0, "answer": "unsure"}, ""),
        ({"annotator": "Ada", "turn": 1, "answer": "unsure"}, ""),  # contradicts the one before
    ],
)
def test_a_bad_label_of_a_set_is_named_and_can_be_skipped(store: Store, label: object, field: str) -> None:
    good = {"annotator": "Ada", "turn": 1, "answer": "relevant"}
    data = lines(CONVERSATION_LINE, case(labels=[good, label]))
    with pytest.raises(BadLinesError) as raised:
        read_labels(labels_of(data, "s.jsonl"), store)
    assert bad_places(raised.value) == [(2, f"labels[1]{field}")]
    labels_import = read_labels(labels_of(data, "s.jsonl"), store, skip_bad=True)
    assert [(entry.annotator, entry.turn) for entry in labels_import.entries] == [("Ada", 1)]
