"""A server of convgate in a thread, and scripted replies of an upstream."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.policies.window import LastK
from tests.llm_server import Answer
from tests.selectors import FixedPolicy

TOKEN = "test-token-0123456789"
AUTHORIZED = {"Authorization": f"Bearer {TOKEN}"}
CALL = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


def settings_of(home: Path, **values: Any) -> Settings:
    """Settings of a policy that needs no model and keeps two turns."""
    return Settings(**{"home": home, "policy": "last_k", "policy_parameters": {"k": 2}, **values})


def keep_at_random(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let that policy keep any turns instead, so that all that is valid is made so afterwards."""
    rng = random.Random(0)

    def decide(_: LastK, current: CurrentMessage, history: History) -> TurnDecisions:
        kept = {index for index in range(len(history.conversation.turns)) if rng.random() < 0.4}
        return FixedPolicy(kept).decide(current, history)

    monkeypatch.setattr(LastK, "decide", decide)


def long_chat(n: int = 9) -> list[dict[str, Any]]:
    """An odd number of messages, the last from the user, with a tool call among the newest."""
    messages: list[dict[str, Any]] = [
        {"role": "assistant" if index % 2 else "user", "content": f"message {index}", "x-mine": index}
        for index in range(n)
    ]
    tools = [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "31 °C"},
        {"role": "assistant", "content": "It is hot."},
    ]
    return [{"role": "system", "content": "Be terse."}, *messages[:-1], messages[-1], *tools, messages[-1]]


@contextmanager
def running(app: Any) -> Iterator[str]:
    """Serve an application on a free port of this machine; yield its address."""
    config = uvicorn.Config(app, "127.0.0.1", 0, log_level="critical", access_log=False)
    socket = config.bind_socket()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    end = time.monotonic() + 30
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    assert server.started
    try:
        yield f"http://127.0.0.1:{socket.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(30)
        socket.close()
        assert not thread.is_alive()


def events(*texts: str, released: threading.Event | None = None, breaks: bool = False) -> Answer:
    """Reply with server-sent events; `released` is awaited before the last, `breaks`: it never comes."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for text in texts:
            if text == texts[-1] and released is not None:
                assert released.wait(20)
            if text == texts[-1] and breaks:
                handler.connection.close()
                handler.close_connection = True
                return
            chunk = {"choices": [{"index": 0, "delta": {"content": text}}]}
            data = f"data: {json.dumps(chunk)}\n\n".encode()
            handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            handler.wfile.flush()
        handler.wfile.write(b"e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")

    return answer
