"""A coding agent's requests through the proxy, with prices and stubs: the bill with and without it.

For Claude Code itself, start the proxy in a terminal, with the address that it prints:

    CONVGATE_ELIDE=true CONVGATE_COSTS_MODEL=claude-sonnet-4-5 convgate serve --upstream https://api.anthropic.com/v1
    ANTHROPIC_BASE_URL=http://127.0.0.1:8700/token/TOKEN claude

Here the API is a fake one on this machine, and a script stands for the agent.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import uvicorn

from convgate.core.settings import load_settings
from convgate.server.app import create_app


class FakeModel(BaseHTTPRequestHandler):
    """Answers every request alike."""

    def do_POST(self) -> None:
        """Answer without reading more than the body."""
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"role": "assistant", "content": [{"type": "text", "text": "Fine."}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print no line for each request."""


def list_requests(n_calls: int = 24) -> list[list[dict[str, Any]]]:
    """Return the lists of a run: the agent reads a file, over and over with other lines changed."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "The tests of src/app.py fail. Fix them."}]
    requests = [[*messages]]
    for number in range(n_calls):
        call = {
            "type": "tool_use",
            "id": f"toolu_{number}",
            "name": "Read",
            "input": {"file_path": "src/app.py"},
        }
        lines = "\n".join(f"    value_{line} = read({line + (line == number)})" for line in range(300))
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": lines}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
        requests.append([*messages])
    return requests


def main() -> None:
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{upstream.server_port}/v1"
    settings = load_settings().updated(
        elide=True, costs={"model": "claude-sonnet-4-5"}, server={"upstream": url}
    )
    app = create_app(settings)
    config = uvicorn.Config(app, "127.0.0.1", 0, log_level="warning")
    socket, server = config.bind_socket(), uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
    thread.start()
    while not server.started:
        time.sleep(0.01)

    base_url = f"http://127.0.0.1:{socket.getsockname()[1]}/token/{app.state.token}"
    with httpx.Client(base_url=base_url, timeout=60) as client:
        for messages in list_requests():
            body = {"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages}
            headers = client.post("/v1/messages", json=body).headers
            print(
                f"{len(messages)} messages: {headers['x-convgate-way']},"
                f" {headers.get('x-convgate-elided', 0)} results shortened, ${headers['x-convgate-dollars']}"
            )
        metrics = client.get("/metrics", headers={"X-Convgate-Token": app.state.token}).text
    print(*(line for line in metrics.splitlines() if line.startswith("convgate_dollars_total")), sep="\n")

    server.should_exit = True
    thread.join()
    socket.close()
    upstream.shutdown()
    upstream.server_close()


if __name__ == "__main__":
    main()
