"""`convgate select` within a budget."""

from __future__ import annotations

import json

import pytest

from convgate.policies.build import EncoderOnDemand
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.selectors import chat

MESSAGES = chat(
    "system: Be brief.",
    "user: You must never delete the backups.",
    "assistant: Understood.",
    "user: EXPLORATION what if we used maps",
    "assistant: They fold badly.",
    "user: We'll go with Postgres.",
    "assistant: Fine.",
    "user: TASK tidy up the backups",
)


@pytest.fixture(autouse=True)
def without_a_model(load_without_a_model: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EncoderOnDemand, "__call__", lambda self: FakeEncoder())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"id": "t", "messages": MESSAGES}))
    return path


def test_json_is_the_selection_alone_on_standard_output(file, run: Run):
    code, out, err = run("select", file, "--budget", 53_000, "--json")
    output = json.loads(out)
    assert (code, err) == (0, "")
    assert (output["mode"], output["own"], output["confidence"], output["source"]) == (
        "TASK",
        "TASK",
        0.95,
        "classifier",
    )
    assert [section["name"] for section in output["sections"]] == [
        "rules", "task_state", "recent", "evidence", "decisions", "capsules",
    ]  # fmt: skip
    [rules, *_] = output["sections"]
    assert [turn["index"] for turn in rules["turns"]] == [0, 1]
    assert rules["tokens"] == sum(turn["tokens"] for turn in rules["turns"])
    assert set(rules["turns"][0]) == {"index", "tokens", "reason"}
    [invariant] = output["invariants"]
    assert (invariant["source"], invariant["active"], invariant["state"]) == (1, True, "active")
    assert output["messages"][-1] == MESSAGES[-1]
    dropped = {one["index"] for one in output["decisions"] if not one["kept"]}
    kept = {turn["index"] for section in output["sections"] for turn in section["turns"]}
    assert kept | dropped == set(range(7))
    assert kept & dropped == set()
    assert output["prefix"]["before"] > 0, "of the message before"
    assert (output["fallbacks"], output["breaches"], output["over_budget"]) == ([], [], 0)


def test_turn_intent_budget_and_question(file, run: Run):
    _, out, _ = run("select", file, "--json", "--turn", 5, "--intent", "learn", "--budget", 0)
    output = json.loads(out)
    assert (output["mode"], output["source"], output["budget"]) == ("LEARNING", "intent", 0)
    assert [message["content"] for message in output["messages"]] == [
        MESSAGES[i]["content"] for i in (0, 1, 5)
    ]
    assert output["over_budget"] == output["tokens"] > 0
    _, out, _ = run(
        "select", file, "--json", "--budget", 53_000, "--question", "DEBUGGING why", "--policy", "last_k"
    )
    output = json.loads(out)
    assert output["mode"] == "DEBUGGING"
    assert output["messages"][-1] == {"role": "user", "content": "DEBUGGING why"}


def test_without_the_filter_every_turn_is_kept(file, run: Run):
    _, out, _ = run("select", file, "--json", "--budget", 53_000, "--no-filter")
    assert json.loads(out)["messages"] == MESSAGES


def test_the_explanation_has_sections_and_dropped_turns(file, run: Run):
    code, out, err = run("select", file, "--budget", 53_000, "--explain")
    assert code == 0
    assert json.loads(out)["messages"][-1] == MESSAGES[-1]
    for line in ("TASK with 0.95", "of 53,000 tokens", "safety requirement", "decisions:", "Kept as a rule"):
        assert line in err
    _, _, err = run("select", file, "--budget", 5, "--explain")
    assert "25 tokens over the budget" in err


def test_an_intent_needs_a_budget(file, run: Run):
    code, out, err = run("select", file, "--intent", "learn")
    assert (code, out) == (2, "")
    assert "--intent" in err


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("--budget", "-3"), "-3"),
        (("--intent", "dance"), "dance"),
        (("--turn", "99"), "99"),
        (("--turn", "1", "--question", "x"), "question"),
        (("--policy", "magic"), "magic"),
    ],
)
def test_a_wrong_argument_is_an_error_that_names_it(file, run: Run, words, value):
    code, out, err = run("select", file, "--budget", 53_000, *words)
    assert (code in {1, 2}, out) == (True, "")
    assert value in err
