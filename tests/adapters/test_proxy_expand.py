"""The proxy answers calls of `expand_result` itself; the client gets one answer."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
openai = pytest.importorskip("openai")
pytest.importorskip("prometheus_client")

from convgate.server.app import create_app
from convgate.server.expanding import MAX_ROUNDS, read_events
from tests.adapters.expanding import APIS, ID, ORIGINAL, READ, Api, expand_call, function_call
from tests.adapters.replies import anthropic_reply, gemini_reply, openai_reply, responses_reply
from tests.adapters.serving import TOKEN, running, settings_of
from tests.adapters.test_proxy import metric
from tests.llm_server import Answer, ChatServer, error_reply, raw_reply

pytestmark = pytest.mark.adapters

every_api = pytest.mark.parametrize("api", APIS, ids=[api.name for api in APIS])
whole_and_streamed = pytest.mark.parametrize("streams", [False, True], ids=["whole", "stream"])


@contextmanager
def proxy_of(home: Path, upstream: ChatServer, **values: Any) -> Iterator[Any]:
    server = {"upstream": upstream.url, "select_seconds": 60, **values.pop("server", {})}
    values = {"elide": True, "hold_invariants": False, "server": server, **values}
    app = create_app(settings_of(home, **values), token=TOKEN)
    headers = {"X-Convgate-Token": TOKEN, "Authorization": "Bearer key", "x-api-key": "key"}
    with running(app) as address, httpx.Client(base_url=address, headers=headers, timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def upstream() -> Iterator[ChatServer]:
    upstream = ChatServer()
    yield upstream
    upstream.close()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory, upstream: ChatServer) -> Iterator[Any]:
    with proxy_of(tmp_path_factory.mktemp("home"), upstream) as client:
        yield client


def direct(upstream: ChatServer, api: Api, answer: Answer) -> bytes:
    """The bytes of an answer."""
    script, requests = upstream.script, [*upstream.requests]
    upstream.script = [answer]
    content: bytes = httpx.post(f"{upstream.url}/{api.path[4:]}", json={}).content
    upstream.script, upstream.requests[:] = script, requests
    return content


def received(client: Any, api: Api, **fields: Any) -> tuple[str, list[tuple[str, Any]]]:
    """Text and calls of an answer as the provider's package reads it."""
    base_url, request = f"{client.base_url}/token/{TOKEN}", api.request(**fields)
    streams = request.pop("stream", False)
    if api.name == "anthropic":
        anthropic = pytest.importorskip("anthropic")
        with anthropic.Anthropic(base_url=base_url, api_key="key", max_retries=0) as agent:
            if streams:
                with agent.messages.stream(**request) as stream:
                    message = stream.get_final_message()
            else:
                message = agent.messages.create(**request)
        texts = [block.text for block in message.content if block.type == "text"]
        calls = [(block.name, block.input) for block in message.content if block.type == "tool_use"]
        return "\n\n".join(texts), calls
    if api.name == "gemini":
        genai = pytest.importorskip("google.genai")
        options, request["config"] = {"base_url": base_url}, {"tools": request.pop("tools")}
        with genai.Client(api_key="key", http_options=options) as agent:
            ask = (
                agent.models.generate_content_stream
                if fields.get("stream")
                else agent.models.generate_content
            )
            answer = ask(model="m", **request)
            chunks = [*answer] if fields.get("stream") else [answer]
        parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
        made = [part.function_call for part in parts if part.function_call]
        return "".join(part.text or "" for part in parts), [(call.name, call.args) for call in made]
    with openai.OpenAI(base_url=f"{base_url}/v1", api_key="key", max_retries=0) as agent:
        if api.name == "openai":
            if streams:
                with agent.chat.completions.stream(**request) as stream:
                    completion = stream.get_final_completion()
            else:
                completion = agent.chat.completions.create(**request)
            message = completion.choices[0].message
            assert message.role == "assistant"
            named = [(call.function.name, call.function.arguments) for call in message.tool_calls or ()]
            return message.content or "", [(name, json.loads(arguments)) for name, arguments in named]
        request.pop("max_tokens")
        if streams:
            with agent.responses.stream(**request) as stream:
                numbers = [event.sequence_number for event in stream]
                response = stream.get_final_response()
            assert numbers == [*range(len(numbers))]
        else:
            response = agent.responses.create(**request)
    texts = [part.text for item in response.output if item.type == "message" for part in item.content]
    items = [item for item in response.output if item.type == "function_call"]
    return "\n\n".join(texts), [(item.name, json.loads(item.arguments)) for item in items]


