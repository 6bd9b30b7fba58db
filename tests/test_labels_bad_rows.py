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


def bad_places(error: BadLinesError) -> list[tuple[int | None, str | None]]:
    return [(problem.line, problem.field) for problem in error.problems]


# Lists of other tools


def listed(current: int, *relevant: object, **fields: object) -> dict[str, object]:
    text = f"talk {current}"
    history = {"current_turn": current, "current_text": text, "history_start": 0, "history_end": current}
    return {**history, "current_role": "user", "relevant_turns": list(relevant), **fields}


def test_turns_that_a_list_leaves_out_are_not_relevant(store: Store, key: str) -> None:
    data = lines(listed(4, 1, 3), listed(6, history_start=4))
    for missing in ({"annotator": "Ada"}, {"conversation": key}):
        with pytest.raises(TranscriptError):
            read_labels(data, "old.jsonl", store, **missing)  # type: ignore[arg-type]
    found = brought(data, store, annotator="Ada", conversation=key)
    assert found.format == "turn-lists"
    labels = Labels(store)
    assert labels.of(SituationKey(key, 4)).of("Ada") == {
        0: "not_relevant", 1: "relevant", 2: "not_relevant", 3: "relevant",
    }  # fmt: skip
    assert labels.of(SituationKey(key, 6)).of("Ada") == {4: "not_relevant", 5: "not_relevant"}


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({**listed(4), "current_turn": 8}, "current_turn"),
        (listed(2, current_text="elsewhere"), "current_text"),
        (listed(4, 4), "relevant_turns[0]"),
        (listed(4, 1, history_start=2), "relevant_turns[0]"),
        (listed(4, "1"), "relevant_turns[0]"),
        ({**listed(4), "relevant_turns": 3}, "relevant_turns"),
        (listed(4, history_end=5), "history_end"),
        (5, None),
    ],
)
def test_a_bad_list_is_named_and_can_be_skipped(
    store: Store, key: str, line: object, field: str | None
) -> None:
    data = lines(listed(6, 1), line, listed(7, 2))
    with pytest.raises(BadLinesError) as raised:
        read_labels(data, "old.jsonl", store, annotator="Ada", conversation=key)
    assert bad_places(raised.value) == [(2, field)]
    found = read_labels(data, "old.jsonl", store, annotator="Ada", conversation=key, skip_bad=True)
    assert {entry.situation.turn for entry in found.entries} == {6, 7}


# Tables

HEADER = "conversation,message,question,turn,annotator,kind,answer,note,time,version"


@pytest.mark.parametrize(
    ("header", "line"),
    [
        ("conversation,message,annotator,answer", 1),
        ("sep=;\nmessage;turn;annotator", 2),
        ("turn,annotator", 1),
        ("message,turn,answer", None),  # no annotator
        ("message,turn,annotator,answer", None),  # no conversation
        ("message,turn\r,annotator,answer", None),
    ],
)
def test_a_missing_column_is_reported_once(store: Store, key: str, header: str, line: int | None) -> None:
    with pytest.raises(TranscriptError) as raised:
        read_labels(f"{header}\n1,2,3,4\n1,2,3,4\n".encode(), "t.csv", store)
    assert (raised.value.line, isinstance(raised.value, BadLinesError)) == (line, False)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("0000000000000000,6,,1,Ada,,relevant,,,", "conversation"),
        (",6,,1,Ada,,relevant,,,", "conversation"),
        ("KEY,8,,1,Ada,,relevant,,,", "message"),
        ("KEY,x,,1,Ada,,relevant,,,", "message"),
        ("KEY,,,1,Ada,,relevant,,,", "message"),
        ("KEY,6,why?,1,Ada,,relevant,,,", "message"),
        ("KEY,6,,6,Ada,,relevant,,,", "turn"),
        ("KEY,0,,0,Ada,,relevant,,,", "turn"),
        ("KEY,6,,,Ada,,relevant,,,", "turn"),
        ("KEY,,why?,8,Ada,,relevant,,,", "turn"),
        ("KEY,6,,1,Ada,,perhaps,,,", "answer"),
        ("KEY,6,,1,Ada,,,,,", "answer"),
        ("KEY,6,,1,,,relevant,,,", "annotator"),
        ("KEY,6,,1,adjudicated,person,relevant,,,", "kind"),
        ("KEY,6,,1,Ada,adjudication,relevant,,,", "kind"),
        ("KEY,6,,1,Ada,robot,relevant,,,", "kind"),
        (f"KEY,6,,1,{'x' * 61},,relevant,,,", None),
        ("KEY,6,,1,Ada,,relevant,,2026-11-22T10:30:00,", "time"),
        ("KEY,6,,1,Ada,,relevant,,yesterday,", "time"),
        ("KEY,6,,1,Ada,,relevant,,0001-01-01T00:00:00+14:00,", "time"),
        ("KEY,6,,5,Bo,person,unsure,,,", None),  # contradicts the row before
    ],
)
def test_a_bad_row_is_named_and_can_be_skipped(store: Store, key: str, row: str, field: str | None) -> None:
    table = f"{HEADER}\nKEY,6,,5,Bo,person,relevant,,,\n{row}\n".replace("KEY", key)
    with pytest.raises(BadLinesError) as raised:
        read_labels(table.encode(), "t.csv", store)
    assert bad_places(raised.value) == [(3, field)]
    found = read_labels(table.encode(), "t.csv", store, skip_bad=True)
    assert [(entry.annotator, entry.turn, entry.value) for entry in found.entries] == [("Bo", 5, "relevant")]
    assert holds(store) == []


