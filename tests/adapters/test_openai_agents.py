"""The OpenAI Agents SDK, with a model that follows a script."""

from __future__ import annotations

import asyncio
import runpy
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents")

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from agents.items import ItemHelpers
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseReasoningItem,
)

from convgate.adapters.openai_agents import call_model_input_filter, session_input_callback
from convgate.selection.selector import Selector
from tests.adapters.histories import failing_gate
from tests.adapters.responses import all_in, exchange, output, user, violations
from tests.adapters.responses import call as asked
from tests.selectors import FixedPolicy, make_selector, plain

pytestmark = pytest.mark.adapters
CHECKOUT = Path(__file__).resolve().parents[2]


class ScriptedModel(Model):
    """Gives the next outputs of a script at each call, and records what it received."""

    def __init__(self, *script: list[Any]) -> None:
        self.script = list(script)
        self.inputs: list[list[Any]] = []

    async def get_response(self, system_instructions, input, *args, **options) -> ModelResponse:
        self.inputs.append(ItemHelpers.input_to_new_input_list(input))
        return ModelResponse(output=self.script.pop(0), usage=Usage(), response_id=None)

    def stream_response(self, *args, **options):
        raise NotImplementedError


def say(text: str) -> ResponseOutputMessage:
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="msg", type="message", role="assistant", status="completed", content=[part]
    )


def call(id: str) -> ResponseFunctionToolCall:
    arguments = '{"at": "loss"}'
    return ResponseFunctionToolCall(type="function_call", call_id=id, name="look", arguments=arguments)


def think(id: str) -> ResponseReasoningItem:
    return ResponseReasoningItem(id=f"rs_{id}", type="reasoning", summary=[])


@function_tool
def look(at: str) -> str:
    return "nan"


async def run(model: ScriptedModel, text: Any, session: SQLiteSession | None, **hooks: Any) -> str:
    agent = Agent(name="Helper", instructions="Be brief.", model=model, tools=[look])
    config = RunConfig(tracing_disabled=True, **hooks)
    result = await Runner.run(agent, text, session=session, run_config=config)
    return str(result.final_output)


class TopicPolicy(FixedPolicy):
    """Keeps turns that have the last word of the current message."""

    def decide(self, current, history):
        topic = current.turn.text.split()[-1]
        kept = {history.start + place for place, turn in enumerate(history) if topic in turn.scored_text}
        return FixedPolicy(kept).decide(current, history)


def keep_topic() -> Selector:
    return plain(TopicPolicy())


SCRIPT = (
    [think("a"), call("a1"), call("a2")], [say("The loss is nan.")],
    [say("The lunch is soup.")],
    [think("b"), call("b")], [say("The loss is nan still.")],
)  # fmt: skip
QUESTIONS = ("Look at the loss", "Tell me about lunch", "Look again at the loss")


@pytest.mark.parametrize("hook", ["session_input_callback", "call_model_input_filter"])
def test_a_run_sends_part_of_a_session_that_keeps_everything(hook: str) -> None:
    make = {
        "session_input_callback": session_input_callback,
        "call_model_input_filter": call_model_input_filter,
    }
    sent, whole = ScriptedModel(*SCRIPT), ScriptedModel(*SCRIPT)
    session, other = SQLiteSession("a"), SQLiteSession("b")

    async def ask() -> None:
        for question in QUESTIONS:
            await run(sent, question, session, **{hook: make[hook](keep_topic())})
            await run(whole, question, other)

    asyncio.run(ask())
    stored = asyncio.run(session.get_items())
    assert [strip(item) for item in stored] == [strip(item) for item in asyncio.run(other.get_items())]
    assert [len(items) for items in sent.inputs] == [1, 6, 1, 8, 11]
    assert [len(items) for items in whole.inputs] == [1, 6, 8, 10, 13]
    assert [violations(items) for items in sent.inputs] == [[]] * 5
    assert sent.inputs[-1][:8] == sent.inputs[-2], "one selection serves the whole run"
    assert "lunch" not in str(sent.inputs[-1])
    assert "Look again" in str(sent.inputs[-1])


def strip(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if key != "id"}


def test_the_callback_returns_the_same_items_and_all_new_ones() -> None:
    history = [*exchange("loss", "a"), *exchange("lunch", "b")]
    new = [user("Be quick."), user("What of the loss")]
    select = session_input_callback(keep_topic())
    combined = asyncio.run(select(history, new))
    assert all_in(combined, [*history, *new])
    assert combined[-2:] == new
    assert violations(combined) == []
    assert "lunch" not in str(combined)
    called = [user("Look at the loss"), asked("c")]
    resumed = [output("c"), user("What of the loss")]
    combined = asyncio.run(select([*history, *called], resumed))
    assert combined[-4:] == [*called, *resumed]
    assert "lunch" not in str(combined)


def test_a_call_that_is_still_going_on_stays() -> None:
    model = ScriptedModel([think("a"), call("a")], [think("b"), call("b")], [say("Fine.")])
    asyncio.run(run(model, "Look at it", None, call_model_input_filter=call_model_input_filter(keep_topic())))
    assert [len(items) for items in model.inputs] == [1, 4, 7]


def test_everything_is_sent_when_selecting_fails(caplog) -> None:
    model, session = ScriptedModel(*SCRIPT), SQLiteSession("a")
    hooks = {
        "session_input_callback": session_input_callback(failing_gate()),
        "call_model_input_filter": call_model_input_filter(failing_gate()),
    }

    async def ask() -> list[str]:
        return [await run(model, question, session, **hooks) for question in QUESTIONS]

    assert asyncio.run(ask())[-1] == "The loss is nan still."
    assert [len(items) for items in model.inputs] == [1, 6, 8, 10, 13]
    assert "no model" in caplog.text


def test_a_budget_bounds_what_a_session_sends() -> None:
    history = [item for place in range(20) for item in exchange(f"topic{place}", f"call{place}")]
    select = session_input_callback(make_selector(), budget=100)
    combined = asyncio.run(select(history, [user("So?")]))
    assert 1 < len(combined) < len(history) / 2
    assert violations(combined) == []
    alone = asyncio.run(session_input_callback(keep_topic(), budget=100)(history, [user("So?")]))
    assert violations(alone) == []
    assert len(alone) < len(history) / 2, "a budget is for any policy"


@pytest.mark.shipped
def test_the_example_sends_a_valid_list_with_what_is_needed_without_the_finished_subject(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = runpy.run_path(str(CHECKOUT / "examples" / "openai_agents.py"), run_name="__main__")
    received = names["model"].inputs[-1]
    assert violations(received) == []
    assert "too high" in str(received)
    assert "lunch" not in str(received)
    assert "stored: 10 items; the last call received " in capsys.readouterr().out
