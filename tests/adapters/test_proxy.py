"""The proxy: what reaches the upstream, what comes back, and what happens when either side fails."""

from __future__ import annotations

import gzip
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
openai = pytest.importorskip("openai")
pytest.importorskip("prometheus_client")

from convgate.adapters.selection import MessageSelector
from convgate.messages.check import check_valid
from convgate.server.app import create_app
from convgate.store import Store
from tests.adapters.responses import violations
from tests.adapters.serving import AUTHORIZED, TOKEN, events, long_chat, running, settings_of
from tests.llm_server import ChatServer, completion_reply, error_reply, raw_reply, send_head
from tests.rollouts import start_at_half
from tests.tool_runs import Run, code

pytestmark = pytest.mark.adapters

KEY = {"Authorization": "Bearer upstream-key", "X-Convgate-Token": TOKEN}


@contextmanager
def proxy_of(home: Path, upstream: ChatServer | str, **server: Any) -> Iterator[Any]:
    """A client of a running proxy with these settings of the server."""
    url = upstream if isinstance(upstream, str) else upstream.url
    app = create_app(settings_of(home, server={"upstream": url, **server}), token=TOKEN)
    with running(app) as address, httpx.Client(base_url=address, headers=KEY, timeout=20) as client:
        yield client


@pytest.fixture
def client(convgate_home: Path, upstream: ChatServer) -> Iterator[Any]:
    with proxy_of(convgate_home, upstream) as client:
        yield client


def chat(**fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": long_chat(), "temperature": 0.5, **fields}


def metric(client: Any, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return float(next((line.split()[-1] for line in lines if line.startswith(f"{name} ")), "0"))


# What reaches the upstream


def test_results_after_the_last_message_of_the_user_are_shortened(convgate_home: Path, upstream: ChatServer):
    run = Run().call("Read", code(), file_path="a.py").go_on().call("Read", code(119), file_path="a.py")
    app = create_app(settings_of(convgate_home, elide=True, server={"upstream": upstream.url}), token=TOKEN)
    with running(app) as address, httpx.Client(base_url=address, headers=KEY, timeout=20) as client:
        response = client.post("/v1/chat/completions", json=chat(messages=run.messages))
    (received,) = upstream.requests
    assert response.headers["x-convgate-elided"] == "1"
    assert (len(received["messages"]), check_valid(received["messages"])) == (len(run.messages), [])
    assert "Shortened by convgate" in received["messages"][2]["content"]
    assert received["messages"][3:] == run.messages[3:]


def test_upstream_gets_a_shorter_valid_list_and_everything_else(client: Any, upstream: ChatServer) -> None:
    sent = chat(tools=[{"type": "function", "function": {"name": "weather"}}], unknown={"a": [1, None]})
    response = client.post("/v1/chat/completions", json=sent)
    (received,) = upstream.requests
    assert response.json()["choices"][0]["message"]["content"] == "Fine."
    assert received["messages"] == [sent["messages"][0], *sent["messages"][-5:]]
    assert check_valid(received["messages"]) == []
    assert {**received, "messages": sent["messages"]} == sent
    assert upstream.keys == ["Bearer upstream-key"]
    assert response.headers["x-convgate-kept"] == "6"
    assert response.headers["x-convgate-dropped"] == str(len(sent["messages"]) - 6)
    assert 0 < int(response.headers["x-convgate-tokens"]) < 200
    assert response.headers["x-convgate-policy"] == "last_k"
    assert "x-convgate-reason" not in response.headers


def test_openai_package_needs_only_another_base_url(client: Any, upstream: ChatServer) -> None:
    with openai.OpenAI(base_url=f"{client.base_url}/token/{TOKEN}/v1", api_key="upstream-key") as agent:
        completion = agent.chat.completions.create(model="m", messages=long_chat())
        assert completion.choices[0].message.content == "Fine."
        upstream.set_script(events("It ", "is ", "fine."))
        stream = agent.chat.completions.create(model="m", messages=long_chat(), stream=True)
        assert "".join(chunk.choices[0].delta.content for chunk in stream) == "It is fine."
    assert upstream.keys == ["Bearer upstream-key"]
    assert len(upstream.requests[0]["messages"]) == 6


def test_own_token_never_reaches_the_upstream(client: Any, upstream: ChatServer) -> None:
    url = f"/token/{TOKEN}/v1/chat/completions"
    for path, headers in ((url, AUTHORIZED | {"X-Convgate-Token": ""}), ("/v1/chat/completions", AUTHORIZED)):
        assert client.post(path, json=chat(), headers=headers).status_code == 200
    assert upstream.keys == [None, None]


ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": "The oldest question"},
    {"role": "assistant", "content": "The oldest answer"},
    {"role": "user", "content": "An old question"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "An old answer"}]},
    {"role": "user", "content": [{"type": "input_text", "text": "How hot is it?"}]},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Rome"}'},
    {"type": "function_call", "call_id": "c2", "name": "weather", "arguments": '{"city": "Oslo"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "31 °C"},
    {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "9 °C"}]},
]


