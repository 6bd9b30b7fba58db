"""Which tool results become stubs, and what the stubs keep."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from convgate.elision.elide import LAST_CALLS, UNUSED_CALLS, find_elisions
from convgate.elision.evidence import Evidence, rare_strings
from convgate.elision.stub import write_stub
from convgate.elision.tool_use import END, read_use
from convgate.transcripts import turns_from_messages
from tests.tool_runs import Message, Run, code


@pytest.mark.parametrize(
    ("name", "arguments", "path", "lines"),
    [
        ("Read", {"file_path": "/r/a.py"}, "/r/a.py", (1, END)),
        ("Read", {"file_path": "/r/a.py", "offset": 20, "limit": 10}, "/r/a.py", (20, 29)),
        ("read_file", {"path": "./a.py", "start_line": 3, "end_line": 9}, "a.py", (3, 9)),
        ("str_replace_editor", {"command": "view", "path": "a.py", "view_range": [2, -1]}, "a.py", (2, END)),
        ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": "x"}, None, (1, END)),
        ("Edit", {"file_path": "a.py", "old_string": "x", "new_string": "y"}, None, (1, END)),
        ("Grep", {"pattern": "x", "path": "src"}, None, (1, END)),
        ("shell", {"command": ["bash", "-lc", "sed -n '1,80p' a.py"]}, "a.py", (1, 80)),
        ("shell", {"command": "cd /r && cat a.py"}, "a.py", (1, END)),
        ("shell", {"command": "nl -ba a.py | sed -n '5,9p'"}, "a.py", (5, 9)),
        ("shell", {"command": "cat a.py > b.py"}, None, (1, END)),
        ("shell", {"command": "cat a.py b.py"}, None, (1, END)),
    ],
)
def test_a_read_is_known_by_its_arguments(
    name: str, arguments: dict[str, Any], path: str | None, lines: tuple[int, int]
):
    use = read_use(name, json.dumps(arguments))
    assert (use.path, use.lines) == (path, lines)


def test_a_command_is_the_same_without_its_cut_and_another_in_another_folder():
    one, other, elsewhere = (
        read_use("Bash", json.dumps({"command": command}))
        for command in ("pytest tests 2>&1 | tail -20", "pytest tests", "cd /r && pytest tests")
    )
    assert (one.key, one.task) == (other.key, other.task)
    assert one.cut != other.cut
    assert elsewhere.key != one.key
    assert elsewhere.task != one.task
    verbose = read_use("Bash", '{"command": "pytest -x tests"}')
    assert (verbose.key == one.key, verbose.task == one.task) == (False, True)


def test_a_read_is_superseded_by_a_later_one_that_covers_it():
    run = Run().call("Read", code(), file_path="a.py").go_on()
    assert run.elisions() == {}
    run.call("Read", code(119), file_path="a.py").go_on()
    assert run.elisions()[2].reason == "A later read of a.py covers it (turn 10)."
    part = Run().call("Read", code(), file_path="a.py").go_on()
    part.call("Read", code(50), file_path="a.py", offset=1, limit=50).go_on()
    assert part.elisions() == {}
    inner = Run().call("Read", code(70, 40), file_path="a.py", offset=40, limit=70).go_on()
    inner.call("Read", code(), file_path="a.py").go_on()
    assert [*inner.elisions()] == [2]
    lost = Run().call("Read", code(), file_path="a.py").go_on()
    lost.call("Read", f"Error: a.py does not exist\n{code(60)}", file_path="a.py").go_on()
    assert lost.elisions() == {}


def test_a_later_run_of_the_same_command_supersedes():
    run = (
        Run()
        .call("Bash", code(), command="pytest tests")
        .go_on()
        .call("Bash", "3 passed", command="pytest tests")
    )
    assert [*run.elisions()] == [2]
    other = (
        Run().call("Bash", code(), command="pytest tests").go_on().call("Bash", "3 passed", command="ruff")
    )
    assert other.elisions() == {}


def test_an_error_is_resolved_by_a_success_of_the_same_command():
    failed = f"Traceback (most recent call last):\n{code()}\nValueError: no"
    run = Run().call("Bash", failed, command="pytest -x tests").go_on()
    run.call("Bash", "1 failed", command="pytest tests")
    assert run.elisions() == {}
    run.call("Bash", "3 passed", command="pytest tests")
    assert "resolved" in run.elisions()[2].reason


def test_of_two_results_with_one_text_the_later_one_stays():
    run = Run().call("a", code(), x=1).go_on().call("b", code(), y=2).go_on()
    assert run.elisions()[2].reason == "A later result has the same text (turn 10)."


def test_what_was_used_of_a_long_result_stays_with_its_lines():
    text = code(60) + "\n    retry_limit_seconds = 77\n" + code(60)
    run = Run().call("Read", text, file_path="a.py")
    run.call("Edit", "Done.", say="I set retry_limit_seconds.", path="a.py", old="77", new="78")
    assert run.go_on(UNUSED_CALLS - 1).elisions() == {}
    stub = run.go_on(1).elisions()[2]
    assert "    retry_limit_seconds = 77" in stub.stub.splitlines()
    assert stub.n_shown < 12
    assert stub.tokens_after < stub.tokens_before / 5
    assert stub.reason == "Nothing else of it was used."


def test_results_of_the_last_calls_and_short_ones_stay():
    run = Run().call("Bash", code(), command="make").call("Bash", "ok", command="make")
    assert run.elisions() == {}
    assert [*run.go_on(1).elisions()] == []
    assert [*run.go_on(1).elisions()] == [2]
    short = Run().call("Bash", code(5), command="make").go_on(9).call("Bash", "ok", command="make")
    assert short.elisions() == {}


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_result_of_which_something_is_repeated_now_stays(role: str):
    text = code(60) + "\n    retry_limit_seconds = 77\n" + code(60)
    run = Run().call("Read", text, file_path="a.py").go_on(UNUSED_CALLS)
    assert [*run.elisions()] == [2]
    assert "retry_limit_seconds" not in run.elisions()[2].stub
    run.say(role, "What is retry_limit_seconds?")
    assert run.elisions() == {}
    shown = Run().call("Read", text, file_path="a.py").go_on()
    shown.call("Read", text, file_path="a.py").say(role, "What is retry_limit_seconds?")
    assert [*shown.elisions()] == [2], "a later result has it too"


def test_only_results_that_are_sent_stand_for_others():
    run = Run().call("Read", code(), file_path="a.py").go_on().call("Read", code(), file_path="a.py").go_on()
    evidence = Evidence().extend(turns_from_messages(run.messages))
    everything = range(len(run.messages))
    assert [*find_elisions(evidence, everything)] == [2]
    assert find_elisions(evidence, [index for index in everything if index not in (9, 10)]) == {}
    assert find_elisions(evidence, [index for index in everything if index not in (1, 2)]) == {}


def random_run(rng: random.Random) -> list[Message]:
    """Reads, edits and commands on a few files; texts repeat names of what was read."""
    names = [f"name_{number}" for number in range(40)]
    run = Run()
    for _ in range(rng.randint(5, 40)):
        text = "\n".join(f"{rng.choice(names)} = {rng.randint(1, 99)}" for _ in range(rng.randint(2, 90)))
        say = f"About {rng.choice(names)}." if rng.random() < 0.4 else ""
        path, start = rng.choice("abc") + ".py", rng.choice([1, 20])
        if rng.random() < 0.5:
            run.call("Read", text, say, path=path, **({"offset": start} if rng.random() < 0.5 else {}))
        else:
            run.call("Bash", text, say, command=f"{rng.choice(['make', 'pytest'])} {path}")
        if rng.random() < 0.1:
            run.say("user", f"And {rng.choice(names)}?")
    return run.messages


def test_what_only_one_result_introduced_and_later_turns_repeat_is_still_there():
    n_elided = 0
    for seed in range(150):
        messages = random_run(random.Random(seed))
        evidence = Evidence().extend(turns_from_messages(messages))
        found = {index: elision for index, (elision,) in find_elisions(evidence).items()}
        n_elided += len(found)
        sent = [
            found[index].stub if index in found else each["content"] for index, each in enumerate(messages)
        ]
        said = [
            rare_strings(each["content"] + json.dumps(each.get("tool_calls", "")))
            if each["role"] != "tool"
            else frozenset()
            for each in messages
        ]
        for index, elision in found.items():
            assert elision.tokens_after <= elision.tokens_before / 2
            before, after = frozenset().union(*said[:index]), frozenset().union(*said[index:])
            for string in (rare_strings(elision.text) & after) - before:
                later = [
                    text
                    for place, text in enumerate(sent)
                    if place >= index and messages[place]["role"] == "tool"
                ]
                assert any(string in text for text in later), (seed, index, string)
    assert n_elided > 100


def test_what_is_known_of_a_longer_list_is_the_same_in_parts():
    for seed in range(40):
        rng = random.Random(seed)
        turns = turns_from_messages(random_run(rng))
        whole, cut = Evidence().extend(turns), rng.randrange(len(turns))
        parts = Evidence().extend(turns[:cut]).extend(turns[cut:])
        assert find_elisions(parts) == find_elisions(whole)
        assert find_elisions(whole.first(cut)) == find_elisions(Evidence().extend(turns[:cut]))
        assert find_elisions(whole.first(cut).extend(turns[cut:])) == find_elisions(whole)


def test_a_message_with_several_results_loses_only_one():
    first = [{"type": "tool_use", "id": id, "name": "Read", "input": {"path": f"{id}.py"}} for id in "ab"]
    results = [{"type": "tool_result", "tool_use_id": id, "content": code(name=id)} for id in "ab"]
    again = [{"type": "tool_use", "id": "c", "name": "Read", "input": {"path": "a.py"}}]
    messages: list[Message] = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": first},
        {"role": "user", "content": results},
        {"role": "assistant", "content": again},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": code(name="a")}]},
    ]
    for number in range(LAST_CALLS):
        use = {"type": "tool_use", "id": f"t{number}", "name": "tick", "input": {"n": number}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    found = find_elisions(Evidence().extend(turns_from_messages(messages)))
    assert [(index, [each.call_id for each in own]) for index, own in found.items()] == [(2, ["a"])]


def test_a_use_whose_result_is_in_the_same_message_is_read():
    def app(id: str, text: str, **arguments: Any) -> Message:
        part = {
            "type": "tool-run",
            "toolCallId": id,
            "state": "output-available",
            "input": arguments,
            "output": text,
        }
        return {"id": id, "role": "assistant", "parts": [part, {"type": "text", "text": "So."}]}

    messages = [
        {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Go."}]},
        app("a", code(), command="make) → all"),
        *(app(f"t{number}", "ok", n=number) for number in range(LAST_CALLS)),
        app("b", "ok", command="make) → all"),
    ]
    (elision,) = find_elisions(Evidence().extend(turns_from_messages(messages)))[1]
    assert (elision.call_id, elision.text) == ("a", code())


def test_parts_that_are_no_text_are_counted_and_long_lines_are_cut():
    line = "x" * 5_000 + " needle_name " + "y" * 5_000
    stub = write_stub("shot({})", f"one\n{line}\nthree", {"needle_name"}, "Why.", "ab", n_others=1)
    assert "and 1 part that is no text" in stub.text
    assert "needle_name" in stub.text
    assert len(stub.text) < 900


def test_another_folder_another_part_and_a_failure_replace_nothing():
    for first, second, text in (
        ("cd pkg_a && npm test", "cd pkg_b && npm test", code(100)),
        ("DB=prod dump_table users", "DB=test dump_table users", code(100)),
        ("git log | head -100", "git log | tail -2", code(2)),
        ("cd pkg_a && cat README.md", "cd pkg_b && cat README.md", code(119)),
        ("fetch x", "fetch x", "Traceback (most recent call last):\nError: 503"),
    ):
        run = Run().call("Bash", code(), command=first).go_on(1)
        run.call("Bash", text, command=second).go_on(3)
        assert run.elisions() == {}, second


@pytest.mark.parametrize(
    "line",
    [
        "src/part{n}.py",
        "part{n}.py",
        "{n}00  src/part{n}.py",
        "4.{n}K\t./src/part{n}",
        "-rw-r--r-- 1 root root {n}53 Nov 29 13:15 part{n}",
        "\tmodified:   src/part{n}.py",
        "?? src/part{n}.py",
        "src/the part {n}.py",
    ],
)
def test_a_listing_of_paths_stays_until_a_later_one_replaces_it(line: str):
    paths = [line.format(n=n) for n in range(100)]
    run = Run().call("list", "\n".join(paths)).go_on(UNUSED_CALLS)
    assert not run.elisions()
    assert 2 in run.call("list", "\n".join([*paths, "src/more.py"])).go_on().elisions()


@pytest.mark.parametrize(
    "line",
    [
        "src/part{n}.py:{n}: from values import total",
        "0.143{n}0982",
        "{n}.20.13{n}",
        "1.5e-0{n}",
        "2024/12/{n}",
        "        return self.part{n}",
        "The text of src/part{n}.py",
    ],
)
def test_other_lines_are_no_listing(line: str):
    text = "\n".join(line.format(n=n) for n in range(200))
    assert 2 in Run().call("list", text).go_on(UNUSED_CALLS).elisions()
