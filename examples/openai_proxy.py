"""The openai package against the proxy: only base_url is another one.

With a real API, start the proxy in a terminal, and use the address that it prints:

    convgate serve --upstream https://host/v1
    client = openai.OpenAI(base_url="http://127.0.0.1:8700/token/TOKEN/v1")

Here the API is a fake one on this machine, which prints the messages that it gets.
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import openai
import uvicorn

from convgate.core.settings import load_settings
from convgate.server.app import create_app

MESSAGES = [
    {"role": "system", "content": "You are a travel agent."},
    {"role": "user", "content": "My budget for the trip to Rome is 900 euros."},
    {"role": "assistant", "content": "Noted: 900 euros for Rome."},
    {"role": "user", "content": "What does the word ciao mean?"},
    {"role": "assistant", "content": "It is a greeting, for hello and for goodbye."},
    {"role": "user", "content": "Which hotels in Rome fit my budget?"},
]


class FakeModel(BaseHTTPRequestHandler):
    """Answers every request alike."""

    def do_POST(self) -> None:
        """Print the messages, and answer."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        print(
            "The model received:", *(f"  {m['role']}: {m['content']}" for m in request["messages"]), sep="\n"
        )
        answer = {"role": "assistant", "content": "Hotel Aurora, 80 euros a night."}
        choice = {"index": 0, "message": answer, "finish_reason": "stop"}
        completion = {"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        body = json.dumps(completion).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Print no line for each request."""


def main() -> None:
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), FakeModel)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{upstream.server_port}/v1"
    app = create_app(load_settings().updated(server={"upstream": url}))
    config = uvicorn.Config(app, "127.0.0.1", 0, log_level="warning")
    socket, server = config.bind_socket(), uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
    thread.start()
    while not server.started:
        time.sleep(0.01)

    base_url = f"http://127.0.0.1:{socket.getsockname()[1]}/token/{app.state.token}/v1"
    # --8<-- [start:use]
    with openai.OpenAI(base_url=base_url, api_key="of-the-upstream") as client:
        raw = client.chat.completions.with_raw_response.create(model="m", messages=MESSAGES)
        print("It answered:", raw.parse().choices[0].message.content)
        print("Kept:", raw.headers["x-convgate-kept"], "Dropped:", raw.headers["x-convgate-dropped"])
    # --8<-- [end:use]

    server.should_exit = True
    thread.join()
    socket.close()
    upstream.shutdown()
    upstream.server_close()


if __name__ == "__main__":
    main()