def test_responses_keep_reasoning_calls_and_outputs_together(client: Any, upstream: ChatServer) -> None:
    response = client.post("/v1/responses", json={"model": "m", "input": ITEMS, "instructions": "Be terse."})
    (received,) = upstream.requests
    assert received["input"] == ITEMS[2:]
    assert received["instructions"] == "Be terse."
    assert (response.headers["x-convgate-kept"], response.headers["x-convgate-dropped"]) == ("8", "2")
    assert violations(received["input"]) == []


CONTENTS = [{"role": "user", "parts": [{"text": "Hi"}]}]


@pytest.mark.parametrize(
    "path", ["v1/models/m:generateContent", "v1beta/tunedModels/m:streamGenerateContent?alt=sse"]
)
def test_contents_of_gemini_are_selected_of_any_model(client: Any, upstream: ChatServer, path: str) -> None:
    contents = [
        {"role": role, "parts": [{"text": f"message {index}"}]}
        for index, role in enumerate(["user", "model", "user", "model", "user"])
    ]
    response = client.post(f"/{path}", json={"contents": contents, "systemInstruction": {"parts": []}})
    assert upstream.requests == [{"contents": contents[2:], "systemInstruction": {"parts": []}}]
    assert upstream.paths == [f"/v1/{path.split('/', 1)[1]}"]
    assert response.headers["x-convgate-dropped"] == "2"


PREFILL = {"role": "assistant", "content": "It"}


@pytest.mark.parametrize(
    ("path", "body", "reason"),
    [
        ("responses", {"input": "Hi"}, "no_messages"),
        ("responses", {"input": ITEMS, "previous_response_id": "r"}, "stored_history"),
        ("responses", {"input": ITEMS, "conversation": {"id": "c"}}, "stored_history"),
        ("models/m:generateContent", {"contents": CONTENTS, "cachedContent": "c"}, "stored_history"),
        ("responses", {"input": [*ITEMS, {"type": "item_reference", "id": "x"}]}, "transcript"),
        ("responses", {"input": [1]}, "transcript"),
        ("chat/completions", {"messages": "Hi"}, "no_messages"),
        ("chat/completions", {"messages": [{"content": "Hi"}]}, "transcript"),
        ("chat/completions", {"messages": [{"role": "user", "content": "a"}] * 31}, "too_many_turns"),
        ("chat/completions", [], "no_messages"),
    ],
)  # fmt: skip
def test_what_cannot_be_selected_is_forwarded_unchanged(
    convgate_home: Path, upstream: ChatServer, path: str, body: Any, reason: str
) -> None:
    with proxy_of(convgate_home, upstream, max_turns=30) as client:
        name = f'convgate_fallbacks_total{{reason="{reason}"}}'
        before = metric(client, name)
        response = client.post(f"/v1/{path}", json=body)
        assert response.status_code == 200
        assert upstream.requests == [body]
        assert response.headers["x-convgate-reason"] == reason
        assert "x-convgate-kept" not in response.headers
        assert metric(client, name) == before + 1


def test_the_beginning_of_an_answer_stays_last(client: Any, upstream: ChatServer) -> None:
    response = client.post("/v1/chat/completions", json={"model": "m", "messages": [*long_chat(), PREFILL]})
    (received,) = upstream.requests
    assert received["messages"][-1] == PREFILL
    assert int(response.headers["x-convgate-dropped"]) > 0


def test_every_other_path_is_forwarded(client: Any, upstream: ChatServer) -> None:
    response = client.post("/v1/embeddings?a=b%20c", json={"input": "x"})
    assert response.status_code == 200
    assert upstream.requests == [{"input": "x"}]
    assert "x-convgate-policy" not in response.headers
    assert client.get("/v2").status_code == 404


@pytest.mark.parametrize("prefix", ["", f"/token/{TOKEN}"])
@pytest.mark.parametrize("path", ["files/a%2Fb", "files/a%3Fb?c=d%20e", "files/%C3%BC"])
def test_paths_are_forwarded_as_they_are(client: Any, upstream: ChatServer, path: str, prefix: str) -> None:
    assert client.post(f"{prefix}/v1/{path}", json={}, headers={"Host": "else.where/x?"}).status_code == 200
    assert upstream.paths == [f"/v1/{path}"]


