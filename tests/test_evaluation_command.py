"""`convgate evaluate` and `convgate calibrate`, with policies that need no encoder."""

from __future__ import annotations

import json

import pytest

from convgate.core.settings import load_settings
from convgate.policies.registry import policy_class, policy_names

pytestmark = pytest.mark.usefixtures("fake_default_encoder")


@pytest.fixture
def file(tmp_path):
    """Six conversations of six turns; at turn 5 the first turn is relevant, at turn 2 nothing."""
    path = tmp_path / "tiny.dev.jsonl"
    lines = []
    for n in range(6):
        texts = ["the lake house", "a boat", "bread", "tea", "rain", "which house by the lake?"]
        messages = [{"role": "user", "content": text} for text in texts]
        lines.append({"type": "conversation", "id": f"c{n}", "messages": messages})
        lines.append(
            {
                "type": "case",
                "id": f"c{n}-5",
                "conversation": f"c{n}",
                "turn": 5,
                "relevant": [0],
                "tags": ["old"],
            }
        )
        lines.append({"type": "case", "id": f"c{n}-2", "conversation": f"c{n}", "turn": 2, "relevant": []})
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_differences_against_a_policy_are_measured_too(run, file):
    _, out, _ = run("evaluate", file, "--policy", "bm25", "--against", "last_k", "--json")
    printed = json.loads(out)["sets"]["tiny.dev"]
    assert list(printed["policies"]) == ["bm25", "last_k"]
    assert printed["differences"]["bm25"]["baseline"] == "last_k"
    assert printed["differences"]["bm25"]["difference"]["map"] == pytest.approx(4 / 5)


BUDGETS = [f"answerable{budget}" for budget in ("_area", "@15%", "@25%", "@35%", "@50%")]
FIGURES = [
    *("answerable", "missed", "kept_token_share", *BUDGETS),
    *("map", "recall@5", "recall@10", "recall@25", "recall@50"),
    *("precision", "recall", "f1", "exact_empty"),
]


def test_every_policy_is_measured_with_the_metrics_that_are_promised(run, file):
    printed = json.loads(run("evaluate", file, "--json")[1])
    assert list(printed) == ["sets"]
    assert set(printed["sets"]["tiny.dev"]) == {"cases", "conversations", "attainable", "policies"}
    policies = printed["sets"]["tiny.dev"]["policies"]
    assert tuple(policies) == policy_names()
    for measured in policies.values():
        assert list(measured) == [*FIGURES, "ci", "by_tag"]
        assert list(measured["ci"]) == FIGURES
        assert list(measured["by_tag"]) == ["old"]
        assert list(measured["by_tag"]["old"]) == ["cases", *FIGURES, "ci"]
        assert measured["by_tag"]["old"]["cases"] == 6
        for metric, bounds in measured["ci"].items():
            if measured[metric] is None:
                assert bounds is None
            else:
                assert 0 <= bounds[0] <= measured[metric] <= bounds[1] <= 1
    ranked = {name for name, measured in policies.items() if measured["map"] is not None}
    assert ranked == {name for name in policy_names() if policy_class(name).ranks} >= {"gate", "bm25"}


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
def write_lines(tmp_path):
    def to_file(lines, name="tiny.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return path

    return to_file


def test_json_is_the_only_standard_output_and_is_written_to_a_file(run, write_lines, tmp_path):
    out = tmp_path / "found.json"
    code, printed, _ = run("calibrate", write_lines(lines_of(6)), "--json")
    assert code == 0
    values = json.loads(printed)
    assert (values["gate"], values["threshold_parameters"]["goal"]) == ("untrained", "the best F1")
    assert values["found"]["recall"] == 1
    assert len(values["curve"]["thresholds"]) == len(values["curve"]["precision"]) > 3
    assert run("calibrate", write_lines(lines_of(6)), "--out", out)[1] == ""
    assert json.loads(out.read_text()) == values
    assert run("calibrate", write_lines(lines_of(6)))[1].startswith("Threshold")
    assert run("calibrate", write_lines(lines_of(6)), "--json", "--out", out)[1] == ""


def test_the_settings_that_are_written_decide_by_the_found_threshold(run, write_lines, tmp_path):
    path = tmp_path / "agent.toml"
    code, out, _ = run(
        "calibrate", write_lines(lines_of(6), 'a\u007f"\\b.jsonl'), "--settings", path, "--json"
    )
    assert code == 0
    settings, values = load_settings(path), json.loads(out)
    assert settings.threshold_rule == values["threshold_rule"] == "calibrated"
    assert settings.threshold_parameters == values["threshold_parameters"]
    assert settings.encoder == "all-MiniLM-L6-v2"


def test_a_promise_is_calibrated_and_written_as_settings(run, write_lines, tmp_path):
    path = tmp_path / "agent.toml"
    labelled = write_lines(lines_of(20))
    code, out, _ = run("calibrate", labelled, "--max-missed", 0.1, "--settings", path, "--json")
    assert code == 0
    settings, values = load_settings(path), json.loads(out)
    assert settings.threshold_rule == values["threshold_rule"] == "max_missed"
    assert settings.threshold_parameters["max_missed"] == 0.1
    assert "0.1:" in settings.threshold_parameters["levels"]
    assert values["found"]["missed"] <= 0.1
    _, shown, _ = run("calibrate", labelled, "--max-missed", 0.1)
    assert shown.startswith("Loses at most 10.0% of the needed turns")


def test_a_promise_that_takes_more_labels_and_two_goals_are_refused(run, write_lines):
    labelled = write_lines(lines_of(20))
    code, _, error = run("calibrate", labelled, "--max-missed", 0.02)
    assert code != 0
    assert "49 labelled conversations" in " ".join(error.split())
    assert run("calibrate", labelled, "--max-missed", 0.1, "--recall", 0.9)[0] == 2


def test_settings_that_are_there_are_not_overwritten(run, write_lines, tmp_path):
    path = tmp_path / "convgate.toml"
    path.write_text('device = "cpu"\n')
    code, _, _ = run("calibrate", write_lines(lines_of(2)), "--settings", path)
    assert code == 2
    assert path.read_text() == 'device = "cpu"\n'
