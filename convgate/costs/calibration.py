"""How many tokens a provider counts for one of convgate's, by model: from the `usage` of its answers.

>>> ratios = TokenRatios()
>>> ratios.of("gpt-5")
1.0
>>> ratios.observe("gpt-5", own=1_000, provider=1_300)
>>> ratios.of("gpt-5")
1.3
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

_DECAY = 0.95
"""What an answer still counts at the next one: the ratio is that of about the last 20 requests."""

_MAX_STEP = 2.0
"""One answer counts as at most twice the ratio so far, and as at least half of it."""

_MIN_RATIO, _MAX_RATIO = 0.2, 5.0
"""Tokenizers differ less: what is outside has another reason, such as a file that only the provider reads."""

_MAX_MODELS = 100


@dataclass
class TokenRatios:
    """A ratio of sums, provider's tokens by own ones, for each of the models used last. Thread-safe.

    Sums weigh a request by its length, as its bill does. Nothing is stored.
    """

    _sums: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)  # own, provider's
    _lock: Lock = field(default_factory=Lock)

    def of(self, model: str) -> float:
        """Return the ratio; 1 for a model without an answer so far."""
        own, provider = self._sums.get(model, (1.0, 1.0))
        return provider / own

    def observe(self, model: str, own: int, provider: int) -> None:
        """Count a request. own, provider: the tokens of its whole input; nothing is counted without any."""
        if own <= 0 or provider <= 0:
            return
        ratio = min(max(provider / own, _MIN_RATIO), _MAX_RATIO)
        with self._lock:
            known = self._sums.pop(model, None)
            own_before, provider_before = known or (0.0, 0.0)
            if known is not None:
                so_far = provider_before / own_before
                ratio = min(max(ratio, so_far / _MAX_STEP), so_far * _MAX_STEP)
            self._sums[model] = own_before * _DECAY + own, provider_before * _DECAY + own * ratio
            if len(self._sums) > _MAX_MODELS:
                self._sums.popitem(last=False)
