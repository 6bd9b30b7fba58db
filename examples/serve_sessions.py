"""A session over HTTP: the client sends new messages only, and gets those to send to its model.

With a running server (`convgate serve`), use its address and token:

    client = httpx.Client(base_url="http://127.0.0.1:8700", headers={"Authorization": "Bearer TOKEN"})

Here the server runs in this program.
"""

from __future__ import annotations

from starlette.testclient import TestClient

from convgate.core.settings import load_settings
from convgate.server.app import create_app

ASKED = (
    "My budget for the trip to Rome is 900 euros.",
    "What does the word ciao mean?",
    "Which hotels in Rome fit my budget?",
)


def main() -> None:
    app = create_app(load_settings())
    with TestClient(app, headers={"Authorization": f"Bearer {app.state.token}"}) as client:
        new = [{"role": "system", "content": "You are a travel agent."}]
        known = client.post("/v1/select", json={"session": "trip", "messages": new}).json()["session"][
            "turns"
        ]
        new = []
        for question in ASKED:
            new.append({"role": "user", "content": question})
            # --8<-- [start:use]
            # `after`: a request that is sent twice is not stored twice
            body = {"session": "trip", "messages": new, "after": known}
            reply = client.post("/v1/select", json=body).raise_for_status().json()
            known = reply["session"]["turns"]
            # --8<-- [end:use]
            print(f"Of {known} messages the model receives:")
            for message in reply["messages"]:
                print(f"  {message['role']}: {message['content']}")
            new = [{"role": "assistant", "content": f"An answer to: {question}"}]  # what the model answers


if __name__ == "__main__":
    main()
