"""`convgate calibrate`, with an encoder that needs no model."""

from __future__ import annotations

import json
import sys

import pytest

from convgate.cli import main as cli
from convgate.settings import load_settings
from tests.fakes import FakeEncoder


@pytest.fixture(autouse=True)
def fake_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.building.default_encoder", lambda *args, **options: FakeEncoder())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `convgate calibrate WORDS…` in this process: (exit code, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["convgate", "calibrate", *map(str, words)])
        monkeypatch.setenv("COLUMNS", "120")
        code = 0
        try:
            cli.main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def lines_of(conversations: int, *, relevant: list[int] | None = None, boat: str = "a boat"):
    """Talks of six turns; at turn 5 the first turn is relevant, at turn 2 nothing."""
    texts = ["the lake house", boat, "bread", "tea", "rain", "which house by the lake?"]
    lines = []
    for n in range(conversations):
        messages = [{"role": "user", "name": f"user {n}", "content": text} for text in texts]
        lines.append({"type": "conversation", "id": f"c{n}", "messages": messages})
        case = {"type": "case", "conversation": f"c{n}"}
        lines.append({**case, "id": f"c{n}-5", "turn": 5, "relevant": [0] if relevant is None else relevant})
        lines.append({**case, "id": f"c{n}-2", "turn": 2, "relevant": []})
    return lines


@pytest.fixture
def write(tmp_path):
    def to_file(lines, name="tiny.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return to_file


def test_the_page_of_text_has_threshold_figures_and_a_short_curve(run, write):
    code, out, err = run(write(lines_of(6)), "--precision", "0.9")
    assert (code, err) == (0, "")
    first = out.splitlines()[0]
    assert first.startswith("Threshold 0.")
    assert first.endswith("for precision 0.90, on 12 cases of tiny, gate untrained.")
    assert "now: the rule stricter" in out
    assert "tiny  12 cases, 6 conversations" in out
    assert "tiny, nothing relevant  6 cases" in out
    assert "By threshold" in out
    assert "found 0." in out


def test_json_is_alone_on_standard_output_and_goes_to_a_file(run, write, tmp_path):
    out = tmp_path / "found.json"
    code, printed, _ = run(write(lines_of(6)), "--json")
    assert code == 0
    found = json.loads(printed)
    assert (found["gate"], found["threshold_parameters"]["goal"]) == ("untrained", "the best F1")
    assert found["found"]["recall"] == 1
    assert len(found["curve"]["thresholds"]) == len(found["curve"]["precision"]) > 3
    _, shown, _ = run(write(lines_of(6)), "--out", out)
    assert json.loads(out.read_text()) == found
    assert shown.startswith("Threshold")
    assert run(write(lines_of(6)), "--json", "--out", out)[1] == ""


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        (["--recall", "0.8"], "recall 0.80"),
        (["--f-beta", "2"], "the best F2"),
        (["--cost-ratio", "0.25"], "the least cost (false keep 0.25, false drop 1)"),
    ],
)
def test_each_goal(run, write, words, goal):
    _, out, _ = run(write(lines_of(6)), *words, "--json")
    assert json.loads(out)["threshold_parameters"]["goal"] == goal


def test_the_settings_that_are_written_decide_by_the_found_threshold(run, write, tmp_path):
    path = tmp_path / "agent.toml"
    code, out, _ = run(write(lines_of(6), 'a\u007f"\\b.jsonl'), "--settings", path, "--json")
    assert code == 0
    settings, found = load_settings(path), json.loads(out)
    assert settings.threshold_rule == found["threshold_rule"] == "calibrated"
    assert settings.threshold_parameters == found["threshold_parameters"]
    assert settings.encoder == "all-MiniLM-L6-v2"


def test_settings_keep_the_encoder_whatever_its_name(run, write, tmp_path, monkeypatch):
    monkeypatch.setenv("CONVGATE_ENCODER", 'é"\\ \u007f')
    path = tmp_path / "agent.toml"
    assert run(write(lines_of(2)), "--settings", path, "--json")[0] == 0
    monkeypatch.delenv("CONVGATE_ENCODER")
    assert load_settings(path).encoder == 'é"\\ \u007f'


