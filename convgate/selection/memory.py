"""Earlier requests of the same conversation, each under a digest of all turns up to its current message."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import StoreError
from convgate.invariants.invariant import Invariant
from convgate.modes.mode import Mode

if TYPE_CHECKING:
    from convgate.store.sent_requests import SentRequests

log = logging.getLogger(__name__)

Quotes = Mapping[int, tuple[int, ...]]
"""The turns that a message before another turn quotes, by that turn."""

_ALONE_SECONDS = 60

MAX_REQUESTS = 2_000
"""Requests that are kept; the least recently used are dropped first."""


@dataclass(frozen=True, eq=False, slots=True)
class NamedIntents:
    """The intents that a caller named so far. Requests share those of earlier ones."""

    turn: int  # of the last one
    mode: Mode
    earlier: NamedIntents | None

    def by_turn(self) -> dict[int, Mode]:
        """Return the mode of each turn that has an intent."""
        modes: dict[int, Mode] = {}
        last: NamedIntents | None = self
        while last is not None:
            modes.setdefault(last.turn, last.mode)
            last = last.earlier
        return modes


@dataclass(frozen=True, slots=True)
class Spending:
    """What the requests of a conversation cost so far, by prices and rules of caches.

    Kept by convgate's count of tokens, as a process may know a provider's ratio that another does not.
    """

    cost: float = 0.0  # dollars, of their input
    cost_all: float = 0.0  # had everything been sent each time
    n_warm: int = 0  # requests that found the cache warm
    n_cold: int = 0  # requests but the first that did not

    def times(self, ratio: float) -> Spending:
        """Return the same with dollars for another count of tokens."""
        return replace(self, cost=self.cost * ratio, cost_all=self.cost_all * ratio)


@dataclass(frozen=True, eq=False, slots=True)
class PastRequest:
    """What is kept of a request."""

    current: int  # the turn that it answered
    intents: NamedIntents | None
    sent: NDArray[np.int64]  # (m,) the messages: a turn's index, or a number below 0 for another message
    tokens: int  # of them
    breaches: tuple[Invariant, ...]  # that were missing in this or an earlier request of the conversation
    shortened: Mapping[int, int] = field(default_factory=dict)  # turns with stubs, and numbers of their texts
    at: float = 0.0  # seconds since 1970
    quotes: Quotes = field(default_factory=dict)
    spending: Spending | None = None  # with prices

    def with_further(self, cost: float) -> PastRequest:
        """Return the same with the cost of further requests that its answer took."""
        spent = self.spending
        return self if spent is None else replace(self, spending=replace(spent, cost=spent.cost + cost))


def message_number(text: str) -> int:
    """Return a number below 0 for a message that is no turn: the same for the same text."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return -1 - int.from_bytes(digest, "big")


class RequestMemory:
    """The requests made last; thread-safe. Others who use the same `stored` requests go on with them."""

    def __init__(self, stored: Callable[[], SentRequests] | None = None) -> None:
        self._stored = stored
        self._alone_until = 0.0  # of time.monotonic
        self._lock = threading.Lock()
        self._requests: OrderedDict[bytes, PastRequest] = OrderedDict()

    def find(self, chain: Sequence[bytes]) -> PastRequest | None:
        """Return the last request of this conversation, be it for the same message.

        chain: a digest a turn, of it and all turns before it.
        """
        past = None
        with self._lock:
            for place in range(len(chain) - 1, -1, -1):
                if past := self._requests.get(chain[place]):
                    self._requests.move_to_end(chain[place])
                    break
        if self._stored is None or time.monotonic() < self._alone_until:
            return past
        with self._without_store():
            stored = self._stored().find(chain)
            if stored is not None and (past is None or stored.at > past.at):
                intents, breaches = (past.intents, past.breaches) if past else (None, ())
                return PastRequest(
                    stored.current, intents, stored.sent, stored.tokens, breaches, stored.shortened,
                    stored.at, stored.quotes, Spending(**stored.spending),
                )  # fmt: skip
        return past

    def keep(self, digest: bytes, request: PastRequest) -> None:
        """Keep a request under the digest of the turn that it answered."""
        with self._lock:
            self._requests[digest] = request
            self._requests.move_to_end(digest)
            while len(self._requests) > MAX_REQUESTS:
                self._requests.popitem(last=False)
        if self._stored is not None and time.monotonic() >= self._alone_until:
            from convgate.store.sent_requests import SentRequest  # needs the database

            with self._without_store():
                sent = SentRequest(
                    request.current, request.at, request.tokens, request.sent, request.quotes,
                    request.shortened, asdict(request.spending or Spending()),
                )  # fmt: skip
                self._stored().keep(digest, sent)

    @contextmanager
    def _without_store(self) -> Iterator[None]:
        """Go on alone for a minute where the store fails: this process has its own memory."""
        try:
            yield
        except (StoreError, TypeError) as error:  # TypeError: a row of another version
            self._alone_until = time.monotonic() + _ALONE_SECONDS
            log.warning("other workers do not know what was sent last: %s", error)


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """The common beginning of what was sent for the request before and of what is sent now."""

    tokens: int  # of the longest common beginning
    before: int  # tokens of the request before


def compare_prefix(
    before: PastRequest | None, sent: NDArray[np.int64], tokens: Sequence[int], shortened: Mapping[int, int]
) -> PrefixReport | None:
    """Return how much of what was sent before is at the front now; None when there was no request before.

    sent, shortened: as of `PastRequest`. tokens: of each message.
    """
    if before is None:
        return None
    n = find_difference(before.sent, sent)
    changed = {index for index, _ in {*before.shortened.items()} ^ {*shortened.items()}}  # other stubs
    if changed:
        n = min([n, *np.flatnonzero(np.isin(sent[:n], list(changed)))[:1].tolist()])
    return PrefixReport(sum(tokens[:n]), before.tokens)


def find_difference(numbers: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    """Return the length of the longest common beginning."""
    n = min(len(numbers), len(others))
    differs = np.flatnonzero(numbers[:n] != others[:n])
    return int(differs[0]) if len(differs) else n
