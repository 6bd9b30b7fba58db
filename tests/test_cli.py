"""The command line as a person and a program use it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from convgate.cli import main as cli
from convgate.cli.output import parameters, write_text
from convgate.errors import ConvgateError
from convgate.messages.check import check_valid
from tests.fakes import FakeEncoder

SAMPLES = Path(__file__).parent.parent / "sample_conversations"
NAN = SAMPLES / "nan_and_fibonacci.json"


@pytest.fixture(autouse=True)
def fake_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.selector.default_encoder", lambda *args, **options: FakeEncoder())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `convgate WORDS…` in this process: (exit code, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["convgate", *map(str, words)])
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def test_score_prints_the_stable_json(run):
    code, out, _ = run("score", NAN, "--json")
    result = json.loads(out)
    assert code == 0
    assert set(result) == {"threshold", "rule", "gate_activation", "version", "turns"}
    assert (result["rule"], result["version"]) == ("stricter", "untrained")
    assert [turn["index"] for turn in result["turns"]] == list(range(8))
    for turn in result["turns"]:
        assert set(turn) == {
            "index", "role", "score", "logit", "tier1", "attention", "kept", "reason", "margin", "parts",
        }  # fmt: skip
        assert sum(turn["parts"].values()) == pytest.approx(turn["logit"], abs=1e-9)
        assert turn["score"] == pytest.approx(1 / (1 + np.exp(-turn["logit"])))
        assert turn["kept"] == (turn["score"] >= result["threshold"])
        assert turn["parts"]["contextual"] == pytest.approx(
            result["gate_activation"] * (turn["attention"] - turn["tier1"])
        )


def test_score_takes_a_turn_a_rule_and_its_parameters(run):
    _, out, _ = run("score", NAN, "--turn", 3, "--rule", "top_k", "--set", "k=1", "--json")
    result = json.loads(out)
    assert len(result["turns"]) == 3
    assert sum(turn["kept"] for turn in result["turns"]) == 1


def test_score_shows_a_table_with_every_column_when_piped(run):
    code, out, _ = run("score", NAN)
    assert code == 0
    assert "kept" in out
    assert "dropped" in out
    assert "rule stricter" in out
    assert "gate untrained" in out


def test_score_of_the_first_turn_has_nothing_to_decide(run):
    code, out, _ = run("score", NAN, "--turn", 0, "--json")
    assert code == 0
    assert json.loads(out)["turns"] == []


def test_select_gives_the_inputs_own_format_back(run, tmp_path: Path):
    code, out, _ = run("select", NAN)
    chosen, given = json.loads(out), json.loads(NAN.read_text())
    assert code == 0
    assert chosen["messages"][-1] == given["messages"][-1]
    assert len(chosen["messages"]) < len(given["messages"])
    assert all(message in given["messages"] for message in chosen["messages"])
    assert check_valid(chosen["messages"]) == []


@pytest.mark.parametrize(
    "sample",
    sorted(path for path in SAMPLES.iterdir() if path.suffix in {".json", ".csv"}),
    ids=lambda p: p.name,
)
@pytest.mark.parametrize("policy", ["gate", "last_k", "bm25"])
def test_select_makes_a_valid_list_of_every_sample(run, sample: Path, policy: str):
    code, out, err = run("select", sample, "--policy", policy, "--json")
    result = json.loads(out)
    assert code == 0, err
    assert check_valid(result["messages"]) == []
    assert all(decision["reason"] for decision in result["decisions"])


def test_select_explains_on_standard_error(run):
    _, out, err = run("select", NAN, "--explain")
    json.loads(out)
    assert len([line for line in err.splitlines() if "Kept:" in line or "Dropped:" in line]) == 8


def test_question_is_asked_after_the_last_turn(run):
    _, out, _ = run("select", NAN, "--question", "and the fibonacci function?", "--json")
    result = json.loads(out)
    assert result["messages"][-1]["content"] == "and the fibonacci function?"
    assert len(result["decisions"]) == 9


def test_out_writes_the_file_and_nothing_else(run, tmp_path: Path):
    code, out, _ = run("score", NAN, "--json", "--out", tmp_path / "scores.json")
    assert (code, out) == (0, "")
    assert json.loads((tmp_path / "scores.json").read_text())["version"] == "untrained"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["scores.json"]


def test_conversation_of_a_file_with_several_is_chosen_by_number_or_id(run):
    several = SAMPLES / "nan_and_fibonacci.jsonl"
    _, first, told = run("score", several, "--json")
    _, third, silent = run("score", several, "--conversation", 3, "--json")
    assert "holds 4 conversations; taking the first" in told
    assert silent == ""
    assert json.loads(first) != json.loads(third)
    code, _, err = run("score", several, "--conversation", "nobody")
    assert code == 1
    assert "there is no conversation 'nobody'; there are 0 to 3" in err


def test_bad_lines_are_named_and_can_be_skipped(run, tmp_path: Path):
    lines = [json.dumps({"messages": [{"role": "user", "content": f"talk {i}"}]}) for i in range(6)]
    lines[2] = "{broken"
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join(lines))
    code, out, err = run("score", file, "--json")
    assert (code, out) == (1, "")
    assert "line 3" in err
    code, out, err = run("score", file, "--skip-bad", "--json")
    assert code == 0
    assert "line 3" in err
    json.loads(out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["score", "/no/such/file.json"], "file.json: the file cannot be opened"),
        (["score", NAN, "--turn", 99], "turn 99 asked for, but the conversation has turns 0 to 8"),
        (["score", NAN, "--turn", 1, "--question", "why?"], "not both"),
        (["score", NAN, "--rule", "magic"], "no threshold rule 'magic'"),
        (["score", NAN, "--gate", "/no/version"], "the gate in /no/version cannot be read"),
        (["select", NAN, "--policy", "magic"], "no policy 'magic'"),
        (["select", NAN, "--policy", "bm25", "--rule", "top_k"], "belong to the policy gate"),
        (["select", NAN, "--policy", "last_k", "--set", "n=1"], "last_k cannot be made"),
    ],
)
def test_errors_are_one_sentence_and_exit_code_1(run, words, message: str):
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words", [["fly"], ["score"], ["score", NAN, "--turn", "x"], ["score", NAN, "--set", "k"]]
)
def test_wrong_usage_is_exit_code_2(run, words):
    code, out, _ = run(*words)
    assert (code, out) == (2, "")


def test_version_is_printed(run):
    assert run("--version")[:2] == (0, "convgate 0.1.0\n")


def test_values_of_set_are_json_or_text():
    assert parameters(["k=5", "weight=0.5", "goal=precision 0.9", "threshold=null"]) == {
        "k": 5, "weight": 0.5, "goal": "precision 0.9", "threshold": None,
    }  # fmt: skip


def test_failed_write_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    target = tmp_path / "out.json"
    target.write_text("old")

    def full_disk(self: Path, goal: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(ConvgateError, match="No space left"):
        write_text("new", target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["out.json"]
