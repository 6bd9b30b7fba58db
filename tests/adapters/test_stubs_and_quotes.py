"""Frameworks whose messages can be made anew get stubs of results, and quotes with prices."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from convgate.messages.check import check_valid
from convgate.selection.selector import Selector
from tests.selectors import FixedPolicy, plain
from tests.test_selection_cache import keep, long_chat_with_a_hat, priced
from tests.tool_runs import Message, Run, code

pytestmark = pytest.mark.adapters

Send = Callable[[Selector, list[Message]], list[Message]]
"""Gives messages of OpenAI's API to a framework's adapter, and returns what is sent in the same shape."""


def send_by_langgraph(selector: Selector, messages: list[Message]) -> list[Message]:
    langchain = pytest.importorskip("langchain_core.messages")
    pytest.importorskip("langgraph")
    from convgate.adapters.langgraph import pre_model_hook, to_openai

    state = {"messages": langchain.convert_to_messages(messages)}
    before = [message.model_copy() for message in state["messages"]]
    sent = pre_model_hook(selector).invoke(state)["llm_input_messages"]
    assert state["messages"] == before
    return [to_openai(message) for message in sent]


def send_by_langchain(selector: Selector, messages: list[Message]) -> list[Message]:
    middleware = pytest.importorskip("langchain.agents.middleware")
    from langchain_core.messages import convert_to_messages

    from convgate.adapters.langchain import SelectionMiddleware
    from convgate.adapters.langgraph import to_openai
    from tests.adapters.test_langchain import fake_model

    request = middleware.ModelRequest(model=fake_model(), messages=convert_to_messages(messages))
    received: list[Any] = []
    SelectionMiddleware(selector).wrap_model_call(request, lambda changed: received.extend(changed.messages))
    return [to_openai(message) for message in received]


def send_by_openai_agents(selector: Selector, messages: list[Message]) -> list[Message]:
    run_config = pytest.importorskip("agents.run_config")
    from convgate.adapters.openai_agents import call_model_input_filter

    items: list[Message] = []
    for message in messages:
        calls = message.get("tool_calls", ())
        if message["role"] == "tool":
            items.append(
                {
                    "type": "function_call_output",
                    "call_id": message["tool_call_id"],
                    "output": message["content"],
                }
            )
        elif not calls:
            items.append({"role": message["role"], "content": message["content"]})
        items += [{"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls]
    data = run_config.ModelInputData(input=items, instructions=None)
    changed = run_config.CallModelData(model_data=data, agent=None, context=None)
    sent = asyncio.run(call_model_input_filter(selector)(changed)).input
    return [
        {"role": item.get("role", "tool"), "content": item.get("output", item.get("content"))}
        if item.get("type") != "function_call"
        else {"role": "assistant", "content": "", "tool_calls": [item]}
        for item in sent
    ]


def send_by_pydantic_ai(selector: Selector, messages: list[Message]) -> list[Message]:
    parts = pytest.importorskip("pydantic_ai.messages")
    from convgate.adapters.pydantic_ai import SelectionCapability, to_openai

    listed: list[Any] = []
    for message in messages:
        calls = message.get("tool_calls", ())
        if message["role"] == "assistant":
            made = [
                parts.ToolCallPart(call["function"]["name"], call["function"]["arguments"], call["id"])
                for call in calls
            ]
            listed.append(parts.ModelResponse(made or [parts.TextPart(message["content"])]))
        elif message["role"] == "tool":
            result = parts.ToolReturnPart("tool", message["content"], tool_call_id=message["tool_call_id"])
            listed.append(parts.ModelRequest([result]))
        else:
            listed.append(parts.ModelRequest([parts.UserPromptPart(message["content"])]))
    before, context = repr(listed), SimpleNamespace(messages=listed)
    asyncio.run(SelectionCapability(selector).before_model_request(None, context))
    assert repr(listed) == before
    return [
        to_openai(item)
        for message in context.messages
        for item in (message.parts if isinstance(message, parts.ModelRequest) else [message])
    ]


SENDERS = [send_by_langchain, send_by_langgraph, send_by_openai_agents, send_by_pydantic_ai]


@pytest.mark.parametrize("send", SENDERS)
def test_results_of_the_run_are_sent_as_stubs(send: Send) -> None:
    run = Run().call("Read", code(), file_path="a.py").go_on().call("Read", code(119), file_path="a.py")
    sent = send(plain(FixedPolicy(), elide=True), run.messages)
    assert len(sent) == len(run.messages)
    assert sent[2]["content"].startswith("[Shortened by convgate, id ")
    assert [message["content"] for message in sent[3:]] == [
        message["content"] for message in run.messages[3:]
    ]
    assert json.dumps(send(plain(FixedPolicy()), run.messages)).count("Shortened") == 0


@pytest.mark.parametrize("send", SENDERS)
def test_missing_turns_are_quoted_behind_the_cached_prefix(send: Send) -> None:
    messages, selector = long_chat_with_a_hat(), priced([0, 2, 3, 4])
    first = send(selector, messages[:9])
    second = send(keep(selector, [0, 1, 2, 3, 4]), messages[:11])
    assert second[: len(first)] == first
    assert second[-2]["role"] == "user"
    assert second[-2]["content"].endswith("Turn 1, assistant:\n> Wear a hat.")
    assert second[-1]["content"] == messages[10]["content"]
    assert check_valid(second) == []


def test_a_session_of_the_agents_sdk_gets_its_own_items_alone() -> None:
    pytest.importorskip("agents")
    from convgate.adapters.openai_agents import session_input_callback

    items = [
        {"role": message["role"], "content": message["content"]} for message in long_chat_with_a_hat()[:11]
    ]
    selector = priced([0, 2, 3, 4])
    for policy, n in (([0, 2, 3, 4], 9), ([0, 1, 2, 3, 4], 11)):
        callback = session_input_callback(keep(selector, policy))
        sent = asyncio.run(callback(items[: n - 1], items[n - 1 : n]))
        assert all(any(item is own for own in items) for item in sent)
    assert any(item is items[1] for item in sent), "what cannot be quoted is sent"
