"""Lists and tables of labels: what cannot be is named by its line, and nothing of it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import StoreError, TranscriptError
from convgate.labels.exchange import read_labels
from convgate.store import (
    Labels,
    SituationKey,
    Store,
    documents,
)
from convgate.transcripts import BadLinesError, read_conversations, write_conversation
from tests.label_files import TALK, add, brought, case, holds, lines


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


@pytest.fixture
def key(store: Store) -> str:
    return add(store, "talk")


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
        ("message,turn\r,annotator,answer", "t.csv: no labels in a form that convgate reads"),
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
        (
            "KEY,6,,1,Ada,,relevant,,2026-11-22T10:30:00,",
            r"'time': the time '2026-11-22T10:30:00' does not say in which zone",
        ),
        ("KEY,6,,1,Ada,,relevant,,yesterday,", r"'time': 'yesterday' is not a time .*; an empty time is acc"),
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
        ({"annotator": "A", "turn": 0, "note": "n", "at": "x"}, r"'labels\[1\]\.at': 'x' is not a time"),
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


FIRST, *LATER = json.loads(documents.dump(read_conversations(lines(TALK)).conversations[0]))["turns"]


@pytest.mark.parametrize(
    "damage",
    [
        *({"id": 5}, {"title": 5}, {"format": 5}, {"metadata": 5}, {"metadata": [["a", 1]]}, {"turns": 5}),
        *(
            {"turns": [{**FIRST, name: 5}, *LATER]}
            for name in ("id", "name", "tool_call_id", "metadata", "source")
        ),
        {"turns": [5, *LATER]},
        {"turns": [{**FIRST, "parts": [[5, "talk 0"]]}, *LATER]},
        {"turns": [{**FIRST, "parts": [["text", 5]]}, *LATER]},
        {"turns": [{**FIRST, "timestamp": 5}, *LATER]},
    ],
    ids=str,
)
def test_of_a_conversation_stored_in_a_set_nothing_unsound_is_taken(store: Store, damage: Any) -> None:
    (talk,) = read_conversations(lines(TALK))
    stored = {"title": "Talk", "document": {**json.loads(documents.dump(talk)), **damage}}
    (new,) = read_labels(lines({**TALK, "stored": stored}, case()), "s.jsonl", store, annotator="Ada").new
    assert new.conversation.turns == talk.turns
    assert write_conversation(new.conversation) == write_conversation(talk)


@pytest.mark.parametrize(
    "layout",
    [
        {"format": "csv", "metadata": {"_columns": 5, "_delimiter": ","}},
        {"format": "csv", "metadata": {"_columns": ["role", "text"], "_delimiter": ""}},
        {"format": "markdown", "metadata": {"_style": "x"}},
        {"format": "markdown", "metadata": {"_preamble": 5}},
        {"format": "sharegpt", "metadata": {"_list_key": [], "_layout": "object", "_one_line": True}},
        {"format": "word", "metadata": {}},
        {"format": "openai", "metadata": [["a", 1]]},
    ],
    ids=str,
)
def test_so_is_no_layout_in_which_it_cannot_be_written(store: Store, layout: dict[str, Any]) -> None:
    stored = {"id": "t", "title": "Talk", "own_title": "Talk", **layout}
    (new,) = read_labels(lines({**TALK, "stored": stored}, case()), "s.jsonl", store, annotator="Ada").new
    assert write_conversation(new.conversation)


@pytest.mark.parametrize("id", [[], {}, 5, None])
def test_a_question_about_no_conversation_is_a_bad_line(store: Store, id: object) -> None:
    bad = {"type": "case", "id": "q", "conversation": id, "query": {"role": "user", "content": "And?"}}
    found = read_labels(lines(TALK, case(), bad), "s.jsonl", store, annotator="Ada", skip_bad=True)
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, "conversation")]


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
