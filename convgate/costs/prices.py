"""What input and output of a model cost: prices, the rules of its prompt cache, and what a request used."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

from convgate.core.errors import SettingsError
from convgate.core.settings import Settings
from convgate.core.text import join_words, quote

ONE_HOUR = "-1h"
"""The end of the name of a family whose cache lives for one hour."""

DEFAULT_MODEL = "claude-sonnet-4-5"
"""Whose prices the app shows where the settings name none."""

_VARIANT = re.compile(r"([-@](\d{4,}|latest|preview|exp)\b.*)?")
"""What may follow a family's name; another version or size has other prices."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request by what they cost; each token counts once."""

    input: int  # neither read from the cache nor written to it
    cached: int  # read from the cache
    written: int  # written to the cache, where the provider charges that
    output: int = 0

    @property
    def total(self) -> int:
        """All tokens of the input."""
        return self.input + self.cached + self.written

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Usage | None:
        """Return the usage in a provider's `usage` object; None where it is in no known form.

        Forms: OpenAI (chat, responses), Anthropic, Gemini (`usageMetadata`). OpenAI and Gemini count what is
        read and written within the input, Anthropic besides it.
        """
        if "promptTokenCount" in data:
            cached = _count(data, "cachedContentTokenCount")
            output = _count(data, "candidatesTokenCount") + _count(data, "thoughtsTokenCount")
            return cls(_count(data, "promptTokenCount") - cached, cached, 0, output)
        if "prompt_tokens" in data:
            return cls._within(data, "prompt_tokens", "completion_tokens")
        if "cache_read_input_tokens" in data or "cache_creation_input_tokens" in data:
            return cls(
                _count(data, "input_tokens"),
                _count(data, "cache_read_input_tokens"),
                _count(data, "cache_creation_input_tokens"),
                _count(data, "output_tokens"),
            )
        return cls._within(data, "input_tokens", "output_tokens") if "input_tokens" in data else None

    @classmethod
    def _within(cls, data: Mapping[str, Any], name: str, output: str) -> Usage:
        """Return the usage of OpenAI's forms."""
        details = data.get(f"{name}_details")
        cached, written = _count(details, "cached_tokens"), _count(details, "cache_write_tokens")
        return cls(_count(data, name) - cached - written, cached, written, _count(data, output))


@dataclass(frozen=True, slots=True)
class Price:
    """Prices of a family of models in USD for a million tokens, and the rules of its prompt cache."""

    name: str
    input: float
    cached: float
    write: float  # as much as `input` where writing costs nothing extra
    output: float
    life_seconds: float  # after the last use
    min_tokens: int  # shorter prefixes are not cached
    block_tokens: int  # what is read is a multiple of it
    token_ratio: float = 1.0  # the provider's tokens by those that `usage` is given: see `TokenRatios`

    def cost(self, usage: Usage) -> float:
        """Return what a request costs, in USD."""
        dollars = (
            usage.input * self.input
            + usage.cached * self.cached
            + usage.written * self.write
            + usage.output * self.output
        )
        return dollars / 1e6

    def usage(self, tokens: int, prefix: int) -> Usage:
        """Return the usage of a request of `tokens` whose first `prefix` tokens are warm in the cache.

        Both are counted by convgate, the usage as by the provider. Whole blocks of the prefix are read where
        they reach `min_tokens`. The rest is written where the provider charges writes and the request reaches
        `min_tokens`; else it is plain input.
        """
        tokens, prefix = round(tokens * self.token_ratio), round(prefix * self.token_ratio)
        cached = min(prefix, tokens) // self.block_tokens * self.block_tokens
        cached = cached if cached >= self.min_tokens else 0
        rest = tokens - cached
        is_written = self.write > self.input and tokens >= self.min_tokens
        return Usage(0, cached, rest) if is_written else Usage(rest, cached, 0)


_NUMBERS = tuple(item.name for item in fields(Price) if item.name not in {"name", "token_ratio"})


def list_models() -> tuple[str, ...]:
    """Return the families that the data file has prices for."""
    return tuple(_known_prices())


def find_price(settings: Settings, model: str | None = None) -> Price | None:
    """Return the price of `costs.model`, with the numbers of `costs.prices`; None without a model.

    model: in place of it; for another one the numbers of the settings do not count.

    Raises SettingsError for a model of no known family, unless `costs.prices` has all numbers, and for a
    number that is unknown or out of range.
    """
    name, given = settings.costs.model, settings.costs.prices
    if model is not None and model != name:
        name, given = model, {}
    if name is None:
        return None
    if unknown := given.keys() - set(_NUMBERS):
        raise SettingsError(
            f"costs.prices has no {join_words(sorted(unknown))}; it has {join_words(_NUMBERS)}"
        )
    known = _known_prices()
    stem = name.removesuffix(ONE_HOUR)
    ending = name[len(stem) :]
    family = next(
        (
            each + ending
            for each in known
            if stem.startswith(each) and _VARIANT.fullmatch(stem, len(each)) and each + ending in known
        ),
        None,
    )
    numbers: dict[str, float] = {**(known[family] if family else {}), **given}
    if missing := [each for each in _NUMBERS if each not in numbers]:
        raise SettingsError(
            f"costs.model: there are no prices for {quote(name)}; there are some for {join_words(known)}."
            f" Choose one, or give {join_words(missing)} in costs.prices."
        )
    for key, value in numbers.items():
        low = 1 if key == "block_tokens" else 0
        if not math.isfinite(value) or value < low or (key.endswith("_tokens") and value != int(value)):
            kind = "a whole number" if key.endswith("_tokens") else "a number"
            raise SettingsError(f"costs.prices, {key}: it must be {kind} from {low}; got {quote(value)}")
    return Price(
        name=family or name,
        input=numbers["input"],
        cached=numbers["cached"],
        write=numbers["write"],
        output=numbers["output"],
        life_seconds=numbers["life_seconds"],
        min_tokens=int(numbers["min_tokens"]),
        block_tokens=int(numbers["block_tokens"]),
    )


@cache
def _known_prices() -> dict[str, dict[str, float]]:
    """Return the numbers of each family of the data file, by its name."""
    text = resources.files("convgate.costs").joinpath("prices.toml").read_text(encoding="utf-8")
    prices: dict[str, dict[str, float]] = {}
    for rows in tomllib.loads(text).values():
        for row in rows if isinstance(rows, list) else ():
            numbers = {name: row[name] for name in _NUMBERS}
            for family in row["models"]:
                prices[family] = numbers
                if "write_1h" in row:
                    prices[family + ONE_HOUR] = {**numbers, "write": row["write_1h"], "life_seconds": 3_600}
    return prices


def _count(data: Any, name: str) -> int:
    """Return a count of a provider; 0 where it is missing or no number."""
    value = data.get(name) if isinstance(data, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
