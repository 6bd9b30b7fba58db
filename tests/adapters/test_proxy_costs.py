"""The proxy as a program in front of a provider with a prompt cache: what requests cost by its `usage`."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")
pytest.importorskip("psutil")

from convgate.core.settings import Settings
from convgate.costs.prices import Price, Usage, find_price
from tests.adapters.test_serve_process import answers, connect, served, workers_of
from tests.processes import wait_until
from tests.simulated_provider import ANTHROPIC, OPENAI, SimulatedProvider
from tests.tool_runs import code

pytestmark = [pytest.mark.adapters, pytest.mark.slow]

Message = dict[str, Any]
MODELS = {OPENAI: "gpt-5", ANTHROPIC: "claude-sonnet-4-5"}


@pytest.fixture
def provider() -> Iterator[SimulatedProvider]:
    provider = SimulatedProvider()
    yield provider
    provider.close()


def price_of(path: str) -> Price:
    price = find_price(Settings(costs={"model": MODELS[path]}))
    assert price is not None
    return price


def priced(path: str, **environment: str) -> dict[str, str]:
    """Settings in the environment of a server."""
    return {"CONVGATE_COSTS_MODEL": MODELS[path], **environment}


def text_block(text: str) -> Message:
    return {"type": "text", "text": text}


def agent_requests(n_messages: int = 3, n_calls: int = 5) -> list[list[Message]]:
    """Lists as a coding agent sends them to Anthropic: for each message of the user several, each longer."""
    requests, messages = list[list[Message]](), list[Message]()

    def ask() -> None:
        *earlier, last = messages
        *blocks, block = last["content"]
        marked = {**block, "cache_control": {"type": "ephemeral"}}
        requests.append([*earlier, {**last, "content": [*blocks, marked]}])

    for number in range(n_messages):
        reminder = text_block("<system-reminder>Keep the list of tasks up to date.</system-reminder>")
        messages.append({"role": "user", "content": [reminder, text_block(f"Please fix bug {number}.")]})
        for call in range(n_calls):
            ask()
            id, path = f"toolu_{number}_{call}", f"src/part_{call % 3}.py"
            use = {"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": path}}
            lines = code(300, 1 + 300 * call, f"part_{number}")
            result = {"type": "tool_result", "tool_use_id": id, "content": lines}
            messages.append({"role": "assistant", "content": [text_block("I read it."), use]})
            messages.append({"role": "user", "content": [result]})
        ask()
        messages.append({"role": "assistant", "content": [text_block(f"Bug {number} is fixed.")]})
    return requests


def chat_requests(n_messages: int = 12, n_words: int = 300) -> list[list[Message]]:
    """Lists of a chat with OpenAI, each longer by an answer and a message."""
    messages: list[Message] = [{"role": "system", "content": "Be terse."}]
    requests = []
    for number in range(n_messages):
        messages.append({"role": "user", "content": " ".join([f"question{number}"] * n_words)})
        requests.append([*messages])
        messages.append({"role": "assistant", "content": " ".join([f"answer{number}"] * n_words)})
    return requests


REQUESTS = {ANTHROPIC: agent_requests, OPENAI: chat_requests}


def body_of(messages: Sequence[Message]) -> bytes:
    """A request with a layout of its own, by which it is known again."""
    return json.dumps({"model": "m", "max_tokens": 9, "messages": messages}, indent=1).encode()


def post(client: Any, path: str, messages: Sequence[Message]) -> Any:
    response = client.post(path, content=body_of(messages), headers={"Content-Type": "application/json"})
    assert response.status_code == 200
    assert "x-convgate-reason" not in response.headers
    return response


def usage_of(response: Any) -> Usage:
    usage = Usage.of(response.json()["usage"])
    assert usage is not None
    return usage


def bill_everything(path: str, requests: Sequence[Sequence[Message]]) -> list[float]:
    """Return what each request costs that is sent whole."""
    provider, price = SimulatedProvider(), price_of(path)
    try:
        usages = [Usage.of(provider.post(path, list(messages))) for messages in requests]
    finally:
        provider.close()
    return [price.cost(usage) for usage in usages if usage is not None]


def check_prefixes(usages: Sequence[Usage], price: Price) -> None:
    """Check that each request reads the whole one before from the cache."""
    for before, usage in pairwise(usages):
        total = before.input + before.cached + before.written
        if total >= price.min_tokens + price.block_tokens:
            assert usage.cached > total - price.block_tokens


def metric(client: Any, name: str) -> float:
    lines = client.get("/metrics").text.splitlines()
    return float(next(line.split()[-1] for line in lines if line.startswith(f"{name} ")))


@pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
def test_the_prefix_is_read_from_the_cache_and_the_bill_is_never_above_everything(
    provider: SimulatedProvider, path: str
) -> None:
    requests, price = REQUESTS[path](), price_of(path)
    with served("--upstream", provider.url, **priced(path)) as (_, client):
        responses = [post(client, path, messages) for messages in requests]
        sent = metric(client, 'convgate_dollars_total{outcome="sent"}')
        everything = metric(client, 'convgate_dollars_total{outcome="everything"}')
    usages = [usage_of(response) for response in responses]
    check_prefixes(usages, price)
    bills = [price.cost(usage) for usage in usages]
    whole = bill_everything(path, requests)
    for n in range(1, len(bills) + 1):
        assert sum(bills[:n]) <= sum(whole[:n]) * (1 + 1e-9)
    dollars = [float(response.headers["x-convgate-dollars"]) for response in responses]
    assert sent == pytest.approx(sum(dollars), abs=1e-5)
    assert 0 < sent <= everything


@pytest.mark.parametrize("path", [ANTHROPIC, OPENAI])
@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM])
def test_another_process_goes_on_with_the_same_prefix(
    provider: SimulatedProvider, path: str, signal_number: int
) -> None:
    requests = REQUESTS[path]()
    half = len(requests) // 2
    with served("--upstream", provider.url, **priced(path)) as (process, client):
        before = [usage_of(post(client, path, messages)) for messages in requests[:half]][-1]
        process.send_signal(signal_number)
        process.wait(30)
    with served("--upstream", provider.url, **priced(path)) as (_, client):
        first, *_ = [usage_of(post(client, path, messages)) for messages in requests[half:]]
    assert first.cached > before.input + before.cached + before.written - price_of(path).block_tokens


def test_workers_share_what_was_sent(provider: SimulatedProvider) -> None:
    requests = agent_requests()
    with served("--upstream", provider.url, "--workers", 2, **priced(ANTHROPIC)) as (process, client):
        wait_until(lambda: len(workers_of(process)) == 2)
        usages = []
        for place, messages in enumerate(requests):
            if place == len(requests) // 2:
                for worker in workers_of(process):
                    worker.kill()
                wait_until(lambda: answers(client))
            with connect(client) as other:
                usages.append(usage_of(post(other, ANTHROPIC, messages)))
    assert len(usages) == len(requests)
    check_prefixes(usages, price_of(ANTHROPIC))


def test_a_shadow_forwards_every_byte_and_counts_what_would_be_sent(provider: SimulatedProvider) -> None:
    requests = chat_requests(n_words=10)
    shadow = {"CONVGATE_SERVER_SHADOW": "true"}
    with served("--upstream", provider.url, **priced(OPENAI, **shadow)) as (_, client):
        responses = [post(client, OPENAI, messages) for messages in requests]
        dropped = metric(client, 'convgate_messages_total{outcome="dropped"}')
        assert metric(client, 'convgate_dollars_total{outcome="sent"}') > 0
    assert provider.bodies == [body_of(messages) for messages in requests]
    headers = responses[-1].headers
    assert headers["x-convgate-shadow"] == "true"
    assert headers["x-convgate-way"] == "select"
    assert int(headers["x-convgate-dropped"]) == len(requests[-1]) - 4
    assert dropped == sum(int(response.headers["x-convgate-dropped"]) for response in responses)


def test_a_shortened_result_is_returned_byte_for_byte(provider: SimulatedProvider) -> None:
    requests = agent_requests(n_messages=1, n_calls=14)
    elide = priced(ANTHROPIC, CONVGATE_ELIDE="true")
    with served("--upstream", provider.url, **elide) as (_, client):
        response = [post(client, ANTHROPIC, messages) for messages in requests][-1]
        assert int(response.headers["x-convgate-elided"]) > 0
        received = json.loads(provider.bodies[-1])["messages"]
        n_shortened = 0
        for before, after in zip(requests[-1], received, strict=True):
            for old, new in zip(before["content"], after["content"], strict=True):
                if old != new:
                    id = new["content"].split("id ")[1].split(":")[0]
                    assert client.get(f"/v1/results/{id}").json()["text"] == old["content"]
                    n_shortened += 1
    assert n_shortened == int(response.headers["x-convgate-elided"])


def test_stubs_do_not_cost_more_than_they_save(provider: SimulatedProvider) -> None:
    requests, price = agent_requests(n_messages=2, n_calls=20), price_of(ANTHROPIC)
    elide = priced(
        ANTHROPIC, CONVGATE_ELIDE="true", CONVGATE_POLICY="everything", CONVGATE_POLICY_PARAMETERS="{}"
    )
    with served("--upstream", provider.url, **elide) as (_, client):
        responses = [post(client, ANTHROPIC, messages) for messages in requests]
    usages = [usage_of(response) for response in responses]
    assert int(responses[-1].headers["x-convgate-elided"]) > 0
    assert sum(map(price.cost, usages)) < 0.9 * sum(bill_everything(ANTHROPIC, requests))


def test_a_stream_is_selected_and_relayed_like_any_other(provider: SimulatedProvider) -> None:
    with served("--upstream", provider.url, **priced(OPENAI)) as (_, client):
        for messages in chat_requests():
            body = {"messages": messages, "stream": True}
            with client.stream("POST", OPENAI, json=body) as response:
                assert response.headers["x-convgate-way"]
                lines = [line for line in response.iter_lines() if line]
    assert lines[-1] == "data: [DONE]"
    assert json.loads(lines[0].removeprefix("data: "))["usage"]["prompt_tokens_details"]["cached_tokens"] > 0