@every_api
@whole_and_streamed
def test_the_model_gets_the_original_and_the_client_the_last_answer(
    client: Any, upstream: ChatServer, api: Api, streams: bool
) -> None:
    last = api.reply("Fine.", [READ], streams=streams)
    upstream.set_script(api.reply(None, [expand_call()], streams=streams), last)
    request = api.request(stream=streams)
    response = client.post(api.url(streams=streams), json=request)
    assert response.content == direct(upstream, api, last)
    assert response.headers["x-convgate-expanded"] == "1"
    first, second = upstream.requests
    tools = json.dumps(first["tools"])
    assert tools.startswith(json.dumps(request["tools"]).rstrip("]}"))
    assert "expand_result" in tools
    assert ID in json.dumps(first[api.field]), "a stub"
    assert second[api.field][: len(first[api.field])] == first[api.field], "the prefix stays"
    assert {**second, api.field: 0} == {**first, api.field: 0}
    further = second[api.field][len(first[api.field]) :]
    assert len(further) == 2
    assert api.results(further) == {"x1": ORIGINAL}


@every_api
@whole_and_streamed
def test_packages_read_what_was_said_before_the_call_and_the_last_answer(
    client: Any, upstream: ChatServer, api: Api, streams: bool
) -> None:
    upstream.set_script(
        api.reply("I look.", [expand_call()], streams=streams),
        api.reply("And again.", [expand_call(number=2)], streams=streams),
        api.reply("Fine.", [READ], streams=streams),
    )
    text, calls = received(client, api, stream=streams)
    assert (text, calls) == ("I look.\n\nAnd again.\n\nFine.", [("Read", READ["input"])])
    assert len(upstream.requests) == 3
    assert api.results(upstream.requests[2][api.field][-1:]) == {"x2": ORIGINAL}


@every_api
@whole_and_streamed
@pytest.mark.parametrize("calls", [[], [READ]], ids=["text", "call"])
def test_an_answer_without_the_call_comes_byte_for_byte(
    client: Any, upstream: ChatServer, api: Api, streams: bool, calls: list[Any]
) -> None:
    reply = api.reply("Fine.", calls, streams=streams)
    upstream.set_script(reply)
    response = client.post(
        api.url(streams=streams), json=api.request(stream=streams), headers={"Accept-Encoding": "gzip"}
    )
    assert response.content == direct(upstream, api, reply)
    assert "x-convgate-expanded" not in response.headers
    assert upstream.headers[0]["accept-encoding"] == "identity"


@every_api
@whole_and_streamed
def test_calls_beside_it_are_not_run_and_the_model_is_told(
    client: Any, upstream: ChatServer, api: Api, streams: bool
) -> None:
    mixed = api.reply("I look.", [READ, expand_call()], streams=streams)
    upstream.set_script(mixed, api.reply(None, [READ], streams=streams))
    assert received(client, api, stream=streams) == ("I look.", [("Read", READ["input"])])
    results = api.results(upstream.requests[1][api.field][-2:])
    assert results["x1"] == ORIGINAL
    assert results["r1"].startswith("Not run")


@every_api
@whole_and_streamed
def test_a_wrong_id_is_for_the_model(client: Any, upstream: ChatServer, api: Api, streams: bool) -> None:
    wrong = [expand_call("none"), expand_call(number=2) | {"input": {}}]
    upstream.set_script(api.reply(None, wrong, streams=streams), api.reply("Fine.", streams=streams))
    assert received(client, api, stream=streams) == ("Fine.", [])
    results = api.results(upstream.requests[1][api.field][-2:])
    assert "no shortened result" in results["x1"].lower()
    assert results["x2"].startswith("Give the id")


@every_api
@whole_and_streamed
def test_a_model_that_does_not_stop_is_asked_a_fixed_number_of_times(
    client: Any, upstream: ChatServer, api: Api, streams: bool
) -> None:
    reply = api.reply(None, [expand_call()], streams=streams)
    upstream.set_script(reply)
    response = client.post(api.url(streams=streams), json=api.request(stream=streams))
    assert len(upstream.requests) == MAX_ROUNDS
    assert response.content == direct(upstream, api, reply), "the call is the client's"


@every_api
@whole_and_streamed
@pytest.mark.parametrize("status", [429, 500])
def test_a_refusal_of_a_later_request_is_the_clients(
    client: Any, upstream: ChatServer, api: Api, streams: bool, status: int
) -> None:
    refusal = error_reply(status, Retry_After="7")
    upstream.set_script(api.reply(None, [expand_call()], streams=streams), refusal)
    response = client.post(api.url(streams=streams), json=api.request(stream=streams))
    assert (response.status_code, response.headers["retry-after"]) == (status, "7")
    assert response.content == direct(upstream, api, refusal)


