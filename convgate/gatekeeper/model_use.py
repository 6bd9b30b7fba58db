"""What asking a language model took: calls, failures, tokens, money, time."""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LATENCIES = 1_000  # calls whose times give the percentiles, the newest


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in whatever currency."""

    prompt: float = 0.0
    completion: float = 0.0


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What a language model was asked for so far."""

    calls: int = 0  # exchanges that it was asked about, however many attempts that took
    failures: int = 0  # calls without a decision
    not_asked: int = 0  # exchanges that it was not asked about, because it had failed again and again
    prompt_tokens: int = 0  # as the endpoint counts them; those of failed attempts are not told
    completion_tokens: int = 0
    cost: float = 0.0  # by the prices of the settings; 0 without prices
    seconds: float = 0.0  # of all calls
    p50: float | None = None  # seconds of a call, of the newest LATENCIES; None before the first
    p95: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Meter:
    """Counts calls as they are made. Thread-safe."""

    def __init__(self, prices: Prices) -> None:
        self._prices = prices
        self._lock = threading.Lock()
        self._calls = self._failures = self._not_asked = self._prompt = self._completion = 0
        self._seconds = 0.0
        self._latencies: deque[float] = deque(maxlen=LATENCIES)

    def called(self, seconds: float, *, failed: bool) -> None:
        """One call is over."""
        with self._lock:
            self._calls += 1
            self._failures += failed
            self._seconds += seconds
            self._latencies.append(seconds)

    def charged(self, prompt: int, completion: int) -> None:
        """Tokens that an answer took, whether or not it was of use."""
        with self._lock:
            self._prompt += prompt
            self._completion += completion

    def left_out(self) -> None:
        """The model was not asked."""
        with self._lock:
            self._not_asked += 1

    @property
    def use(self) -> ModelUse:
        """What was counted so far."""
        with self._lock:
            ordered = sorted(self._latencies)
            cost = self._prompt * self._prices.prompt + self._completion * self._prices.completion
            return ModelUse(
                calls=self._calls,
                failures=self._failures,
                not_asked=self._not_asked,
                prompt_tokens=self._prompt,
                completion_tokens=self._completion,
                cost=cost / 1e6,
                seconds=self._seconds,
                p50=_percentile(ordered, 0.5),
                p95=_percentile(ordered, 0.95),
            )


def _percentile(ordered: Sequence[float], share: float) -> float | None:
    """The smallest value that this share of the values does not exceed.

    >>> _percentile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.0
    """
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else None
