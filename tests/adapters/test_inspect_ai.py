"""The compaction strategy in agents and evaluations of inspect_ai, with its own mock model."""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    CompactionStrategy,
    ContentImage,
    ContentText,
    ModelAPI,
    ModelOutput,
    compaction,
    get_model,
)
from inspect_ai.scorer import includes
from inspect_ai.tool import Tool, ToolCall, ToolCallError, tool

from convgate.adapters.inspect_ai import SelectionCompaction, make_message, to_openai
from convgate.messages.check import check_valid
from convgate.selection.selector import Selector
from tests.adapters.histories import HISTORY, QUESTION, failing_gate, run_example, small_gate
from tests.selectors import FixedPolicy, plain
from tests.tool_runs import Message, Run, code

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings(
        "ignore:Unclosed <MemoryObject:ResourceWarning"
    ),  # of inspect_ai's own streams
]


@pytest.fixture(autouse=True)
def count_without_a_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """inspect_ai loads a tokenizer from the network."""

    async def count(_: ModelAPI, text: str) -> int:
        return len(text) // 4

    monkeypatch.setattr(ModelAPI, "count_text_tokens", count)
    yield
    gc.collect()  # while the warnings are ignored


def to_inspect(messages: list[Message], source: Any = None) -> list[ChatMessage]:
    """Return messages of OpenAI's API as those of inspect_ai; users' ones with a source."""
    made: list[ChatMessage] = []
    for message in messages:
        text = message["content"]
        if message["role"] == "user":
            made.append(ChatMessageUser(content=text, source=source))
        elif message["role"] == "system":
            made.append(ChatMessageSystem(content=text))
        elif message["role"] == "tool":
            made.append(ChatMessageTool(content=text, tool_call_id=message["tool_call_id"]))
        else:
            calls = [
                ToolCall(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
                for call in message.get("tool_calls", ())
            ]
            made.append(ChatMessageAssistant(content=text, tool_calls=calls or None))
    return made


def long_run(n_lines: int = 120) -> Run:
    """A run in which a later result has all of the first one."""
    run = Run().call("Read", code(n_lines - 1), file_path="a.py").go_on()
    return run.call("Read", code(n_lines), file_path="a.py")


def compact(strategy: CompactionStrategy, messages: list[ChatMessage]) -> Any:
    return asyncio.run(strategy.compact_outcome(get_model("mockllm/model"), messages, []))


def elide(**options: Any) -> SelectionCompaction:
    return SelectionCompaction(plain(FixedPolicy(), elide=True), **options)


def ids(messages: list[ChatMessage]) -> list[str | None]:
    return [message.id for message in messages]


def test_the_selected_messages_are_the_agents_own() -> None:
    asked = to_inspect([{"role": "system", "content": "be brief"}, *HISTORY], "input")
    asked.append(ChatMessageUser(content=QUESTION, source="input"))
    before = [message.model_copy() for message in asked]
    outcome = compact(SelectionCompaction(small_gate()), asked)
    assert all(any(message is own for own in asked) for message in outcome.input)
    assert asked == before
    assert ids(outcome.input)[:5] == ids(asked)[:5], "instructions, the calls and both results"
    assert outcome.input[-1] is asked[-1]
    assert 5 < len(outcome.input) < len(asked)
    assert check_valid([to_openai(message) for message in outcome.input]) == []
    assert (outcome.message, outcome.applied) == (None, "SelectionCompaction")


def test_results_of_the_run_are_stubs_with_ids_of_their_own() -> None:
    messages = to_inspect(long_run().messages, "input")
    before = [message.model_copy() for message in messages]
    sent = compact(elide(), messages).input
    assert [message.id for message in sent if message.id not in ids(messages)] == [sent[2].id]
    assert sent[2].text.startswith("[Shortened by convgate, id ")
    assert sent[2].tool_call_id == messages[2].tool_call_id
    assert messages == before
    assert [one is other for one, other in zip(sent, messages, strict=True)].count(False) == 1


def test_a_stub_is_not_shortened_again_and_stays_the_same_message() -> None:
    messages = to_inspect(long_run(400).messages, "input")
    strategy = elide()
    once = compact(strategy, messages).input
    further = Run().go_on().call("Read", code(401), file_path="a.py").messages[1:]
    for message in further:
        for id in [message, *message.get("tool_calls", ())]:
            id.update({key: f"further {id[key]}" for key in ("id", "tool_call_id") if key in id})
    again = compact(strategy, [*once, *to_inspect(further)]).input
    assert again[2] is once[2]
    assert any(message.text.startswith("[Shortened") for message in again[3 : len(once)])
    assert len(again) == len(once) + len(further)


def test_what_only_looks_like_a_stub_is_a_text_of_its_tool() -> None:
    messages = to_inspect(long_run().messages, "input")
    strategy = elide()
    shortened = compact(strategy, messages).input[2].text
    id = shortened.split("id ")[1].split(":")[0]
    forged = ChatMessageTool(content=f"[Shortened by convgate, id {id}: ", tool_call_id="c1")
    assert strategy._to_openai(forged, only_input=True)["content"] == forged.text


def test_the_task_and_the_current_message_stay_when_the_agent_writes_as_the_user() -> None:
    run = to_inspect(long_run().messages, "input")
    run += [ChatMessageAssistant(content="Done?"), ChatMessageUser(content="Please proceed.")]
    sent = compact(elide(), run).input
    assert [message for message in sent if message.role != "tool"] == [
        message for message in run if message.role != "tool"
    ]
    for source in ("input", None):
        first, second = (ChatMessageUser(content=f"do {name}", source=source) for name in "ab")
        answers = [ChatMessageAssistant(content="so") for _ in range(2)]
        operator = ChatMessageUser(content="rather this", source="operator")
        none = SelectionCompaction(plain(FixedPolicy(set())))
        sent = compact(none, [first, answers[0], second, answers[1], operator]).input
        task = second if source else first
        assert sent == [task, operator], "the task is the last message of the input, or the first one"


def test_where_nothing_is_left_to_shorten_the_oldest_messages_go(caplog: pytest.LogCaptureFixture) -> None:
    messages = to_inspect(Run().go_on(10).messages, "input")
    for strategy in (elide(), SelectionCompaction(failing_gate())):
        outcome = compact(strategy, messages)
        assert (outcome.applied, outcome.fallback_reason is None) == ("CompactionTrim", False)
        assert len(outcome.input) < len(messages)
        assert outcome.input[0] is messages[0]
    assert caplog.records, "a selection that fails is logged"


def test_errors_and_images_stay_as_they_are() -> None:
    stub = {"role": "tool", "content": "[Shortened by convgate, id ab: …"}
    image = [ContentText(text="a"), ContentImage(image="data:image/png;base64,AA==")]
    error = ToolCallError("timeout", "too slow")
    for kept in (ChatMessageTool(content="", error=error), ChatMessageTool(content=image)):
        assert make_message(stub, kept) is kept
    assert to_openai(ChatMessageTool(content="", error=error))["content"] == "too slow"
    assert to_openai(ChatMessageUser(content=image))["content"] == [
        {"type": "text", "text": "a"},
        {"type": "image"},
    ]
    assert make_message({"role": "user", "content": "a"}, None).role == "user"


@tool
def read() -> Tool:
    async def execute(file_path: str) -> str:
        """Read a file.

        Args:
            file_path: The file.
        """
        return code(400, name=file_path)

    return execute


class Script:
    """A mock model that reads a file again and again, then answers; keeps what it received."""

    def __init__(self, n_calls: int) -> None:
        self.n_calls = n_calls
        self.received: list[list[ChatMessage]] = []

    def __call__(self, messages: list[ChatMessage], *_: Any) -> ModelOutput:
        self.received.append([*messages])
        number = len(self.received)
        if number > self.n_calls:
            return ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "it is fixed"})
        return ModelOutput.for_tool_call("mockllm/model", "read", {"file_path": f"part_{number % 3}"})


