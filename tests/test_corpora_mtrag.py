"""MTRAG-UN's conversations, whole and woven."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import TranscriptError
from convgate.training.corpora.mtrag import FILE, read_mtrag
from convgate.transcripts import BadLinesError


def said(speaker: str, text: str) -> dict[str, Any]:
    return {"speaker": speaker, "text": text, "metadata": {"created_at": 1732000000}}


def task(id: str, questions: int, *, collection: str = "clapnq", answer: str = "so") -> dict[str, Any]:
    """A line as of the turn after so many questions."""
    talk = [
        turn
        for number in range(questions)
        for turn in (said("user", f"{id} q{number}"), said("agent", f"{id} a{number}"))
    ]
    return {
        "conversation_id": id,
        "task_id": f"{id}<::>{questions}",
        "Collection": collection,
        "contexts": [],
        "input": talk[:-1],
        "targets": [said("agent", f"{id} {answer}")],
    }


def write_tasks(checkout: Path, *tasks: Any) -> Path:
    file = checkout / FILE
    file.parent.mkdir(parents=True)
    file.write_text("".join(f"{json.dumps(line)}\n" for line in tasks))
    return file


def test_a_conversation_is_its_longest_input_with_the_target_behind_it(tmp_path: Path):
    write_tasks(tmp_path, task("ab", 1), task("cd", 2), task("ab", 3, answer="yes"), task("ab", 2))
    found = read_mtrag(tmp_path)
    assert (found.name, list(found.conversations)) == ("mtrag", ["mtrag-ab", "mtrag-cd"])
    turns = found.conversations["mtrag-ab"].turns
    assert [turn.text for turn in turns] == ["ab q0", "ab a0", "ab q1", "ab a1", "ab q2", "ab yes"]
    assert [turn.role for turn in turns] == ["user", "assistant"] * 3
    assert found.cases == ()


def test_a_conversation_tells_its_collection_as_the_domain_that_near_ones_share(tmp_path: Path):
    write_tasks(tmp_path, task("ab", 1, collection="govt"))
    assert read_mtrag(tmp_path).conversations["mtrag-ab"].metadata == {"domain": "govt"}


def test_the_file_itself_gives_the_same_as_the_checkout(tmp_path: Path):
    file = write_tasks(tmp_path, task("ab", 1))
    assert read_mtrag(file) == read_mtrag(tmp_path)


# Bad input


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"targets": [said("moderator", "hm")]}, "targets[0].speaker"),
        ({"input": [said("user", "")]}, "input[0].text"),
        ({"input": None}, "input"),
        ({"conversation_id": None}, "conversation_id"),
        ({"Collection": None}, "Collection"),
        ({"input": ["hello"]}, "input[0]"),
    ],
)
def test_a_bad_line_is_told_with_its_number_and_field(tmp_path: Path, change: dict[str, Any], field: str):
    write_tasks(tmp_path, task("ab", 1), {**task("cd", 1), **change})
    with pytest.raises(BadLinesError, match="1 conversations and 0 cases") as raised:
        read_mtrag(tmp_path)
    assert (raised.value.file, raised.value.line, raised.value.field) == ("reference.jsonl", 2, field)
    assert list(read_mtrag(tmp_path, skip_bad=True).conversations) == ["mtrag-ab"]


def test_a_broken_line_is_told_with_its_number(tmp_path: Path):
    file = write_tasks(tmp_path, task("ab", 1), task("cd", 1))
    file.write_text(file.read_text() + '{"conversation_id": \n')
    with pytest.raises(BadLinesError, match=r"reference\.jsonl, line 3: not valid JSON"):
        read_mtrag(tmp_path)
    assert len(read_mtrag(tmp_path, skip_bad=True).conversations) == 2


def test_a_missing_file_says_which_one_a_checkout_has(tmp_path: Path):
    with pytest.raises(TranscriptError, match=r"no mtragun-human/generation_tasks/reference\.jsonl"):
        read_mtrag(tmp_path)
