"""Anthropic's package against the proxy: its lists stay valid, and everything else comes through."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
anthropic = pytest.importorskip("anthropic")
pytest.importorskip("prometheus_client")

from convgate.server.app import create_app
from tests.adapters.serving import TOKEN, running, settings_of
from tests.dialects import anthropic as written
from tests.dialects import check_anthropic, random_exchanges
from tests.llm_server import ChatServer, raw_reply

pytestmark = pytest.mark.adapters

ANSWER = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
    "stop_sequence": None, "content": [{"type": "text", "text": "Fine."}],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}  # fmt: skip
EVENTS = (
    {"type": "message_start", "message": {**ANSWER, "content": [], "stop_reason": None}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It is "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "fine."}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 2},
    },
    {"type": "message_stop"},
)
STREAM = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in EVENTS).encode()
TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}


@pytest.fixture
def upstream() -> Iterator[ChatServer]:
    server = ChatServer()
    server.set_script(raw_reply(json.dumps(ANSWER).encode()))
    yield server
    server.close()


@pytest.fixture
def client(convgate_home: Path, upstream: ChatServer) -> Iterator[Any]:
    settings = settings_of(convgate_home, server_upstream=upstream.url, server_max_requests=1_000)
    with (
        running(create_app(settings, token=TOKEN)) as address,
        anthropic.Anthropic(base_url=f"{address}/token/{TOKEN}", api_key="key", max_retries=0) as client,
    ):
        yield client


def chat() -> list[dict[str, Any]]:
    """A list whose oldest exchange the policy drops, and whose last one is in the middle of a tool loop."""
    cached = {"type": "text", "text": "How hot is it?", "cache_control": {"type": "ephemeral"}}
    thinking = {"type": "thinking", "thinking": "Ask.", "signature": "s"}
    return [
        {"role": "user", "content": "The oldest question"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "1"}]},
        {"role": "assistant", "content": "The oldest answer"},
        {"role": "user", "content": "An old question"},
        {"role": "assistant", "content": "An old answer"},
        {"role": "user", "content": [cached]},
        {
            "role": "assistant",
            "content": [thinking, {"type": "tool_use", "id": "b", "name": "look", "input": {}}],
        },
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "b", "content": "31 °C"}]},
    ]


def test_upstream_gets_whole_tool_loops_and_everything_else(client: Any, upstream: ChatServer) -> None:
    messages = chat()
    raw = client.messages.with_raw_response.create(
        model="m", max_tokens=9, messages=copy.deepcopy(messages), tools=[TOOL],
        system=[{"type": "text", "text": "Be terse.", "cache_control": {"type": "ephemeral"}}],
        extra_headers={"anthropic-beta": "context-1m-2025-08-07"},
    )  # fmt: skip
    assert raw.parse().content[0].text == "Fine."
    (received,) = upstream.requests
    assert received["messages"] == messages[4:]
    assert received["system"][0]["cache_control"] == {"type": "ephemeral"}
    assert received["tools"] == [TOOL]
    assert upstream.paths == ["/v1/messages"]
    assert raw.headers["x-convgate-dropped"] == "4"


def test_a_stream_comes_through(client: Any, upstream: ChatServer) -> None:
    upstream.set_script(raw_reply(STREAM))
    with client.messages.stream(model="m", max_tokens=9, messages=chat()) as stream:
        assert "".join(stream.text_stream) == "It is fine."
    assert upstream.requests[0]["stream"] is True
    assert check_anthropic(upstream.requests[0]["messages"]) == []


def test_two_hundred_requests_of_an_agent_are_valid(client: Any, upstream: ChatServer) -> None:
    dropped = 0
    for seed in range(200):
        messages = list(written(random_exchanges(random.Random(seed))))
        client.messages.create(model="m", max_tokens=9, messages=messages, tools=[TOOL])
        received = upstream.requests[-1]["messages"]
        assert check_anthropic(received) == [], seed
        assert all(message in messages for message in received), "the messages as they were"
        assert received[-1] == messages[-1]
        dropped += len(messages) - len(received)
    assert dropped > 200, "most requests are shortened"