@pytest.mark.parametrize("with_convgate", [False, True])
def test_an_evaluation_runs_with_and_without_it(with_convgate: bool, tmp_path: Path) -> None:
    script = Script(12)
    agent = react(tools=[read()], compaction=elide(threshold=25_000) if with_convgate else None)
    task = Task([Sample(input="Please fix it.", target="fixed")], solver=agent, scorer=includes())
    model = get_model("mockllm/model", custom_outputs=script)
    (log,) = run_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success"
    assert log.results is not None
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    n_stubs = sum(message.text.startswith("[Shortened") for message in script.received[-1])
    assert (n_stubs > 0) is with_convgate
    assert log.samples is not None
    events = [event for event in log.samples[0].events if event.event == "compaction"]
    assert bool(events) is with_convgate
    for event in events:
        assert event.tokens_after <= 25_000 < event.tokens_before
        assert event.metadata["strategy"] == "SelectionCompaction"
        assert "fallback_reason" not in event.metadata
    for messages in script.received:
        assert check_valid([to_openai(message) for message in messages]) == []
    assert not any("[Shortened" in message.text for message in log.samples[0].messages), "the state keeps all"


def test_a_handler_of_inspect_goes_on_with_what_was_sent() -> None:
    messages = to_inspect(long_run(400).messages, "input")
    handler = compaction(elide(threshold=7_000), prefix=messages[:1], model="mockllm/model")

    async def send() -> tuple[list[ChatMessage], list[ChatMessage]]:
        first, _ = await handler.compact_input(messages)
        second, _ = await handler.compact_input([*messages, ChatMessageUser(content="So?")])
        return first, second

    first, second = asyncio.run(send())
    assert ids(second)[:-1] == ids(first)


@pytest.mark.shipped
def test_example_sends_the_relevant_turns_with_the_shipped_gate(capsys: pytest.CaptureFixture[str]) -> None:
    run_example("inspect_ai_agent")
    out = capsys.readouterr().out
    assert "The learning rate of run 7 was 0.1" in out
    assert "pancakes" not in out
    assert "The state has 17 messages." in out


def test_by_default_results_are_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = SelectionCompaction(threshold=0.5)
    assert strategy.selector.selector.settings.elide
    assert strategy.threshold == 0.5
    chosen: Selector = small_gate()
    assert not SelectionCompaction(chosen).selector.selector.settings.elide