@every_api
def test_a_stream_that_cannot_go_on_is_broken_off(client: Any, upstream: ChatServer, api: Api) -> None:
    upstream.set_script(api.reply("I look.", [expand_call()], streams=True), error_reply(429))
    with client.stream("POST", api.url(streams=True), json=api.request(stream=True)) as response:
        assert response.status_code == 200
        with pytest.raises(httpx.RemoteProtocolError):
            response.read()


@whole_and_streamed
def test_an_upstream_that_is_gone_at_a_later_request_is_502(
    client: Any, upstream: ChatServer, streams: bool
) -> None:
    def leave(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    upstream.set_script(openai_reply(None, [expand_call()], streams=streams), leave)
    response = client.post(APIS[0].path, json=APIS[0].request(stream=streams))
    assert (response.status_code, response.json()["code"]) == (502, "upstream_unreachable")
    assert response.headers["x-convgate-elided"] == "1"


@every_api
def test_text_comes_at_once_and_calls_when_the_answer_has_ended(
    client: Any, upstream: ChatServer, api: Api
) -> None:
    whole = direct(upstream, api, api.reply("I look.", [READ], streams=True))
    middle = whole.index(b"Read") - 40
    released = threading.Event()

    def pause(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(whole)))
        handler.end_headers()
        handler.wfile.write(whole[:middle])
        handler.wfile.flush()
        assert released.wait(20)
        handler.wfile.write(whole[middle:])

    upstream.set_script(pause)
    with client.stream("POST", api.url(streams=True), json=api.request(stream=True)) as response:
        chunks = response.iter_raw()
        before = b""
        while b"I l" not in before:
            before += next(chunks)
        released.set()
        assert before + b"".join(chunks) == whole


@pytest.mark.parametrize("api", [APIS[0], APIS[3]], ids=["openai", "gemini"])
def test_text_beside_the_call_in_one_chunk_is_not_lost(client: Any, upstream: ChatServer, api: Api) -> None:
    def reply(text: str, call: dict[str, Any]) -> Answer:
        if api.name == "gemini":
            return gemini_reply({"text": text}, function_call(call), streams=True, in_one_chunk=True)
        return openai_reply(text, [call], streams=True, in_one_chunk=True)

    upstream.set_script(reply("I look.", expand_call()), reply("Fine.", READ))
    assert received(client, api, stream=True) == ("I look.\n\nFine.", [("Read", READ["input"])])


def test_parts_of_gemini_go_back_as_they_came(client: Any, upstream: ChatServer) -> None:
    api = APIS[3]
    parts = [
        {"text": "Hm.", "thought": True},
        {"text": "I look.", "thoughtSignature": "c2ln"},
        function_call(expand_call()),
    ]
    for streams in (False, True):
        upstream.set_script(
            gemini_reply(*parts, streams=streams), api.reply("Fine.", [READ], streams=streams)
        )
        request = {**api.request(), "tools": [{"googleSearch": {}}, api.tool("Read")]}
        response = client.post(api.url(streams=streams), json=request)
        said, results = upstream.requests[1]["contents"][-2:]
        assert said == {"role": "model", "parts": parts}
        result = {"functionResponse": {"id": "x1", "name": "expand_result", "response": {"output": ORIGINAL}}}
        assert results == {"role": "user", "parts": [result]}
        if not streams:
            assert response.headers["x-convgate-expanded-usage"].startswith("input=1,")
        (functions,) = [tool["functionDeclarations"] for tool in upstream.requests[1]["tools"][1:]]
        assert [function["name"] for function in functions] == ["Read", "expand_result"]


def test_a_stream_of_gemini_that_is_an_array_gets_no_tool(client: Any, upstream: ChatServer) -> None:
    api = APIS[3]
    upstream.set_script(raw_reply(b"[]"))
    assert client.post(api.url(streams=True).removesuffix("?alt=sse"), json=api.request()).content == b"[]"
    assert "expand_result" not in str(upstream.requests[0]["tools"])
    assert ID in str(upstream.requests[0]["contents"]), "a stub"


REASONING: dict[str, Any] = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": None}
CALL_ITEM = {
    "type": "function_call", "id": "fc_1", "call_id": "x1", "name": "expand_result", "status": "completed",
    "arguments": json.dumps({"id": ID}),
}  # fmt: skip


@whole_and_streamed
@pytest.mark.parametrize("store", [True, False])
def test_reasoning_goes_back_to_the_model_and_not_to_the_client(
    client: Any, upstream: ChatServer, streams: bool, store: bool
) -> None:
    api = APIS[2]
    upstream.set_script(
        responses_reply(REASONING, CALL_ITEM, streams=streams), api.reply("Fine.", streams=streams)
    )
    response = client.post(api.path, json=api.request(stream=streams, store=store))
    assert b"rs_1" not in response.content
    further = upstream.requests[1]["input"][len(upstream.requests[0]["input"]) :]
    types = [(item["type"], item.get("id")) for item in further]
    kept = [("reasoning", "rs_1"), ("function_call", "fc_1")] if store else [("function_call", None)]
    assert types == [*kept, ("function_call_output", None)]


