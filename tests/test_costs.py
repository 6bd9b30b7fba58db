"""Costs: prices, what a request uses under a prompt cache, and the same as a provider says it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.adapters.selection import MessageSelector
from convgate.core.errors import SettingsError
from convgate.core.settings import Settings, load_settings
from convgate.costs.cache import PromptCache
from convgate.costs.prices import Price, Usage, find_price
from convgate.selection.load import load
from tests.simulated_provider import ANTHROPIC, OPENAI, SimulatedProvider, count_tokens

MODELS = {OPENAI: "gpt-5", ANTHROPIC: "claude-sonnet-4-5"}


def price_of(model: str, **prices: float) -> Price:
    price = find_price(Settings(costs={"model": model, "prices": prices}))
    assert price is not None
    return price


@pytest.fixture(scope="module")
def provider() -> Iterator[SimulatedProvider]:
    provider = SimulatedProvider()
    yield provider
    provider.close()


# Prices


def test_a_dated_name_has_the_prices_of_its_family() -> None:
    assert find_price(Settings()) is None
    sonnet = price_of("claude-sonnet-4-5-20250929")
    assert sonnet == Price("claude-sonnet-4-5", 3, 0.3, 3.75, 15, 300, 1_024, 1)
    hour = price_of("claude-sonnet-4-5-20250929-1h")
    assert (hour.name, hour.write, hour.life_seconds) == ("claude-sonnet-4-5-1h", 6, 3_600)
    assert price_of("gpt-5-mini-2025-08-07").input == 0.25
    assert price_of("gemini-2.5-flash-preview-09-2025").output == 2.5


@pytest.mark.parametrize(
    "model", ["gpt-5.9", "gpt-5-pro", "claude-opus-5-9", "gemini-2.5-flash-lite", "gpt-5-1h", "llama", "gpt"]
)
def test_a_model_that_may_cost_something_else_is_refused(model: str) -> None:
    with pytest.raises(SettingsError, match=rf"'{model}'.*claude-opus-5.*gpt-5-mini.*input, cached, write"):
        price_of(model)


def test_the_settings_give_or_override_numbers(convgate_home: Path) -> None:
    convgate_home.mkdir()
    (convgate_home / "convgate.toml").write_text(
        '[costs]\nmodel = "gpt-5"\n[costs.prices]\ncached = 0.5\nlife_seconds = 86400\n'
    )
    price = find_price(load_settings())
    assert price == Price("gpt-5", 1.25, 0.5, 1.25, 10, 86_400, 1_024, 128)
    own = price_of(
        "own", input=1, cached=0.1, write=1, output=2, life_seconds=60, min_tokens=0, block_tokens=16
    )
    assert own == Price("own", 1, 0.1, 1, 2, 60, 0, 16)


@pytest.mark.parametrize(
    ("prices", "message"),
    [
        ({"cache": 1}, "no cache; it has input"),
        ({"input": -1}, "input: it must be a number from 0; got -1"),
        ({"input": float("nan")}, "got nan"),
        ({"block_tokens": 0}, "block_tokens: it must be a whole number from 1"),
        ({"min_tokens": 0.5}, "min_tokens: it must be a whole number"),
    ],
)
def test_numbers_that_cannot_be_are_refused(prices: dict[str, float], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        price_of("gpt-5", **prices)


# One request


def test_openai_reads_whole_blocks_from_1024_tokens_on() -> None:
    """The figures of OpenAI's guide: of 2,006 tokens, 1,920 are cached."""
    price = price_of("gpt-5")
    assert price.usage(2_006, 2_006) == Usage(86, 1_920, 0)
    assert price.usage(2_006, 1_023) == Usage(2_006, 0, 0)
    assert price.usage(2_006, 1_151) == Usage(982, 1_024, 0)
    assert price.cost(Usage(86, 1_920, 0, 300)) == pytest.approx((86 * 1.25 + 1_920 * 0.125 + 300 * 10) / 1e6)


def test_anthropic_charges_writes_and_reads_to_the_token() -> None:
    price = price_of("claude-sonnet-4-5")
    assert price.usage(1_023, 0) == Usage(1_023, 0, 0)
    assert price.usage(1_024, 0) == Usage(0, 0, 1_024)
    assert price.usage(10_500, 10_000) == Usage(0, 10_000, 500)
    assert price.cost(price.usage(10_500, 10_000)) == pytest.approx(0.003 + 0.001875)
    assert price.cost(price.usage(10_500, 0)) == pytest.approx(0.039375)


