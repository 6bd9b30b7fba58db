"""A provider's prompt cache, simulated: which part of each request is read from it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import count

from convgate.costs.prices import Price, Usage


class PromptCache:
    """Answers what a provider's `usage` says of requests, by exact prefixes in pieces.

    A prefix is every beginning of a request that ends between two pieces. It stays warm for the price's
    `life_seconds` after the last request that began with it, that moment included. Assumed is that nothing
    else evicts it, and that a request is cached by the time of the next one.
    """

    def __init__(self, price: Price) -> None:
        self.price = price
        self._numbers = count(1)  # of prefixes; 0 is the empty one
        # by (number of the prefix without its last piece, last piece): its own number, time of the last use
        self._prefixes: dict[tuple[int, Hashable], tuple[int, float]] = {}

    def request(self, at: float, pieces: Sequence[tuple[Hashable, int]]) -> Usage:
        """Return the usage of a request, and keep its prefixes.

        at: seconds, never before the last request. pieces: what is sent, in order, as (identity, tokens);
        messages that are equal have equal identities.
        """
        number, warm = 0, 0
        for identity, tokens in pieces:
            key = (number, identity)
            known = self._prefixes.get(key)
            if known is not None and at - known[1] <= self.price.life_seconds:  # so is all before it
                warm += tokens
            number = next(self._numbers) if known is None else known[0]
            self._prefixes[key] = (number, at)
        return self.price.usage(sum(tokens for _, tokens in pieces), warm)
