"""LangGraph's `pre_model_hook`, in agents with a fake model."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("langgraph")

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage, convert_to_messages
from langgraph.prebuilt import create_react_agent

from convgate.adapters.langgraph import pre_model_hook, to_openai
from convgate.messages.check import check_valid
from tests.adapters.histories import (
    ABOUT_DISHES,
    HISTORY,
    N_TURNS,
    QUESTION,
    RELEVANT,
    failing_gate,
    run_example,
    small_gate,
)
from tests.adapters.test_langchain import fake_model, read_loss
from tests.selectors import FixedPolicy, plain

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore:create_react_agent has been moved")]


@pytest.mark.parametrize("use_async", [False, True])
def test_model_receives_a_valid_selection_and_the_state_keeps_everything(use_async: bool):
    model, history = fake_model(), convert_to_messages(HISTORY)
    agent = create_react_agent(
        model, [read_loss], prompt="be brief", pre_model_hook=pre_model_hook(small_gate())
    )
    state: Any = {"messages": [*history, HumanMessage(QUESTION)]}
    result = asyncio.run(agent.ainvoke(state)) if use_async else agent.invoke(state)
    first, second = model.received
    assert second[: len(first)] == first
    assert [message.type for message in second[len(first) :]] == ["ai", "tool"]
    assert check_valid([to_openai(message) for message in second]) == []
    assert first[0].text == "be brief"
    assert {message.text for message in first} >= {HISTORY[i]["content"] for i in RELEVANT}
    assert len(first) < 8
    assert len(result["messages"]) == N_TURNS + 4


@pytest.mark.parametrize("of", [dict, SimpleNamespace])
def test_hook_never_gives_an_empty_list_and_takes_both_kinds_of_state(of: Any):
    for messages in ([HumanMessage(QUESTION)], [AIMessage("hello")], convert_to_messages(HISTORY)):
        for source in (small_gate(), failing_gate()):
            sent = pre_model_hook(source).invoke(of(messages=messages))["llm_input_messages"]
            assert sent
            assert sent[-1] is messages[-1]


def test_call_with_invalid_arguments_is_sent_with_its_result_alone():
    broken = AIMessage(QUESTION, invalid_tool_calls=[{"id": "8", "name": None, "args": "{", "error": "?"}])
    result = ToolMessage("malformed", tool_call_id="8")
    dishes = convert_to_messages(ABOUT_DISHES)
    hook, asked, last = pre_model_hook(small_gate()), HumanMessage(QUESTION), HumanMessage(QUESTION)
    sent = hook.invoke({"messages": [asked, broken, *dishes, last]})["llm_input_messages"]
    assert sent == [asked, last]
    sent = hook.invoke({"messages": [asked, broken, result, *dishes, last]})["llm_input_messages"]
    assert sent == [asked, broken, result, last]


@pytest.mark.shipped
def test_example_sends_the_relevant_turns_with_the_shipped_gate(capsys: pytest.CaptureFixture[str]):
    run_example("langgraph_agent")
    out = capsys.readouterr().out
    assert "ai: The learning rate of run 7 was 0.1" in out
    assert "soup" not in out
    assert "The agent's state has 18 messages." in out


def test_a_summary_of_removed_messages_is_always_sent() -> None:
    summary = HumanMessage(
        "Here is a summary of the conversation to date: …", additional_kwargs={"lc_source": "summarization"}
    )
    messages = [
        summary,
        AIMessage("Noted."),
        HumanMessage("How do I cook rice?"),
        AIMessage("Boil it."),
        HumanMessage("So?"),
    ]
    sent = pre_model_hook(plain(FixedPolicy(set()))).invoke({"messages": messages})["llm_input_messages"]
    assert sent == [summary, messages[-1]]