@pytest.mark.parametrize(
    ("data", "usage"),
    [
        (
            {"prompt_tokens": 2_006, "completion_tokens": 300,
             "prompt_tokens_details": {"cached_tokens": 1_920}},
            Usage(86, 1_920, 0, 300),
        ),
        (
            {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3}},
            Usage(2, 4, 3),
        ),
        ({"prompt_tokens": 5, "prompt_tokens_details": None}, Usage(5, 0, 0)),
        (
            {"input_tokens": 50, "input_tokens_details": {"cached_tokens": 30}, "output_tokens": 2},
            Usage(20, 30, 0, 2),
        ),
        (
            {"input_tokens": 21, "cache_creation_input_tokens": 188_086, "cache_read_input_tokens": 0,
             "output_tokens": 393},
            Usage(21, 0, 188_086, 393),
        ),
        (
            {"promptTokenCount": 100, "cachedContentTokenCount": 60, "candidatesTokenCount": 4,
             "thoughtsTokenCount": 6},
            Usage(40, 60, 0, 10),
        ),
        ({"tokens": 3}, None),
    ],
)  # fmt: skip
def test_usage_is_read_from_what_providers_return(data: dict[str, Any], usage: Usage | None) -> None:
    assert Usage.of(data) == usage
    if usage:
        assert usage.total == usage.input + usage.cached + usage.written


# Requests in a row


def test_a_prefix_lives_until_its_life_after_the_last_use_is_over() -> None:
    cache = PromptCache(price_of("claude-sonnet-4-5"))
    first, longer = [("a", 2_000)], [("a", 2_000), ("b", 10)]
    assert cache.request(0, first) == Usage(0, 0, 2_000)
    assert cache.request(300, longer) == Usage(0, 2_000, 10), "a read renews"
    assert cache.request(600, first) == Usage(0, 2_000, 0)
    assert cache.request(601, longer) == Usage(0, 2_000, 10), "the longer one is over"
    assert cache.request(902, first) == Usage(0, 0, 2_000)


def test_only_the_beginning_counts() -> None:
    cache = PromptCache(price_of("claude-sonnet-4-5"))
    cache.request(0, [("a", 2_000), ("b", 1_000)])
    assert cache.request(1, [("b", 1_000), ("a", 2_000)]) == Usage(0, 0, 3_000)
    assert cache.request(2, [("a", 2_000), ("c", 5), ("b", 1_000)]) == Usage(0, 2_000, 1_005)


# Against a provider

Step = tuple[float, int, list[int]]
TEXTS = [f"text{number} " * size for number, size in enumerate([1, 3, 120, 129, 700, 1_023, 1_024, 2_500])]


def messages_of(texts: list[int]) -> list[dict[str, Any]]:
    return [{"role": "user", "content": TEXTS[text]} for text in texts]


def pieces_of(messages: list[dict[str, Any]]) -> list[tuple[str, int]]:
    return [(f"{message['role']}: {message['content']}", count_tokens(message)) for message in messages]


@given(
    path=st.sampled_from([OPENAI, ANTHROPIC]),
    base=st.lists(st.integers(0, len(TEXTS) - 1), min_size=3, max_size=8),
    steps=st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 150.0, 299.5, 300.0, 300.5, 4_000.0]),  # pause in seconds
            st.integers(0, 8),  # messages of `base` that it begins with
            st.lists(st.integers(0, len(TEXTS) - 1), max_size=3),  # other messages after them
        ),
        min_size=2,
        max_size=10,
    ),
)
def test_the_cache_says_what_a_provider_says(
    provider: SimulatedProvider, path: str, base: list[int], steps: list[Step]
) -> None:
    provider.forget()
    cache = PromptCache(price_of(MODELS[path]))
    for pause, shared, rest in steps:
        provider.now += pause
        messages = messages_of([*base[:shared], *rest]) or messages_of([0])
        expected = Usage.of(provider.post(path, messages))
        usage = cache.request(provider.now, pieces_of(messages))
        assert expected == Usage(usage.input, usage.cached, usage.written, output=7)


@pytest.mark.parametrize("path", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("policy", ["everything", "last_k"])
def test_the_cache_says_what_a_provider_says_of_what_adapters_send(
    provider: SimulatedProvider, path: str, policy: str, convgate_home: Path, load_without_a_model: None
) -> None:
    """The proxy and the adapters send what MessageSelector keeps."""
    provider.forget()
    cache = PromptCache(price_of(MODELS[path]))
    selector = MessageSelector.of(load(Settings(home=convgate_home), policy=policy))
    messages: list[dict[str, Any]] = [{"role": "system", "content": "Be terse. " * 600}]
    usages = []
    for number in range(12):
        provider.now += 400 if number == 8 else 60
        messages.append({"role": "user", "content": f"question {number} " * 80})
        sent = [messages[index] for index in selector.keep(messages)]
        usages.append(cache.request(provider.now, pieces_of(sent)))
        expected = Usage.of(provider.post(path, sent))
        assert expected == Usage(usages[-1].input, usages[-1].cached, usages[-1].written, output=7)
        messages.append({"role": "assistant", "content": f"answer {number} " * 90})
    assert usages[0].cached == usages[8].cached == 0
    assert all(usage.cached >= 1_024 for usage in (*usages[1:8], *usages[9:]))
    assert (usages[7].cached < 2_000) == (policy == "last_k"), (
        "after its window is full, it reads the system message"
    )
