"""Benchmarks with questions about conversations: LoCoMo and LongMemEval."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convgate.transcripts import BadLinesError, read_conversations, read_relevance_set, write_relevance_set
from tests.transcript_files import FOLDER, read_sample


def test_sessions_of_locomo_are_one_conversation_with_times_and_photos() -> None:
    (conversation,) = read_conversations(FOLDER / "locomo.json")
    assert conversation.id == "locomo-conv-7"
    assert [(turn.role, turn.speaker, turn.id, turn.text) for turn in conversation.turns] == [
        ("user", "Ines", "D1:1", "Hi Tomas, how is the allotment?"),
        ("assistant", "Tomas", "D1:2", "Dry. I put in a rain barrel on Sunday."),
        ("assistant", "Tomas", "D2:1", "It rained at last."),
        ("user", "Ines", "D10:1", "Did the pears ripen?"),
        ("assistant", "Tomas", "D10:2", "Look at them! [shares a photo: a photo of a bowl of pears]"),
    ]
    times = [turn.timestamp.isoformat() for turn in conversation.turns if turn.timestamp]
    assert times[1:4] == ["2023-05-08T13:56:00", "2023-06-13T00:09:00", "2023-10-02T09:05:00"]


def test_a_session_of_locomo_may_have_a_number_with_zeros(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text((FOLDER / "locomo.json").read_text().replace("session_1", "session_01"))
    (conversation,) = read_conversations(path)
    assert conversation == read_conversations(FOLDER / "locomo.json").conversations[0]


def test_evidence_of_locomo_gives_cases_and_what_names_no_turn_is_counted() -> None:
    relevance_set = read_relevance_set(FOLDER / "locomo.json")
    assert [(case.id, sorted(case.relevant), case.tags) for case in relevance_set.cases] == [
        ("locomo-conv-7-q0", [1], ("category-2",)),
        ("locomo-conv-7-q1", [3, 4], ("category-1",)),
    ]
    current, history = relevance_set.current(relevance_set.cases[0])
    assert (current.turn.text, len(history)) == ("When did Tomas put in a rain barrel?", 5)
    assert [problem.message for problem in relevance_set.problems] == [
        "no turn is 'D:11:26'; left out",
        "no turn is 'D2:9'; left out",
        "left out in all: 2 references to no turn and 1 question without evidence",
    ]


def test_sessions_of_longmemeval_are_in_order_and_answers_are_relevant() -> None:
    relevance_set = read_relevance_set(FOLDER / "longmemeval.json")
    first = relevance_set.conversations["q1"]
    assert [turn.text for turn in first.turns][::2] == [
        "My sister lives in Faro.",
        "My sister has moved to Porto.",
    ]
    assert [turn.timestamp.isoformat() for turn in first.turns if turn.timestamp][1:3] == [
        "2023-05-20T02:21:00",
        "2023-05-21T09:30:00",
    ]
    cases = [(case.id, sorted(case.relevant), case.tags) for case in relevance_set.cases]
    assert cases == [
        ("q1-q", [2], ("knowledge-update",)),
        ("q2_abs-q", [], ("single-session-user", "abstention")),
    ]
    query = relevance_set.cases[0].query
    assert query.timestamp.isoformat() == "2023-06-01T18:00:00"
    assert relevance_set.problems == ()


def test_a_question_that_no_turn_answers_is_left_out_with_a_warning(tmp_path: Path) -> None:
    samples = read_sample("longmemeval.json")
    samples[0]["haystack_sessions"][0][0]["has_answer"] = False
    file = tmp_path / "set.json"
    file.write_text(json.dumps(samples))
    relevance_set = read_relevance_set(file)
    assert [case.id for case in relevance_set.cases] == ["q2_abs-q"]
    assert {problem.severity for problem in relevance_set.problems} == {"warning"}


@pytest.mark.parametrize(
    ("file", "old", "new", "field"),
    [
        ("locomo.json", '"text": "It rained at last."', '"text": 5', "[0].conversation.session_2[0].text"),
        ("locomo.json", '"speaker": "Ines"', '"speaker": null', "[0].conversation.session_1[0].speaker"),
        ("locomo.json", '"question": "Which', '"asked": "Which', "[0].qa[2].question"),
        ("longmemeval.json", '"role": "user"', '"role": ""', "[0].haystack_sessions[0][0].role"),
        ("longmemeval.json", '"question": "What', '"asked": "What', "[1].question"),
    ],
)
def test_a_bad_place_is_told_with_its_field_and_can_be_skipped(
    file: str, old: str, new: str, field: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.write_text((FOLDER / file).read_text().replace(old, new, 1))
    with pytest.raises(BadLinesError) as raised:
        read_relevance_set(path)
    assert raised.value.field == field
    assert raised.value.line
    assert read_relevance_set(path, skip_bad=True).conversations


@pytest.mark.parametrize("file", ["locomo.json", "longmemeval.json"])
def test_a_set_comes_back_from_the_lines_it_is_written_as(file: str, tmp_path: Path) -> None:
    relevance_set = read_relevance_set(FOLDER / file)
    write_relevance_set(relevance_set, tmp_path / "set.jsonl")
    again = read_relevance_set(tmp_path / "set.jsonl")
    assert again.cases == relevance_set.cases
    assert [conversation.turns for conversation in again.conversations.values()] == [
        conversation.turns for conversation in relevance_set.conversations.values()
    ]
