"""The proxy notes a request as sent when the provider has answered it: what is refused is in no cache."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")

from convgate.costs.prices import Usage
from convgate.server.app import create_app
from tests.adapters.serving import TOKEN, running, settings_of
from tests.adapters.test_proxy import metric
from tests.adapters.test_proxy_costs import agent_requests, chat_requests
from tests.llm_server import ChatServer
from tests.simulated_provider import (
    ANTHROPIC,
    OPENAI,
    SimulatedProvider,
    count_tokens,
    strip_breakpoints,
)

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
    dollars = float(response.headers["x-convgate-dollars"])
    assert dollars < sent - dollars, "the second request writes the original, too"
