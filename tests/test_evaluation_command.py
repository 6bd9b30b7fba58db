"""`convgate evaluate`, with policies that need no encoder."""

import json

import pytest
import typer
from typer.testing import CliRunner

from convgate.cli.evaluate import evaluate
from convgate.errors import ConvgateError, PolicyError, TranscriptError

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


def test_markdown(file):
    result = run(file, *WITHOUT_ENCODER, "--markdown")
    assert result.stdout.startswith("### tiny.dev\n")
    assert "| bm25 | 1.000 (1.000–1.000) |" in result.stdout


def test_out_writes_json_to_a_file_beside_the_table(file, tmp_path):
    out = tmp_path / "result.json"
    result = run(file, *WITHOUT_ENCODER, "--out", out)
    assert json.loads(out.read_text())["sets"]["tiny.dev"]["cases"] == 12
    assert "tiny.dev  12 cases" in result.stdout


def test_out_with_json_or_markdown_leaves_standard_output_empty(file, tmp_path):
    out = tmp_path / "result"
    assert run(file, *WITHOUT_ENCODER, "--json", "--out", out).stdout == ""
    assert "sets" in json.loads(out.read_text())
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


def test_two_forms_of_output_at_once_are_refused(file):
    result = run(file, "--json", "--markdown")
    assert result.exit_code == 2
    assert "choose one" in told(result)


def test_a_gate_that_is_not_measured_is_refused(file):
    result = run(file, "--policy", "bm25", "--gate", "somewhere")
    assert result.exit_code == 2
    assert "leaves the gate out" in told(result)


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


def test_a_folder_for_plots_that_cannot_be_made_is_told_before_anything_runs(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConvgateError, match=r"file/plots cannot be made"):
        run("absent.jsonl", "--plots", tmp_path / "file" / "plots")


def test_an_unknown_policy_is_named(file):
    with pytest.raises(PolicyError, match="no policy 'bm52'"):
        run(file, "--policy", "bm52")


def test_a_set_without_cases_is_named(tmp_path):
    path = tmp_path / "talks.jsonl"
    talk = {"type": "conversation", "id": "c", "messages": [{"role": "user", "content": "hi"}]}
    path.write_text(json.dumps(talk) + "\n")
    with pytest.raises(TranscriptError, match=r"talks.jsonl: it holds no cases"):
        run(path, "--policy", "everything")
