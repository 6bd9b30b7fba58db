"""Sessions of agents as a relevance set: which results were needed later, by the rare strings repeated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts import BadLinesError, read_relevance_set
from convgate.transcripts.reading import read_text
from tools.agent_runs import make_run
from tools.corpora.__main__ import convert
from tools.corpora.agents import MAX_CASES, find_results, find_strings, label_results, make_cases, read_agents


def call(text: str = "", **arguments: str) -> Turn:
    return Turn.of("assistant", text, tool_calls=(ToolCall("1", "run", json.dumps(arguments)),))


def result(text: str) -> Turn:
    return Turn.of("tool", text, tool_call_id="1")


def session(*turns: Turn) -> Conversation:
    return Conversation("s", (Turn.of("user", "Why does load_tables fail?"), *turns))


def test_a_later_call_that_repeats_a_rare_string_needed_the_result():
    labels = label_results(
        session(
            call(command="ls"),
            result("src/reader.py\nsrc/writer.py"),
            call(command="cat notes"),
            result("see ticket_4711x"),
            call(path="src/reader.py"),
            result("fine"),
        )
    )
    assert (labels.results, labels.needed_until, labels.ambiguous_until) == ((2, 4, 6), {2: 5}, {})
    assert [labels.at(turn) for turn in (3, 5, 7)] == [
        (frozenset({2}), frozenset({2})),
        (frozenset({2}), frozenset({2, 4})),
        (frozenset(), frozenset({2, 4})),
    ]
    assert labels.without_rare_strings == {6}


def test_what_the_user_or_the_model_said_before_is_no_evidence():
    turns = [result("load_tables and parse_rows are in src/reader.py"), call("Is it load_tables?")]
    assert label_results(session(call("src/reader.py?"), *turns)).needed_until == {}
    spoken = [result("parse_rows"), Turn.of("user", "Look at parse_rows."), call(name="parse_rows")]
    assert label_results(session(call(), *spoken)).needed_until == {}


@pytest.mark.parametrize("text", ["test_rows", "A unittest.TestCase is enough."])
def test_a_single_name_may_be_known_without_the_result(text: str):
    shown = result("class RowTests(unittest.TestCase): def test_rows(self)")
    labels = label_results(session(call(), shown, call(text)))
    assert (labels.needed_until, labels.ambiguous_until) == ({}, {2: 3})
    both = label_results(session(call(), shown, call(f"{text} In RowTests?")))
    assert both.needed_until == {2: 3}


def test_what_two_results_show_is_ambiguous_and_judged_only_after_its_last_use():
    turns = [result("def parse_rows():"), call("Hm."), result("x = parse_rows()"), call("It is parse_rows.")]
    labels = label_results(session(call(), *turns, result("done_with_it"), call("Ok.")))
    assert (labels.needed_until, labels.ambiguous_until) == ({}, {2: 5, 4: 5})
    assert labels.at(5)[1] == frozenset()
    assert labels.at(7) == (frozenset(), frozenset({2, 4, 6}))


def test_a_line_that_is_read_again_is_needed_from_the_newer_result():
    turns = [
        result("     7\tdef parse_rows(max_width):"),
        call("Hm."),
        result("a.py:7:def parse_rows(max_width):"),
    ]
    labels = label_results(session(call(), *turns, call("It is parse_rows, with max_width.")))
    assert (labels.needed_until, labels.ambiguous_until) == ({4: 5}, {})


def test_strings_are_paths_names_numbers_and_errors_but_no_plain_words():
    text = (
        "Tomorrow everything: /srv/app/main.py, maxRetries, retry_limit, 20260302, id-a41, KeyError: 'no row'"
    )
    assert find_strings(text) == {
        *("/srv/app/main.py", "srv/app/main.py", "app/main.py", "maxRetries", "retry_limit", "20260302"),
        "KeyError: 'no row",
    }


def test_data_of_one_long_line_takes_linear_time():
    assert find_strings("/a" * 200_000 + "b1" * 200_000) == set()


def test_line_breaks_of_arguments_are_no_part_of_names():
    edit = Turn.of(
        "assistant",
        "",
        tool_calls=(ToolCall("1", "edit", json.dumps({"new": ["a\nrow_limit = b\nsum_limit = 3"]})),),
    )
    assert label_results(session(call(), result("row_limit = sum_limit"), edit)).needed_until == {2: 3}


def test_observations_of_older_trajectories_are_from_the_user():
    history = [
        {"role": "system", "content": "You fix things.", "agent": "main"},
        {"role": "user", "content": "Fix the leak.", "agent": "main"},
        {"role": "assistant", "content": "ls", "agent": "main"},
        {"role": "user", "content": "hull/seams_b.py", "agent": "main"},
        {"role": "assistant", "content": "open hull/seams_b.py", "agent": "main"},
    ]
    (run,) = read_text(json.dumps({"trajectory": [], "history": history}))
    assert find_results(run) == (3,)
    assert label_results(run).needed_until == {3: 4}
    (chat,) = read_text(json.dumps({"messages": history}))
    assert find_results(chat) == ()


def tau_bench(*messages: dict[str, Any]) -> str:
    return json.dumps({"task_id": 1, "reward": 1.0, "traj": list(messages)})


def test_a_folder_of_sessions_becomes_one_set_with_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    run = make_run("data", seed=1)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text(run.session_lines())
    function = {"name": "find_order", "arguments": "{}"}
    asked = {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    shown = {"role": "tool", "tool_call_id": "1", "content": "order W2378156"}
    said = [{"role": "assistant", "content": "Which one?"}, {"role": "user", "content": "The last."}]
    told = {"role": "assistant", "content": "It is W2378156."}
    (tmp_path / "in" / "b.json").write_text(
        tau_bench({"role": "user", "content": "Hi"}, asked, shown, *said, told)
    )
    (tmp_path / "in" / "c.json").write_text(tau_bench({"role": "user", "content": "Hi"}, told))
    convert("agents", [tmp_path / "in"], tmp_path / "set.jsonl")
    read = read_relevance_set(tmp_path / "set.jsonl")
    assert len(read.conversations) == 2
    assert (tmp_path / "set.jsonl").stat().st_mode & 0o077 == 0
    (case,) = (case for case in read.cases if case.conversation != run.id)
    assert (case.turn, case.relevant, case.judged) == (4, {2}, {2})
    printed = capsys.readouterr().err
    assert f"of {run.n_tool_calls + 1} tool results" in printed
    assert "1 session without labelled results left out" in printed


def test_files_and_folders_become_one_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    runs = [make_run("data", seed=seed) for seed in (1, 2)]
    (tmp_path / "in").mkdir()
    for run in runs:
        (tmp_path / "in" / f"{run.id}.jsonl").write_text(run.session_lines())
    again = tmp_path / "in" / f"{runs[0].id}.jsonl"
    convert("agents", [tmp_path / "in", again], tmp_path / "set.jsonl")
    read = read_relevance_set(tmp_path / "set.jsonl")
    assert read.conversations.keys() == {runs[0].id, runs[1].id, f"{runs[0].id}-2"}
    printed = capsys.readouterr().err
    assert f"this one is called '{runs[0].id}-2'" in printed
    assert f"2 paths: of {sum(run.n_tool_calls for run in [*runs, runs[0]])} tool results" in printed
    with pytest.raises(typer.BadParameter):
        convert("tiage", [tmp_path, tmp_path], tmp_path / "no.jsonl", split="dev")


def test_of_a_long_session_so_many_cases_are_drawn(tmp_path: Path):
    turns = [call(command="ls"), result("src/reader.py")]
    for _ in range(MAX_CASES + 5):
        turns += [call("Go on."), result("ok")]
    assert len(list(make_cases(session(*turns), label_results(session(*turns)).at))) > MAX_CASES
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    for number, turn in enumerate(turns):
        if turn.role == "tool":
            messages.append({"role": "tool", "tool_call_id": f"{number - 1}", "content": turn.text})
        else:
            function = {"name": "run", "arguments": turn.tool_calls[0].arguments}
            tool_calls = [{"id": f"{number}", "type": "function", "function": function}]
            messages.append({"role": "assistant", "content": turn.text, "tool_calls": tool_calls})
    (tmp_path / "long.json").write_text(tau_bench(*messages))
    read = read_agents(tmp_path / "long.json")
    assert len(read.cases) == MAX_CASES
    assert "not drawn left out" in str(read.problems[-1])


def test_sessions_without_a_labelled_result_are_no_set(tmp_path: Path):
    (tmp_path / "chat.json").write_text(
        tau_bench({"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"})
    )
    with pytest.raises(TranscriptError, match="no tool result in it can be labelled"):
        read_agents(tmp_path / "chat.json")


def test_bad_lines_stop_the_conversion_unless_they_are_skipped(tmp_path: Path):
    file = tmp_path / "a.jsonl"
    file.write_text(make_run("data", seed=1).session_lines() + "{oops\n")
    with pytest.raises(BadLinesError):
        convert("agents", [file], tmp_path / "set.jsonl")
    assert not (tmp_path / "set.jsonl").exists()
    convert("agents", [file], tmp_path / "set.jsonl", skip_bad=True)
    assert read_relevance_set(tmp_path / "set.jsonl").cases
