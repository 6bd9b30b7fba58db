"""Token counts of the proxy become those of a provider whose tokenizer counts 1.3 times as many."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")

from convgate.costs.prices import Usage
from convgate.messages.tokens import turn_tokens
from convgate.server.app import create_app
from convgate.server.usage import SentTokens, UsageReader, count_sent
from convgate.transcripts import turns_from_messages
from tests.adapters.serving import AUTHORIZED, TOKEN, running, settings_of
from tests.adapters.test_proxy_costs import MODELS, REQUESTS, price_of
from tests.simulated_provider import ANTHROPIC, OPENAI, SimulatedProvider

pytestmark = pytest.mark.adapters

RATIO = 1.3


def count(message: dict[str, Any]) -> int:
    return round(RATIO * int(turn_tokens(turns_from_messages([message])).sum()))


@pytest.fixture
def provider() -> Iterator[SimulatedProvider]:
    provider = SimulatedProvider(count)
    yield provider
    provider.close()


def post_all(provider: SimulatedProvider, home: Path, path: str, **fields: Any) -> list[tuple[float, Any]]:
    """Return for each request the provider's bill by the proxy's, and the response."""
    settings = settings_of(
        home, costs={"model": MODELS[path]}, server={"upstream": provider.url, "select_seconds": 60}
    )
    answers, price = [], price_of(path)
    with (
        running(create_app(settings, token=TOKEN)) as address,
        httpx.Client(base_url=address, headers=AUTHORIZED, timeout=60) as client,
    ):
        for messages in REQUESTS[path]():
            response = client.post(path, json={"model": "m", "messages": messages, **fields})
            text = response.text.splitlines()[0].removeprefix("data: ")
            usage = Usage.of(json.loads(text)["usage"])
            assert usage is not None
            bill = price.cost(replace(usage, output=0))
            answers.append((bill / float(response.headers["x-convgate-dollars"]), response))
        lines = client.get("/metrics").text.splitlines()
    (ratio,) = [line.split()[-1] for line in lines if line.startswith('convgate_token_ratio{model="m"}')]
    assert float(ratio) == pytest.approx(RATIO, rel=0.01)
    return answers


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
def test_after_some_requests_the_bill_is_the_providers(
    provider: SimulatedProvider, convgate_home: Path, path: str, stream: bool
) -> None:
    answers = post_all(provider, convgate_home, path, stream=stream)
    bills = [bill for bill, _ in answers]
    ratios = [float(response.headers["x-convgate-token-ratio"]) for _, response in answers]
    assert bills[0] == pytest.approx(RATIO, rel=0.02)
    assert bills[3:] == pytest.approx([1.0] * len(bills[3:]), rel=0.02)
    assert ratios[0] == 1
    assert ratios[3:] == pytest.approx([RATIO] * len(ratios[3:]), rel=0.01)


def test_a_budget_is_in_the_providers_tokens(provider: SimulatedProvider, convgate_home: Path) -> None:
    settings = settings_of(
        convgate_home, budget={"tokens": 3_000}, server={"upstream": provider.url, "select_seconds": 60}
    )
    totals = []
    with (
        running(create_app(settings, token=TOKEN)) as address,
        httpx.Client(base_url=address, headers=AUTHORIZED, timeout=60) as client,
    ):
        for messages in REQUESTS[OPENAI]():
            response = client.post(OPENAI, json={"model": "m", "messages": messages})
            totals.append(response.json()["usage"]["prompt_tokens"])
    assert max(totals[3:]) <= 3_000
    assert max(totals) > 2_000


ANSWERS: dict[str, list[Any]] = {
    "OpenAI": [{"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3}}],
    "Gemini": [{"candidates": [], "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 3}}],
    "Anthropic": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 2, "cache_read_input_tokens": 10}}},
        {"type": "content_block_delta", "delta": {"text": 'of "usage": none'}},
        {"type": "message_delta", "usage": {"output_tokens": 3}},
    ],
    "Responses": [
        {"type": "response.created", "response": {"usage": None}},
        {"type": "response.completed", "response": {"usage": {"input_tokens": 12, "output_tokens": 3}}},
    ],
    "none": [{"choices": [{"delta": {"content": 'a "usage"'}}]}, 3, None, [], "usage"],
}


@pytest.mark.parametrize("size", [1, 7, 10_000])
@pytest.mark.parametrize("coding", ["identity", "gzip"])
@pytest.mark.parametrize("api", ANSWERS)
def test_usage_is_found_in_streams_of_every_api(api: str, coding: str, size: int) -> None:
    data = "".join(f"event: a\ndata: {json.dumps(each)}\n\n" for each in ANSWERS[api]).encode()
    data = gzip.compress(data) if coding == "gzip" else data
    reader = UsageReader({"content-type": "text/event-stream; charset=utf-8", "content-encoding": coding})
    for start in range(0, len(data), size):
        reader.feed(data[start : start + size])
    usage = reader.close()
    assert (None if usage is None else usage.total) == (None if api == "none" else 12)


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"\xff{", {}),
        (b'{"usage": ' + b"[" * 100_000, {}),
        (b'{"usage": {"prompt_tokens": 1', {}),
        (b'{"usage": {"prompt_tokens": 1}}', {"content-encoding": "gzip"}),
        (b'{"usage": {"prompt_tokens": 1}}', {"content-encoding": "br"}),
        (gzip.compress(b" " * 5_000_000 + b'{"usage": {"prompt_tokens": 1}}'), {"content-encoding": "gzip"}),
        (b" " * 5_000_000 + b'{"usage": {"prompt_tokens": 1}}', {}),
        (b'{"usage": {"prompt_tokens": "many", "completion_tokens": -1}}', {}),
    ],
    ids=["no text", "deep", "cut off", "no gzip", "unknown coding", "gzip bomb", "long", "no counts"],
)  # what gzip writes has the time in it, and a test's name must be the same in all workers
def test_an_answer_that_cannot_be_read_counts_nothing(data: bytes, headers: dict[str, str]) -> None:
    reader = UsageReader(headers)
    reader.feed(data)
    reader.feed(b"")
    assert reader.close() is None


def test_tools_and_instructions_count_and_images_make_a_request_uncountable() -> None:
    turns = turns_from_messages([{"role": "user", "content": "How are you?"}])
    assert count_sent("m", {"temperature": 1}, turns, 9) == SentTokens("m", 9)
    tools = count_sent("m", {"tools": [{"name": "read_file"}], "system": "Be brief."}, turns, 9)
    assert tools is not None
    assert tools.tokens > 15
    image = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]
    assert count_sent("m", {}, turns_from_messages([{"role": "user", "content": image}]), 9) is None
    assert count_sent("", {}, turns, 9) is None
