"""`convgate errors`: labelled turns that are decided wrongly, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands import Run

pytestmark = pytest.mark.usefixtures("fake_default_encoder")

TEXTS = ["the lake house", "a boat", "bread", "tea \x1b[31m", "rain", "which house by the lake?"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A relevance set whose case needs a turn that is dropped, and the same conversation without labels."""
    monkeypatch.setenv("CONVGATE_THRESHOLD_RULE", "top_k")
    monkeypatch.setenv("CONVGATE_THRESHOLD_PARAMETERS", '{"k": 0}')
    messages = [{"role": "user", "content": text} for text in TEXTS]
    lines = [
        {"type": "conversation", "id": "talk", "messages": messages},
        {"type": "case", "id": "a", "conversation": "talk", "turn": 5, "relevant": [0, 3]},
    ]
    labelled, plain = tmp_path / "set.jsonl", tmp_path / "talk.json"
    labelled.write_text("".join(json.dumps(line) + "\n" for line in lines))
    plain.write_text(json.dumps(messages))
    return {"labelled": labelled, "plain": plain}


def test_errors_as_json_have_their_decision(run: Run, files: dict[str, Path]) -> None:
    code, out, err = run("errors", files["labelled"], "--json")
    printed = json.loads(out)
    assert code == 0, err
    assert (printed["messages"], printed["needed"], printed["kept"], printed["suggested"]) == (1, 2, 0, False)
    assert {error["decision"]["index"]: error["text"] for error in printed["errors"]} == {
        0: "the lake house", 3: "tea \x1b[31m",
    }  # fmt: skip
    first = printed["errors"][0]
    assert (first["kind"], first["case"], first["turn"]) == ("missed", "a", 5)
    assert first["message"] == TEXTS[-1]
    assert first["decision"]["reason"].startswith("Dropped")
    assert first["cause"] in {*first["decision"]["parts"], "threshold"}


def test_a_person_reads_a_summary_the_causes_and_a_table(
    run: Run, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    code, out, _ = run("errors", files["labelled"])
    assert code == 0
    assert "2 of 2 needed turns were not sent; nothing was sent." in out
    assert "missed, by cause:" in out
    assert "the lake house" in out
    assert "\x1b" not in out, "texts cannot steer the terminal"


def test_without_labels_other_policies_suggest(run: Run, files: dict[str, Path]) -> None:
    code, out, _ = run("errors", files["plain"], "--json")
    printed = json.loads(out)
    assert code == 0
    assert printed["suggested"]
    assert printed["messages"] == 5
    assert {name for error in printed["errors"] for name in error["against"]} == {
        "hybrid search", "the last exchange",
    }  # fmt: skip


def test_conversations_of_two_files_may_have_one_id(run: Run, files: dict[str, Path], tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(files["labelled"].read_text().replace("the lake house", "another place"))
    printed = json.loads(run("errors", files["labelled"], other, "--json")[1])
    texts = {error["text"] for error in printed["errors"] if error["decision"]["index"] == 0}
    assert texts == {"the lake house", "another place"}
