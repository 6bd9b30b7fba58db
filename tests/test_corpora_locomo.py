"""LoCoMo as a relevance set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import TranscriptError
from convgate.training.corpora.locomo import FILE, read_locomo
from convgate.transcripts import BadLinesError

CONVERSATION = {
    "speaker_a": "Ada",
    "speaker_b": "Ben",
    "session_2_date_time": "12:09 am on 13 September, 2023",
    "session_2": [
        {"speaker": "Ben", "dia_id": "D2:1", "text": "I adopted a dog! "},
        {
            "speaker": "Ada",
            "dia_id": "D2:2",
            "text": "Look at mine.",
            "img_url": ["https://example.org/dog.jpg"],
            "blip_caption": "a photo of a dog on a sofa",
            "query": "dog",
        },
    ],
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ada", "dia_id": "D1:1", "text": "Hey Ben!"},
        {"speaker": "Ben", "dia_id": "D1:2", "text": "Hey, I moved to Graz."},
    ],
    "session_3_date_time": "9:00 am on 1 October, 2023",
}


def asked(question: str, *evidence: Any, category: int = 4) -> dict[str, Any]:
    return {"question": question, "answer": 2023, "evidence": list(evidence), "category": category}


def sample(*questions: Any, id: str = "conv-1", **changes: Any) -> dict[str, Any]:
    return {
        "sample_id": id,
        "conversation": {**CONVERSATION, **changes},
        "qa": list(questions),
        "observation": {},
    }


def write_samples(checkout: Path, *samples: Any) -> Path:
    file = checkout / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(samples, indent=2))
    return file


WHERE = asked("Where does Ben live?", "D1:2")


def test_both_speakers_are_people_and_the_first_one_is_the_user(tmp_path: Path):
    write_samples(tmp_path, sample(WHERE))
    found = read_locomo(tmp_path)
    assert list(found.conversations) == ["locomo-conv-1"]
    turns = found.conversations["locomo-conv-1"].turns
    assert [(turn.role, turn.name) for turn in turns] == [
        ("user", "Ada"),
        ("assistant", "Ben"),
        ("assistant", "Ben"),
        ("user", "Ada"),
    ]


def test_sessions_are_in_order_each_turn_at_its_sessions_time(tmp_path: Path):
    write_samples(tmp_path, sample(WHERE))
    turns = read_locomo(tmp_path).conversations["locomo-conv-1"].turns
    assert [turn.timestamp.isoformat() for turn in turns if turn.timestamp] == [
        *["2023-05-08T13:56:00"] * 2,
        *["2023-09-13T00:09:00"] * 2,
    ]


def test_a_shared_photo_is_added_as_text(tmp_path: Path):
    bare = {"speaker": "Ben", "dia_id": "D3:1", "text": "", "img_url": ["https://example.org/x.jpg"]}
    write_samples(tmp_path, sample(WHERE, session_3=[bare]))
    turns = read_locomo(tmp_path).conversations["locomo-conv-1"].turns
    assert [turn.text for turn in turns[2:]] == [
        "I adopted a dog! ",
        "Look at mine. [shares a photo: a photo of a dog on a sofa]",
        "[shares a photo]",
    ]


def test_a_question_stands_after_the_whole_conversation_with_its_evidence(tmp_path: Path):
    write_samples(tmp_path, sample(WHERE, asked("Who has a dog?", "D2:1", "D2:2", category=1)))
    found = read_locomo(tmp_path)
    assert [(case.id, case.turn, sorted(case.relevant), case.tags) for case in found.cases] == [
        ("locomo-conv-1-q0", None, [1], ("category-4",)),
        ("locomo-conv-1-q1", None, [2, 3], ("category-1",)),
    ]
    situation, history = found.situation(found.cases[1])
    assert (situation.turn.role, situation.turn.text, len(history)) == ("user", "Who has a dog?", 4)
    assert found.problems == ()


def test_several_ids_in_one_entry_are_each_evidence(tmp_path: Path):
    write_samples(tmp_path, sample(asked("Q?", "D1:1; D2:1"), asked("Q?", "D1:2 D2:2")))
    assert [sorted(case.relevant) for case in read_locomo(tmp_path).cases] == [[0, 2], [1, 3]]


def test_evidence_that_names_no_turn_is_left_out_counted_and_told(tmp_path: Path):
    vain = asked("Q?", "D:11:26")
    write_samples(tmp_path, sample(asked("Q?", "D1:1", "D9:17", "D"), asked("Q?"), vain, WHERE))
    found = read_locomo(tmp_path)
    assert [case.id for case in found.cases] == ["locomo-conv-1-q0", "locomo-conv-1-q3"]
    assert sorted(found.cases[0].relevant) == [0]
    told = [(problem.field, problem.message) for problem in found.problems]
    assert told == [
        ("[0].qa[0].evidence[1]", "no turn is 'D9:17'; left out"),
        ("[0].qa[0].evidence[2]", "no turn is 'D'; left out"),
        ("[0].qa[2].evidence[0]", "no turn is 'D:11:26'; left out"),
        (
            None,
            "left out in all: 3 entries of evidence that name no turn, 2 questions without evidence",
        ),
    ]
    assert {problem.severity for problem in found.problems} == {"warning"}


# Bad input


@pytest.mark.parametrize(
    ("changes", "field", "problem"),
    [
        (
            {"session_3": [{"speaker": "Eve", "dia_id": "D3:1", "text": "hi"}]},
            "session_3[0].speaker",
            "'Eve' is not one of the speakers, Ada and Ben",
        ),
        (
            {"session_3": [{"speaker": "Ada", "dia_id": "D1:1", "text": "hi"}]},
            "session_3[0].dia_id",
            "another turn is D1:1 already",
        ),
        ({"session_3": [{"speaker": "Ada", "dia_id": "D3:1"}]}, "session_3[0].text", "no text"),
        ({"session_1_date_time": "8 May"}, "session_1_date_time", "'8 May' is not a time such as"),
        ({"session_1_date_time": None}, "session_1_date_time", "expected a text, got null"),
        ({"session_3": "hi"}, "session_3", "expected a list, got a text"),
    ],
)
def test_a_bad_conversation_is_told_and_the_others_can_be_read(
    tmp_path: Path, changes: dict[str, Any], field: str, problem: str
):
    write_samples(tmp_path, sample(WHERE, **changes), sample(WHERE, id="conv-2"))
    with pytest.raises(BadLinesError, match="1 conversations and 1 cases") as raised:
        read_locomo(tmp_path)
    assert raised.value.field == f"[0].conversation.{field}"
    assert problem in str(raised.value)
    assert raised.value.line is not None
    assert list(read_locomo(tmp_path, skip_bad=True).conversations) == ["locomo-conv-2"]


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({**WHERE, "question": 5}, "[0].qa[0].question"),
        ({**WHERE, "category": None}, "[0].qa[0].category"),
        ({**WHERE, "evidence": "D1:2"}, "[0].qa[0].evidence"),
        ("Where?", "[0].qa[0]"),
    ],
)
def test_a_bad_question_costs_its_case_alone(tmp_path: Path, question: Any, field: str):
    write_samples(tmp_path, sample(question, WHERE))
    with pytest.raises(BadLinesError, match="bad place") as raised:
        read_locomo(tmp_path)
    assert raised.value.field == field
    assert [case.id for case in read_locomo(tmp_path, skip_bad=True).cases] == ["locomo-conv-1-q1"]


def test_a_missing_file_says_which_one_a_checkout_has(tmp_path: Path):
    with pytest.raises(
        TranscriptError, match=r"no data/locomo10\.json; name a checkout of snap-research/LoCoMo"
    ):
        read_locomo(tmp_path)
