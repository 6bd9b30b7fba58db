"""The LangChain middleware, in agents with a fake model."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

pytest.importorskip("langchain")
pytest.importorskip("langgraph")

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    convert_to_messages,
    convert_to_openai_messages,
)
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field

from convgate.adapters.langchain import SelectionMiddleware
from convgate.adapters.langgraph import to_openai
from convgate.core.errors import TranscriptError
from convgate.messages.check import check_valid
from convgate.selection.selector import Selector
from tests.adapters.histories import (
    HISTORY,
    N_TURNS,
    QUESTION,
    RELEVANT,
    failing_gate,
    run_example,
    small_gate,
)

pytestmark = pytest.mark.adapters


class FakeModel(FakeMessagesListChatModel):
    """Records what it receives."""

    received: list[list[BaseMessage]] = Field(default_factory=list)  # of each call

    def bind_tools(self, tools: Any, **kwargs: Any) -> FakeModel:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.received.append(messages)
        return super()._generate(messages, *args, **kwargs)


@tool
def read_loss(run: int) -> str:
    """Return the loss."""
    return "bread soup cake salad"


def fake_model() -> FakeModel:
    call = {"id": "9", "name": "read_loss", "args": {"run": 7}}
    return FakeModel(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")])


def run_agent(source: Selector, history: list[BaseMessage], *, use_async: bool) -> tuple[FakeModel, Any]:
    """Return the model and the final state of an agent that calls a tool for QUESTION."""
    model = fake_model()
    middleware = [SelectionMiddleware(source)]
    agent = create_agent(model, [read_loss], system_prompt="be brief", middleware=middleware)
    state = {"messages": [*history, HumanMessage(QUESTION)]}
    return model, asyncio.run(agent.ainvoke(state)) if use_async else agent.invoke(state)


@pytest.mark.parametrize("use_async", [False, True])
def test_model_receives_a_valid_selection_and_the_state_keeps_everything(use_async: bool):
    history = convert_to_messages(HISTORY)
    model, state = run_agent(small_gate(), history, use_async=use_async)
    first, second = model.received
    for messages in (first, second):
        assert check_valid([to_openai(message) for message in messages]) == []
        assert messages[0].text == "be brief"
        assert all(any(message is sent for sent in messages) for message in (history[i] for i in RELEVANT))
        assert not any(message is sent for message in history[7:] for sent in messages)
    assert first[-1].text == QUESTION
    assert second[: len(first)] == first, "the tool's result does not change the selection"
    assert [message.type for message in second[len(first) :]] == ["ai", "tool"]
    assert [message.text for message in state["messages"][:N_TURNS]] == [m.text for m in history]
    assert len(state["messages"]) == N_TURNS + 4


@pytest.mark.parametrize("use_async", [False, True])
def test_model_receives_everything_when_selecting_fails(use_async: bool, caplog: pytest.LogCaptureFixture):
    model, _ = run_agent(failing_gate(), convert_to_messages(HISTORY), use_async=use_async)
    assert [len(messages) for messages in model.received] == [N_TURNS + 2, N_TURNS + 4]
    assert [record.levelname for record in caplog.records] == ["ERROR", "ERROR"]


def test_history_of_a_checkpoint_is_selected_from_anew_for_each_question():
    model = FakeModel(responses=[AIMessage("done")])
    agent = create_agent(
        model, [], middleware=[SelectionMiddleware(small_gate())], checkpointer=InMemorySaver()
    )
    config: Any = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": [*convert_to_messages(HISTORY), HumanMessage(QUESTION)]}, config)
    about_bread = "please write down how somebody cooks bread again"
    agent.invoke({"messages": [HumanMessage(about_bread)]}, config)
    texts = [message.text for message in model.received[-1]]
    assert HISTORY[-2]["content"] in texts
    assert HISTORY[3]["content"] not in texts
    assert texts[-1] == about_bread


def test_messages_are_selected_without_an_agent():
    messages = [*convert_to_messages(HISTORY), HumanMessage(QUESTION)]
    with pytest.raises(TranscriptError, match="convert_to_openai_messages"):
        small_gate().select(messages)
    selection = small_gate().select(convert_to_openai_messages(messages))
    assert {*RELEVANT, N_TURNS} <= {*selection.indices} < {*range(N_TURNS + 1)}


@pytest.mark.shipped
def test_example_sends_the_relevant_turns_with_the_shipped_gate(capsys: pytest.CaptureFixture[str]):
    run_example("langchain_agent")
    out = capsys.readouterr().out
    assert "ai: The learning rate of run 7 was 0.1" in out
    assert int(re.search(r"The model received (\d+) messages:", out)[1]) < 18
    assert "The agent's state has 18 messages." in out
    assert "soup" not in out
