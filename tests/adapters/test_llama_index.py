"""The LlamaIndex memory, in agents and chat engines with a fake model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

from convgate.adapters.llama_index import SelectionMemory, to_openai
from convgate.messages.check import check_valid
from tests.adapters.histories import (
    HISTORY,
    N_TURNS,
    QUESTION,
    RELEVANT,
    failing_gate,
    run_example,
    small_gate,
)

pytestmark = [pytest.mark.adapters, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


def to_llama_index(message: dict[str, Any]) -> ChatMessage:
    if calls := message.get("tool_calls"):
        blocks = [
            ToolCallBlock(
                tool_call_id=call["id"],
                tool_name=call["function"]["name"],
                tool_kwargs=json.loads(call["function"]["arguments"]),
            )
            for call in calls
        ]
        return ChatMessage(role="assistant", blocks=blocks)
    kwargs = {"tool_call_id": message["tool_call_id"]} if message["role"] == "tool" else {}
    return ChatMessage(role=message["role"], content=message["content"], additional_kwargs=kwargs)


def memory(source: Any = None) -> SelectionMemory:
    """Return a memory with HISTORY; by default of a small gate."""
    history = [to_llama_index(message) for message in HISTORY]
    return SelectionMemory.from_defaults(chat_history=history, source=source or small_gate())


class Model:
    """Records what it receives, calls a tool once, then answers."""

    def __init__(self) -> None:
        self.received: list[list[ChatMessage]] = []

    def __call__(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
        self.received.append(list(messages))
        if messages[-1].role == "tool" or not kwargs.get("tools"):
            return ChatMessage(role="assistant", content="done")
        call = ToolCallBlock(tool_call_id="9", tool_name="read_loss", tool_kwargs={"run": 7})
        return ChatMessage(role="assistant", blocks=[call])


def read_loss(run: int) -> str:
    """Return the loss."""
    return "bread soup cake salad"


@pytest.mark.parametrize("fails", [False, True])
def test_agent_receives_a_valid_selection_and_the_memory_keeps_everything(
    fails: bool, caplog: pytest.LogCaptureFixture
):
    model, stored = Model(), memory(failing_gate() if fails else None)
    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(read_loss)],
        llm=MockFunctionCallingLLM(response_generator=model),
        system_prompt="be brief",
        streaming=False,
    )

    async def run() -> None:
        await agent.run(user_msg=QUESTION, memory=stored)

    asyncio.run(run())
    first, second = model.received
    assert second[: len(first)] == first
    assert [message.role.value for message in second[len(first) :]] == ["assistant", "tool"]
    assert check_valid([to_openai(message) for message in second]) == []
    history = stored.get_all()
    assert len(history) == N_TURNS + 4
    assert all(any(history[index] is message for message in first) for index in RELEVANT)
    assert first[-1].content == QUESTION
    assert (len(first) == N_TURNS + 2) is fails is bool(caplog.records)


def test_chat_engine_receives_a_selection():
    model, stored = Model(), memory()
    engine = SimpleChatEngine.from_defaults(
        llm=MockFunctionCallingLLM(response_generator=model, is_chat_model=True), memory=stored
    )
    engine.chat(QUESTION)
    asyncio.run(engine.achat(QUESTION))
    for messages in model.received:
        assert messages[-1].content == QUESTION
        assert len(messages) < N_TURNS - 3
        assert check_valid([to_openai(message) for message in messages]) == []
    assert len(engine.chat_history) == N_TURNS + 4


def test_input_is_the_current_message_whether_it_is_stored_yet_or_not():
    stored = memory()
    sent = stored.get(input=QUESTION)
    assert [message.content for message in sent][:1] == [HISTORY[0]["content"]]
    assert len(sent) < 7
    assert asyncio.run(stored.aget(input=QUESTION)) == sent
    about_bread = stored.get(input="please write down how somebody cooks bread again")
    assert stored.get_all()[-2] in about_bread
    assert stored.get_all()[3] not in about_bread
    stored.put(ChatMessage(role="user", content=f"state: none. {QUESTION}"))
    assert stored.get(input=QUESTION) == [*sent, stored.get_all()[-1]]
    stored.put_messages([to_llama_index(message) for message in HISTORY[1:4]])
    assert stored.get(input=QUESTION)[-4:] == stored.get_all()[-4:], "steps for the message are not history"


def test_messages_are_put_set_and_reset():
    stored = memory()
    asyncio.run(stored.aput(ChatMessage(role="user", content="last")))
    assert len(asyncio.run(stored.aget_all())) == N_TURNS + 1
    stored.set([ChatMessage(role="user", content="first")])
    assert [message.content for message in stored.get()] == ["first"]
    stored.reset()
    assert stored.get() == stored.get(input=QUESTION) == []


def test_calls_in_additional_kwargs_are_kept_with_their_results():
    calls = HISTORY[1]["tool_calls"]
    old = ChatMessage(role="assistant", content=None, additional_kwargs={"tool_calls": calls})
    assert to_openai(old)["tool_calls"] == calls
    stored = memory()
    stored.set([stored.get_all()[0], old, *stored.get_all()[2:]])
    assert stored.get(input=QUESTION)[:4] == stored.get_all()[:4]


def test_restored_memory_has_the_budget_and_its_own_selector():
    restored = SelectionMemory.from_dict(SelectionMemory.from_defaults(budget=50).to_dict())
    assert restored.budget == 50
    restored.put(ChatMessage(role="user", content=QUESTION))
    assert restored.get() == restored.get_all()


@pytest.mark.shipped
def test_example_sends_the_relevant_turns_with_the_shipped_gate(capsys: pytest.CaptureFixture[str]):
    run_example("llama_index_agent")
    out = capsys.readouterr().out
    assert "assistant: The learning rate of run 7 was 0.1" in out
    assert "soup" not in out
    assert "The memory has 18 messages." in out