def test_a_name_of_another_kind_keeps_nothing(store: Store, key: str) -> None:
    Labels(store).set_status(SituationKey(key, 1), "done", by="Known")
    table = f"{HEADER}\n{key},6,,5,Bo,,relevant,,,\n{key},6,,1,Known,agent,relevant,,,\n"
    before = holds(store)
    with pytest.raises(StoreError):
        brought(table.encode(), store)
    assert holds(store) == before


# Relevance sets


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
        ({"annotator": "A", "turn": 0, "note": "n", "at": "x"}, ".at"),
        ({"annotator": "A", "turn": 0, "note": "n", "kind": "x"}, ".kind"),
    ],
)
def test_a_bad_label_of_a_set_is_named_and_can_be_skipped(store: Store, label: object, field: str) -> None:
    good = {"annotator": "Ada", "turn": 1, "answer": "relevant"}
    data = lines(TALK, case(labels=[good, label]))
    with pytest.raises(BadLinesError) as raised:
        read_labels(data, "s.jsonl", store)
    assert bad_places(raised.value) == [(2, f"labels[1]{field}")]
    found = read_labels(data, "s.jsonl", store, skip_bad=True)
    assert [(entry.annotator, entry.turn) for entry in found.entries] == [("Ada", 1)]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", None),
        (case(conversation="who"), "conversation"),
        (case(relevant=[6]), "relevant[0]"),
        (case(labels=5), "labels"),
        (TALK, "id"),
        ({"type": "conversation", "messages": []}, "id"),
    ],
)
def test_a_bad_line_of_a_set_is_named_and_can_be_skipped(
    store: Store, line: object, field: str | None
) -> None:
    text = [json.dumps(TALK), line if isinstance(line, str) else json.dumps(line)]
    data = "\n".join([*text, json.dumps(case(id="good", turn=4))]).encode()
    with pytest.raises(BadLinesError) as raised:
        read_labels(data, "s.jsonl", store, annotator="Ada")
    assert bad_places(raised.value) == [(2, field)]
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


@pytest.mark.parametrize("id", [[], {}, 5, None])
def test_a_question_about_no_conversation_is_a_bad_line(store: Store, id: object) -> None:
    bad = {"type": "case", "id": "q", "conversation": id, "query": {"role": "user", "content": "And?"}}
    found = read_labels(lines(TALK, case(), bad), "s.jsonl", store, annotator="Ada", skip_bad=True)
    assert [(problem.line, problem.field) for problem in found.problems] == [(3, "conversation")]


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"User: Hi\nAssistant: Ho\n", {}),
        (b'{"type": "case", ', {}),
        (b"", {}),
        (HEADER.encode(), {}),
        (Path("/no/such/file"), {}),
        (HEADER.encode(), {"max_bytes": 3}),
    ],
)
def test_a_file_of_something_else_is_refused(
    store: Store, data: bytes | Path, options: dict[str, Any]
) -> None:
    with pytest.raises(TranscriptError):
        read_labels(data, "t.csv", store, **options)


@pytest.mark.parametrize("options", [{"annotator": " Ada"}, {"conversation": "nope"}])
def test_an_invalid_name_or_an_unknown_conversation_is_refused(store: Store, options: dict[str, Any]) -> None:
    with pytest.raises(StoreError):
        read_labels(HEADER.encode(), "t.csv", store, **options)
