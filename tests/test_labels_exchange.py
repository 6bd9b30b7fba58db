"""Labels in files: everything comes back, what cannot be is named by its line, nothing is kept by halves."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC
from itertools import count
from pathlib import Path
from shutil import copyfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError, TranscriptError
from convgate.labels.exchange import Kind, keep_labels, read_labels, write_labels
from convgate.labels.gold import gold_set, split_groups
from convgate.labels.imported import Import
from convgate.labels.label_table import COLUMNS, escaped, unescaped
from convgate.store import (
    ADJUDICATED,
    WHOLE,
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
from convgate.transcripts import BadLinesError, read_conversations, read_relevance_set

MESSAGES = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"talk {i}"} for i in range(8)]
TRANSCRIPTS = {
    "openai.json": json.dumps({"id": "a", "type": "chat", "title": "Tea", "messages": MESSAGES}),
    "tools.json": json.dumps(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url"}]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "a cat", "extra": {"deep": [1, None]}},
            {"role": "user", "content": "=1+1 🐈", "timestamp": "2026-05-08T13:56:00+02:00"},
        ]
    ),
    "gpt.json": json.dumps(
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}] * 3}
    ),
    "table.csv": "id,speaker,time,text,mood\n7,Nadia,2026-05-08,Hi,glad\n8,Bot,,Ho,\n9,Nadia,,So?,\n",
    "talk.md": "User: Where is it?\nAssistant: There.\nUser: Where?\nAssistant: East.\n",
    "set.jsonl": json.dumps({"type": "conversation", "id": "s", "note": 5, "messages": MESSAGES[:5]}),
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def other(tmp_path: Path) -> Store:
    return Store(tmp_path / "other.db")


@pytest.fixture
def key(store: Store) -> str:
    return add(store, "talk")


def add(store: Store, name: str, turns: int = 8) -> str:
    said = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, said), "a test")])
    return added.key


def add_all(store: Store) -> list[str]:
    talks = [
        conversation
        for name, text in TRANSCRIPTS.items()
        for conversation in read_conversations(text.encode(), name=name)
    ]
    return [added.key for added in Conversations(store).add(NewConversation(talk) for talk in talks)]


def brought(data: bytes, store: Store, **options: str) -> Import:
    found = read_labels(data, "labels", store, **options)  # type: ignore[arg-type]
    keep_labels(store, found, by="Importer")
    return found


def lines(*values: object) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()


def holds(store: Store) -> list[Entry]:
    return sorted(Labels(store).entries(), key=str)


# Round trips

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
        turn = draw(st.integers(WHOLE, stop - 1))
        who = draw(st.sampled_from([*PEOPLE, ADJUDICATED]))
        if what := draw(st.booleans()):
            value = draw(TEXTS.filter(str.strip))
        elif turn == WHOLE:
            value = draw(st.sampled_from(["done", "skipped"]))
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
    labels.set_status(SituationKey(keys[1], 2), "skipped", by="Ada")
    file = tmp_path / "labels.jsonl"
    file.write_bytes(write_labels(store, "relevance-set"))
    read = read_relevance_set(file)
    says = [case for case in read.cases if case.says_something]
    assert says == list(gold_set(store).cases)
    assert len(read.cases) == 3, "a message without anything known is there for its other labels"
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
    assert unescaped(escaped(text)) == text


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
    table = "\n".join(["message,turn,annotator,answer", *rows, "7,,Ada,Skip"])
    found = read_labels(table.encode(), "t.csv", store, conversation=key)
    meant = ["not_relevant"] * 5 + ["relevant"] * 4 + ["unsure", "skipped"]
    assert [entry.value for entry in found.entries] == meant
    say = [{"annotator": "Ada", "turn": 0, "answer": "not relevant"}]
    found = read_labels(lines(TALK, case(labels=say)), "s.jsonl", store)
    assert [entry.value for entry in found.entries] == ["not_relevant"]


# Sets without annotators


def case(**fields: object) -> dict[str, object]:
    return {"type": "case", "id": "c", "conversation": "t", "turn": 6, "relevant": [0], **fields}


TALK = {"type": "conversation", "id": "t", "title": "Talk", "messages": MESSAGES}


def test_any_relevance_set_is_the_answers_of_somebody(store: Store) -> None:
    question = {"role": "user", "content": "and?"}
    later = {k: v for k, v in case(id="q", query=question, judged=[0, 7]).items() if k != "turn"}
    data = lines(TALK, case(window=4, relevant=[3]), later)
    found = read_labels(data, "set.jsonl", store, annotator="corpus")
    assert (len(found.new), found.annotators, found.replaced) == (1, {"corpus": 6}, 0)
    (talk,) = found.conversations
    assert (talk.title, talk.labels, talk.new) == ("Talk", 6, True)
    assert Conversations(store).find().total == 0, "nothing is kept before somebody says so"
    saved = keep_labels(store, found, by="Ada")
    assert (saved.changed, saved.kind) == (6, "import")
    labels = Labels(store)
    answers = labels.of(SituationKey(talk.key, 6)).of("corpus")
    assert answers == {2: "not_relevant", 3: "relevant", 4: "not_relevant", 5: "not_relevant"}
    assert labels.of(SituationKey(talk.key, None, "and?")).of("corpus") == {0: "relevant", 7: "not_relevant"}
    assert Conversations(store).summary(talk.key).tokens
    with pytest.raises(
        TranscriptError, match=r"^set\.jsonl: it does not say who answered. Name the annotator \(--annotator"
    ):
        read_labels(data, "set.jsonl", store)


def test_the_same_file_twice_doubles_nothing_and_undo_takes_the_import_back(store: Store) -> None:
    data = lines(TALK, case(labels=[{"annotator": "Ada", "turn": 0, "answer": "relevant"}]))
    brought(data, store)
    before = holds(store)
    found = read_labels(data, "again", store)
    assert (found.new, found.replaced) == ((), 0)
    assert keep_labels(store, found, by="Importer").changed == 0
    assert holds(store) == before
    assert Conversations(store).find().total == 1
    assert Labels(store).undo("Importer") is not None
    assert holds(store) == []
    assert Conversations(store).find().total == 1


def test_what_the_annotator_says_otherwise_now_is_counted_before_it_is_replaced(store: Store) -> None:
    say = [
        {"annotator": "Ada", "turn": 0, "answer": "relevant"},
        {"annotator": "Ada", "turn": 1, "note": "n"},
    ]
    found = brought(lines(TALK, case(labels=say)), store)
    place = found.entries[0].situation
    Labels(store).answer(place, {0: "unsure"}, by="Ada")
    again = read_labels(lines(TALK, case(labels=say)), "again", store)
    assert again.replaced == 1
    keep_labels(store, again, by="Ada")
    assert Labels(store).of(place).of("Ada") == {0: "relevant"}
    Labels(store).undo("Ada")
    assert Labels(store).of(place).of("Ada") == {0: "unsure"}


def test_labels_win_over_what_the_case_comes_to(store: Store) -> None:
    say = [{"annotator": "Ada", "turn": 1, "answer": "unsure"}]
    found = read_labels(lines(TALK, case(relevant=[0], labels=say)), "set", store, annotator="Bo")
    assert [(entry.annotator, entry.turn, entry.value) for entry in found.entries] == [("Ada", 1, "unsure")]


def test_a_conversation_of_the_library_is_recognised_by_what_was_said(store: Store) -> None:
    (known,) = Conversations(store).add(
        [NewConversation(read_conversations(json.dumps(MESSAGES).encode(), name="x.json").conversations[0])]
    )
    found = brought(lines(TALK, case()), store, annotator="Ada")
    assert ([talk.key for talk in found.conversations], found.new) == ([known.key], ())
    Conversations(store).delete([known.key])
    again = read_labels(lines(TALK, case()), "set", store, annotator="Ada")
    assert len(again.new) == 1, "one that was deleted is not written to behind a person's back"


def test_a_backup_finds_its_conversation_after_that_has_grown(store: Store, key: str) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    written = write_labels(store, "relevance-set"), write_labels(store, "csv")
    grown = Conversations(store).grow(key, [Turn.of("user", "more")]).key
    Labels(store).undo("Ada")
    for data in written:
        found = brought(data, store)
        assert ([talk.key for talk in found.conversations], found.new) == ([grown], ())
    assert Labels(store).of(SituationKey(grown, 6)).of("Ada") == {0: "relevant"}


def test_what_says_on_which_side_a_conversation_is_goes_along_into_files_and_libraries(
    store: Store, key: str, other: Store
) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant"}, by="Ada")
    before = write_labels(store, "relevance-set")
    grown = Conversations(store).grow(key, [Turn.of("user", "and more")]).key
    after = write_labels(store, "relevance-set")
    assert b"split_group" not in before
    brought(after, other)
    assert split_groups(other) == split_groups(store) == {grown: key}
    assert write_labels(other, "relevance-set") == after
    tea = {"type": "conversation", "id": "tea", "messages": MESSAGES}
    brought(lines(tea, case(conversation="tea", turn=2, relevant=[0])), other, annotator="Ada")
    assert sorted(split_groups(other).values()) == sorted([key, "tea"])


def test_a_question_after_a_conversation_that_went_on_elsewhere_stays_where_it_was_put(
    store: Store, key: str, other: Store
) -> None:
    Labels(store).answer(SituationKey(key, None, "and?"), {0: "relevant"}, by="Ada")
    asked = write_labels(store, "relevance-set")
    grown = Conversations(other).grow(add(other, "talk"), [Turn.of("user", "and more")]).key
    brought(asked, other)
    assert Conversations(other).keys() == {key, grown}
    assert holds(other) == holds(store)
    assert split_groups(other) == {grown: key}


def test_a_hand_that_edits_the_messages_is_believed(store: Store, other: Store) -> None:
    keys = add_all(store)
    markdown = keys[4]
    Labels(store).answer(SituationKey(markdown, 2), {0: "relevant"}, by="Ada")
    written = write_labels(store, "relevance-set").replace(b'"content": "There."', b'"content": "Here."')
    found = brought(written, other)
    (talk,) = found.conversations
    assert talk.key != markdown
    assert Conversations(other).get(talk.key).conversation.turns[1].text == "Here."


# Lists of other tools


def listed(current: int, *relevant: object, **fields: object) -> dict[str, object]:
    text = f"talk {current}"
    history = {"current_turn": current, "current_text": text, "history_start": 0, "history_end": current}
    return {**history, "current_role": "user", "relevant_turns": list(relevant), **fields}


def test_lists_of_relevant_turns_find_their_conversation_and_say_the_rest_is_not(store: Store) -> None:
    add(store, "another talk")
    key = add(store, "talk")
    found = brought(lines(listed(4, 1, 3), listed(6, history_start=4)), store, annotator="Ada")
    assert found.format == "turn-lists"
    labels = Labels(store)
    assert labels.of(SituationKey(key, 4)).of("Ada") == {
        0: "not_relevant", 1: "relevant", 2: "not_relevant", 3: "relevant",
    }  # fmt: skip
    assert labels.of(SituationKey(key, 6)).of("Ada") == {4: "not_relevant", 5: "not_relevant"}


def test_lists_that_fit_no_conversation_or_several_ask_for_one(store: Store, key: str) -> None:
    without = [{k: v for k, v in listed(4, 1).items() if k != "current_text"}]
    with pytest.raises(TranscriptError, match=r"name one of the library$"):
        read_labels(lines(*without), "old.jsonl", store, annotator="Ada")
    with pytest.raises(TranscriptError, match="name one of the library; none has these messages"):
        read_labels(lines(listed(4, 1, current_text="elsewhere")), "old.jsonl", store, annotator="Ada")
    second = add(store, "talk", turns=9)
    with pytest.raises(TranscriptError, match=rf"; ({key}|{second}), ({key}|{second}) fit"):
        read_labels(lines(listed(4, 1)), "old.jsonl", store, annotator="Ada")
    found = read_labels(lines(*without), "old.jsonl", store, annotator="Ada", conversation=second)
    assert {entry.situation for entry in found.entries} == {SituationKey(second, 4)}
    with pytest.raises(TranscriptError, match="it does not say who answered"):
        read_labels(lines(listed(4, 1)), "old.jsonl", store)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ({**listed(4), "current_turn": 8}, r"'current_turn': turn 8, but the conversation has 8 turns"),
        (listed(2, current_text="elsewhere"), r"'current_text': turn 2 .* is the line about another one"),
        (listed(4, 4), r"'relevant_turns\[0\]': 4 is not in the history, which has turns 0 to 3"),
        (listed(4, 1, history_start=2), r"'relevant_turns\[0\]': 1 is not in the history"),
        (listed(4, "1"), r"'relevant_turns\[0\]': expected a whole number, 0 or more, got '1'"),
        ({**listed(4), "relevant_turns": 3}, r"'relevant_turns': expected a list of turns, got a number"),
        (listed(4, history_end=5), r"'history_end': a history from 0 to before 5 is not one of turn 4"),
        (5, "expected an object with 'current_turn', got a number"),
    ],
)
def test_a_bad_list_is_told_and_can_be_skipped(store: Store, key: str, line: object, complaint: str) -> None:
    data = lines(listed(6, 1), line, listed(7, 2))
    with pytest.raises(BadLinesError, match=f"^old.jsonl, line 2.*{complaint}"):
        read_labels(data, "old.jsonl", store, annotator="Ada")
    found = read_labels(data, "old.jsonl", store, annotator="Ada", skip_bad=True)
    assert {entry.situation.turn for entry in found.entries} == {6, 7}


# Tables that lack something


@pytest.mark.parametrize(
    ("header", "complaint"),
    [
        ("conversation,message,annotator,answer", "line 1: the table has no column 'turn'; it has conv"),
        ("sep=;\nmessage;turn;annotator", "line 2: the table has no column 'answer'; it has message, turn"),
        ("turn,annotator", "line 1: the table has no column 'answer' and none 'message'; it has turn"),
        ("message,turn,answer", "t.csv: it does not say who answered"),
        ("message,turn,annotator,answer", "t.csv: it does not say which conversation: name one of the lib"),
    ],
)
def test_a_missing_column_is_named_once(store: Store, key: str, header: str, complaint: str) -> None:
    with pytest.raises(TranscriptError, match=complaint):
        read_labels(f"{header}\n1,2,3,4\n1,2,3,4\n".encode(), "t.csv", store)


def test_the_conversation_that_is_named_has_to_be_in_the_library(store: Store, key: str) -> None:
    table = b"message,turn,annotator,answer\n6,0,Ada,relevant\n"
    with pytest.raises(StoreError, match="no conversation 'nope'"):
        read_labels(table, "t.csv", store, conversation="nope")


# Bad rows

HEADER = "conversation,message,question,turn,annotator,kind,answer,note,time,version"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        (
            "0000000000000000,6,,1,Ada,,relevant,,,",
            r"'conversation': the library has no conversation '0{16}'",
        ),
        (",6,,1,Ada,,relevant,,,", r"'conversation': it does not say which conversation"),
        ("KEY,8,,1,Ada,,relevant,,,", r"'message': message 8, but the conversation has 8 turns"),
        ("KEY,x,,1,Ada,,relevant,,,", r"'message': expected a whole number, 0 or more, got 'x'"),
        ("KEY,,,1,Ada,,relevant,,,", r"'message': what is answered is either a message or a question"),
        ("KEY,6,why?,1,Ada,,relevant,,,", r"'message': what is answered is either a message or a question"),
        ("KEY,6,,6,Ada,,relevant,,,", r"'turn': turn 6 is no earlier turn of this message: turns 0 to 5 are"),
        ("KEY,0,,0,Ada,,relevant,,,", r"'turn': turn 0 is no earlier turn of this message: no turn is"),
        ("KEY,,why?,8,Ada,,relevant,,,", r"'turn': turn 8 is no earlier turn of this message: turns 0 to 7"),
        ("KEY,6,,1,Ada,,perhaps,,,", r"'answer': an answer is one of relevant, .*; got 'perhaps'"),
        (
            "KEY,6,,,Ada,,relevant,,,",
            r"'answer': .* as a whole, where no turn is named, is one of done, skip",
        ),
        ("KEY,6,,1,Ada,,,,,", r"'answer': there is neither an answer nor a note"),
        ("KEY,6,,1,,,relevant,,,", r"'annotator': it does not say who answered"),
        ("KEY,6,,1,adjudicated,person,relevant,,,", r"'kind': the kind adjudication and the annotator"),
        ("KEY,6,,1,Ada,adjudication,relevant,,,", r"'kind': the kind adjudication and the annotator"),
        ("KEY,6,,1,Ada,robot,relevant,,,", r"'kind': a kind is one of person, agent, adjudication; got 'rob"),
        ("KEY,6,,1,Bo,agent,relevant,,,", r"'kind': 'Bo' is of the kind person, not agent"),
        ("KEY,6,,1,Known,agent,relevant,,,", r"'kind': 'Known' is of the kind person, not agent"),
        (f"KEY,6,,1,{'x' * 61},,relevant,,,", r": an annotator's name has 1 to 60 characters"),
        ("KEY,6,,1,Ada,,relevant,,2026-11-22T10:30:00,", r"'2026-11-22T10:30:00' does not say in which zone"),
        ("KEY,6,,1,Ada,,relevant,,yesterday,", r"'yesterday' is not a time"),
        ("KEY,6,,1,Ada,,relevant,,0001-01-01T00:00:00+14:00,", r"'0001-01-01T00:00:00\+14:00' is not a time"),
        ('KEY,6,,1,"Ada,,relevant,,,', r"not a table row"),
    ],
)
def test_a_bad_row_is_told_and_can_be_skipped(store: Store, key: str, row: str, complaint: str) -> None:
    Labels(store).set_status(SituationKey(key, 1), "done", by="Known")
    before = holds(store)
    table = f"{HEADER}\n{row}\nKEY,6,,5,Bo,person,relevant,,,\n".replace("KEY", key)
    if "Bo,agent" in row:
        table = f"{HEADER}\nKEY,6,,5,Bo,person,relevant,,,\n{row}\n".replace("KEY", key)
    with pytest.raises(BadLinesError, match=rf"(?s)^t\.csv, line \d.*?{complaint}"):
        read_labels(table.encode(), "t.csv", store)
    assert holds(store) == before
    found = read_labels(table.encode(), "t.csv", store, skip_bad=True)
    assert [(entry.annotator, entry.turn) for entry in found.entries] == [("Bo", 5)]
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    ("label", "complaint"),
    [
        (5, r"'labels\[1\]': expected an object, got a number"),
        ({"turn": 0, "answer": "relevant"}, r"'labels\[1\]\.annotator': there is no annotator"),
        ({"annotator": 5}, r"'labels\[1\]\.annotator': expected a text, got a number"),
        ({"annotator": "A", "turn": "0"}, r"'labels\[1\]\.turn': expected a whole number"),
        ({"annotator": "A", "turn": -1, "answer": "done"}, r"'labels\[1\]\.turn': expected a whole number"),
        ({"annotator": "A", "turn": 6, "answer": "relevant"}, r"'labels\[1\]\.turn': turn 6 is no earlier"),
        ({"annotator": "A", "turn": 0}, r"'labels\[1\]\.answer': a label has either an answer or a note"),
        ({"annotator": "A", "turn": 0, "answer": "oui"}, r"'labels\[1\]\.answer': an answer is one of"),
        ({"annotator": "A", "turn": 0, "note": "n", "at": "x"}, r"'labels\[1\]': 'x' is not a time"),
        ({"annotator": "A", "turn": 0, "note": "n", "kind": "x"}, r"'labels\[1\]\.kind': a kind is one of"),
    ],
)
def test_a_bad_label_of_a_set_is_told_and_can_be_skipped(store: Store, label: object, complaint: str) -> None:
    good = {"annotator": "Ada", "turn": 1, "answer": "relevant"}
    data = lines(TALK, case(labels=[good, label]))
    with pytest.raises(BadLinesError, match=rf"^s\.jsonl, line 2, field {complaint}"):
        read_labels(data, "s.jsonl", store)
    found = read_labels(data, "s.jsonl", store, skip_bad=True)
    assert [(entry.annotator, entry.turn) for entry in found.entries] == [("Ada", 1)]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", r"line 2: not valid JSON"),
        (case(conversation="who"), r"line 2, field 'conversation': there is no readable conversation 'who'"),
        (case(relevant=[6]), r"line 2, field 'relevant\[0\]': 6 is not in the history"),
        (case(labels=5), r"line 2, field 'labels': expected a list of labels, got a number"),
        (TALK, r"line 2, field 'id': another conversation has the id 't' already"),
        ({"type": "conversation", "messages": []}, r"line 2, field 'id': the conversation has no id"),
    ],
)
def test_a_bad_line_of_a_set_is_told_and_can_be_skipped(store: Store, line: object, complaint: str) -> None:
    good = case(id="good", turn=4)
    told = [json.dumps(TALK), line if isinstance(line, str) else json.dumps(line), json.dumps(good)]
    data = "\n".join(told).encode()
    with pytest.raises(BadLinesError, match=rf"^s\.jsonl, {complaint}"):
        read_labels(data, "s.jsonl", store, annotator="Ada")
    found = read_labels(data, "s.jsonl", store, annotator="Ada", skip_bad=True)
    assert {entry.situation.turn for entry in found.entries} == {4}


def test_lines_that_contradict_each_other_are_both_named_and_neither_is_taken(store: Store, key: str) -> None:
    rows = ["6,,1,Ada,,relevant", "6,,2,Ada,,relevant", "6,,1,Bo,,unsure", "6,,2,Ada,,relevant",
            "6,,1,Ada,,unsure", "6,,1,Ada,,unsure"]  # fmt: skip
    table = "\n".join([HEADER, *(f"{key},{row},,," for row in rows)]).encode()
    with pytest.raises(
        BadLinesError, match=r"line 2: Ada says relevant of turn 1 here and unsure in line 6; neither"
    ):
        read_labels(table, "t.csv", store)
    found = read_labels(table, "t.csv", store, skip_bad=True)
    assert [(entry.annotator, entry.turn) for entry in found.entries] == [("Ada", 2), ("Bo", 1)]
    assert [problem.line for problem in found.problems] == [2, 6, 7]


def test_a_file_of_something_else_is_told(store: Store) -> None:
    with pytest.raises(TranscriptError, match="no labels in a form that convgate reads"):
        read_labels(b"User: Hi\nAssistant: Ho\n", "t.txt", store)
    with pytest.raises(TranscriptError, match=r"t\.json, line 1: not valid JSON"):
        read_labels(b'{"type": "case", ', "t.json", store)
    with pytest.raises(TranscriptError, match="the file is empty"):
        read_labels(b"", "t.csv", store)
    with pytest.raises(TranscriptError, match=r"t\.csv: there are no labels in it"):
        read_labels(HEADER.encode(), "t.csv", store)
    with pytest.raises(TranscriptError, match="the file cannot be opened"):
        read_labels(Path("/no/such/file"), "t.csv", store)
    with pytest.raises(StoreError, match="an annotator's name"):
        read_labels(HEADER.encode(), "t.csv", store, annotator=" Ada")
    with pytest.raises(TranscriptError, match="more than the limit"):
        read_labels(HEADER.encode(), "t.csv", store, max_bytes=3)


@pytest.mark.parametrize("kind", ["relevance-set", "csv"])
def test_nothing_to_write_is_a_file_without_labels(store: Store, key: str, kind: Kind) -> None:
    written = write_labels(store, kind)
    assert written.decode().strip() == ("" if kind == "relevance-set" else ",".join(COLUMNS))


def test_what_became_impossible_since_it_was_read_keeps_nothing(store: Store, key: str, other: Store) -> None:
    Labels(store).answer(SituationKey(key, 6), {0: "relevant", 1: "relevant"}, by="Ada")
    found = read_labels(write_labels(store, "relevance-set"), "set", other)
    wrong = replace(found, entries=(*found.entries, Entry(SituationKey("gone", 1), 0, "Ada", "relevant")))
    with pytest.raises(StoreError, match="no conversation 'gone'"):
        keep_labels(other, wrong, by="Ada")
    assert (holds(other), Conversations(other).find().total) == ([], 0)
