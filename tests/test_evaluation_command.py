"""`convgate evaluate`, with policies that need no encoder."""

import json

import pytest
import typer
from typer.testing import CliRunner

from convgate.cli.evaluate import evaluate
from convgate.errors import GateError, TranscriptError
from convgate.policies.registry import POLICIES, policy_names
from tests.fakes import FakeEncoder

app = typer.Typer()
app.command()(evaluate)


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


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)


def told(result):
    """Standard error without the frame that breaks its lines."""
    return " ".join(result.stderr.replace("│", " ").split())


WITHOUT_ENCODER = ("--policy", "everything", "--policy", "last_k", "--policy", "bm25")


def test_json_is_alone_on_standard_output(file):
    result = run(file, *WITHOUT_ENCODER, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)["sets"]["tiny.dev"]
    assert found["cases"] == 12
    assert list(found["policies"]) == ["everything", "last_k", "bm25"]
    assert found["policies"]["everything"]["map"] is None
    assert found["policies"]["bm25"]["map"] == 1
    assert found["policies"]["last_k"]["map"] == pytest.approx(1 / 5)
    assert found["policies"]["bm25"]["by_tag"]["old"]["ci"]["recall"] == [1, 1]


def test_the_table_is_for_people(file):
    result = run(file, *WITHOUT_ENCODER)
    assert "tiny.dev  12 cases, 6 conversations" in result.stdout
    assert "bm25" in result.stdout
    assert "old" not in result.stdout
    assert "tiny.dev, old" in run(file, *WITHOUT_ENCODER, "--by-tag").stdout


def test_out_writes_the_file_and_nothing_else(file, tmp_path):
    out = tmp_path / "result"
    assert run(file, *WITHOUT_ENCODER, "--out", out).stdout == ""
    assert json.loads(out.read_text())["sets"]["tiny.dev"]["cases"] == 12
    assert run(file, *WITHOUT_ENCODER, "--markdown", "--out", out).stdout == ""
    assert out.read_text().startswith("### tiny.dev")


def test_differences_against_a_policy_are_measured_too(file):
    result = run(file, "--policy", "bm25", "--against", "last_k", "--json")
    found = json.loads(result.stdout)["sets"]["tiny.dev"]
    assert list(found["policies"]) == ["bm25", "last_k"]
    assert found["differences"]["bm25"]["baseline"] == "last_k"
    assert found["differences"]["bm25"]["difference"]["map"] == pytest.approx(4 / 5)


def test_limit_takes_cases_from_all_over_the_set(file):
    found = json.loads(run(file, "--policy", "everything", "--limit", "4", "--json").stdout)["sets"][
        "tiny.dev"
    ]
    assert found["cases"] == 4
    assert found["policies"]["everything"]["ci"]["kept_token_share"] == [1, 1]


def test_a_gate_that_is_not_measured_is_refused(file):
    result = run(file, "--policy", "bm25", "--gate", "somewhere")
    assert result.exit_code == 2
    assert "leaves the gate out" in told(result)
    with pytest.raises(GateError, match="no version 'somewhere'"):  # a stage of a pipeline is one
        run(file, "--policy", "pipeline", "--gate", "somewhere")


def test_a_missing_folder_is_told_before_anything_runs(file, tmp_path):
    result = run(file, "--out", tmp_path / "missing" / "result.json")
    assert result.exit_code == 2
    assert "does not exist" in told(result)


def test_plots_are_written_beside_the_usual_output(file, tmp_path):
    folder = tmp_path / "new" / "plots"
    result = run(file, *WITHOUT_ENCODER, "--json", "--plots", folder)
    assert json.loads(result.stdout)["sets"]["tiny.dev"]["cases"] == 12
    page = (folder / "evaluation.html").read_text(encoding="utf-8")
    assert "<h3>bm25: metrics by threshold</h3>" in page
    assert "<h3>everything" not in page, "what does not rank has no curve"


def write(path, *cases, texts=("the lake house", "a boat", "which house by the lake?")):
    messages = [{"role": "user", "content": text} for text in texts]
    lines = [{"type": "conversation", "id": "c", "messages": messages}]
    lines += [{"type": "case", "id": str(n), "conversation": "c", **case} for n, case in enumerate(cases)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("case", "complaint"),
    [
        (
            {"turn": 2, "relevant": [0, 2]},
            r"bad.jsonl, line 2, field 'relevant\[1\]': 2 is not in the history, which has turns 0 to 1",
        ),
        (
            {"turn": 2, "relevant": [], "conversation": "d"},
            r"line 2, field 'conversation': there is no readable conversation 'd' in this file",
        ),
    ],
)
def test_a_bad_case_is_told_with_its_place_and_can_be_skipped(tmp_path, case, complaint):
    path = write(tmp_path / "bad.jsonl", case, {"turn": 2, "relevant": [0]})
    with pytest.raises(TranscriptError, match=complaint):
        run(path, "--policy", "bm25")
    result = run(path, "--policy", "bm25", "--skip-bad", "--json")
    assert json.loads(result.stdout)["sets"]["bad"]["cases"] == 1
    assert "line 2" in result.stderr


RANKING = ["map", "recall@5", "recall@10", "recall@25", "recall@50"]
SELECTION = ["precision", "recall", "f1", "exact_empty", "kept_token_share"]


def test_every_policy_is_measured_with_the_metrics_that_are_promised(file, monkeypatch):
    monkeypatch.setattr("convgate.building.default_encoder", lambda *args, **options: FakeEncoder())
    found = json.loads(run(file, "--json").stdout)
    assert list(found) == ["sets"]
    assert set(found["sets"]["tiny.dev"]) == {"cases", "conversations", "policies"}
    policies = found["sets"]["tiny.dev"]["policies"]
    assert tuple(policies) == policy_names()
    for measured in policies.values():
        assert list(measured) == [*RANKING, *SELECTION, "ci", "by_tag"]
        assert list(measured["ci"]) == [*RANKING, *SELECTION]
        assert list(measured["by_tag"]) == ["old"]
        assert list(measured["by_tag"]["old"]) == ["cases", *RANKING, *SELECTION, "ci"]
        assert measured["by_tag"]["old"]["cases"] == 6
        for metric, bounds in measured["ci"].items():
            if measured[metric] is None:
                assert bounds is None
            else:
                assert 0 <= bounds[0] <= measured[metric] <= bounds[1] <= 1
    ranked = {name for name, measured in policies.items() if measured["map"] is not None}
    assert ranked == {name for name, policy in POLICIES.items() if policy.ranks} >= {"gate", "bm25"}
