"""litellm: a model that records its messages, and the hook of the proxy."""

from __future__ import annotations

import asyncio
import os
import runpy
from pathlib import Path
from typing import Any

import pytest

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # litellm fetches prices otherwise
pytest.importorskip("litellm")

import litellm

from convgate.adapters.litellm import ConvgateHandler, select_messages
from convgate.adapters.openai import default_selector
from convgate.adapters.selection import MessageSelector
from convgate.messages.check import check_valid
from tests.adapters.histories import failing_gate
from tests.adapters.responses import exchange, output, user, violations
from tests.selectors import FixedPolicy, chat, plain, tool_calls_message, tool_result

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.filterwarnings("ignore:Item 'summary' on TypedDict"),  # litellm's own
]
CHECKOUT = Path(__file__).resolve().parents[2]
MESSAGES = [
    *chat("system: Be brief.", "user: Why is the loss nan?"),
    *(tool_calls_message("a", "b"), tool_result("a"), tool_result("b")),
    *chat("assistant: The rate is too high.", "user: Lunch?", "assistant: Soup.", "user: And the loss?"),
]


class RecordingModel(litellm.CustomLLM):
    def __init__(self) -> None:
        super().__init__()
        self.received: list[list[dict[str, Any]]] = []

    def completion(self, *args, messages, **options):
        self.received.append(messages)
        return litellm.completion("openai/any", messages=messages, mock_response="Fine.")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> RecordingModel:
    model = RecordingModel()
    monkeypatch.setattr(litellm, "custom_provider_map", [{"provider": "own", "custom_handler": model}])
    return model


def hooked(data: dict[str, Any], call_type: str = "acompletion", *kept: int) -> dict[str, Any]:
    handler = ConvgateHandler(plain(FixedPolicy(kept)))
    return asyncio.run(handler.async_pre_call_hook(None, None, data, call_type))


def test_the_model_receives_a_valid_part_of_the_messages(model: RecordingModel) -> None:
    sent = select_messages(MESSAGES, MessageSelector(plain(FixedPolicy({3}))))
    answer = litellm.completion("own/model", messages=sent)
    assert answer.choices[0].message.content == "Fine."
    assert sent == [*MESSAGES[:5], MESSAGES[8]]
    [received] = model.received
    assert [message["role"] for message in received] == [message["role"] for message in sent]
    assert check_valid(received) == []


@pytest.mark.parametrize("call_type", ["acompletion", "completion"])
def test_the_hook_selects_the_messages_of_a_chat_request(model: RecordingModel, call_type: str) -> None:
    client = list(MESSAGES)
    data = hooked({"model": "own/model", "messages": client}, call_type, 1)
    litellm.completion(**data)
    assert model.received == [[MESSAGES[0], MESSAGES[1], MESSAGES[8]]]
    assert client == MESSAGES, "the client's list stays"


def test_the_hook_selects_the_items_of_a_responses_request() -> None:
    items = [*exchange("loss", "a"), *exchange("lunch"), user("So?")]
    sent = hooked({"input": list(items)}, "aresponses", 1)["input"]
    assert sent == [*items[:4], items[-1]]
    assert violations(sent) == []


@pytest.mark.parametrize(
    ("data", "call_type"),
    [
        ({"messages": MESSAGES}, "atext_completion"),
        ({"input": ["a", "b"]}, "aembedding"),
        ({"input": "What is the loss?"}, "aresponses"),
        ({"input": [output("a"), user("So?")], "previous_response_id": "resp_1"}, "aresponses"),
        ({"input": [output("a"), user("So?")], "conversation": "conv_1"}, "aresponses"),
        ({"model": "own/model"}, "acompletion"),
    ],
)
def test_other_requests_pass_unchanged(data: dict[str, Any], call_type: str) -> None:
    assert hooked(dict(data), call_type) == data


def test_the_proxy_finds_the_hook() -> None:
    assert "async_pre_call_hook" in vars(ConvgateHandler), "it looks in the class itself"
    assert isinstance(ConvgateHandler(plain(FixedPolicy())), litellm.integrations.custom_logger.CustomLogger)


def test_all_messages_are_sent_when_selecting_fails(caplog) -> None:
    handler = ConvgateHandler(failing_gate())
    data = asyncio.run(handler.async_pre_call_hook(None, None, {"messages": MESSAGES}, "acompletion"))
    assert data["messages"] == MESSAGES
    assert "no model" in caplog.text


@pytest.mark.shipped
def test_the_example_sends_valid_lists_with_what_is_needed_without_the_finished_subject() -> None:
    default_selector.cache_clear()
    names = runpy.run_path(str(CHECKOUT / "examples" / "litellm_proxy.py"), run_name="__main__")
    for received in names["received"]:
        assert check_valid(received) == []
        assert "0.001" in str(received)
        assert "lunch" not in str(received)
    assert len(names["received"]) == 2
