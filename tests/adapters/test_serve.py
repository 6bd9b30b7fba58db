"""`convgate serve`: every endpoint, bad input, limits, tokens, sessions."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")

import httpx
from starlette.testclient import TestClient

import convgate
from convgate.messages.check import check_valid
from convgate.selection.load import load
from convgate.selection.selector import Selector
from convgate.server import limits
from convgate.server.app import create_app
from convgate.store import Conversations, Store
from convgate.store.sessions import Sessions
from tests.adapters.responses import exchange, violations
from tests.adapters.serving import AUTHORIZED, TOKEN, long_chat, running, settings_of
from tests.fakes import FakeEncoder
from tests.rollouts import start_at_half
from tests.tool_runs import Run, code

pytestmark = pytest.mark.adapters


def client_of(home: Path, **values: Any) -> TestClient:
    app = create_app(settings_of(home, **values), token=TOKEN)
    return TestClient(app, headers=AUTHORIZED, raise_server_exceptions=False)


@pytest.fixture
def client(convgate_home: Path) -> Iterator[TestClient]:
    with client_of(convgate_home) as client:
        yield client


def error_of(response: Any) -> tuple[int, str]:
    body = response.json()
    assert set(body) == {"code", "message"}
    assert body["message"]
    return response.status_code, body["code"]


# Endpoints


def test_select_returns_what_the_package_selects(client: TestClient, convgate_home: Path) -> None:
    messages = long_chat()
    reply = client.post("/v1/select", json={"messages": messages}).json()
    selection = load(settings=settings_of(convgate_home)).select(messages)
    assert reply["messages"] == selection.messages
    assert len(reply["messages"]) < len(messages)
    assert reply["indices"] == selection.indices
    assert reply["decisions"] == [record.to_json() for record in selection.decisions]
    assert (reply["tokens"], reply["tokens_total"]) == (selection.tokens, selection.tokens_total)
    assert check_valid(reply["messages"]) == []
    assert reply["policy"] == "last_k"
    assert reply["session"] is None


def test_select_takes_items_of_the_responses_api(client: TestClient) -> None:
    old = [item for place in range(4) for item in exchange(f"t{place}", f"c{place}")]
    last = exchange("loss", "a", "b")[:6]
    reply = client.post("/v1/select", json={"messages": [*old, *last]}).json()
    assert reply["messages"] == [([*old, *last])[index] for index in reply["indices"]]
    assert reply["messages"][-6:] == last
    assert len(reply["messages"]) < len(old)
    assert (violations(reply["messages"]), reply["violations"]) == ([], [])
    session = [client.post("/v1/select", json={"messages": [item], "session": "s"}) for item in [*old, *last]]
    assert session[-1].json()["messages"] == reply["messages"], "one by one they are as much one response"
    reference = {"type": "item_reference", "id": "msg_1"}
    assert error_of(client.post("/v1/select", json={"messages": [reference]})) == (422, "transcript")


def test_a_shortened_result_comes_back_by_its_id(convgate_home: Path) -> None:
    run = Run().call("Bash", code(), command="make").go_on().call("Bash", "ok", command="make")
    with client_of(convgate_home, elide=True, policy="everything", policy_parameters={}) as client:
        reply = client.post("/v1/select", json={"messages": run.messages}).json()
        (elided,) = reply["elided"]
        assert elided["id"] in reply["messages"][elided["index"]]["content"]
        original = client.get(f"/v1/results/{elided['id']}").json()
        assert original == {"id": elided["id"], "text": code()}
        assert error_of(client.get("/v1/results/none")) == (404, "missing_result")


def test_question_is_the_current_message(client: TestClient) -> None:
    reply = client.post("/v1/select", json={"messages": long_chat()[:3], "question": "Why?"}).json()
    assert reply["messages"][-1] == {"role": "user", "content": "Why?"}


def test_score_has_every_turn_with_the_gates_parts(convgate_home: Path) -> None:
    app = create_app(
        settings_of(convgate_home, policy="gate", policy_parameters={}), token=TOKEN, encoder=FakeEncoder()
    )
    with TestClient(app, headers=AUTHORIZED) as client:
        reply = client.post("/v1/score", json={"messages": long_chat()}).json()
        selected = client.post("/v1/select", json={"messages": long_chat()}).json()["decisions"]
    assert [turn["kept"] for turn in reply["turns"]] == [turn["kept"] for turn in selected]
    assert reply["turns"][0]["stage"] == "hold"  # the system message is kept anyway
    assert reply["policy"] == "gate untrained"
    assert [turn["index"] for turn in reply["turns"]] == list(range(len(long_chat()) - 1))
    assert all(sum(turn["parts"].values()) == pytest.approx(turn["logit"]) for turn in reply["turns"])


def test_encoder_is_loaded_before_the_first_request(convgate_home: Path) -> None:
    encoder = FakeEncoder()
    app = create_app(settings_of(convgate_home, policy="gate", policy_parameters={}), encoder=encoder)
    assert not encoder.calls
    with TestClient(app):
        assert encoder.calls


def test_a_selection_is_logged_and_takes_an_outcome(client: TestClient) -> None:
    body = {"messages": long_chat(), "budget": 500, "intent": "debug", "request_id": "mine"}
    reply = client.post("/v1/select", json=body).json()
    assert (reply["request_id"], reply["budget"], reply["mode"]) == ("mine", 500, "DEBUGGING")
    assert check_valid(reply["messages"]) == []
    outcome = {"request_id": "mine", "ok": False}
    assert client.post("/v1/outcome", json=outcome).json() == outcome
    plain = client.post("/v1/select", json={"messages": long_chat()}).json()
    outcome = {"request_id": plain["request_id"], "ok": True}
    assert client.post("/v1/outcome", json=outcome).json() == outcome, "without a budget too"
    unknown = client.post("/v1/outcome", json={"request_id": "other", "ok": True})
    assert error_of(unknown) == (409, "store")


def test_feedback_is_stored_as_a_label(client: TestClient) -> None:
    body = {"messages": long_chat(), "turn": [1, 2], "relevant": True, "source": "shop"}
    first = client.post("/v1/feedback", json=body).json()
    assert first["changed"] == 2
    assert first["at"] == len(long_chat()) - 1
    by_key = {"conversation": first["conversation"], "turn": 1, "relevant": True, "source": "shop"}
    assert client.post("/v1/feedback", json=by_key).json()["changed"] == 0


def test_health_and_schema_need_no_token_and_metrics_do(client: TestClient) -> None:
    client.post("/v1/select", json={"messages": long_chat()})
    anonymous = TestClient(client.app)
    assert anonymous.get("/healthz").json() == {"status": "ok"}
    assert set(anonymous.get("/openapi.json").json()["paths"]) == {
        "/v1/select", "/v1/score", "/v1/feedback", "/v1/outcome", "/v1/results/{id}", "/healthz", "/metrics",
    }  # fmt: skip
    page = anonymous.get("/docs").text
    assert "/v1/select" in page
    assert "src=" not in page, "the page loads nothing from elsewhere"
    assert error_of(anonymous.get("/metrics")) == (401, "unauthorized")
    text = client.get("/metrics").text
    assert 'convgate_requests_total{endpoint="/v1/select",status="200"}' in text
    assert 'convgate_messages_total{outcome="dropped"}' in text


# Bad input


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("select", "{", (422, "invalid_request")),
        ("select", "[" * 100_000, (400, "invalid_json")),
        ("select", "[]", (422, "invalid_request")),
        ("select", '{"messages": "Hi"}', (422, "invalid_request")),
        ("select", '{"messages": [], "unknown": 1}', (422, "invalid_request")),
        ("select", '{"messages": []}', (422, "conversation")),
        ("select", '{"messages": [{"content": "Hi"}]}', (422, "transcript")),
        ("select", '{"messages": [{"role": "user", "content": "Hi", "x": NaN}]}', (422, "transcript")),
        ("select", '{"messages": [{"role": "user", "content": "Hi"}], "after": 1}', (422, "conversation")),
        ("select", '{"messages": [], "session": "new"}', (409, "session")),
        ("select", '{"messages": [], "session": "../x"}', (422, "invalid_request")),
        ("select", '{"messages": [], "budget": -1}', (422, "invalid_request")),
        ("select", '{"messages": [], "capsules": [1]}', (422, "invalid_request")),
        ("feedback", '{"turn": 0, "relevant": true}', (422, "conversation")),
        ("feedback", '{"conversation": "x", "turn": 0, "relevant": "yes"}', (422, "invalid_request")),
        ("feedback", '{"conversation": "x", "turn": [], "relevant": true}', (422, "feedback")),
        ("feedback", '{"conversation": "x", "turn": 0, "relevant": true}', (409, "store")),
        ("feedback", '{"conversation": "\\ud83d", "turn": 0, "relevant": true}', (409, "store")),
        ("outcome", '{"request_id": "x"}', (422, "invalid_request")),
        ("chat/completions", "{}", (404, "no_upstream")),
        ("models/m:generateContent", "{}", (404, "no_upstream")),
    ],
)  # fmt: skip
def test_bad_input_is_one_json_error(
    client: TestClient, path: str, body: str, expected: tuple[int, str]
) -> None:
    response = client.post(f"/v1/{path}", content=body, headers={"Content-Type": "application/json"})
    assert error_of(response) == expected


def test_lone_surrogates_come_back_as_they_were(client: TestClient) -> None:
    body = '{"messages": [{"role": "user", "content": "\\ud800"}]}'
    response = client.post("/v1/select", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 200
    assert json.loads(response.content)["messages"] == json.loads(body)["messages"]


def test_unknown_path_and_method_are_json_errors(client: TestClient) -> None:
    assert error_of(client.get("/v2")) == (404, "not_found")
    assert error_of(client.get("/v1/select")) == (405, "method_not_allowed")


def test_defect_is_answered_without_its_text(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a secret of the conversation")

    monkeypatch.setattr(Selector, "select_at", fail)
    response = client.post("/v1/select", json={"messages": long_chat()})
    assert error_of(response) == (500, "internal")
    assert "secret" not in response.text
    assert 'convgate_requests_total{endpoint="/v1/select",status="500"}' in client.get("/metrics").text


# Limits


def test_body_over_the_limit_is_refused_with_and_without_a_length(convgate_home: Path) -> None:
    body = json.dumps({"messages": [{"role": "user", "content": "x" * (1 << 20)}]}).encode()
    parts = (body[start : start + 65_536] for start in range(0, len(body), 65_536))
    with client_of(convgate_home, server={"max_body_mb": 1}) as client:
        assert error_of(client.post("/v1/select", content=body)) == (413, "body_too_large")
        assert error_of(client.post("/v1/select", content=parts)) == (413, "body_too_large")


def test_too_many_turns_are_refused_also_in_a_session(convgate_home: Path) -> None:
    messages = long_chat()[1:5]
    with client_of(convgate_home, server={"max_turns": 4}) as client:
        assert client.post("/v1/select", json={"messages": messages}).status_code == 200
        more = client.post("/v1/select", json={"messages": [*messages, messages[0]]})
        assert error_of(more) == (422, "conversation")
        assert client.post("/v1/select", json={"messages": messages, "session": "s"}).status_code == 200
        more = client.post("/v1/select", json={"messages": messages[:1], "session": "s"})
        assert error_of(more) == (409, "session")
        assert client.post("/v1/select", json={"session": "s", "after": 4}).status_code == 200


def test_requests_over_the_limit_are_refused_and_health_is_not(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = threading.Event(), threading.Event()
    select = Selector.select_at

    def wait(self: Selector, *words: Any, **options: Any) -> Any:
        begun.set()
        assert released.wait(20)
        return select(self, *words, **options)

    body = {"messages": long_chat()}
    app = create_app(settings_of(convgate_home, server={"max_requests": 1}), token=TOKEN)
    with running(app) as address, httpx.Client(base_url=address, headers=AUTHORIZED, timeout=20) as client:
        monkeypatch.setattr(Selector, "select_at", wait)
        with ThreadPoolExecutor(1) as pool:
            first = pool.submit(client.post, "/v1/select", json=body)
            assert begun.wait(20)
            refused = client.post("/v1/select", json=body)
            assert error_of(refused) == (429, "too_many_requests")
            assert refused.headers["Retry-After"] == "1"
            assert client.get("/healthz").status_code == 200
            assert client.get("/metrics").status_code == 200
            released.set()
            assert first.result().status_code == 200
        assert client.post("/v1/select", json=body).status_code == 200


def test_body_that_never_ends_is_given_up(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.1)
    finished = threading.Event()

    def parts() -> Iterator[bytes]:
        yield b"{"
        finished.wait(20)

    app = create_app(settings_of(convgate_home), token=TOKEN)
    with running(app) as address, ThreadPoolExecutor(1) as pool:
        sending = pool.submit(
            httpx.post, f"{address}/v1/select", content=parts(), headers=AUTHORIZED, timeout=20
        )
        with httpx.Client(base_url=address, headers=AUTHORIZED) as client:
            for _ in range(400):
                if '"other",status="408"' in client.get("/metrics").text:
                    break
            else:
                pytest.fail("the request was not given up")
        finished.set()
        with suppress(httpx.TransportError):  # the server may close the connection first
            assert sending.result().status_code == 408


# Tokens


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/v1/select", {}, 401),
        ("/v1/select", {"Authorization": "Bearer wrong"}, 401),
        ("/v1/select", {"Authorization": f"Basic {TOKEN}"}, 401),
        ("/v1/select", {"Authorization": f"Bearer {TOKEN}x"}, 401),
        ("/v1/select", {"Authorization": "Bearer é".encode("latin-1")}, 401),
        ("/token//v1/select", {}, 401),
        ("/token/wrong/v1/select", {}, 401),
        ("/v1/chat/completions", {}, 401),
        ("/openapi.json/v1/select", {}, 401),
        ("/v1/select", AUTHORIZED, 200),
        ("/v1/select", {"Authorization": f"bearer {TOKEN}"}, 200),
        ("/v1/select", {"X-Convgate-Token": TOKEN}, 200),
        (f"/token/{TOKEN}/v1/select", {"Authorization": "Bearer of-the-upstream"}, 200),
    ],
)  # fmt: skip
def test_only_the_token_opens(client: TestClient, path: str, headers: Any, status: int) -> None:
    response = TestClient(client.app).post(path, json={"messages": long_chat()}, headers=headers)
    assert response.status_code == status
    if status == 401:
        assert error_of(response) == (401, "unauthorized")


def test_token_is_that_of_the_settings_or_a_new_one(convgate_home: Path) -> None:
    own = create_app(settings_of(convgate_home, server={"token": "t" * 20}))
    assert own.state.token == "t" * 20
    first, second = (create_app(settings_of(convgate_home)).state.token for _ in range(2))
    assert first != second
    assert len(first) >= 40
    assert "t" * 20 not in repr(settings_of(convgate_home, server={"token": "t" * 20}))


# Sessions


@pytest.mark.parametrize("path", ["select", "score"])
def test_appended_messages_give_the_same_as_all_of_them(client: TestClient, path: str) -> None:
    messages = long_chat(15)
    for start, stop in ((0, 2), (2, 3), (3, 9), (9, len(messages))):
        body = {"messages": messages[start:stop], "session": path, "after": start, "question": "Why?"}
        appended = client.post(f"/v1/{path}", json=body).json()
        whole = client.post(f"/v1/{path}", json={"messages": messages[:stop], "question": "Why?"}).json()
        assert appended.pop("session")["turns"] == stop
        del whole["session"]
        for reply in (appended, whole):
            reply.pop("request_id", None)
            reply.pop("prefix", None)  # the second request has a request before it
        assert appended == whole


def test_equal_messages_of_two_sessions_stay_apart(client: TestClient) -> None:
    hello, secret = {"role": "user", "content": "Hello"}, {"role": "user", "content": "Only for a."}
    client.post("/v1/select", json={"messages": [hello], "session": "a"})
    client.post("/v1/select", json={"messages": [secret], "session": "a"})
    for turns in ([hello], [hello, hello]):
        reply = client.post("/v1/select", json={"messages": [hello], "session": "b"}).json()
        assert reply["messages"] == turns
        assert reply["session"]["turns"] == len(turns)
    reply = client.post("/v1/select", json={"session": "a"}).json()
    assert reply["messages"] == [hello, secret]


def test_retry_does_not_store_twice(client: TestClient) -> None:
    body = {"messages": long_chat()[:4], "session": "a", "after": 0}
    assert client.post("/v1/select", json=body).status_code == 200
    assert error_of(client.post("/v1/select", json=body)) == (409, "session")
    again = client.post("/v1/select", json={"session": "a", "after": 4}).json()
    assert again["session"]["turns"] == 4


def test_bad_message_stores_none_of_its_request(client: TestClient) -> None:
    client.post("/v1/select", json={"messages": long_chat()[:2], "session": "a"})
    for bad in ({"content": "no role"}, {"role": "user", "content": "Hi", "x": float("nan")}):
        content = json.dumps({"messages": [*long_chat()[2:4], bad], "session": "a"})
        response = client.post("/v1/select", content=content, headers={"Content-Type": "application/json"})
        assert response.status_code in {409, 422}
    assert client.post("/v1/select", json={"session": "a"}).json()["session"]["turns"] == 2


def test_rules_of_the_settings_begin_a_new_history_with_the_instructions(convgate_home: Path) -> None:
    day = datetime(2026, 3, 5, 9, tzinfo=UTC)
    system = {"role": "system", "content": "Be terse."}
    turns = [
        {"role": "user", "content": text, "timestamp": (day + timedelta(minutes=minute)).isoformat()}
        for text, minute in (("First", 0), ("Near", 9), ("After the gap", 30), ("new topic: tea", 31))
    ]
    with client_of(convgate_home, session={"idle_gap_seconds": 600}) as client:
        body = {"messages": [system, *turns[:2]], "session": "a"}
        assert client.post("/v1/select", json=body).json()["session"]["turns"] == 3
        reply = client.post("/v1/select", json={"messages": turns[2:3], "session": "a"}).json()
        assert reply["messages"] == [system, turns[2]]
        assert "idle gap" in reply["session"]["began"]
        reply = client.post("/v1/select", json={"messages": turns[3:], "session": "a"}).json()
        assert reply["messages"] == [system, turns[3]]
        assert "new topic" in reply["session"]["began"]
    with closing(Store(convgate_home / "convgate.db")) as store:
        assert [row.turns for row in Conversations(store).find(sort="turns").rows] == [3, 2, 2]
        assert [session.conversation_count for session in Sessions(store).recent("serve:a")] == [2, 1]
    with client_of(convgate_home, session={"idle_gap_seconds": float("inf")}) as client:
        one = client.post("/v1/select", json={"messages": [*turns[:1], turns[2]], "session": "b"})
        assert one.json()["session"]["turns"] == 2


def test_a_context_has_the_summary_of_its_session(convgate_home: Path) -> None:
    with client_of(convgate_home, session={"summary_turns": 2}) as client:
        body = {"messages": long_chat()[:3], "session": "a", "intent": "task", "budget": 53_000}
        sections = client.post("/v1/select", json=body).json()["sections"]
        [capsule] = next(one["turns"] for one in sections if one["name"] == "capsules")
        assert "messages 0 to 1" in capsule["reason"]


def test_ended_sessions_are_cleaned_up_where_the_settings_say_so(convgate_home: Path) -> None:
    messages = [{"role": "user", "content": "Old", "timestamp": "2020-01-01T09:00:00+00:00"}, *long_chat()]
    with client_of(convgate_home) as client:
        client.post("/v1/select", json={"messages": messages, "session": "a"})
    with closing(Store(convgate_home / "convgate.db")) as store, store.write() as db:
        assert [session.is_active for session in Sessions(store).recent()] == [True, False]
        db.execute("UPDATE sessions SET ended = started WHERE ended IS NOT NULL")
    with client_of(convgate_home, session={"clean_up_at_start": True}) as client:
        client.post("/v1/select", json={"messages": [{"role": "user", "content": "Hi"}], "session": "b"})
    with closing(Store(convgate_home / "convgate.db")) as store:
        assert [session.is_active for session in Sessions(store).recent()] == [True, True]


def test_conversation_deleted_in_the_app_begins_anew(client: TestClient, convgate_home: Path) -> None:
    message = {"role": "user", "content": "Hi"}
    reply = client.post("/v1/select", json={"messages": [message], "session": "a"}).json()
    with closing(Store(convgate_home / "convgate.db")) as store:
        Conversations(store).delete([reply["session"]["conversation"]])
    for messages in ([message], [message, message]):
        reply = client.post("/v1/select", json={"messages": [message], "session": "a"}).json()
        assert reply["messages"] == messages
    with closing(Store(convgate_home / "convgate.db")) as store:
        assert len(Conversations(store).deleted()) == 1


def test_feedback_names_a_session(client: TestClient) -> None:
    reply = client.post("/v1/select", json={"messages": long_chat(), "session": "a"}).json()
    saved = client.post("/v1/feedback", json={"session": "a", "turn": 1, "relevant": True}).json()
    assert saved == {
        "changed": 1,
        "conversation": reply["session"]["conversation"],
        "at": len(long_chat()) - 1,
    }
    unknown = client.post("/v1/feedback", json={"session": "z", "turn": 1, "relevant": True})
    assert error_of(unknown) == (409, "session")


def test_clients_may_append_to_one_session_at_once(client: TestClient) -> None:
    def send(number: int) -> int:
        body = {"messages": [{"role": "user", "content": f"Message {number}"}], "session": "a"}
        return client.post("/v1/select", json=body).status_code

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(send, range(24))) == {200}
    assert client.post("/v1/select", json={"session": "a"}).json()["session"]["turns"] == 24


def test_read_only_server_selects_and_stores_nothing(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with client_of(convgate_home) as client:
        client.post("/v1/feedback", json={"messages": long_chat(), "turn": 1, "relevant": True})
    monkeypatch.setattr("convgate.core.home._READ_ONLY", {convgate_home.resolve()})
    with client_of(convgate_home, read_only=True) as client:
        assert client.post("/v1/select", json={"messages": long_chat()}).status_code == 200
        stored = client.post("/v1/select", json={"messages": long_chat(), "session": "a"})
        assert error_of(stored) == (403, "read_only")


@pytest.mark.shipped
def test_shipped_gate_selects_over_http(convgate_home: Path) -> None:
    sample = Path(__file__).parents[2] / "sample_conversations" / "nan_and_fibonacci.json"
    messages = json.loads(sample.read_text())["messages"]
    app = create_app(settings_of(convgate_home, policy="gate", policy_parameters={}), token=TOKEN)
    with TestClient(app, headers=AUTHORIZED) as client:
        reply = client.post("/v1/select", json={"messages": messages}).json()
    assert reply["policy"] == "gate shipped"
    assert reply["messages"] == convgate.load().select(messages).messages


# Without the packages


def test_missing_package_is_one_sentence(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    code, out, err = run("serve")
    assert (code, out) == (1, "")
    assert 'needs httpx: pip install "convgate[serve]"' in err


# Rollouts


@pytest.fixture
def candidate(tmp_path: Path) -> Path:
    """The settings file of a candidate that keeps one turn, not two; of another home, which is ignored."""
    file = tmp_path / "candidate.toml"
    file.write_text(
        'home = "elsewhere"\npolicy = "last_k"\npolicy_parameters = {k = 1}\nbudget.tokens = 500\n'
    )
    return file


def test_selections_are_those_of_the_sessions_arm(convgate_home: Path, candidate: Path) -> None:
    rollout = start_at_half(Store(convgate_home / "convgate.db"))
    chat: list[dict[str, Any]] = long_chat()
    sent: dict[str, set[int | None]] = {"candidate": set(), "control": set()}
    with client_of(convgate_home, server={"candidate": candidate}) as client:
        for number in range(24):
            reply = client.post("/v1/select", json={"messages": chat, "session": f"s{number}"}).json()
            assert reply["arm"] == rollout.arm(f"s{number}")
            sent[reply["arm"]].add(reply.get("budget"))
            outcome = {"request_id": reply["request_id"], "ok": False, "error": True, "seconds": 2}
            assert client.post("/v1/outcome", json=outcome).status_code == 200
        assert client.post("/v1/select", json={"messages": chat}).json()["arm"] is None
    assert sent == {"candidate": {500}, "control": {None}}
    figures = rollout.status().figures
    for arm, other in (("candidate", figures.candidate), ("control", figures.control)):
        assert other.requests == other.sessions_with_error == rollout.status().sessions[arm]
        assert (other.latency, other.error_rate) == (2.0, 1.0)
    assert figures.candidate.requests + figures.control.requests == 24


@pytest.mark.parametrize("values", [{"ok": True, "error": True}, {"ok": True, "seconds": -1}])
def test_an_outcome_that_cannot_be_is_refused(client: TestClient, values: dict[str, Any]) -> None:
    client.post("/v1/select", json={"messages": long_chat(), "request_id": "mine"})
    assert client.post("/v1/outcome", json={"request_id": "mine", **values}).status_code == 422
