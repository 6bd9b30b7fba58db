"""TIAGE as a relevance set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.errors import TranscriptError
from convgate.training.corpora.tiage import read_tiage
from convgate.transcripts import BadLinesError

DIALOGUE = [
    ["hi , any plans for today ?", "-1"],
    ["i will bake bread .", "0"],
    ["do you have pets ?", "1"],
    ["two cats .", "0"],
    ["nice , what are they called ?", "0"],
    ["i work in a bakery , by the way .", "1"],
    ["so that is where the bread comes from !", "0"],
]


def write_part(checkout: Path, dialogues: Any, split: str = "train") -> Path:
    file = checkout / "data" / "personachat" / "anno" / split / f"anno_{split}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(dialogues))
    return file


def test_speakers_alternate_and_the_first_is_the_user(tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE})
    found = read_tiage(tmp_path)
    assert (found.name, list(found.conversations)) == ("tiage.train", ["tiage-train-7"])
    turns = found.conversations["tiage-train-7"].turns
    assert [turn.role for turn in turns] == ["user", "assistant"] * 3 + ["user"]
    assert [turn.text for turn in turns] == [text for text, _ in DIALOGUE]


def test_relevant_is_the_present_topic_from_the_fourth_turn_on(tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE})
    cases = read_tiage(tmp_path).cases
    assert {case.id: sorted(case.relevant) for case in cases} == {
        "tiage-train-7-3": [2],
        "tiage-train-7-4": [2, 3],
        "tiage-train-7-5": [],
        "tiage-train-7-6": [5],
    }


def test_without_a_change_of_topic_all_turns_before_are_relevant(tmp_path: Path):
    write_part(tmp_path, {"7": [[text, label if label == "-1" else "0"] for text, label in DIALOGUE]})
    cases = read_tiage(tmp_path).cases
    assert [sorted(case.relevant) for case in cases] == [list(range(turn)) for turn in (3, 4, 5, 6)]


def test_another_part_is_another_set(tmp_path: Path):
    file = write_part(tmp_path, {"7": DIALOGUE}, split="dev")
    found = read_tiage(tmp_path, split="dev")
    assert (found.name, list(found.conversations)) == ("tiage.dev", ["tiage-dev-7"])
    assert read_tiage(file) == found, "the folder tells the part"
    loose = file.rename(tmp_path / "anno.json")
    with pytest.raises(TranscriptError, match="say train, dev, test"):
        read_tiage(loose)
    assert read_tiage(loose, split="dev") == found


# Bad input


@pytest.mark.parametrize(
    ("turn", "field"),
    [
        (["hello ?", "2"], "8[1][1]"),
        (["hello ?", 0], "8[1][1]"),
        (["", "0"], "8[1][0]"),
        (["hello ?"], "8[1]"),
        ("hello ?", "8[1]"),
    ],
)
def test_a_bad_turn_costs_its_dialogue_alone_and_is_told_with_its_line(tmp_path: Path, turn: Any, field: str):
    file = write_part(tmp_path, {})
    file.write_text(json.dumps({"7": DIALOGUE, "8": [DIALOGUE[0], turn]}, indent=1))
    with pytest.raises(BadLinesError, match="1 conversations and 4 cases") as raised:
        read_tiage(tmp_path)
    assert raised.value.field == field
    assert raised.value.line is not None
    assert raised.value.line > 30
    assert list(read_tiage(tmp_path, skip_bad=True).conversations) == ["tiage-train-7"]


def test_a_missing_part_says_which_file_a_checkout_has(tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE})
    with pytest.raises(TranscriptError, match=r"no data/personachat/anno/test/anno_test\.json"):
        read_tiage(tmp_path, split="test")


def test_where_nothing_is_left_skipping_does_not_help(tmp_path: Path):
    write_part(tmp_path, {"8": ["hello ?"]})
    with pytest.raises(BadLinesError, match="only bad place, and nothing else to read"):
        read_tiage(tmp_path, skip_bad=True)


def test_a_file_without_dialogues_is_told(tmp_path: Path):
    write_part(tmp_path, {})
    with pytest.raises(TranscriptError, match=r"anno_train\.json: there is no conversation in it"):
        read_tiage(tmp_path)
