"""The pydantic-ai capability, in agents with a function as the model."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

pytest.importorskip("pydantic_ai")

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import (
    BinaryContent,
    LoadCapabilityCallPart,
    LoadCapabilityReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolAvailabilityDeltaPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from convgate.adapters.pydantic_ai import SelectionCapability, to_openai
from convgate.messages.check import check_valid
from convgate.selection.selector import Selector
from tests.adapters.histories import HISTORY, QUESTION, failing_gate, run_example, small_gate
from tests.selectors import FixedPolicy, plain

pytestmark = pytest.mark.adapters


def to_pydantic_ai() -> list[ModelMessage]:
    """Return HISTORY with the two results in one request: one message fewer."""
    messages: list[ModelMessage] = []
    for message in HISTORY:
        text = message["content"]
        if message["role"] == "tool":
            part = ToolReturnPart("read", text, tool_call_id=message["tool_call_id"])
            if isinstance(messages[-1], ModelRequest):
                messages[-1] = ModelRequest([*messages[-1].parts, part])
            else:
                messages.append(ModelRequest([part]))
        elif message["role"] == "user":
            messages.append(ModelRequest([UserPromptPart(text)]))
        else:
            calls = [
                ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
                for call in message.get("tool_calls", ())
            ]
            messages.append(ModelResponse([ThinkingPart("hm"), *calls] if calls else [TextPart(text)]))
    return messages


class Model:
    """Records what it receives, calls a tool once, then answers."""

    def __init__(self) -> None:
        self.received: list[list[ModelMessage]] = []

    def __call__(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.received.append(list(messages))
        if isinstance(messages[-1].parts[-1], ToolReturnPart):
            return ModelResponse([TextPart("done")])
        return ModelResponse([ToolCallPart("read_loss", {"run": 7}, tool_call_id="9")])


def read_loss(run: int) -> str:
    """Return the loss."""
    return "bread soup cake salad"


def process(messages: list[ModelMessage], source: Selector | None = None) -> list[ModelMessage]:
    return asyncio.run(SelectionCapability(source or small_gate()).process(messages))


def violations(messages: list[ModelMessage]) -> list[str]:
    rows = [
        to_openai(item)
        for message in messages
        for item in (message.parts if isinstance(message, ModelRequest) else [message])
    ]
    return check_valid(rows)


@pytest.mark.parametrize("fails", [False, True])
def test_model_receives_a_valid_selection_and_the_run_keeps_everything(
    fails: bool, caplog: pytest.LogCaptureFixture
):
    model, history = Model(), to_pydantic_ai()
    selection = SelectionCapability(failing_gate() if fails else small_gate())
    agent = Agent(FunctionModel(model), tools=[read_loss], instructions="be brief", capabilities=[selection])
    result = asyncio.run(agent.run(QUESTION, message_history=history))
    first, second = model.received
    assert result.output == "done"
    assert violations(first) == violations(second) == []
    assert first[:3] == history[:3], "the question, the calls with their thinking, and both results"
    assert first[-1].parts[0].content == QUESTION
    assert first[-1].instructions == "be brief"
    assert second[: len(first)] == first
    assert len(second) == len(first) + 2
    assert len(result.all_messages()) == len(history) + 4
    assert len(result.new_messages()) == 4
    assert (len(first) == len(history) + 1) is fails is bool(caplog.records)


def test_process_history_makes_the_selection_the_history():
    model = Model()
    processor = ProcessHistory(SelectionCapability(small_gate()).process)
    agent = Agent(FunctionModel(model), tools=[read_loss], capabilities=[processor])
    result = asyncio.run(agent.run(QUESTION, message_history=to_pydantic_ai()))
    assert violations(model.received[1]) == []
    assert len(result.all_messages()) < 10
    assert len(result.new_messages()) == 4


def test_request_that_loses_a_part_is_a_copy_with_the_same_fields():
    fields: dict[str, Any] = {
        "timestamp": datetime(2026, 1, 1, tzinfo=UTC),
        "instructions": "be brief",
        "run_id": "r",
        "metadata": {"a": 1},
    }
    change = ToolAvailabilityDeltaPart(tools_added=["read_loss"])
    prompt = UserPromptPart("how does somebody cook bread")
    request = ModelRequest([SystemPromptPart("be kind"), prompt, change], **fields)
    sent = process([request, *to_pydantic_ai(), ModelRequest([UserPromptPart(QUESTION)])])
    assert sent[0] == ModelRequest([request.parts[0], change], **fields)
    assert request.parts[1] is prompt, "the request itself is not changed"


def test_feedback_and_images_of_tools_do_not_replace_the_current_message():
    image = UserPromptPart(["bread soup", BinaryContent(b"x", media_type="image/png")])
    result = ToolReturnPart("read_loss", "bread", tool_call_id="9")
    question = ModelRequest([UserPromptPart(QUESTION)])
    call = ModelResponse([ToolCallPart("read_loss", {}, tool_call_id="9")])
    run = [question, call, ModelRequest([result, image])]
    history = to_pydantic_ai()
    sent = process([*history, *run])
    assert sent == [*process([*history, question]), *run[1:]]
    assert sent[:3] == history[:3]

    received: list[list[ModelMessage]] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        received.append(messages)
        return ModelResponse([TextPart("bread soup cake salad" if len(received) == 1 else "done")])

    agent = Agent(FunctionModel(answer), capabilities=[SelectionCapability(small_gate())])

    @agent.output_validator
    def check(output: str) -> str:
        if output != "done":
            raise ModelRetry("please write down how somebody cooks bread " * 20)
        return output

    asyncio.run(agent.run(QUESTION, message_history=to_pydantic_ai()))
    assert received[1][:-2] == received[0]
    assert received[1][len(received[0]) - 1].parts[0].content == QUESTION


def test_request_without_parts_and_calls_that_load_tools_are_kept():
    load = LoadCapabilityCallPart(args={"id": "oven"}, tool_call_id="5")
    loaded: list[ModelMessage] = [
        ModelRequest([UserPromptPart("bread")]),
        ModelResponse([load]),
        ModelRequest([LoadCapabilityReturnPart(content={"message": "bread"}, tool_call_id="5")]),
        ModelResponse([TextPart("bread")]),
    ]
    last = [ModelRequest([UserPromptPart(QUESTION)]), ModelResponse([TextPart("")]), ModelRequest([])]
    sent = process([*loaded, *to_pydantic_ai(), *last])
    assert sent[:3] == loaded[:3]
    assert loaded[3] not in sent
    assert sent[-3:] == last


@pytest.mark.shipped
def test_example_sends_the_relevant_turns_with_the_shipped_gate(capsys: pytest.CaptureFixture[str]):
    run_example("pydantic_ai_agent")
    out = capsys.readouterr().out
    assert "text: The learning rate of run 7 was 0.1" in out
    assert "soup" not in out
    assert "The run's history has 18 messages." in out


@pytest.mark.filterwarnings("ignore:.*RetryPromptPart.*is deprecated")
def test_a_call_stays_with_the_retry_that_answers_it() -> None:
    from pydantic_ai.messages import RetryPromptPart

    messages = [
        ModelRequest([UserPromptPart("Which loss?")]),
        ModelResponse([ToolCallPart("read", {"run": "seven"}, tool_call_id="1")]),
        ModelRequest([RetryPromptPart("run must be a number", tool_name="read", tool_call_id="1")]),
        ModelResponse([TextPart("Seven.")]),
        ModelRequest([RetryPromptPart("say it in words")]),
        ModelRequest([UserPromptPart("So?")]),
    ]
    for kept in ({1}, {2}):
        capability = SelectionCapability(plain(FixedPolicy(kept)))
        sent = asyncio.run(capability.process(list(messages)))
        assert sent == [*messages[:3], messages[-1]], "or neither"
    assert to_openai(messages[4].parts[0])["role"] == "feedback"
