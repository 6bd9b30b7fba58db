"""A provider on loopback with a prompt cache: `usage` by the literal text of each request's messages.

Its rules are those that OpenAI and Anthropic publish, written down here once more: nothing of
`convgate.costs` is used.
"""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

OPENAI, ANTHROPIC = "/v1/chat/completions", "/v1/messages"


def count_tokens(message: dict[str, Any]) -> int:
    """Return the tokens of a message: a word each; of content in blocks, those of its JSON."""
    content = message["content"]
    return len((content if isinstance(content, str) else json.dumps(content)).split())


def strip_breakpoints(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return messages without Anthropic's `cache_control`, which is no part of a prefix."""
    return [
        message
        if not isinstance(message["content"], list)
        else {
            **message,
            "content": [
                {name: value for name, value in block.items() if name != "cache_control"}
                for block in message["content"]
            ],
        }
        for message in messages
    ]


class SimulatedProvider:
    """Answers chats of OpenAI and of Anthropic at the time `now`, in seconds, which a test sets."""

    def __init__(self, count: Callable[[dict[str, Any]], int] = count_tokens) -> None:
        """Start it. count: the tokens of a message."""
        self.now = 0.0
        self.status = 200  # of the answers; another one is an error, and caches nothing
        self.answers: list[dict[str, Any]] = []  # the next ones; after them, they are of `usage` alone
        self._count = count
        self.bodies: list[bytes] = []  # of the requests, as they came
        self.usages: list[dict[str, Any] | None] = []  # of the answers
        self._warm_until: dict[str, float] = {}  # by path and literal text of a prefix
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers["Content-Length"]))
                provider.bodies.append(data)
                body = json.loads(data)
                messages = strip_breakpoints(body["messages"])
                is_refused = provider.status != 200
                usage = None if is_refused else provider._use(self.path, messages)
                provider.usages.append(usage)
                answer = provider.answers.pop(0) if provider.answers and not is_refused else {}
                reply = json.dumps({**answer, "usage": usage}).encode()
                kind = "text/event-stream" if body.get("stream") else "application/json"
                if body.get("stream"):
                    reply = b"data: %s\n\ndata: [DONE]\n\n" % reply
                self.send_response(provider.status)
                self.send_header("Content-Type", kind)
                if "gzip" in self.headers.get("Accept-Encoding", ""):
                    self.send_header("Content-Encoding", "gzip")
                    reply = gzip.compress(reply)
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        self._client = HTTPConnection("127.0.0.1", self._server.server_port, timeout=10)

    @property
    def url(self) -> str:
        """The base URL, as an upstream of the proxy."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def post(self, path: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the `usage` of a request, which goes over the network."""
        self._client.request("POST", path, json.dumps({"model": "m", "messages": messages}))
        usage: dict[str, Any] = json.loads(self._client.getresponse().read())["usage"]
        return usage

    def forget(self) -> None:
        """Empty the cache."""
        self._warm_until.clear()

    def close(self) -> None:
        self._client.close()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _use(self, path: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
        lengths = [self._count(message) for message in messages]
        texts = [path + json.dumps(messages[:end]) for end in range(1, len(messages) + 1)]
        warm = [end for end, text in enumerate(texts, 1) if self._warm_until.get(text, -1) >= self.now]
        prefix, total = sum(lengths[: max(warm, default=0)]), sum(lengths)
        self._warm_until |= dict.fromkeys(texts, self.now + 300)
        if path == OPENAI:
            cached = 1024 + (prefix - 1024) // 128 * 128 if prefix >= 1024 else 0
            details = {"cached_tokens": cached, "audio_tokens": 0}
            return {"prompt_tokens": total, "completion_tokens": 7, "prompt_tokens_details": details}
        cached = prefix if prefix >= 1024 else 0
        written = total - cached if total >= 1024 else 0
        return {
            "input_tokens": total - cached - written,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": written,
            "output_tokens": 7,
        }
