"""`convgate versions` in a terminal, and the names where a gate is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.settings import load_settings
from convgate.versions import DataSet, Draft, Measured, Metric, Parent, Training, Versions
from convgate.versions.markdown import model_card
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

NAN = Path(__file__).parent.parent / "sample_conversations" / "nan_and_fibonacci.json"
HOSTILE = "\x1b]0;x\x07[red]<b>|`*#"


@pytest.fixture(autouse=True)
def fake_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("convgate.building.default_encoder", lambda *args, **options: FakeEncoder())
    monkeypatch.setattr("convgate.versions.catalog.PACKAGED", tmp_path / "package")
    monkeypatch.setenv("COLUMNS", "120")


@pytest.fixture
def versions() -> Versions:
    """Two versions: `first`, and `second` that was made of it."""
    made = Versions(load_settings().home)
    first = made.add(
        trained_gate(),
        Draft(
            note="A first | try",
            who="Ada",
            data=(DataSet("woven.train", "a" * 64, {"cases": 1_709}, "CC BY", "IBM"),),
            training=Training(
                7, 2, {"rate": 0.01}, {"torch": "2.13.0"}, {"loss": (0.7, 0.5), "p": (None, 0.8)}
            ),
            metrics={"woven": Measured(709, 120, {"map": Metric(0.85, 0.83, 0.87), "f1": Metric(0.6)})},
            limits=("English only.",),
        ),
        name="first",
    )
    made.add(
        trained_gate(seed=1),
        Draft(
            parent=first.as_parent(),
            threshold_rule="top_k",
            threshold_parameters={"k": 3},
            metrics={"woven": Measured(709, 120, {"map": Metric(0.95, 0.93, 0.97)})},
        ),
        name="second",
    )
    return made


def test_list_shows_every_version_with_its_marks(run: Run, versions: Versions):
    versions.activate("second", who="Ada")
    versions.set_baseline("first", who="Ada")
    code, out, err = run("versions")
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines() if line.strip()]
    created = f"{versions.get('first').card.created:%Y-%m-%d}"
    assert lines[2].startswith(f"first {created} woven.train woven MAP 0.85 F1 0.60")
    assert lines[3] == "baseline 1,709 cases"
    assert lines[4].startswith(f"second {created} first woven MAP 0.95")
    assert lines[5] == "active"


def test_list_without_versions_says_what_decides(run: Run):
    code, out, _ = run("versions")
    assert code == 0
    assert "No version is active: the gate is untrained" in out


def test_list_as_json(run: Run, versions: Versions, tmp_path: Path):
    versions.activate("second", who="Ada")
    code, out, _ = run("versions", "--json")
    listed = json.loads(out)
    assert code == 0
    assert (listed["active"], listed["baseline"], listed["problems"]) == ("second", None, [])
    first = listed["versions"][0]
    assert (first["name"], first["config"]["preset"], first["who"]) == ("first", "reference", "Ada")
    assert first["metrics"]["woven"]["metrics"]["map"] == {"value": 0.85, "low": 0.83, "high": 0.87}
    assert run("versions", "--out", tmp_path / "list.json") == (0, "", "")
    assert json.loads((tmp_path / "list.json").read_text()) == listed


def test_damaged_version_is_told_beside_the_list(run: Run, versions: Versions):
    (versions.root / "first" / "card.json").write_text('{"colour": "red"}')
    code, out, err = run("versions", "--json")
    assert code == 0
    assert [one["name"] for one in json.loads(out)["versions"]] == ["second"]
    assert "version first is damaged" in err
    assert "convgate: the version first" in err
    assert json.loads(out)["problems"] == [err.removeprefix("convgate: ").strip()]


def test_model_card_is_markdown_with_everything_in_it(run: Run, versions: Versions):
    versions.activate("first", who="Ada")
    code, out, _ = run("versions", "show", "first")
    assert code == 0
    assert out.startswith("# first (active)\n\nA first \\| try\n")
    for part in (
        "by Ada", "221,829 parameters", "stricter", versions.get("first").card.weights_sha256,
        "0.850 (0.830–0.870)", "1,709 cases", "CC BY", "IBM", "2 epochs, seed 7", "rate: 0.01",
        "torch 2.13.0", "| loss | 0.700 | 0.500 |", "| p | – | 0.800 |", "- English only.",
    ):  # fmt: skip
        assert part in out, part
    assert "| parent | first (" in run("versions", "show", "second")[1]
    assert "top_k (k 3)" in run("versions", "show", "second")[1]


def test_model_card_of_a_damaged_version_is_refused(run: Run, versions: Versions):
    (versions.root / "first" / "gate.safetensors").write_bytes(b"")
    code, out, err = run("versions", "show", "first")
    assert (code, out) == (1, "")
    assert "version first is damaged" in err


def test_text_of_a_card_steers_neither_terminal_nor_page(run: Run, versions: Versions):
    versions.add(
        trained_gate(),
        Draft(
            note=HOSTILE,
            who=HOSTILE,
            parent=Parent(HOSTILE, "a" * 64),
            data=(DataSet(HOSTILE, "b" * 64, {HOSTILE: 1}, HOSTILE, HOSTILE),),
            training=Training(1, 1, {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE}, {HOSTILE: (1.0,)}),
            metrics={HOSTILE: Measured(1, 1, {HOSTILE: Metric(0.5), "map": Metric(0.5)})},
            limits=(HOSTILE,),
        ),
        name="hostile",
    )
    for words in ((), ("show", "hostile"), ("diff", "hostile", "first"), ("diff", "first", "hostile")):
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
    found = json.loads(out)["sets"]["tiny"]
    assert sum(found["turns"].values()) == 4
    assert found["turns"]["fixed"] + found["turns"]["broken"] == 1, "second keeps three of the four"
    assert found["a"]["kept_token_share"] == 1
    assert found["difference"]["kept_token_share"] == found["b"]["kept_token_share"] - 1
    code, out, err = run("versions", "compare", "everything", "second", file)
    assert code == 0, err
    assert "second fixes" in out
    assert "tiny: 1 cases, 4 judged turns" in out
    assert run("versions", "compare", "first", "third", file)[0] == 1


def test_activating_and_going_back(run: Run, versions: Versions):
    assert run("versions", "activate", "first", "--who", "Ben") == (0, "first is active.\n", "")
    run("versions", "activate", "second", "--who", "Ben")
    assert run("versions", "rollback", "--who", "Ben") == (0, "first is active again.\n", "")
    assert versions.active == "first"
    code, out, _ = run("versions", "rollback", "--who", "Ben")
    assert (code, out) == (0, "No version is active: the gate is untrained again.\n")
    code, out, err = run("versions", "rollback")
    assert (code, out) == (1, "")
    assert "none to go back to" in err
    lines = run("versions", "history")[1].splitlines()
    assert [line.partition("UTC  ")[2] for line in lines] == [
        "active now first  Ben",
        "active now second  Ben",
        "active back to first  Ben",
        "active back to what ships  Ben",
    ]
    history = json.loads(run("versions", "history", "--json")[1])
    assert (history[2]["version"], history[2]["rollback"], history[2]["who"]) == ("first", True, "Ben")


def test_who_is_the_one_logged_in_unless_told(run: Run, versions: Versions, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    run("versions", "baseline", "first")
    assert versions.history[-1].who == "grace"

    def nameless() -> str:
        raise OSError("no name")

    monkeypatch.setattr("getpass.getuser", nameless)
    run("versions", "baseline", "second")
    assert (versions.history[-1].who, versions.baseline) == ("unknown", "second")


def test_nothing_is_put_into_use_that_was_made_for_another_encoder(
    run: Run, versions: Versions, monkeypatch: pytest.MonkeyPatch
):
    own = Gate(GateConfig(encoder=FakeEncoder(model="other").identity, dimension=384))
    versions.add(own, Draft(), name="other")
    versions.activate("first", who="Ada")
    code, out, err = run("versions", "activate", "other")
    assert (code, out) == (1, "")
    assert "other cannot be used: " in err
    assert "first stays in use." in err
    versions.activate("other", who="Ada")
    versions.activate("second", who="Ada")
    assert "other cannot be used: " in run("versions", "rollback")[2]
    assert versions.active == "second"


def test_renaming_and_deleting(run: Run, versions: Versions):
    assert run("versions", "rename", "second", "better") == (0, "second is called better now.\n", "")
    code, out, err = run("versions", "delete", "first")
    assert (code, out) == (1, "")
    assert "first was not deleted: it is the parent of better" in err
    assert run("versions", "delete", "first", "--in-use") == (0, "first was deleted.\n", "")
    assert versions.names() == ["better"]


def test_export_and_import(run: Run, versions: Versions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "first.zip"
    code, out, err = run("versions", "export", "first", "--out", file)
    assert (code, err) == (0, "")
    assert out.startswith(f"first was written to {file} (")
    content = file.read_bytes()
    code, _, err = run("versions", "export", "second", "--out", file)
    assert (code, "exists already" in err) == (
        1,
        True,
    )
    assert file.read_bytes() == content
    assert run("versions", "export", "second", "--out", file, "--force")[0] == 0
    assert file.read_bytes() != content
    monkeypatch.chdir(tmp_path)
    file.unlink()
    assert run("versions", "export", "first")[1].startswith("first was written to first.zip (")
    code, _, err = run("versions", "import", file)
    assert code == 1
    assert "there is a version first already" in err
    assert run("versions", "import", file, "--name", "copy") == (0, "copy was added.\n", "")
    assert versions.get("copy").card == versions.get("first").card
    code, _, err = run("versions", "export", "first", "--out", tmp_path / "nowhere" / "first.zip")
    assert code == 1
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["versions", "show", "../first"], "there is no version '../first'; there are first, second"),
        (["versions", "diff", "first", "third"], "there is no version 'third'"),
        (["versions", "activate", "shipped"], "no version ships with this convgate"),
        (["versions", "rename", "first", "Mine"], "'Mine' cannot name a version"),
        (["versions", "import", NAN], "nan_and_fibonacci.json cannot be read as an exported version"),
        (["score", NAN, "--gate", "third"], "there is no version 'third'; there are first, second"),
    ],
)
def test_errors_are_one_sentence_and_exit_code_1(run: Run, versions: Versions, words, message: str):
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err


# Where a gate is asked for


def scored(run: Run, *words: object) -> dict[str, object]:
    code, out, err = run("score", NAN, *words, "--json")
    assert code == 0, err
    return json.loads(out)


def test_score_uses_the_active_version_and_its_rule(run: Run, versions: Versions):
    assert (scored(run)["version"], scored(run)["rule"]) == ("untrained", "stricter")
    versions.activate("second", who="Ada")
    result = scored(run)
    assert (result["version"], result["rule"]) == ("second", "top_k")
    assert sum(turn["kept"] for turn in result["turns"]) == 3


def test_score_takes_a_version_by_name_or_folder(run: Run, versions: Versions):
    versions.activate("first", who="Ada")
    by_name = scored(run, "--gate", "second")
    assert by_name["version"] == "second"
    assert scored(run, "--gate", versions.root / "second") == by_name
    assert scored(run, "--gate", "untrained")["version"] == "untrained"


def test_rule_of_the_command_line_stands_before_that_of_the_version(run: Run, versions: Versions):
    versions.activate("second", who="Ada")
    kept = [
        sum(turn["kept"] for turn in scored(run, *words)["turns"])
        for words in (["--set", "k=1"], ["--rule", "top_k"], ["--rule", "top_k", "--set", "k=2"])
    ]
    assert kept == [1, 3, 2]
    assert scored(run, "--rule", "absolute")["rule"] == "absolute"


def test_select_and_evaluate_take_a_version_by_name(run: Run, versions: Versions, tmp_path: Path):
    code, out, err = run("select", NAN, "--gate", "second", "--json")
    assert code == 0, err
    assert "top_k" in {decision["rule"] for decision in json.loads(out)["decisions"]}
    turns = [
        {"role": "user", "content": text} for text in ("the lake house", "bread", "tea", "the lake house")
    ]
    lines = [
        {"type": "conversation", "id": "c", "messages": turns},
        {"type": "case", "id": "c-3", "conversation": "c", "turn": 3, "relevant": [0]},
    ]
    (tmp_path / "tiny.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, out, err = run(
        "evaluate", tmp_path / "tiny.jsonl", "--policy", "gate", "--gate", "second", "--json"
    )
    assert code == 0, err
    measured = json.loads(out)["sets"]["tiny"]["policies"]["gate"]
    assert measured["kept_token_share"] == 1, "the three turns of its rule"


def test_version_of_another_encoder_is_refused_naming_both(run: Run, versions: Versions):
    foreign = FakeEncoder(model="foreign").identity
    versions.add(Gate(GateConfig(encoder=foreign)), Draft(), name="foreign")
    code, _, err = run("score", NAN, "--gate", "foreign")
    assert code == 1
    assert "made for the encoder foreign@1 (384 dimensions), not for fake-words@1" in err