def test_thinking_stays_in_front_of_the_last_answer(client: Any, upstream: ChatServer) -> None:
    thinking = {"type": "thinking", "thinking": "I have to look.", "signature": "s1"}
    call = {"type": "tool_use", **expand_call()}
    for streams in (False, True):
        upstream.set_script(
            anthropic_reply(thinking, call, streams=streams, stop_reason="tool_use"),
            anthropic_reply({"type": "tool_use", **READ}, streams=streams, stop_reason="tool_use"),
        )
        response = client.post("/v1/messages", json=APIS[1].request(stream=streams))
        assert upstream.requests[1]["messages"][-2]["content"] == [thinking, call]
        if not streams:
            assert response.json()["content"] == [thinking, {"type": "tool_use", **READ}]
        else:
            starts = [line for line in response.text.splitlines() if '"content_block_start"' in line]
            assert [json.loads(line.removeprefix("data: "))["index"] for line in starts] == [0, 1]


@every_api
@whole_and_streamed
@pytest.mark.parametrize("kind", ["cut", "no JSON", "a list", "odd events", "nothing"])
def test_what_is_not_understood_comes_as_it_came(
    client: Any, upstream: ChatServer, api: Api, streams: bool, kind: str
) -> None:
    whole = direct(upstream, api, api.reply("I look.", [expand_call()], streams=streams))
    cut = re.sub(
        b'"(tool_calls|tool_use|completed|STOP)"(?=}|, "stop_sequence|, "output": \\[{|, "index)',
        b'"length"',
        whole,
    )
    assert cut != whole
    data = {
        "cut": cut,
        "no JSON": b"no JSON",
        "a list": b"[1]",
        "odd events": b'data: {"type": 3}\n\ndata: {"choices": [1]}\n\n: x\n\ndata: [DONE]\n\n',
        "nothing": b"",
    }[kind]
    upstream.set_script(raw_reply(data))
    response = client.post(api.url(streams=streams), json=api.request(stream=streams))
    assert (response.content, len(upstream.requests)) == (data, 1)


@every_api
def test_the_tool_is_added_only_where_it_is_of_use(
    convgate_home: Path, upstream: ChatServer, api: Api
) -> None:
    upstream.set_script(api.reply("Fine."))
    own = [api.tool("Read"), api.tool("expand_result")]
    with proxy_of(convgate_home, upstream) as client:
        others: list[dict[str, Any]] = [{"tools": tools} for tools in ([], own, None, "x")]
        several = {"generationConfig": {"candidateCount": 2}} if api.name == "gemini" else {"n": 2}
        for fields in [*others, several]:
            client.post(api.path, json=api.request(**fields))
            assert upstream.requests[-1].get("tools") == fields.get("tools", [api.tool("Read")])
        client.post(api.path, json=api.request(**{api.field: api.messages[:1]}))
        assert "expand_result" in str(upstream.requests[-1]["tools"]), (
            "providers' caches begin with the tools"
        )
    for values in ({"elide": False}, {"server": {"shadow": True}}):
        with proxy_of(convgate_home, upstream, **values) as client:
            client.post(api.path, json=api.request())
            assert upstream.requests[-1] == api.request()


def test_answers_that_the_client_has_not_are_counted(client: Any, upstream: ChatServer) -> None:
    api, name = APIS[1], 'convgate_expand_tokens_total{kind="output"}'
    before = metric(client, name)
    upstream.set_script(api.reply(None, [expand_call()]), api.reply("Fine."))
    response = client.post(api.path, json=api.request(), headers={"Idempotency-Key": "1"})
    assert response.headers["x-convgate-expanded-usage"] == "input=1, cached=0, written=0, output=1"
    assert metric(client, name) == before + 1
    assert [headers.get("idempotency-key") for headers in upstream.headers] == ["1", None]


def test_events_are_the_bytes_of_the_stream() -> None:
    rng = random.Random(0)
    pieces = [
        b'data: {"a": 1}\n\n',
        b"event: x\r\ndata: 2\r\n\r\n",
        b": comment\n\n",
        b"data: [DONE]\n\n",
        b"rest",
    ]
    for _ in range(100):
        whole = b"".join(rng.choices(pieces, k=6))
        cuts = sorted(rng.choices(range(len(whole) + 1), k=5))

        async def read(whole: bytes = whole, cuts: list[int] = cuts) -> list[bytes]:
            async def chunks() -> AsyncIterator[bytes]:
                for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True):
                    yield whole[start:stop]

            return [event.raw async for event in read_events(chunks())]

        assert b"".join(asyncio.run(read())) == whole
