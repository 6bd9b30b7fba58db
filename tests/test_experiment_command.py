"""`convgate experiment`: from its creation to the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.experiments.outcomes import ERROR_KINDS
from tests.commands import Run
from tests.llm_server import ChatServer, completion_reply


def read(run: Run, *words: object) -> Any:
    code, out, err = run("experiment", *words, "--json")
    assert code == 0, err
    return json.loads(out)


def create(run: Run, *words: object) -> Any:
    arms = ("--arm", "everything=everything", "--matched", "last=last_k(k=3)")
    return read(run, "create", "pilot", *arms, "--shared-raters", *words)


def write_trials(file: Path, lines: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


def line(session: str, number: int, **values: Any) -> dict[str, Any]:
    trial = {"request_id": f"{session}.{number}", "session_id": session, "latency_seconds": 0.5, "tokens": 90}
    return trial | {"messages": [{"role": "user", "content": "Which port?"}], "answer": "5432."} | values


def test_an_experiment_from_its_creation_to_the_verdict(run: Run, tmp_path: Path) -> None:
    assert create(run, "--planned", 80)["planned"] == 80
    assert read(run, "list")["experiments"][0]["arms"] == ["everything", "last"]
    lines = []
    for i in range(80):
        arm = read(run, "assign", "pilot", f"s{i}", "--mode", "TASK")["arm"]
        lines += [line(f"s{i}", j, answer_test="pass" if arm == "last" or i % 3 else "fail") for j in (0, 1)]
    assert read(run, "record", "pilot", write_trials(tmp_path / "t.jsonl", lines))["recorded"] == 160
    report = read(run, "report", "pilot")
    (comparison,) = report["comparisons"]
    assert comparison["verdict"]["kind"] == "success"
    assert comparison["tests"][0]["arm_rate"] == 1.0
    code, out, _ = run("experiment", "report", "pilot")
    assert code == 0
    assert comparison["verdict"]["sentence"] in " ".join(out.split())
    assert read(run, "delete", "pilot") == {"deleted": "pilot"}
    assert read(run, "list") == {"experiments": []}


def test_a_rater_is_shown_the_conversation_without_the_arm(run: Run, tmp_path: Path) -> None:
    create(run)
    trials = [line("s", number, arm="last") for number in range(2)]
    read(run, "record", "pilot", write_trials(tmp_path / "t.jsonl", trials))
    shown = read(run, "rate", "pilot", "--rater", "ada")["trial"]
    assert set(shown) == {"number", "messages", "answer"}
    words = ("rate", "pilot", shown["number"], "--rater", "ada")
    read(run, *words, "--not-completed", "--error", "hallucination", "--focus", 2)
    _, out, _ = run("experiment", "rate", "pilot", "--rater", "ada")
    assert "5432." in out
    assert "last" not in out
    figures = read(run, "report", "pilot")["arms"][1]
    assert (figures["completion_rate"], figures["error_rate"], figures["focus"]) == (0.0, 1.0, 2.0)


BAD_LINES: list[dict[str, Any]] = [
    line("s", 1, tokens=-1),
    line("s", 1, tokens="90"),
    line("s", 1, answer_test="maybe"),
    line("s", 1, surprise=1),
    line("s", 1, session_id=""),
    {"request_id": "r"},
]


@pytest.mark.parametrize("bad", BAD_LINES)
def test_a_bad_line_is_named_and_nothing_is_recorded(run: Run, tmp_path: Path, bad: dict[str, Any]) -> None:
    create(run)
    file = write_trials(tmp_path / "t.jsonl", [line("s", 0, arm="last"), bad])
    code, _, err = run("experiment", "record", "pilot", file)
    assert code == 1
    assert "line 2" in err
    assert read(run, "report", "pilot")["arms"][1]["trials"] == 0


def test_a_damaged_line_is_named_and_can_be_skipped(run: Run, tmp_path: Path) -> None:
    create(run)
    file = write_trials(tmp_path / "t.jsonl", [line("s", 0, arm="last")])
    file.write_text(file.read_text() + file.read_text()[:40])
    code, _, err = run("experiment", "record", "pilot", file)
    assert code == 1
    assert "line 2" in err
    assert read(run, "record", "pilot", file, "--skip-bad")["recorded"] == 1
    code, _, err = run("experiment", "record", "pilot", file, "--skip-bad")
    assert code == 1
    assert "recorded already" in err


def test_a_dry_run_records_nothing(run: Run, tmp_path: Path) -> None:
    create(run)
    file = write_trials(tmp_path / "t.jsonl", [line("s", 0, arm="last")])
    assert read(run, "record", "pilot", file, "--dry-run") == {"recorded": 1, "kept": False}
    assert read(run, "report", "pilot")["arms"][1]["trials"] == 0


def test_the_judge_rates_errors(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ChatServer()
    server.set_script(completion_reply(json.dumps(dict.fromkeys(ERROR_KINDS, True))))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("CONVGATE_EXPERIMENT_MODEL", "tiny")
    monkeypatch.setenv("CONVGATE_EXPERIMENT_BASE_URL", server.url)
    create(run)
    read(run, "record", "pilot", write_trials(tmp_path / "t.jsonl", [line("s", 0, arm="last")]))
    rubric = tmp_path / "rubric.txt"
    rubric.write_text("Be strict.")
    assert read(run, "judge", "pilot", "--rubric", rubric)["judged"] == 1
    server.close()
    assert read(run, "report", "pilot")["arms"][1]["error_rate"] == 1.0


def test_the_power_needs_no_experiment(run: Run) -> None:
    plan = read(run, "power")
    assert (plan["independent"], plan["per_arm"]) == (804, 1_110)
    assert read(run, "power", "--hypotheses", 2)["per_arm"] == 1_345


@pytest.mark.parametrize(
    "words",
    [
        ("create", "x", "--arm", "everything"),
        ("create", "x", "--arm", "a=gate", "--arm", "b=bm25", "--looks", "half"),
        ("rate", "x", "--completed"),
    ],
)
def test_wrong_usage(run: Run, words: tuple[str, ...]) -> None:
    if words[0] == "rate":
        run("experiment", "create", "x", "--arm", "a=gate", "--arm", "b=bm25")
    assert run("experiment", *words)[0] == 2


@pytest.mark.parametrize("words", [("report",), ("assign", "s"), ("delete",), ("rate",)])
def test_a_missing_experiment_is_named(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run("experiment", words[0], "nowhere", *words[1:])
    assert code == 1
    assert "nowhere" in err


def test_a_control_that_sends_everything_is_pointed_out(run: Run) -> None:
    code, _, err = run("experiment", "create", "pilot", "--arm", "all=everything", "--matched", "gate=gate")
    assert code == 0
    assert "take another control" in err


def test_an_unknown_version_is_no_arm(run: Run) -> None:
    arms = ("--arm", "one=last_k(k=1)", "--matched", "gate=gate@mine")
    code, _, err = run("experiment", "create", "pilot", *arms)
    assert code == 1
    assert "'mine'" in err
    assert read(run, "list")["experiments"] == []


def test_a_rating_says_something(run: Run, tmp_path: Path) -> None:
    create(run)
    run("experiment", "record", "pilot", write_trials(tmp_path / "t.jsonl", [line("s", 1, arm="last")]))
    assert run("experiment", "rate", "pilot", 1)[0] == 2
    assert run("experiment", "rate", "pilot", 1, "--completed")[0] == 0
