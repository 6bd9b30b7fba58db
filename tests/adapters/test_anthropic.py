"""Anthropic's package against the proxy: its lists stay valid, and everything else comes through."""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
anthropic = pytest.importorskip("anthropic")
pytest.importorskip("prometheus_client")

from convgate.server.app import create_app
from tests.adapters.replies import anthropic_reply
from tests.adapters.serving import TOKEN, keep_at_random, running, settings_of
from tests.dialects import anthropic as written
from tests.dialects import check_anthropic, random_exchanges
from tests.llm_server import ChatServer, raw_reply

pytestmark = pytest.mark.adapters

FINE = {"type": "text", "text": "It is fine."}
CACHED = {"cache_control": {"type": "ephemeral"}}
TOOL = {"name": "look", "description": "Looks.", "input_schema": {"type": "object"}}
AGENT: dict[str, Any] = {  # what Claude Code sends beside the messages
    "model": "m",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "Be terse."}, {"type": "text", "text": "Plan first.", **CACHED}],
    "tools": [TOOL, {**TOOL, "name": "count", **CACHED}],
    "thinking": {"type": "enabled", "budget_tokens": 1024},
    "metadata": {"user_id": "u"},
}
BETAS: dict[str, Any] = {
    "betas": ["claude-code-20250219", "interleaved-thinking-2025-05-14"],
    "extra_query": {"beta": "true"},
}


def random_answer(rng: random.Random) -> list[dict[str, Any]]:
    """Thinking, hidden thinking, text and one to three calls."""
    calls = [
        {"type": "tool_use", "id": f"t{place}", "name": "look", "input": {"at": rng.randint(0, 99)}}
        for place in range(rng.randint(1, 3))
    ]
    thinking = {"type": "thinking", "thinking": f"Hm, {rng.random()}.", "signature": f"s{rng.random()}"}
    hidden = {"type": "redacted_thinking", "data": f"x{rng.random()}"}
    return [thinking, hidden, {"type": "text", "text": f"Looking, {rng.random()}."}, *calls]


@pytest.fixture
def upstream(upstream: ChatServer) -> ChatServer:
    upstream.set_script(anthropic_reply(FINE))
    return upstream


@pytest.fixture
def client(convgate_home: Path, upstream: ChatServer) -> Iterator[Any]:
    settings = settings_of(convgate_home, server={"upstream": upstream.url})
    with (
        running(create_app(settings, token=TOKEN)) as address,
        anthropic.Anthropic(base_url=f"{address}/token/{TOKEN}", api_key="key", max_retries=0) as client,
    ):
        yield client


def chat() -> list[dict[str, Any]]:
    """A list whose oldest exchange the policy drops, and whose last one is in the middle of a tool loop."""
    cached = {"type": "text", "text": "How hot is it?", **CACHED}
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
        system=AGENT["system"],
        extra_headers={"anthropic-beta": "context-1m-2025-08-07"},
    )  # fmt: skip
    assert raw.parse().content[0].text == "It is fine."
    (received,) = upstream.requests
    assert received["messages"] == messages[4:]
    assert received["system"] == AGENT["system"]
    assert received["tools"] == [TOOL]
    assert upstream.paths == ["/v1/messages"]
    assert raw.headers["x-convgate-dropped"] == "4"


def test_a_stream_comes_through(client: Any, upstream: ChatServer) -> None:
    upstream.set_script(anthropic_reply(FINE, streams=True))
    with client.messages.stream(model="m", max_tokens=9, messages=chat()) as stream:
        assert "".join(stream.text_stream) == "It is fine."
    assert upstream.requests[0]["stream"] is True
    assert check_anthropic(upstream.requests[0]["messages"]) == []


KINDS = ("thinking", "redacted_thinking", "parallel calls", "server_tool_use", "cached")


def kinds(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    """What a list has, once for each message that has it."""
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        types = [block["type"] for block in blocks]
        yield from set(types)
        if types.count("tool_use") > 1:
            yield "parallel calls"
        if any("cache_control" in block for block in blocks):
            yield "cached"


def as_claude_code(messages: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The list with a reminder behind each batch of results, and the last two user's messages cached."""
    marked = copy.deepcopy(list(messages))
    users = [message for message in marked if message["role"] == "user"]
    for message in users:
        if isinstance(message["content"], str):
            message["content"] = [{"type": "text", "text": message["content"]}]
        if message["content"][0]["type"] == "tool_result":
            message["content"].append({"type": "text", "text": "<system-reminder>Be safe.</system-reminder>"})
    for message in users[-2:]:
        message["content"][-1] |= CACHED
    return marked


def test_two_hundred_requests_of_claude_code_are_valid_and_lose_nothing(
    client: Any, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_at_random(monkeypatch)
    n_dropped, seen = 0, Counter[str]()
    for seed in range(200):
        rng = random.Random(seed)
        exchanges = [replace(each, thinks=True) for each in random_exchanges(rng)]
        messages, answer = as_claude_code(written(exchanges)), random_answer(rng)
        upstream.set_script(anthropic_reply(*answer, streams=True))
        with client.beta.messages.stream(messages=copy.deepcopy(messages), **BETAS, **AGENT) as stream:
            blocks = [block.model_dump(exclude_unset=True) for block in stream.get_final_message().content]
        assert [
            {name: block[name] for name in each} for each, block in zip(answer, blocks, strict=True)
        ] == answer
        (received,), (headers,) = upstream.requests, upstream.headers
        assert check_anthropic(received["messages"]) == [], seed
        rest = iter(messages)
        assert all(message in rest for message in received["messages"]), "the messages as they were"
        assert received["messages"][-1] == messages[-1]
        assert received == {**AGENT, "stream": True, "messages": received["messages"]}
        assert upstream.paths == ["/v1/messages?beta=true"]
        assert headers["anthropic-beta"] == ",".join(BETAS["betas"])
        assert upstream.keys == ["Bearer key"]
        n_dropped += len(messages) - len(received["messages"])
        seen.update(kinds(received["messages"]))
    assert n_dropped > 200, "most requests are shortened"
    assert min(seen[kind] for kind in KINDS) > 50, seen


def test_tokens_are_counted_of_all_messages(client: Any, upstream: ChatServer) -> None:
    upstream.set_script(raw_reply(b'{"input_tokens": 7}'))
    fields = {name: value for name, value in AGENT.items() if name not in ("max_tokens", "metadata")}
    counted = client.beta.messages.count_tokens(messages=chat(), **BETAS, **fields)
    assert counted.input_tokens == 7
    assert upstream.requests == [{**fields, "messages": chat()}]
    assert upstream.paths == ["/v1/messages/count_tokens?beta=true"]
