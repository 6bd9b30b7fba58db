"""A local server for chat completions whose replies a test scripts, faulty ones included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Answer = Callable[[BaseHTTPRequestHandler], None]


class ChatServer:
    """Answers each request by the next of `script`, then by its last; `requests` has the requests."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.headers: list[dict[str, str]] = []  # names in lower case
        self.paths: list[str] = []
        self.released = threading.Event()  # set: what hangs lets go
        self.given_up = threading.Event()  # set: the client went away
        self._lock = threading.Lock()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with server._lock:
                    server.requests.append(body)
                    server.keys.append(self.headers.get("Authorization"))
                    server.headers.append({name.lower(): value for name, value in self.headers.items()})
                    server.paths.append(self.path)
                    answer = server.script.pop(0) if len(server.script) > 1 else server.script[0]
                try:
                    answer(self)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True
                    server.given_up.set()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def set_script(self, *script: Answer) -> None:
        """Replace the script and forget earlier requests."""
        self.script, self.requests, self.keys, self.headers, self.paths = list(script), [], [], [], []
        self.released, self.given_up = threading.Event(), threading.Event()

    def close(self) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def hang(self, handler: BaseHTTPRequestHandler) -> None:
        """Send nothing until released."""
        self.released.wait(5)
        handler.close_connection = True

    def drip(self, handler: BaseHTTPRequestHandler) -> None:
        """Send a byte every 10 ms."""
        send_head(handler, 200, 10_000)
        for _ in range(500):
            handler.wfile.write(b" ")
            handler.wfile.flush()
            if self.released.wait(0.01):
                break
        handler.close_connection = True


def send_head(handler: BaseHTTPRequestHandler, status: int, length: int, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(length))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def raw_reply(data: bytes, status: int = 200, **headers: str) -> Answer:
    """Return a reply of exactly these bytes."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send_head(handler, status, len(data), **headers)
        handler.wfile.write(data)

    return answer


def error_reply(status: int, **headers: str) -> Answer:
    """Return an error in OpenAI's format."""
    return raw_reply(
        json.dumps({"error": {"message": f"sorry \x1b[31m{status}"}}).encode(), status, **headers
    )


def completion_reply(
    content: str | None, *, prompt: int = 100, completion: int = 20, **message: Any
) -> Answer:
    """Return a completion with this content."""
    completed = {
        "id": "1",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, **message}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion},
    }
    return raw_reply(json.dumps(completed).encode())


def decision_reply(keep: bool, category: str = "decision", reason: str = "it says so") -> Answer:
    """Return a completion with a valid decision."""
    return completion_reply(json.dumps({"keep": keep, "category": category, "reason": reason}))


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    """A server for the tests of a module; each sets its script."""
    server = ChatServer()
    yield server
    server.close()
