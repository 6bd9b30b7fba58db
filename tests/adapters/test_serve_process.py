"""`convgate serve` as a program: several workers, kills, shutdown, errors at the start."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")
psutil = pytest.importorskip("psutil")

from convgate.core.settings import load_settings
from convgate.store import Conversations, Store
from tests.adapters.serving import TOKEN, events, long_chat
from tests.llm_server import ChatServer, completion_reply
from tests.processes import wait_until
from tests.rollouts import start_at_half

pytestmark = [pytest.mark.adapters, pytest.mark.slow]

CHECKOUT = Path(__file__).resolve().parents[2]


def command(*words: object, **environment: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(CHECKOUT), os.environ["PYTHONPATH"]])
    settings = {"CONVGATE_POLICY": "last_k", "CONVGATE_POLICY_PARAMETERS": '{"k": 2}'}
    return subprocess.Popen(
        [sys.executable, "-m", "convgate", "serve", "--port", "0", *map(str, words)],
        env={**os.environ, **settings, "PYTHONPATH": path, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@contextmanager
def served(*words: object, **environment: str) -> Iterator[tuple[subprocess.Popen[str], Any]]:
    """A running server, and a client of it."""
    process = command(*words, **{"CONVGATE_SERVER_TOKEN": TOKEN, **environment})
    try:
        line = process.stdout.readline()
        address = re.search(r"http://\S+", line)
        assert address, line + process.stdout.read()
        headers = {"X-Convgate-Token": TOKEN}
        with httpx.Client(base_url=address[0], headers=headers, timeout=30) as client:
            wait_until(lambda: answers(client))
            yield process, client
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        finally:
            process.kill()
            process.stdout.close()


def connect(client: Any) -> Any:
    """Another client of the same server."""
    return httpx.Client(base_url=client.base_url, headers=client.headers, timeout=30)


def answers(client: Any) -> bool:
    try:
        return bool(client.get("/healthz").status_code == 200)
    except httpx.TransportError:
        return False


def workers_of(process: subprocess.Popen[str]) -> list[Any]:
    """The processes that serve; multiprocessing has one more, which tracks resources."""
    children = psutil.Process(process.pid).children()
    return [child for child in children if "spawn_main" in " ".join(child.cmdline())]


def test_upstream_that_dies_in_the_middle_is_one_line_of_the_log(upstream: ChatServer) -> None:
    with served("--upstream", upstream.url) as (process, client):
        upstream.script = [events("first", "last", breaks=True)]
        with pytest.raises(httpx.RemoteProtocolError):
            client.post("/v1/chat/completions", json={"messages": long_chat(), "stream": True})
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        lines = process.stdout.read().splitlines()
    assert lines == ["Stop it with Ctrl+C.", "the upstream broke off its response: RemoteProtocolError"]


def test_killed_worker_is_replaced_and_sessions_stay(upstream: ChatServer) -> None:
    begun = threading.Event()

    def hang(_: BaseHTTPRequestHandler) -> None:
        begun.set()
        upstream.released.wait(30)

    with served("--workers", 2, "--upstream", upstream.url) as (process, client):
        messages = long_chat()
        body = {"messages": messages, "session": "a"}
        assert client.post("/v1/select", json=body).json()["session"]["turns"] == len(messages)
        upstream.script = [hang, completion_reply("Fine.")]
        with ThreadPoolExecutor(1) as pool:
            sent = pool.submit(client.post, "/v1/chat/completions", json={"messages": messages})
            assert begun.wait(30)
            before = workers_of(process)
            assert len(before) == 2
            for worker in before:
                worker.kill()
            with pytest.raises(httpx.TransportError):
                sent.result()
        upstream.released.set()
        wait_until(lambda: answers(client))
        response = client.post("/v1/chat/completions", json={"messages": messages})
        assert response.json()["choices"][0]["message"]["content"] == "Fine."
        assert client.post("/v1/select", json={"session": "a"}).json()["session"]["turns"] == len(messages)
        assert not {worker.pid for worker in workers_of(process)} & {worker.pid for worker in before}


def test_appends_of_many_clients_are_stored_once_although_workers_are_killed() -> None:
    with served("--workers", 2) as (process, client):
        wait_until(lambda: len(workers_of(process)) == 2)
        answered: set[str] = set()
        enough = threading.Event()

        def append(number: int) -> None:
            for count in range(40):
                text = f"message {count} of client {number}"
                body = {"messages": [{"role": "user", "content": text}], "session": "a"}
                with suppress(httpx.TransportError), connect(client) as own:  # other connection, other worker
                    if own.post("/v1/select", json=body).status_code == 200:
                        answered.add(text)
                if len(answered) >= 20:
                    enough.set()

        with ThreadPoolExecutor(4) as pool:
            clients = [pool.submit(append, number) for number in range(4)]
            assert enough.wait(60)
            for worker in workers_of(process):
                worker.kill()
            for done in clients:
                done.result()
        wait_until(lambda: answers(client))
        with connect(client) as own:
            decisions = own.post("/v1/score", json={"session": "a"}).json()
        assert decisions["session"]["turns"] >= len(answered) > 20
        key = decisions["session"]["conversation"]
        with closing(Store(load_settings().database)) as store:
            turns = Conversations(store).get(key).conversation.turns
        texts = [turn.text for turn in turns]
        assert len(texts) == len(set(texts)), "no message is stored twice"
        assert answered <= set(texts), "no message that was answered is lost"


def test_outcome_may_reach_another_worker_than_its_selection() -> None:
    with served() as (_, first), served() as (_, second):
        body = {"messages": long_chat(), "request_id": "mine"}
        assert first.post("/v1/select", json=body).status_code == 200
        assert second.post("/v1/outcome", json={"request_id": "mine", "ok": True}).status_code == 200


def test_every_worker_knows_the_candidate_of_a_rollout(tmp_path: Path) -> None:
    file = tmp_path / "candidate.toml"
    file.write_text("policy_parameters = {k = 1}")  # over the variable of the environment
    with closing(Store(load_settings().database)) as store:
        rollout = start_at_half(store)
        with served("--workers", 2, "--candidate", file) as (_, client):
            for number in range(12):
                body = {"messages": long_chat(), "session": f"session-{number}"}
                with connect(client) as other:
                    reply = other.post("/v1/select", json=body).json()
                assert reply["arm"] == rollout.arm(body["session"])
                assert len(reply["messages"]) == (4 if reply["arm"] == "candidate" else 6)


def test_metrics_are_the_sum_of_all_workers() -> None:
    with served("--workers", 2) as (process, client):
        wait_until(lambda: len(workers_of(process)) == 2)
        for _ in range(20):
            with connect(client) as other:
                assert other.post("/v1/select", json={"messages": long_chat()}).status_code == 200
        for _ in range(5):
            with connect(client) as other:
                text = other.get("/metrics").text
            assert 'convgate_requests_total{endpoint="/v1/select",status="200"} 20.0' in text


@pytest.mark.parametrize("workers", [1, 2])
def test_shutdown_finishes_requests(upstream: ChatServer, workers: int) -> None:
    begun = threading.Event()

    def answer(handler: BaseHTTPRequestHandler) -> None:
        begun.set()
        time.sleep(1)
        completion_reply("Late.")(handler)

    upstream.set_script(answer)
    with (
        served("--workers", workers, "--upstream", upstream.url) as (process, client),
        ThreadPoolExecutor(1) as pool,
    ):
        sent = pool.submit(client.post, "/v1/chat/completions", json={"messages": long_chat()})
        assert begun.wait(30)
        process.send_signal(signal.SIGTERM)
        assert sent.result().json()["choices"][0]["message"]["content"] == "Late."
        process.wait(30)
        assert process.returncode in {0, -signal.SIGTERM}


def test_new_token_is_printed_and_one_of_the_settings_is_not() -> None:
    process = command()
    with process.stdout as output:
        lines = [output.readline() for _ in range(3)]
        process.kill()
        process.wait()
    token = re.search(r"Token: (\S{40,})", lines[1])
    assert token
    assert f"/token/{token[1]}/v1" in lines[2]
    with served() as (process, _):
        process.send_signal(signal.SIGTERM)
        assert TOKEN not in process.stdout.read()


@pytest.mark.parametrize(
    ("environment", "words", "message"),
    [
        ({"CONVGATE_POLICY": "magic"}, [], "no policy 'magic'"),
        ({"CONVGATE_POLICY": "magic"}, ["--workers", 2], "no policy 'magic'"),
        ({"CONVGATE_SERVER_TOKEN": "short"}, [], "CONVGATE_SERVER_TOKEN"),
        ({"CONVGATE_SERVER_UPSTREAM": "ftp://host"}, [], "CONVGATE_SERVER_UPSTREAM"),
        ({}, ["--upstream", "host/v1"], "--upstream"),
        ({}, ["--candidate", "missing.toml"], "missing.toml"),
    ],
)
def test_wrong_settings_end_the_server_with_one_sentence(
    environment: dict[str, str], words: list[object], message: str
) -> None:
    process = command(*words, **environment)
    output, _ = process.communicate(timeout=60)
    assert message in output
    assert "Traceback" not in output
    assert process.returncode == (0 if "--workers" in words else 1)


def test_port_in_use_ends_the_server_before_it_prints_a_token() -> None:
    with socket.create_server(("127.0.0.1", 0)) as busy:
        output, _ = command("--port", busy.getsockname()[1]).communicate(timeout=60)
    assert "--port" in output
    assert "token" not in output.lower()
    assert "Traceback" not in output
