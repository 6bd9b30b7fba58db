"""What all adapters share; none of it needs a framework."""

from __future__ import annotations

import asyncio
import logging
import sys
from pathlib import Path
from typing import Any

import pytest

from convgate.adapters.selection import MessageSelector
from convgate.core.errors import MissingExtraError
from convgate.messages.check import check_valid
from convgate.messages.tokens import turn_tokens
from convgate.selection.load import load
from convgate.transcripts import turns_from_messages
from tests.adapters.histories import (
    ABOUT_LOSS,
    HISTORY,
    N_TURNS,
    QUESTION,
    RELEVANT,
    failing_gate,
    small_gate,
)
from tests.fakes import FakeEncoder
from tests.selectors import FixedPolicy, chat, make_selector

ASKED = [*HISTORY, {"role": "user", "content": QUESTION}]
STEPS = [
    {"role": "assistant", "tool_calls": [{"id": "9", "function": {"name": "read_loss", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "9", "content": "bread soup cake salad"},
]


def kept_of(messages: list[dict[str, Any]], kept: list[int]) -> list[dict[str, Any]]:
    return [messages[index] for index in kept]


def test_relevant_tool_units_and_the_current_message_are_kept():
    kept = MessageSelector.of(small_gate()).keep(ASKED)
    assert set(RELEVANT) <= set(kept)
    assert kept[-1] == N_TURNS
    assert len(kept) < len(ASKED) - 4, "the dishes are not sent"
    assert kept == sorted(set(kept))
    assert check_valid(kept_of(ASKED, kept)) == []


def test_selection_stays_the_same_while_tools_are_called_for_the_current_message():
    selector = MessageSelector.of(small_gate())
    kept, messages = selector.keep(ASKED), ASKED + STEPS
    assert selector.keep(messages) == [*kept, N_TURNS + 1, N_TURNS + 2]
    image = {"role": "user", "content": "bread soup cake salad"}
    assert selector.keep([*messages, image]) == [*kept, N_TURNS + 1, N_TURNS + 2, N_TURNS + 3], (
        "what a tool adds as a user's message is not the current message"
    )


def test_messages_without_a_call_or_result_are_dropped_before_they_reach_the_model():
    orphan = {"role": "tool", "tool_call_id": "gone", "content": QUESTION}
    greeting = {"role": "assistant", "content": QUESTION}
    unanswered = {**STEPS[0], "content": QUESTION}
    messages = [greeting, orphan, *ABOUT_LOSS, unanswered, {"role": "user", "content": QUESTION}]
    kept = MessageSelector.of(small_gate()).keep(messages)
    assert not {1, 7} & set(kept)
    assert 0 in kept, "what the assistant says first is sent where it is relevant"
    assert check_valid(kept_of(messages, kept)) == []
    assert MessageSelector.of(small_gate()).keep([orphan, ASKED[-1]]) == [1]


def test_required_messages_are_kept_with_their_tool_unit():
    messages = [*HISTORY, {"role": "user", "content": "please write down how somebody cooks rice"}]
    selector = MessageSelector.of(small_gate())
    assert not {1, 2, 3} & set(selector.keep(messages))
    assert {1, 2, 3} <= set(selector.keep(messages, always=[1]))


@pytest.mark.parametrize("messages", [[], HISTORY[1:5], [{"role": "system", "content": "be brief"}]])
def test_without_a_message_of_the_user_everything_is_kept(messages: list[dict[str, Any]]):
    assert MessageSelector.of(small_gate()).keep(messages) == list(range(len(messages)))


def test_failures_are_logged_and_everything_is_kept(caplog: pytest.LogCaptureFixture):
    everything = list(range(len(ASKED)))

    def fail(message: object) -> dict[str, Any]:
        raise ValueError("unknown message")

    with caplog.at_level(logging.ERROR):
        assert MessageSelector.of(failing_gate()).keep(ASKED) == everything
        assert MessageSelector.of(small_gate()).keep(ASKED, fail) == everything
        assert asyncio.run(MessageSelector.of(failing_gate()).akeep(ASKED)) == everything
    assert [record.exc_info and str(record.exc_info[1]) for record in caplog.records] == [
        "no model",
        "unknown message",
        "no model",
    ]


def test_budget_covers_the_tool_steps_as_well():
    selector = MessageSelector.of(load(encoder=FakeEncoder()), budget=150)
    tokens = turn_tokens(turns_from_messages(ASKED + STEPS))
    assert tokens.sum() > 150
    long_result = {**STEPS[1], "content": "bread " * 60}
    few = selector.keep([*ASKED, STEPS[0], long_result])
    assert len(few) < len(selector.keep(ASKED + STEPS))
    assert few[-3:] == [N_TURNS, N_TURNS + 1, N_TURNS + 2]
    assert tokens[selector.keep(ASKED + STEPS)].sum() <= 150


def test_turns_of_invariants_are_kept_when_the_selection_states_them_apart():
    rule = "You must never delete the backups. " + "The reasons are long. " * 100
    messages = chat(rule, "Fine.", "TASK tidy up")
    selection = make_selector(set()).select(messages, budget=60)
    assert (selection.places, selection.indices) == ([None, 2], [2]), (
        "the rule is in a message that was added"
    )
    assert MessageSelector.of(make_selector(set()), budget=60).keep(messages) == [0, 2]


def test_a_budget_pays_for_the_whole_turn_of_what_must_hold():
    rule = f"{'word ' * 20}. You must never delete the backups."  # 31 tokens; 2 costs 5, 3 24, the last 6
    messages = chat(rule, "b " * 20, "c", "d " * 20, "TASK so")
    policy = FixedPolicy({3}, {0: 0.1, 1: 0.4, 2: 0.1, 3: 0.9}, probabilities=True)
    assert make_selector(policy=policy).select(messages, budget=50).places == [None, 2, 3, 4]
    kept = MessageSelector.of(make_selector(policy=policy), budget=50).keep(messages)
    assert kept == [0, 2, 4], "the statement alone cannot be sent, and 3 does not fit beside its turn"


def test_sources_are_loaded_from_settings(tmp_path: Path):
    file = tmp_path / "agent.toml"
    file.write_text('policy = "last_k"\npolicy_parameters = { k = 1 }\n')
    assert MessageSelector.of(file).keep(ASKED) == [N_TURNS - 2, N_TURNS - 1, N_TURNS]
    file.write_text("budget.tokens = 60\n")
    selector = MessageSelector.of(str(file))
    tokens = turn_tokens(turns_from_messages(ASKED))
    assert (
        tokens[selector.keep(ASKED)].sum()
        <= 60
        < tokens[MessageSelector.of(selector.selector, 90).keep(ASKED)].sum()
        <= 90
    )


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("inspect_ai", "inspect_ai", "inspect-ai"),
        ("langchain", "langchain", "langchain"),
        ("langgraph", "langchain_core", "langgraph"),
        ("llama_index", "llama_index", "llama-index"),
        ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ],
)
def test_missing_framework_is_named_with_the_command_that_installs_it(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
):
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"convgate.adapters.{module}", raising=False)
    with pytest.raises(MissingExtraError, match=rf'pip install "convgate\[{extra}\]"'):
        __import__(f"convgate.adapters.{module}")
