"""TREC CAsT 2020 as a relevance set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import TranscriptError
from convgate.training.corpora.cast import FILE, read_cast
from convgate.transcripts import BadLinesError


def question(number: int, text: str, **depends: Any) -> dict[str, Any]:
    rewritten = {"manual_rewritten_utterance": f"{text} (in full)"}
    return {"number": number, "raw_utterance": text, **rewritten, **depends}


QUESTIONS = [
    question(1, "How do bees make honey?", canonical_result_id="MARCO_1"),
    question(2, "Why doesn’t it spoil?", query_turn_dependence=[1]),
    question(3, "What else do they make?", query_turn_dependence=[1], result_turn_dependence=2),
    question(4, "How do I keep bread?"),
    question(5, "And cheese?", query_turn_dependence=[4, 2]),
    question(6, "Which one?", result_turn_dependence=5),
]
TOPIC = {"number": 181, "title": "Honey", "description": "", "turn": QUESTIONS}


def write_topics(checkout: Path, *topics: Any) -> Path:
    file = checkout / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(topics, indent=2))
    return file


def test_a_topic_is_its_questions_as_they_were_asked_all_from_the_user(tmp_path: Path):
    write_topics(tmp_path, TOPIC)
    found = read_cast(tmp_path)
    assert list(found.conversations) == ["cast2020-181"]
    turns = found.conversations["cast2020-181"].turns
    assert {turn.role for turn in turns} == {"user"}
    assert [turn.text for turn in turns[:2]] == ["How do bees make honey?", "Why doesn’t it spoil?"]


def test_relevant_are_both_kinds_of_dependence_from_the_third_question_on(tmp_path: Path):
    write_topics(tmp_path, TOPIC)
    cases = read_cast(tmp_path).cases
    assert [(case.id, sorted(case.relevant)) for case in cases] == [
        ("cast2020-181-2", [0, 1]),
        ("cast2020-181-3", []),
        ("cast2020-181-4", [1, 3]),
        ("cast2020-181-5", [4]),
    ]


def test_the_file_itself_gives_the_same_as_the_checkout(tmp_path: Path):
    file = write_topics(tmp_path, TOPIC)
    assert read_cast(file) == read_cast(tmp_path)


# Bad input


@pytest.mark.parametrize(
    ("depends", "field"),
    [
        ({"query_turn_dependence": [9]}, "query_turn_dependence"),
        ({"query_turn_dependence": [3]}, "query_turn_dependence"),
        ({"result_turn_dependence": "one"}, "result_turn_dependence"),
    ],
)
def test_a_dependence_on_no_earlier_question_costs_its_case_alone(
    tmp_path: Path, depends: dict[str, Any], field: str
):
    turns = [*QUESTIONS[:2], question(3, "What else?", **depends), *QUESTIONS[3:]]
    write_topics(tmp_path, {**TOPIC, "turn": turns})
    with pytest.raises(BadLinesError, match=rf"v1\.1\.json, line \d+, field '\[0\]\.turn\[2\]\.{field}'"):
        read_cast(tmp_path)
    left = read_cast(tmp_path, skip_bad=True)
    assert [case.turn for case in left.cases] == [3, 4, 5]


@pytest.mark.parametrize(
    ("topic", "field"),
    [
        ({**TOPIC, "number": None}, "[0].number"),
        ({**TOPIC, "turn": [question(1, " ")]}, "[0].turn[0].raw_utterance"),
        ({**TOPIC, "turn": [*QUESTIONS, question(6, "Which?")]}, "[0].turn"),
        ({**TOPIC, "turn": None}, "[0].turn"),
        ("honey", "[0]"),
    ],
)
def test_a_bad_topic_is_told_with_its_field_and_the_others_can_be_read(
    tmp_path: Path, topic: Any, field: str
):
    write_topics(tmp_path, topic, {**TOPIC, "number": 182})
    with pytest.raises(BadLinesError, match="1 conversations and 4 cases can be read") as raised:
        read_cast(tmp_path)
    assert raised.value.field == field
    assert list(read_cast(tmp_path, skip_bad=True).conversations) == ["cast2020-182"]


def test_two_topics_of_one_number_are_told(tmp_path: Path):
    write_topics(tmp_path, TOPIC, TOPIC)
    with pytest.raises(BadLinesError, match="another conversation has the id 'cast2020-181'"):
        read_cast(tmp_path)


def test_a_missing_a_broken_and_an_empty_file_are_told(tmp_path: Path):
    with pytest.raises(TranscriptError, match=r"this folder has no 2020/automatic_.*v1\.1\.json"):
        read_cast(tmp_path)
    file = write_topics(tmp_path)
    with pytest.raises(TranscriptError, match="there is no conversation in it"):
        read_cast(tmp_path)
    file.write_text('[\n  {"number": 1,\n  "turn": }\n]')
    with pytest.raises(TranscriptError, match="line 3: not valid JSON"):
        read_cast(tmp_path)
    file.write_text("topics")
    with pytest.raises(TranscriptError, match="no JSON document"):
        read_cast(tmp_path)