def test_no_path_leads_out_of_the_upstreams_base(client: Any, upstream: ChatServer) -> None:
    for path in ("%2e%2e/admin", "a/..%2f../admin"):
        assert client.post(f"/v1/{path}", json={}).status_code == 404
    assert upstream.requests == []


def test_only_the_list_of_messages_changes(client: Any, upstream: ChatServer) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    question = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}
    sent = chat(n=3, stream_options={"include_usage": True}) | {"messages": [*long_chat(), question]}
    client.post("/v1/chat/completions", json=sent)
    (received,) = upstream.requests
    assert received["messages"][-1] == question
    assert len(received["messages"]) < len(sent["messages"])
    assert {**received, "messages": sent["messages"]} == sent


# What comes back


def test_events_arrive_as_they_are_sent(client: Any, upstream: ChatServer) -> None:
    released = threading.Event()
    upstream.set_script(events("first", "last", released=released))
    with client.stream("POST", "/v1/chat/completions", json=chat(stream=True)) as response:
        lines = response.iter_lines()
        assert "first" in next(lines)
        assert response.headers["content-type"] == "text/event-stream"
        assert response.headers["x-convgate-kept"] == "6"
        released.set()
        assert [line for line in lines if line][-1] == "data: [DONE]"


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_of_the_upstream_pass_through_unchanged(
    client: Any, upstream: ChatServer, status: int
) -> None:
    upstream.set_script(error_reply(status, Retry_After="7", X_Request_Id="r1"))
    response = client.post("/v1/chat/completions", json=chat())
    direct = httpx.post(f"{upstream.url}/chat/completions", json=chat())
    assert (response.status_code, response.content) == (direct.status_code, direct.content)
    for name in ("retry-after", "x-request-id", "content-type"):
        assert response.headers[name] == direct.headers[name]
    assert len(upstream.requests) == 2, "a request is never repeated"


