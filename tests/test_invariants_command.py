"""`convgate invariants`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convgate.invariants import judge
from tests.commands import Run
from tests.selectors import WordJudge

MESSAGES = [
    {"role": "user", "content": "No nuts, Tim is allergic. At most 300 words."},
    {"role": "assistant", "content": "You must never bake without eggs."},
    {"role": "user", "content": "make it at most 500 words"},
]


@pytest.fixture(autouse=True)
def without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "load_judge", lambda settings: WordJudge())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(MESSAGES), "utf-8")
    return path


def test_the_command_prints_the_stable_json(run: Run, file: Path, tmp_path: Path) -> None:
    code, out, errors = run("invariants", file, "--json")
    output = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(output[0]) == [
        "type",
        "priority",
        "source",
        "text",
        "scope",
        "active",
        "superseded_by",
        "likelihood",
        "held",
        "changed_by",
    ]
    assert [(one["type"], one["source"], one["active"], one["superseded_by"]) for one in output] == [
        ("safety_requirement", 0, True, None),
        ("hard_constraint", 0, False, 2),
        ("hard_constraint", 2, True, None),
    ]
    assert run("invariants", file, "--out", tmp_path / "out.json")[1] == ""
    assert json.loads((tmp_path / "out.json").read_text()) == output


def test_invariants_are_listed_as_of_a_turn(run: Run, file: Path) -> None:
    output = json.loads(run("invariants", file, "--json", "--turn", 1)[1])
    assert [one["active"] for one in output] == [True, True]
    code, _, errors = run("invariants", file, "--turn", 3)
    assert (code, "message 3 asked for, but the conversation has messages 0 to 2" in errors) == (1, True)


def test_the_default_output_is_a_table(run: Run, file: Path, tmp_path: Path) -> None:
    code, out, _ = run("invariants", file)
    assert code == 0
    assert "corrected by 2" in out
    assert "3 messages · 3 invariants, 2 of them active" in out
    empty = tmp_path / "small.json"
    empty.write_text(json.dumps(MESSAGES[1:2]))
    assert run("invariants", empty)[1].strip() == "1 message · 0 invariants"


def test_an_edit_in_the_file_applies_and_an_invalid_one_is_reported(run: Run, file: Path) -> None:
    edited = [{**MESSAGES[0], "invariants": [{"of": "At most 300 words.", "pinned": True}]}, *MESSAGES[1:]]
    file.write_text(json.dumps(edited))
    assert [one["active"] for one in json.loads(run("invariants", file, "--json")[1])] == [True] * 3
    file.write_text(json.dumps([{**MESSAGES[0], "invariants": [{"of": 3}]}]))
    code, out, errors = run("invariants", file, "--json")
    assert (code, out) == (1, "")
    assert "messages[0].invariants[0].of" in errors
