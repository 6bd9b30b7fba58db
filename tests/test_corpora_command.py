"""`convgate corpus`: what it prints, writes and tells."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
import typer

from convgate.cli import main as cli
from convgate.training.corpora.recognise import CORPORA
from convgate.transcripts import read_relevance_set
from tests.test_corpora_locomo import WHERE, asked, sample, write_samples
from tests.test_corpora_mtrag import task, write_tasks
from tests.test_corpora_tiage import DIALOGUE, write_part


def test_the_set_goes_to_a_file_that_reads_back(run, tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE}, split="dev")
    code, out, err = run("corpus", "tiage", tmp_path, "--split", "dev", "--out", tmp_path / "set.jsonl")
    assert (code, out) == (0, "")
    found = read_relevance_set(tmp_path / "set.jsonl")
    assert (len(found.conversations), len(found.cases), found.problems) == (1, 4, ())
    assert "1 conversations and 4 cases; HuiyuanXie/tiage, MIT; name Xie et al. 2021" in err


def test_without_a_file_the_lines_alone_are_on_standard_output(run, tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE})
    code, out, _ = run("corpus", "tiage", tmp_path)
    assert code == 0
    lines = [json.loads(line) for line in out.splitlines()]
    assert [line["type"] for line in lines] == ["conversation", *["case"] * 4]
    assert lines[0]["messages"][1] == {"role": "assistant", "content": "i will bake bread ."}


def test_what_was_left_out_and_the_licence_are_told_on_standard_error(run, tmp_path: Path):
    write_samples(tmp_path, sample(asked("Q?", "D9:9"), WHERE))
    code, _, err = run("corpus", "locomo", tmp_path, "--out", tmp_path / "set.jsonl")
    assert code == 0
    assert "no turn is 'D9:9'; left out" in err
    assert "1 entries of evidence that name no turn, 1 questions without evidence" in err
    assert "CC-BY-NC-4.0; for measuring only; name Maharana et al. 2024" in err


def test_bad_input_is_one_sentence_and_writes_nothing(run, tmp_path: Path):
    write_part(tmp_path, {"7": DIALOGUE, "8": [["hello ?", "2"]]})
    out_file = tmp_path / "set.jsonl"
    code, out, err = run("corpus", "tiage", tmp_path, "--out", out_file)
    assert (code, out) == (1, "")
    assert err.startswith("convgate: anno_train.json, line 1, field '8[0][1]': the label is '2'")
    assert not out_file.exists()
    code, _, err = run("corpus", "tiage", tmp_path, "--out", out_file, "--skip-bad")
    assert code == 0
    assert "the label is '2'" in err
    assert len(read_relevance_set(out_file).conversations) == 1


def test_mtrag_gives_conversations(run, tmp_path: Path):
    write_tasks(tmp_path, *(task(id, 6) for id in "abcd"))
    _, out, _ = run("corpus", "mtrag", tmp_path)
    lines = [json.loads(line) for line in out.splitlines()]
    assert [(line["type"], line["domain"]) for line in lines] == [("conversation", "clapnq")] * 4


def test_an_unknown_part_is_wrong_usage(run, tmp_path: Path):
    assert run("corpus", "tiage", tmp_path, "--split", "all")[0] == 2
    assert run("corpus", "cast", tmp_path, "--split", "dev")[0] == 2


@pytest.mark.parametrize("name", CORPORA)
def test_an_empty_folder_says_which_file_is_expected(run, tmp_path: Path, name: str):
    code, out, err = run("corpus", name, tmp_path)
    assert (code, out) == (1, "")
    assert "this folder has no " in err
    assert CORPORA[name].repository in err


@pytest.mark.parametrize("name", CORPORA)
def test_help_and_docstring_state_source_licence_and_whom_to_name(name: str):
    corpus = CORPORA[name]
    command = typer.main.get_command(cli.app).commands["corpus"].commands[name]  # type: ignore[attr-defined]
    module = importlib.import_module(f"convgate.training.corpora.{name}")
    for told in (" ".join(command.help.split()), " ".join((module.__doc__ or "").split())):
        assert f"github.com/{corpus.repository}" in told
        assert corpus.licence in told
        assert corpus.cite.partition(" et al.")[0] in told
        assert corpus.may_train != ("for measuring only" in told.casefold())


def test_there_is_a_command_for_every_corpus():
    commands = typer.main.get_command(cli.app).commands["corpus"].commands  # type: ignore[attr-defined]
    assert set(commands) == set(CORPORA)
