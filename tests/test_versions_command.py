"""`convgate versions`, and version names in other commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from convgate.core.settings import load_settings
from convgate.versions import Versions
from convgate.versions.markdown import model_card
from tests.commands import Run
from tests.gates import trained_gate
from tests.page_data import add_two_versions, hostile_draft

NAN = Path(__file__).parent.parent / "sample_conversations" / "nan_and_fibonacci.json"
HOSTILE = "\x1b]0;x\x07[red]<b>|`*#"


@pytest.fixture(autouse=True)
def wide_terminal(fake_default_encoder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def versions() -> Versions:
    """Two versions: `first`, and `second` that was made of it."""
    add_two_versions(load_settings().home)
    return Versions(load_settings().home)


def test_list_as_json(run: Run, versions: Versions, tmp_path: Path):
    versions.activate("second", who="Ada")
    code, out, _ = run("versions", "--json")
    listed = json.loads(out)
    assert code == 0
    assert (listed["active"], listed["baseline"], listed["problems"]) == ("second", None, [])
    first = listed["versions"][0]
    assert (first["name"], first["config"]["preset"], first["who"]) == ("first", "reference", "Ada")
    assert first["metrics"]["woven"]["metrics"]["f1"] == {"value": 0.6, "low": 0.55, "high": 0.65}
    assert run("versions", "--out", tmp_path / "list.json") == (0, "", "")
    assert json.loads((tmp_path / "list.json").read_text()) == listed


def test_text_of_a_card_steers_neither_terminal_nor_page(run: Run, versions: Versions):
    versions.add(trained_gate(), hostile_draft(HOSTILE), name="hostile")
    for words in ((), ("show", "hostile")):
        code, out, err = run("versions", *words)
        assert code == 0, err
        assert "\x1b" not in out
        assert "\x07" not in out
        assert "[red" in out.replace("\\", "")
    blocks = MarkdownIt("commonmark").enable("table").parse(model_card(versions.get("hostile")))
    kinds = {child.type for block in blocks for child in block.children or ()}
    assert kinds <= {"text", "text_special"}
    assert "html_block" not in {block.type for block in blocks}


def test_two_versions_compared_on_a_set(run: Run, versions: Versions, tmp_path: Path):
    turns = [{"role": "user", "content": text} for text in ("the lake", "bread", "tea", "jam", "the lake")]
    lines = [
        {"type": "conversation", "id": "c", "messages": turns},
        {"type": "case", "id": "c-4", "conversation": "c", "turn": 4, "relevant": [0]},
    ]
    file = tmp_path / "tiny.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = run("versions", "compare", "everything", "second", file, "--json")
    assert code == 0, err
    compared = json.loads(out)["sets"]["tiny"]
    assert sum(compared["turns"].values()) == 4
    assert compared["turns"]["fixed"] + compared["turns"]["broken"] == 1, "second keeps three of the four"
    assert compared["a"]["kept_token_share"] == 1
    assert compared["difference"]["kept_token_share"] == compared["b"]["kept_token_share"] - 1
    code, out, err = run("versions", "compare", "everything", "second", file)
    assert code == 0, err
    assert "second fixes" in out
    assert run("versions", "compare", "first", "third", file)[0] == 1
    same_name = tmp_path / "more" / file.name
    same_name.parent.mkdir()
    same_name.write_text(file.read_text())
    assert run("versions", "compare", "everything", "second", file, same_name)[0] == 2


# Where a gate is asked for


def score(run: Run, *words: object) -> dict[str, object]:
    code, out, err = run("score", NAN, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_score_uses_the_active_version_and_its_rule(run: Run, versions: Versions):
    assert (score(run)["version"], score(run)["rule"]) == ("untrained", "stricter")
    versions.activate("second", who="Ada")
    result = score(run)
    assert (result["version"], result["rule"]) == ("second", "top_k")
    reasons = [turn["reason"] for turn in result["turns"] if turn["kept"]]
    assert sum("among the 3 highest" in reason for reason in reasons) == 2
    assert sum("always sent" in reason for reason in reasons) == 1, "of the 3 highest, too"
    assert len(reasons) == 4, "and the question before the first of them"