def test_settings_that_are_there_are_not_overwritten(run, write, tmp_path):
    path = tmp_path / "convgate.toml"
    path.write_text('device = "cpu"\n')
    code, _, err = run(write(lines_of(2)), "--settings", path)
    assert code == 2
    assert "may hold settings of yours" in " ".join(err.replace("│", " ").split())
    assert path.read_text() == 'device = "cpu"\n'


def test_plots_are_written_beside_the_usual_output(run, write, tmp_path):
    code, out, _ = run(write(lines_of(6)), "--plots", tmp_path / "plots", "--json")
    assert code == 0
    assert json.loads(out)["cases"] == 12
    page = (tmp_path / "plots" / "calibration.html").read_text(encoding="utf-8")
    assert "on 12 cases of tiny" in page
    assert page.count("<h3>") == 3


def test_several_sets_are_pooled(run, write):
    files = [write(lines_of(6)), write(lines_of(3, boat="a ship"), "other.jsonl")]
    _, out, _ = run(*files, "--pool", "sets", "--json")
    found = json.loads(out)
    assert (found["cases"], found["conversations"], found["pool"]) == (18, 9, "sets")
    assert "tiny and other, each set weighing alike" in found["threshold_parameters"]["fitted_on"]
    _, out, _ = run(write(lines_of(6)), write(lines_of(3), "copy.jsonl"), "--json")
    found = json.loads(out)
    assert (found["cases"], found["notes"][0]) == (
        12,
        "21 judged turns of copy are in tiny too; each counts once.",
    )


def test_limits_of_the_settings_are_left_aside_and_that_is_told(run, write, monkeypatch):
    monkeypatch.setenv("CONVGATE_MAX_TURNS", "0")
    code, out, err = run(write(lines_of(6)), "--json")
    assert code == 0
    assert "max_turns of the settings are left aside" in err
    assert json.loads(out)["now"]["kept_token_share"] > 0


def test_a_single_case_is_fitted_and_the_missing_interval_told(run, write):
    code, out, _ = run(write(lines_of(1)[:2]))
    assert code == 0
    assert "Threshold 0." in out
    assert "(0." not in out.splitlines()[0]
    assert "there are no intervals" in out


@pytest.mark.parametrize(
    ("lines", "words", "told"),
    [
        (lines_of(2, relevant=[]), [], "no turn is relevant in 4 cases of tiny"),
        (
            lines_of(2, relevant=[4]),
            ["--precision", "0.99"],
            "no threshold reaches precision 0.99 on 4 cases",
        ),
        (lines_of(2), ["--recall", "1.2"], "recall must be above 0 and at most 1; got 1.2"),
        (lines_of(2), ["--cost-ratio", "0"], "cost of a false keep must be a number above 0; got 0.0"),
        (lines_of(2, relevant=[5]), [], "line 2, field 'relevant[0]': 5 is not in the history"),
        (lines_of(2)[1:], [], "there is no readable conversation 'c0'"),
        (lines_of(2)[:1], [], "it holds no cases"),
        ([], [], "tiny.jsonl"),
    ],
)
def test_what_cannot_be_calibrated_is_told_in_a_sentence(run, write, lines, words, told):
    code, out, err = run(write(lines), *words)
    assert (code, out) == (1, "")
    assert told in err
    assert "Traceback" not in err


def test_a_missing_file_is_named(run, tmp_path):
    code, _, err = run(tmp_path / "nowhere.jsonl")
    assert code == 1
    assert "nowhere.jsonl" in err


def test_two_goals_at_once_are_refused(run, write):
    code, _, err = run(write(lines_of(2)), "--precision", "0.9", "--recall", "0.9")
    assert code == 2
    assert "choose one of --precision, --recall" in " ".join(err.replace("│", " ").split())


def test_a_missing_folder_is_told_before_anything_runs(run, tmp_path):
    for option in ("--out", "--settings"):
        code, _, err = run("absent.jsonl", option, tmp_path / "missing" / "file")
        assert code == 2
        assert "does not exist" in " ".join(err.replace("│", " ").split())