def test_compressed_and_redirecting_responses_pass_through(client: Any, upstream: ChatServer) -> None:
    body = gzip.compress(b'{"choices": []}')
    upstream.set_script(raw_reply(body, Content_Encoding="gzip"), raw_reply(b"", 307, Location="/elsewhere"))
    assert client.post("/v1/chat/completions", json=chat()).json() == {"choices": []}
    moved = client.post("/v1/chat/completions", json=chat(), follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (307, "/elsewhere")


def test_upstream_that_dies_in_the_middle_breaks_the_response_off(client: Any, upstream: ChatServer) -> None:
    name = 'convgate_upstream_failures_total{kind="broken"}'
    before = metric(client, name)
    upstream.set_script(events("first", "last", breaks=True), completion_reply("Fine."))
    with client.stream("POST", "/v1/chat/completions", json=chat(stream=True)) as response:
        lines = response.iter_lines()
        assert "first" in next(lines)
        with pytest.raises(httpx.RemoteProtocolError):
            list(lines)
    assert metric(client, name) == before + 1
    assert client.post("/v1/chat/completions", json=chat()).status_code == 200


def test_upstream_that_is_not_there_is_502(convgate_home: Path, upstream: ChatServer) -> None:
    upstream.close()
    with proxy_of(convgate_home, upstream.url) as client:
        response = client.post("/v1/chat/completions", json=chat())
        assert (response.status_code, response.json()["code"]) == (502, "upstream_unreachable")
        assert response.headers["x-convgate-kept"] == "6"


def test_slow_upstream_is_504(convgate_home: Path, upstream: ChatServer) -> None:
    def hang(_: object) -> None:
        upstream.released.wait(20)

    upstream.set_script(hang)
    with proxy_of(convgate_home, upstream, upstream_seconds=0.2) as client:
        response = client.post("/v1/chat/completions", json=chat())
        assert (response.status_code, response.json()["code"]) == (504, "upstream_timeout")
        upstream.released.set()


@pytest.mark.parametrize("place", ["selection", "upstream"])
def test_client_that_goes_away_frees_its_place(
    convgate_home: Path, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def hang(*_: object, **__: object) -> None:
        upstream.released.wait(60)

    if place == "selection":
        monkeypatch.setattr(MessageSelector, "choose", hang)
    upstream.set_script(*[hang] * (place == "upstream"), completion_reply("Fine."))
    with proxy_of(convgate_home, upstream, max_requests=1, select_seconds=60) as client:
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/chat/completions", json=chat(), timeout=0.5)
        end = time.monotonic() + 20
        while client.post("/v1/embeddings", json={}).status_code == 429:
            assert time.monotonic() < end
        upstream.released.set()


def test_client_that_goes_away_in_mid_stream_closes_the_upstream(client: Any, upstream: ChatServer) -> None:
    def stream(handler: BaseHTTPRequestHandler) -> None:
        send_head(handler, 200, 1 << 30)
        while not upstream.released.wait(0.01):
            handler.wfile.write(b" ")

    upstream.set_script(stream)
    with client.stream("POST", "/v1/chat/completions", json=chat(stream=True)) as response:
        next(response.iter_raw())
    assert upstream.given_up.wait(20)


# Selecting fails


def test_slow_selection_is_given_up(
    convgate_home: Path, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    released = threading.Event()
    monkeypatch.setattr(MessageSelector, "choose", lambda *_, **__: released.wait(20))
    with proxy_of(convgate_home, upstream, select_seconds=0.1) as client:
        name = 'convgate_fallbacks_total{reason="timeout"}'
        before = metric(client, name)
        for _ in range(6):  # more than there are threads
            response = client.post("/v1/chat/completions", json=chat())
            assert response.status_code == 200
            assert response.headers["x-convgate-reason"] == "timeout"
        assert upstream.requests == [chat()] * 6
        assert metric(client, name) == before + 6
        released.set()


def test_defect_of_selecting_is_logged_and_the_request_forwarded(
    client: Any, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(MessageSelector, "choose", fail)
    with caplog.at_level(logging.WARNING, "convgate.server.proxy"):
        response = client.post("/v1/chat/completions", json=chat())
    assert response.status_code == 200
    assert response.headers["x-convgate-reason"] == "error"
    assert upstream.requests == [chat()]
    assert "ZeroDivisionError" in caplog.text


def test_body_that_is_no_json_is_the_upstreams_to_refuse(convgate_home: Path, upstream: ChatServer) -> None:
    upstream.set_script(error_reply(400))
    app = create_app(settings_of(convgate_home, server={"upstream": upstream.url}), token=TOKEN)
    with running(app) as address:
        response = httpx.post(f"{address}/v1/chat/completions", content=b'"no object"', headers=KEY)
    assert response.status_code == 400
    assert response.headers["x-convgate-reason"] == "no_messages"
    assert upstream.requests == ["no object"]


def test_nothing_to_drop_forwards_the_very_bytes(
    convgate_home: Path, upstream: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = b'{"messages":  [{"role": "user", "content": "1.0"}], "seed": 1e2}'
    sent: list[Any] = []
    build = httpx.AsyncClient.build_request

    def record(self: Any, *words: Any, **options: Any) -> Any:
        sent.append(options["content"])
        return build(self, *words, **options)

    monkeypatch.setattr(httpx.AsyncClient, "build_request", record)
    with proxy_of(convgate_home, upstream) as client:
        response = client.post("/v1/chat/completions", content=body)
    assert sent == [body]
    assert (response.headers["x-convgate-kept"], response.headers["x-convgate-dropped"]) == ("1", "0")


def test_sessions_get_their_arm_of_a_rollout(
    convgate_home: Path, tmp_path: Path, upstream: ChatServer
) -> None:
    file = tmp_path / "candidate.toml"
    file.write_text('policy = "last_k"\npolicy_parameters = {k = 1}\n')
    rollout = start_at_half(Store(convgate_home / "convgate.db"))
    kept: dict[str, set[str]] = {}
    with proxy_of(convgate_home, upstream, candidate=file) as client:
        for number in range(12):
            id = f"session {number}"
            headers = client.post(
                "/v1/chat/completions", json=chat(), headers={"X-Convgate-Session": id}
            ).headers
            assert headers["x-convgate-arm"] == rollout.arm(id)
            kept.setdefault(headers["x-convgate-arm"], set()).add(headers["x-convgate-kept"])
            outcome = {"request_id": headers["x-convgate-request-id"], "ok": True, "seconds": 1.5}
            assert client.post("/v1/outcome", json=outcome).status_code == 200
        assert "x-convgate-arm" not in client.post("/v1/chat/completions", json=chat()).headers
    assert kept == {"candidate": {"4"}, "control": {"6"}}
    assert not any("x-convgate-session" in headers for headers in upstream.headers)
    figures = rollout.status().figures
    assert figures.candidate.outcomes + figures.control.outcomes == 12
    assert figures.candidate.latency == 1.5
