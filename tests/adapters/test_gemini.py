"""Google's package against the proxy: its contents stay valid, and everything else comes through."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
genai = pytest.importorskip("google.genai")
pytest.importorskip("prometheus_client")

from google.genai import types

from convgate.server.app import create_app
from tests.adapters.replies import gemini_reply
from tests.adapters.serving import TOKEN, keep_at_random, running, settings_of
from tests.dialects import check_gemini, random_exchanges
from tests.dialects import gemini as written
from tests.llm_server import ChatServer, raw_reply

pytestmark = pytest.mark.adapters

LOOK = {"name": "look", "description": "Looks.", "parameters": {"type": "OBJECT"}}
CONFIG = types.GenerateContentConfig(
    system_instruction="Be terse.",
    tools=[types.Tool(function_declarations=[LOOK])],
    thinking_config=types.ThinkingConfig(include_thoughts=True),
)
OWN = {"host", "content-length", "connection"}  # headers of a connection


@pytest.fixture
def upstream(upstream: ChatServer) -> ChatServer:
    upstream.set_script(gemini_reply({"text": "Fine."}))
    return upstream


@contextmanager
def client_of(address: str, **options: Any) -> Iterator[Any]:
    options = {"base_url": address, **options}
    with genai.Client(api_key="key", http_options=types.HttpOptions(**options)) as client:
        yield client


@pytest.fixture
def address(convgate_home: Path, upstream: ChatServer) -> Iterator[str]:
    settings = settings_of(convgate_home, server={"upstream": upstream.url})
    with running(create_app(settings, token=TOKEN)) as address:
        yield f"{address}/token/{TOKEN}"


def contents() -> list[dict[str, Any]]:
    """Contents whose oldest exchange the policy drops, and whose last one is in the middle of a tool loop."""
    call = {"functionCall": {"id": "b", "name": "look", "args": {"at": "Rome"}}, "thoughtSignature": "c2ln"}
    response = {"functionResponse": {"id": "b", "name": "look", "response": {"found": "31 °C"}}}
    return [
        {"role": "user", "parts": [{"text": "The oldest question"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"id": "a", "name": "look", "response": {}}}]},
        {"role": "model", "parts": [{"text": "The oldest answer"}]},
        {"role": "user", "parts": [{"text": "An old question"}]},
        {"role": "model", "parts": [{"text": "An old answer"}]},
        {"role": "user", "parts": [{"text": "How hot is it?"}]},
        {"role": "model", "parts": [{"text": "Ask.", "thought": True}, call]},
        {"role": "user", "parts": [response]},
    ]


@pytest.mark.parametrize("version", ["v1", "v1beta"])
def test_upstream_gets_whole_tool_loops_and_everything_else(
    address: str, upstream: ChatServer, version: str
) -> None:
    for url in (upstream.url.removesuffix("/v1"), address):
        with client_of(url, api_version=version) as client:
            answer = client.models.generate_content(model="m", contents=contents(), config=CONFIG)
            assert answer.text == "Fine."
    direct, received = upstream.requests
    assert direct["contents"] == contents()
    assert received["contents"] == contents()[4:]
    assert {**received, "contents": direct["contents"]} == direct
    assert {"systemInstruction", "tools"} <= direct.keys()
    given, came = ({name: headers[name] for name in headers.keys() - OWN} for headers in upstream.headers)
    assert came == given
    assert given["x-goog-api-key"] == "key"
    assert upstream.paths == [f"/{version}/models/m:generateContent", "/v1/models/m:generateContent"]
    assert answer.sdk_http_response.headers["x-convgate-dropped"] == "4"


def test_a_content_without_a_role_is_the_users(address: str, upstream: ChatServer) -> None:
    question = {"parts": [{"text": "How hot is it?"}]}
    with client_of(address) as client:
        client.models.generate_content(model="m", contents=[*contents()[:6], types.Content(**question)])
    assert upstream.requests[0]["contents"] == [*contents()[4:6], question]


def test_a_stream_comes_through(address: str, upstream: ChatServer) -> None:
    chunks = [
        {"text": "Hm.", "thought": True},
        {"text": "It is "},
        {"text": "fine.", "thoughtSignature": "c2ln"},
    ]
    upstream.set_script(gemini_reply(*chunks, streams=True))
    with client_of(address) as client:
        stream = client.models.generate_content_stream(model="m", contents=contents(), config=CONFIG)
        parts = [part for chunk in stream for part in chunk.candidates[0].content.parts]
    assert [part.text for part in parts] == ["Hm.", "It is ", "fine."]
    assert parts[-1].thought_signature == b"sig"
    assert upstream.paths == ["/v1/models/m:streamGenerateContent?alt=sse"]
    assert upstream.requests[0]["contents"] == contents()[4:]


def test_the_package_runs_parallel_tools_in_a_long_chat(address: str, upstream: ChatServer) -> None:
    def look(at: str) -> str:
        """Look at a city's weather."""
        return f"{at}: 31 °C"

    calls = [{"functionCall": {"id": id, "name": "look", "args": {"at": id}}} for id in ("Rome", "Oslo")]
    calls[0]["thoughtSignature"] = "c2ln"
    again = {
        "functionCall": {"id": "Bern", "name": "look", "args": {"at": "Bern"}},
        "thoughtSignature": "dHdv",
    }
    upstream.set_script(gemini_reply(*calls), gemini_reply(again), gemini_reply({"text": "Hot."}))
    with client_of(address) as client:
        history = [types.Content.model_validate(content) for content in contents()[:6]]
        chat = client.chats.create(
            model="m", history=history, config=types.GenerateContentConfig(tools=[look])
        )
        assert chat.send_message("How hot are Rome and Oslo?").text == "Hot."
    assert [check_gemini(request["contents"]) for request in upstream.requests] == [[], [], []]
    last = upstream.requests[-1]["contents"]
    assert last[:2] == contents()[4:6]
    assert last[3]["parts"] == calls
    assert last[5]["parts"] == [again]
    replies = [part["functionResponse"]["response"] for part in last[4]["parts"]]
    assert replies == [{"result": "Rome: 31 °C"}, {"result": "Oslo: 31 °C"}]


def test_two_hundred_requests_of_an_agent_are_valid(
    address: str, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_at_random(monkeypatch)
    n_dropped = n_signatures = 0
    with client_of(address) as client, client_of(upstream.url.removesuffix("/v1")) as direct:
        for seed in range(200):
            contents = list(written(random_exchanges(random.Random(seed)), ids=seed % 2 == 0))
            for each in (direct, client):
                each.models.generate_content(model="m", contents=contents, config=CONFIG)
            sent, received = (request["contents"] for request in upstream.requests[-2:])
            assert check_gemini(received) == [], seed
            rest = iter(part for content in sent for part in content["parts"])
            changed = [part for content in received for part in content["parts"] if part not in rest]
            assert changed == [], seed
            assert received[-1]["parts"][-1] == sent[-1]["parts"][-1]
            n_dropped += len(sent) - len(received)
            n_signatures += json.dumps(received).count("thoughtSignature")
    assert n_dropped > 200
    assert n_signatures > 20


def test_other_methods_of_a_model_are_forwarded_as_they_are(address: str, upstream: ChatServer) -> None:
    upstream.set_script(raw_reply(b'{"totalTokens": 3}'))
    with client_of(address) as client:
        assert client.models.count_tokens(model="m", contents=contents()).total_tokens == 3
    assert upstream.paths == ["/v1/models/m:countTokens"]
    assert upstream.requests[0]["contents"] == contents()
