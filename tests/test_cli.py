"""The command line: formats, exit codes, errors."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from convgate.cli.result import Result, Table, with_json
from convgate.messages.check import check_valid

pytestmark = pytest.mark.usefixtures("fake_default_encoder")

SAMPLES = Path(__file__).parent.parent / "sample_conversations"
NAN = SAMPLES / "nan_and_fibonacci.json"


def test_score_decides_as_select_does(run, tmp_path):
    call = {"id": "c", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How warm is Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "3 degrees"},
        {"role": "user", "content": "Is 3 degrees warm for Oslo?"},
    ]
    (file := tmp_path / "chat.json").write_text(json.dumps(messages))
    rule = ("--rule", "top_k", "--set", "k=1")

    scored = json.loads(run("score", file, *rule, "--json")[1])["turns"]
    selected = json.loads(run("select", file, *rule, "--json")[1])["decisions"]
    assert [turn["kept"] for turn in scored] == [turn["kept"] for turn in selected]
    assert [turn["reason"] for turn in scored] == [turn["reason"] for turn in selected]
    assert scored[0]["kept"]
    table = run("score", file, *rule)[1]
    assert [table.count(outcome) for outcome in ("Kept", "Dropped:")] == [2, 2]


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
@pytest.mark.parametrize("policy", ["last_k"])
def test_select_makes_a_valid_list_of_every_sample(run, sample: Path, policy: str):
    code, out, err = run("select", sample, "--policy", policy, "--json")
    result = json.loads(out)
    assert code == 0, err
    assert check_valid(result["messages"]) == []
    assert all(decision["reason"] for decision in result["decisions"])


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
        (["score", NAN, "--turn", 99], "turn 99 asked for, but the conversation has 9 turns"),
        (["score", NAN, "--rule", "magic"], "no threshold rule 'magic'"),
        (["score", NAN, "--gate", "/no/version"], "the gate in /no/version cannot be read"),
        (["select", NAN, "--policy", "magic"], "no policy 'magic'"),
        (["select", NAN, "--policy", "last_k", "--set", "n=1"], "last_k has no setting n; it has k"),
    ],
)
def test_errors_are_one_sentence_and_exit_code_1(run, words, message: str):
    code, out, err = run(*words)
    assert (code, out) == (1, "")
    assert message in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ["fly"],
        ["score"],
        ["score", NAN, "--turn", "x"],
        ["score", NAN, "--set", "k"],
        ["score", NAN, "--turn", 1, "--question", "why?"],
        ["select", NAN, "--policy", "bm25", "--rule", "top_k"],
        ["app", "--port", 99999],
    ],
)
def test_wrong_usage_is_exit_code_2(run, words):
    code, out, _ = run(*words)
    assert (code, out) == (2, "")


def test_transcript_cannot_steer_the_terminal(run, tmp_path: Path):
    file = tmp_path / "evil.json"
    hostile = "\x1b]0;PWNED\x07\x1b[2J text"
    file.write_text(json.dumps([{"role": "user", "content": hostile, "name": hostile}] * 2))
    for out in run("score", file)[1:]:
        assert "\x1b" not in out
        assert "\x07" not in out


def test_app_makes_every_path_absolute(run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """The server changes the working directory."""
    from convgate.ui import server

    served = {}
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model").mkdir()
    (tmp_path / "mine.toml").write_text('home = "here"\nencoder = "model"\n')
    monkeypatch.delenv("CONVGATE_HOME")
    monkeypatch.setenv("CONVGATE_ENCODER", "")  # for monkeypatch to restore what the command sets
    monkeypatch.delenv("CONVGATE_ENCODER")
    monkeypatch.setenv("CONVGATE_CONFIG", "mine.toml")
    monkeypatch.setenv("CONVGATE_READ_ONLY", "false")
    monkeypatch.setattr(server, "serve", lambda settings, **options: served.update(options))
    code, *_ = run("app", "--port", "8600", "--host", "gate.test", "--read-only", "--no-browser")
    assert code == 0
    assert served == {"address": "127.0.0.1", "port": 8600, "hosts": ["gate.test"], "browser": False}
    assert os.environ["CONVGATE_HOME"] == str(tmp_path / "here")
    assert os.environ["CONVGATE_ENCODER"] == str(tmp_path / "model")
    assert os.environ["CONVGATE_CONFIG"] == str(tmp_path / "mine.toml")
    assert os.environ["CONVGATE_READ_ONLY"] == "true"


def test_interrupted_batch_names_what_goes_on(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupt(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("convgate.cli.batch.check_ray", lambda command: None)
    monkeypatch.setattr("convgate.batch.run.run_batch", interrupt)
    code, out, err = run("batch", NAN, "--out", tmp_path / "out")
    assert (code, out) == (130, "")
    assert "The same command goes on after the finished parts." in err


@pytest.mark.parametrize("command", ["score", "select"])
def test_what_is_left_out_of_a_file_is_told(run, command: str):
    code, _, err = run(command, Path(__file__).with_name("transcripts") / "open_webui.json", "--json")
    assert (code, err.strip()) == (0, "convgate: open_webui.json: 1 message of another branch left out")
    _, _, err = run(command, NAN, "--json")
    assert err == ""


def run_result(result: Result, *words: str) -> tuple[int, str]:
    """Return the exit code and output of a command that returns this result."""
    app = typer.Typer()

    @app.command()
    @with_json
    def command() -> Result:
        return result

    done = CliRunner().invoke(app, [*words])
    return done.exit_code, done.stdout


def test_parts_are_read_only_when_a_person_reads_them(tmp_path: Path):
    def parts():
        yield "One line."
        yield Table([{"name": "lake", "depth": 3.14159}, {"name": "boat\x1b[2J", "depth": None}])
        yield Table([], empty="No rows.")

    result = Result([1], parts())
    assert run_result(result, "--json") == (0, "[\n  1\n]\n")
    assert run_result(result, "--out", str(tmp_path / "out.json")) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text()) == [1]
    code, out = run_result(result)
    assert code == 0
    assert out.startswith("One line.\n")
    assert out.endswith("No rows.\n")
    assert all(text in out for text in ("name", "depth", "lake", "3.142", "boat", "–"))
    assert "\x1b[2J" not in out


def test_a_text_is_saved_as_it_is_unless_json_is_asked_for(tmp_path: Path):
    result = Result({"a": 1}, text="# Card\n")
    assert run_result(result) == (0, "# Card\n")
    assert run_result(result, "--out", str(tmp_path / "card.md")) == (0, "")
    assert (tmp_path / "card.md").read_text() == "# Card\n"
    assert json.loads(run_result(result, "--json")[1]) == {"a": 1}


def test_a_folder_that_does_not_exist_is_named_before_the_work(run, tmp_path: Path):
    code, out, err = run("score", tmp_path / "no.json", "--out", tmp_path / "no" / "out.json")
    assert (code, out) == (2, "")
    assert "does not exist" in err
