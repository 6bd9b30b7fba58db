"""Generated runs of agents, the truth about their results, and the labels of the corpus converter on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from convgate.transcripts import read_relevance_set
from convgate.transcripts.reading import read_text
from convgate.transcripts.relevance_sets import write_relevance_set
from tools.agent_runs import FAMILIES, AgentRun, ModelCall, make_run
from tools.agent_runs.agent import Agent
from tools.agent_runs.labels import LabelFigures, measure_labels, read_run, true_set
from tools.agent_runs.workspace import MAX_LINES, Workspace

SEEDS = range(900, 903)  # of no figure in the documentation


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def runs(request: pytest.FixtureRequest) -> list[AgentRun]:
    return [make_run(request.param, seed=seed) for seed in SEEDS]


def test_a_seed_gives_the_same_run_every_time(runs: list[AgentRun]):
    assert make_run(runs[0].family, seed=SEEDS[0]) == runs[0]
    assert len({json.dumps(run.messages) for run in runs}) == len(runs)


def test_runs_are_as_long_as_those_of_coding_agents_and_mostly_results(runs: list[AgentRun]):
    for run in runs:
        n_all, n_in_results = run.count_tokens()
        assert run.n_tool_calls >= 60
        assert 40_000 < n_all < 200_000
        assert 0.85 < n_in_results / n_all < 0.97
        assert sum(isinstance(message["content"], str) for message in run.messages) >= 3  # of the user
        assert all(len(text.splitlines()) <= MAX_LINES + 1 for text in run.results.values())


def test_no_result_shows_where_the_run_was_generated(runs: list[AgentRun]):
    assert not any("/tmp" in text or "site-packages" in text for run in runs for text in run.results.values())


def test_what_a_call_uses_was_shown_before_it(runs: list[AgentRun]):
    for run in runs:
        seen: set[str] = set()
        calls = {call.message: call for call in run.calls}
        for place, message in enumerate(run.messages):
            if message["role"] == "assistant":
                assert all(use and use <= seen for use in calls[place].uses)
            elif not isinstance(message["content"], str):
                seen |= {block["tool_use_id"] for block in message["content"]}
        assert seen == run.results.keys()


def test_results_are_needed_late_and_most_of_them_never_again(runs: list[AgentRun]):
    for run in runs:
        halfway = len(run.calls) // 2
        needed = [len(run.needed_from(call)) for call in range(len(run.calls))]
        assert sum(n > 0 for n in needed) > halfway
        assert max(needed) < 0.25 * run.n_tool_calls


def test_both_shapes_and_the_session_file_have_the_same_results(runs: list[AgentRun]):
    for run in runs:
        in_openai = {
            message["tool_call_id"]: message["content"]
            for message in run.openai_messages()
            if message["role"] == "tool"
        }
        session = read_text(run.session_lines())
        in_session = {
            turn.tool_call_id: turn.text for turn in session.conversations[0].turns if turn.tool_call_id
        }
        assert (session.format, session.problems) == ("claude-code", ())
        assert in_openai == run.results
        assert {id: text.strip() for id, text in in_session.items()} == {
            id: text.strip() for id, text in run.results.items()
        }


def test_the_true_set_reads_back_with_every_earlier_result_judged(runs: list[AgentRun], tmp_path: Path):
    write_relevance_set(true_set(runs[:1], "runs"), tmp_path / "runs.jsonl")
    read = read_relevance_set(tmp_path / "runs.jsonl")
    (conversation,) = read.conversations.values()
    last = read.cases[-1]
    results = [index for index, turn in enumerate(conversation.turns) if turn.role == "tool"]
    assert last.turn is not None
    assert last.judged == frozenset(index for index in results if index < last.turn)
    calls = [index for index, turn in enumerate(conversation.turns) if turn.role == "assistant"]
    for case in read.cases:
        assert case.turn is not None
        ids = runs[0].needed_from(calls.index(case.turn + 1))
        assert case.relevant == frozenset(
            index for index in results if index < case.turn and conversation.turns[index].tool_call_id in ids
        )


def test_the_converters_labels_are_right(runs: list[AgentRun]):
    figures = sum((measure_labels(run) for run in runs), LabelFigures())
    assert figures.precision >= 0.85
    assert figures.recall >= 0.15
    assert figures.not_needed_precision >= 0.9
    assert figures.labelled_share >= 0.5


# By hand


def a_run(*uses: set[str]) -> AgentRun:
    """A run of calls with a result each, a, b, c, …, and what each call uses of the ones before."""
    messages: list[dict[str, object]] = [{"role": "user", "content": "Go."}]
    calls = []
    for id, used in zip("abcdefgh", uses, strict=False):
        calls.append(ModelCall(len(messages), tuple(frozenset(use) for use in used)))
        block = {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": id}}
        messages.append({"role": "assistant", "content": [block]})
        result = {"type": "tool_result", "tool_use_id": id, "content": f"text of {id}"}
        messages.append({"role": "user", "content": [result]})
    return AgentRun("hand", "hand", tuple(messages), tuple(calls))


def test_needed_is_the_newest_result_that_shows_what_is_used_later():
    run = a_run(set(), {"a"}, set(), {"ab", "c"})
    assert [sorted(run.needed_from(call)) for call in range(4)] == [[], ["a"], ["b"], ["b", "c"]]
    last = run.calls[3]
    assert [last.lost_uses(elided) for elided in ("", "a", "ab", "c", "abc")] == [0, 0, 1, 1, 2]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path, "/home/dev/x", numbers_lines=True)
    workspace.write({"a.py": "limit_of_rows = 12\nother = 3\n", "b/c.txt": "limit_of_rows\n"})
    return workspace


def test_tools_do_what_they_say(workspace: Workspace):
    assert workspace.call("Glob", {"pattern": "**/*"}) == "/home/dev/x/a.py\n/home/dev/x/b/c.txt"
    assert (
        workspace.call("Grep", {"pattern": "limit_"}) == "a.py:1:limit_of_rows = 12\nb/c.txt:1:limit_of_rows"
    )
    assert workspace.call("Read", {"file_path": "/home/dev/x/a.py", "offset": 2}) == "     2\tother = 3"
    edit = {"file_path": "a.py", "old_string": "= 3", "new_string": "= 4"}
    assert workspace.call("Edit", edit).endswith("     2\tother = 4")
    assert workspace.call("Edit", edit).startswith("Error: old_string occurs 0 times")
    assert workspace.call("Bash", {"command": "pwd; exit 3"}) == "Exit code 3\n/home/dev/x"


def test_what_was_written_out_is_not_used_again_and_a_reread_line_has_two_holders(workspace: Workspace):
    agent = Agent(workspace)
    agent.hear("Look at a.py.")
    read = agent.act_once("", ("Read", {"file_path": "a.py"}))
    agent.act("", ("Read", {"file_path": "a.py"}))
    agent.act("", ("Grep", {"pattern": "limit_", "path": "b"}))
    agent.act("It is {line}.", line=read.find(r"(limit_of_rows = \d+)"))
    agent.answer("As I said, {line}.", line=read.find(r"(limit_of_rows = \d+)"))
    for _ in range(2):
        agent.answer("And the other is {n}.", n=read.find(r"other = (\d)"))
    run = agent.finish("x", "x")
    assert [call.uses for call in run.calls[3:]] == [
        (frozenset({"toolu_0001", "toolu_0002"}),),
        (),
        (frozenset({"toolu_0001", "toolu_0002"}),),
        (),
    ]
    with pytest.raises(LookupError, match="is not in the result of toolu_0001"):
        read.find("(nothing)")


def test_a_session_file_has_a_line_for_each_block():
    lines = [json.loads(line) for line in a_run(set(), {"a"}).session_lines().splitlines()]
    assert [line["parentUuid"] for line in lines] == [None, *(line["uuid"] for line in lines[:-1])]
    assert len(read_run(a_run(set(), {"a"}))) == 5
