"""Ratios of a provider's tokens to convgate's, and the bill of requests by them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from convgate.core.settings import Settings
from convgate.costs.calibration import TokenRatios
from convgate.costs.prices import Usage, find_price


def test_a_ratio_is_that_of_all_tokens_and_each_model_has_its_own() -> None:
    ratios = TokenRatios()
    ratios.observe("a", 100, 200)
    ratios.observe("a", 900, 900)
    assert ratios.of("a") == pytest.approx((200 * 0.95 + 900) / (100 * 0.95 + 900))
    assert ratios.of("b") == 1
    for own, provider in ((0, 5), (5, 0), (-1, 5)):
        ratios.observe("c", own, provider)
    assert ratios.of("c") == 1


def test_a_ratio_follows_a_new_tokenizer_and_forgets_an_outlier() -> None:
    rng, ratios = random.Random(0), TokenRatios()

    def observe(n: int, ratio: float) -> float:
        for _ in range(n):
            own = rng.randint(500, 5_000)
            ratios.observe("m", own, round(own * ratio * rng.uniform(0.98, 1.02)))
        return ratios.of("m")

    assert observe(20, 1.3) == pytest.approx(1.3, rel=0.01)
    ratios.observe("m", 1_000, 1_000_000)
    assert ratios.of("m") == pytest.approx(1.3, rel=0.05), "one answer counts as at most twice the ratio"
    assert observe(20, 1.3) == pytest.approx(1.3, rel=0.01)
    assert observe(100, 0.8) == pytest.approx(0.8, rel=0.01)
    other = TokenRatios()
    other.observe("m", 1, 1_000_000)
    assert other.of("m") == 5


def test_only_the_models_used_last_are_kept() -> None:
    ratios = TokenRatios()
    for number in range(101):
        ratios.observe(f"m{number}", 10, 20)
        ratios.observe("m0", 10, 20)
    assert (ratios.of("m0"), ratios.of("m1"), ratios.of("m100")) == (2, 1, 2)


def test_rules_of_the_cache_hold_for_the_providers_tokens() -> None:
    price = find_price(Settings(costs={"model": "claude-sonnet-4-5"}))
    assert price is not None
    assert price.usage(1_000, 900) == Usage(1_000, 0, 0)
    assert replace(price, token_ratio=1.3).usage(1_000, 900) == Usage(0, 1_170, 130)
