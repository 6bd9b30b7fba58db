"""The proxy notes a request as sent when the provider has answered it: what is refused is in no cache."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")

from convgate.core.settings import Settings
from convgate.costs.prices import Usage, find_price
from convgate.messages.tokens import turn_tokens
from convgate.server.app import create_app
from convgate.transcripts import turns_from_messages
from tests.adapters.expanding import APIS, Api, expand_call
from tests.adapters.serving import TOKEN, running, settings_of
from tests.adapters.test_proxy import metric
from tests.adapters.test_proxy_costs import agent_requests, chat_requests
from tests.llm_server import ChatServer
from tests.simulated_provider import ANTHROPIC, OPENAI, SimulatedProvider, count_tokens, strip_breakpoints

pytestmark = pytest.mark.adapters

SENT = 'convgate_dollars_total{outcome="sent"}'


@pytest.fixture
def provider() -> Iterator[SimulatedProvider]:
    provider = SimulatedProvider()
    yield provider
    provider.close()


@contextmanager
def proxy_of(home: Path, url: str, *, server: dict[str, Any] | None = None, **values: Any) -> Iterator[Any]:
    defaults = {"costs": {"model": "gpt-5"}, "policy_parameters": {"k": 4}, "hold_invariants": False}
    server = {"upstream": url, "select_seconds": 60, **(server or {})}
    settings = settings_of(home, **{**defaults, **values}, server=server)
    with (
        running(create_app(settings, token=TOKEN)) as address,
        httpx.Client(base_url=address, headers={"X-Convgate-Token": TOKEN}, timeout=60) as client,
    ):
        yield client


def dollars(client: Any, messages: list[dict[str, Any]]) -> float:
    response = client.post(OPENAI, json={"model": "m", "messages": messages})
    return float(response.headers["x-convgate-dollars"])


@pytest.mark.parametrize("status", [400, 429, 500])
def test_a_refused_request_is_not_taken_to_be_in_the_cache(
    convgate_home: Path, provider: SimulatedProvider, status: int
) -> None:
    messages = chat_requests()[8]
    with proxy_of(convgate_home, provider.url) as client:
        before = metric(client, SENT)
        provider.status = status
        refused = dollars(client, messages)
        assert metric(client, SENT) == before, "it is not billed"
        provider.status = 200
        assert dollars(client, messages) == refused
        assert metric(client, SENT) == pytest.approx(before + refused, abs=1e-6)
        assert dollars(client, messages) < 0.3 * refused, "now it is cached"


def test_a_request_without_an_answer_is_not_taken_to_be_in_the_cache(
    convgate_home: Path, provider: SimulatedProvider, upstream: ChatServer
) -> None:
    messages = chat_requests()[8]
    upstream.set_script(upstream.hang)
    with proxy_of(convgate_home, upstream.url, server={"upstream_seconds": 0.2}) as client:
        unanswered = dollars(client, messages)
    with proxy_of(convgate_home, provider.url) as client:
        assert dollars(client, messages) == unanswered


def test_a_shadow_knows_what_it_would_have_sent_and_nobody_else_believes_it(
    convgate_home: Path, tmp_path: Path, provider: SimulatedProvider
) -> None:
    first, second = chat_requests()[8:10]
    with proxy_of(tmp_path, provider.url) as client:
        dollars(client, first)
        warm = dollars(client, second)
    with proxy_of(tmp_path / "other", provider.url) as client:
        cold_second = dollars(client, second)
    for _ in range(2):  # two processes that share a library
        with proxy_of(convgate_home, provider.url, server={"shadow": True}) as client:
            dollars(client, first)
            shadowed = dollars(client, second)
    assert shadowed <= warm < cold_second
    with proxy_of(convgate_home, provider.url) as client:
        assert dollars(client, second) == cold_second


def test_a_later_request_for_an_answer_reads_the_first_from_the_cache(
    convgate_home: Path, provider: SimulatedProvider
) -> None:
    *_, messages, longer = agent_requests(n_messages=1, n_calls=14)
    tools = [{"name": "Read", "input_schema": {"type": "object"}}]
    settings: dict[str, Any] = {
        "elide": True,
        "costs": {"model": "claude-sonnet-4-5"},
        "policy": "everything",
    }
    with proxy_of(convgate_home, provider.url, policy_parameters={}, **settings) as client:
        client.post(ANTHROPIC, json={"messages": messages, "tools": tools})
        (id, *_) = re.findall(rb"Shortened by convgate, id (\w+)", provider.bodies[-1])
        call = {"type": "tool_use", "id": "x1", "name": "expand_result", "input": {"id": id.decode()}}
        provider.answers = [{"role": "assistant", "content": [call], "stop_reason": "tool_use"}]
        before, provider.now = metric(client, SENT), 10.0
        response = client.post(ANTHROPIC, json={"messages": messages, "tools": tools})
        sent = metric(client, SENT) - before
        after = client.post(ANTHROPIC, json={"messages": longer, "tools": tools})
    first, second, _ = (json.loads(body) for body in provider.bodies[1:])
    assert second["messages"][: len(first["messages"])] == first["messages"]
    n_first = sum(map(count_tokens, strip_breakpoints(first["messages"])))
    assert response.headers["x-convgate-expanded-usage"].startswith(f"input=0, cached={n_first}, written=0")
    usage, later = Usage.of(response.json()["usage"]), Usage.of(after.json()["usage"])
    assert usage is not None
    assert later is not None
    assert usage.cached == n_first
    assert usage.written == sum(map(count_tokens, second["messages"][len(first["messages"]) :]))
    assert later.cached >= n_first, "the agent goes on without the call"
    assert float(response.headers["x-convgate-dollars"]) == pytest.approx(sent, abs=1e-6)


def calling(api: Api, number: int) -> dict[str, Any]:
    """An answer that calls the tool."""
    call = expand_call(number=number)
    if api.name == "anthropic":
        return {"role": "assistant", "content": [{"type": "tool_use", **call}], "stop_reason": "tool_use"}
    function = {"name": call["name"], "arguments": json.dumps(call["input"])}
    tool_calls = [{"id": call["id"], "type": "function", "function": function}]
    message = {"role": "assistant", "content": None, "tool_calls": tool_calls}
    return {"choices": [{"message": message, "finish_reason": "tool_calls"}]}


@pytest.mark.parametrize("api", APIS[:2], ids=[api.name for api in APIS[:2]])
def test_what_a_conversation_costs_is_what_the_provider_bills(convgate_home: Path, api: Api) -> None:
    provider = SimulatedProvider(lambda message: int(turn_tokens(turns_from_messages([message])).sum()))
    costs = {"model": "gpt-5" if api.name == "openai" else "claude-sonnet-4-5"}
    price, messages, headers = find_price(Settings(costs=costs)), api.messages, list[float]()
    assert price is not None
    values = {"elide": True, "costs": costs, "policy": "everything", "policy_parameters": {}}
    with proxy_of(convgate_home, provider.url, **values) as client:
        before = metric(client, SENT)
        for n_calls in (0, 2, 1):
            provider.answers = [calling(api, number) for number in range(n_calls)]
            body = {"messages": messages, "tools": [api.tool("Read")]}
            response = client.post(api.path, json=body)
            headers.append(float(response.headers["x-convgate-dollars"]))
            assert response.headers.get("x-convgate-expanded", "0") == str(n_calls)
            further = ("assistant", "Fine."), ("user", "And now?")
            messages = [*messages, *({"role": role, "content": text} for role, text in further)]
        sent = metric(client, SENT) - before
    provider.close()
    usages = [Usage.of(usage) for usage in provider.usages if usage]
    bill = sum(price.cost(replace(usage, output=0)) for usage in usages if usage)
    assert len(usages) == 6
    assert any(usage and usage.cached for usage in usages)
    assert sent == pytest.approx(bill)
    assert sum(headers) == pytest.approx(bill, abs=3e-6)
    with sqlite3.connect(settings_of(convgate_home).database) as db:
        ((details,),) = db.execute("SELECT details FROM sent_requests ORDER BY current DESC LIMIT 1")
    spending = json.loads(details)["spending"]
    assert spending["cost"] == pytest.approx(bill)
    assert spending["cost_all"] < bill, "without stubs there are no further requests"
