"""With prices: keep the prefix that the provider has in its cache where that costs less, by what is billed.

Providers bill an unchanged prefix at about a tenth. So a selection that changes with every message can cost
more than sending everything. Each way has all turns of `select`, held turns and tool units included:

| way | what is sent |
|---|---|
| select | what the policy keeps, of that what the sections of a budget have: a new prefix |
| append | what was sent for the request before, and all turns since |
| recall | the same, and the missing turns quoted in one message before the current one |
| insert | the same, and the missing turns in their own places |
| all | every turn |

So without a budget none misses more than the policy does. Within one, ways that exceed it are none, and
everything stands for the newest turns that fit where not all do: what most programs send otherwise. As a
selection that fills its budget is made anew for each message, `find_room` leaves a part of it where the cache
is expected to be warm: what then does not fit is dropped from all ways. While a run of calls goes on, its
budget shrinks with each: what was selected for its message stays as long as it fits, and nothing is added.

Of the ways that leave the conversation so far no dearer than sending everything each time, the one is taken
that costs least now and later. A way may cost what was saved so far, less what it would cost to send
everything again with the next request; nothing, where the policy keeps so little that new selections stay
cheaper than everything from the cache. Later: the requests in a row that will find their prefix in the cache,
by the pauses so far, read it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import CACHE, Override, TurnDecisions
from convgate.costs.prices import Price
from convgate.invariants.invariant import Invariant
from convgate.messages.tokens import TokenCounter
from convgate.selection.memory import Spending, find_difference
from convgate.selection.request import Request
from convgate.selection.sending import SentMessages, send
from convgate.selection.ways import Candidate, Way, find_candidates, find_sendable

_PRIOR = (4, 1)  # warm requests and cold ones that a conversation is taken to have had before its first
ROOM = 0.2
"""The share of a budget that `find_room` leaves to the messages to come."""

RULE = "prefix"
"""The rule of turns that are sent, or quoted, for the sake of the cached prefix."""

_CACHED = "it is part of the prefix that the provider has in its cache until {until:%H:%M} UTC."
_TO_COME = "with it, this request and those to come are expected to cost less, by the provider's cache."
_QUOTED_BEFORE = "it was quoted before turn {place}, and that is part of the prefix."
_QUOTED = "It is quoted before the current message, so that the cached prefix stays as it is."


@dataclass(frozen=True, slots=True)
class CacheReport:
    """What a request costs, and why it is made as it is."""

    way: Way
    tokens_cached: int  # that the provider is expected to read from its cache
    cost: float  # dollars, of the input
    cost_all: float  # had everything been sent, now and before, without stubs
    spending: Spending  # of the conversation, with this request


class PrefixReuse:
    """Chooses the way of one request, and says what it costs."""

    def __init__(
        self,
        request: Request,
        selected: SentMessages,
        price: Price,
        counter: TokenCounter | None,
        saved: NDArray[np.int64],
        held: Sequence[Invariant],
        corrected: Collection[int] = (),
    ) -> None:
        """Choose it.

        selected: what the policy keeps. saved: (n + k,) tokens of each turn that stubs save. held: what must
        hold. corrected: turns that only `select` may send.
        """
        self._request, self._price, self._counter = request, price, counter
        past, costs = request.past, np.concatenate([request.table.costs, request.run_costs]) - saved
        spending = Spending() if past is None else past.spending or Spending()
        self._before = spending.times(price.token_ratio)
        self._warm = None if past is None or request.at - past.at > price.life_seconds else past
        self._n_warm, self._n_cold = _count_pauses(request, price)
        # of requests in a row that find the cache warm: the mean of a geometric law
        self._further = (_PRIOR[0] + self._n_warm) / (_PRIOR[1] + self._n_cold)
        self._held = held
        sendable = find_sendable(request, selected)
        select, *others, everything = find_candidates(request, selected, sendable, costs, counter, held)
        self._all, whole = everything, costs + saved  # stubs may become whole again where turns are dropped
        added = int(everything.tokens[everything.numbers < 0].sum())
        self._cost_all, start = self._price_newest(sendable, whole, added)
        limit = np.inf if request.limit is None else request.limit
        if start:  # what is sent now goes on until the budget is full
            new = int(whole[past.sent[-1] + 1 :].sum()) if past else int(whole[-1])
            self._further = min(self._further, max(0, limit - select.whole(whole)) / max(1, new))
        # Where a new selection for each message costs no more than everything does from the cache, nothing
        # ever has to be sent again in full; nor where everything cannot be sent.
        total = int(everything.tokens.sum())
        is_sparse = 2 * _cost(price, select.tokens, 0) <= price.cost(price.usage(total, total))
        self._is_sparse = start > 0 or is_sparse
        fitting = (
            each
            for each in (*others, everything)
            if each.whole(whole) <= limit and not each.has_any(corrected)
        )
        self._chosen = min([select, *fitting], key=self._weigh)

    def _weigh(self, candidate: Candidate) -> tuple[bool, float]:
        """Return whether it may cost more than everything, and what it costs now and later; in dollars."""
        price, everything = self._price, self._all.tokens
        shared = 0 if self._warm is None else _shared_tokens(candidate, self._warm.sent)
        now = _cost(price, candidate.tokens, shared)
        later = self._further * _cost(price, candidate.tokens, int(candidate.tokens.sum()))
        back = 0.0
        if not self._is_sparse:
            back = _cost(price, everything, _shared_tokens(self._all, candidate.numbers))
            back -= _cost(price, everything, int(everything.sum()))
        risk = now + back * self._further / (1 + self._further)
        is_dear = self._before.cost + risk > self._before.cost_all + self._cost_all
        return is_dear, risk if is_dear else now + later

    def _price_newest(
        self, sendable: NDArray[np.bool_], costs: NDArray[np.int64], added: int
    ) -> tuple[float, int]:
        """Return what it costs to send everything, or the newest turns that fit, and the first of these.

        costs: (n + k,) tokens without stubs. added: tokens of messages that are no turns.
        """
        request, n = self._request, len(costs)
        is_always = np.zeros(n, dtype=np.bool_)
        is_always[: len(request.table)] = request.table.is_instruction
        may_send = np.ones(n, dtype=np.bool_)
        may_send[: len(sendable)] = sendable

        def newest(stop: int) -> tuple[NDArray[np.bool_], int]:
            tokens, start = np.where(may_send, costs, 0)[:stop], 0
            if request.limit is not None and tokens.sum() + added > request.limit:
                room = request.limit - added - int(tokens[is_always[:stop]].sum())
                newest_first = np.cumsum(np.where(is_always[:stop], 0, tokens)[::-1])
                start = stop - int(np.searchsorted(newest_first, room, side="right"))
            return may_send[:stop] & (is_always[:stop] | (np.arange(stop) >= start)), start

        now, start = newest(n)
        tokens, shared = int(costs[now].sum()) + added, 0
        if self._warm is not None:
            before, _ = newest(min(n, int(self._warm.sent[-1]) + 1))
            differs = np.flatnonzero(before != now[: len(before)])
            n_shared = int(differs[0]) if len(differs) else len(before)
            shared = int(costs[:n_shared][now[:n_shared]].sum()) + added
        return self._price.cost(self._price.usage(tokens, shared)), start

    def send(self, selected: SentMessages, decisions: TurnDecisions) -> tuple[SentMessages, TurnDecisions]:
        """Return what is sent in place of `selected`, and the decisions with what that changes."""
        chosen, request = self._chosen, self._request
        if chosen.way == "select":
            return selected, decisions
        sent = send(
            request, chosen.kept, held=self._held, statements=selected.statements, capsules=selected.capsules,
            pair_answers=request.pair_answers, quotes=chosen.quotes, counter=self._counter,
        )  # fmt: skip
        return sent, sent.valid.applied_to(self._explain(decisions))

    def report(self, tokens: int, shared: int) -> CacheReport:
        """Return what the request costs. shared: of its tokens, those that begin it as the request before."""
        usage = self._price.usage(tokens, 0 if self._warm is None else shared)
        cost, before = self._price.cost(usage), self._before
        spending = Spending(before.cost + cost, before.cost_all + self._cost_all, self._n_warm, self._n_cold)
        spending = spending.times(1 / self._price.token_ratio)
        return CacheReport(self._chosen.way, usage.cached, cost, self._cost_all, spending)

    def _explain(self, decisions: TurnDecisions) -> TurnDecisions:
        """Return the decisions with every turn kept that is sent or quoted for the sake of the prefix."""
        chosen, warm, indices = self._chosen, self._warm, decisions.indices
        kept = chosen.kept[indices] & ~decisions.kept
        n_shared = 0 if warm is None else find_difference(chosen.numbers, warm.sent)
        if not self._price.usage(int(chosen.tokens.sum()), int(chosen.tokens[:n_shared].sum())).cached:
            n_shared = 0
        is_cached = np.isin(indices, chosen.numbers[:n_shared])
        until = datetime.fromtimestamp(self._request.at + self._price.life_seconds, UTC)
        cached = _because(_CACHED.format(until=until))
        overrides = dict.fromkeys(indices[kept & is_cached].tolist(), cached)
        overrides |= dict.fromkeys(indices[kept & ~is_cached].tolist(), _because(_TO_COME))
        for place, quoted in chosen.quotes.items():
            for index in quoted:
                now = f"{decisions.why(index).explanation} {_QUOTED}"
                is_new = place == self._request.table.current
                reason = now if is_new else _QUOTED_BEFORE.format(place=place)
                overrides[index] = _because(reason, "as a quote")
        return decisions.with_overrides(overrides)


def find_room(request: Request, price: Price) -> int:
    """Return the tokens of the budget that a selection leaves to the messages to come.

    0 where the conversation fits, and where no warm cache is expected: after no pause, where at most half of
    the pauses so far were within its life, and where what is sent would be too short to be cached.
    """
    budget, (n_warm, n_cold) = request.budget, _count_pauses(request, price)
    if budget is None or request.table.total <= budget or n_warm <= n_cold:
        return 0
    room = budget - int(budget * (1 - ROOM))
    return room if price.usage(budget - room, budget - room).cached else 0


def _count_pauses(request: Request, price: Price) -> tuple[int, int]:
    """Return how many requests so far but the first, with this one, find the cache warm, and how many not."""
    past = request.past
    if past is None:
        return 0, 0
    spending, is_warm = past.spending or Spending(), request.at - past.at <= price.life_seconds
    return spending.n_warm + is_warm, spending.n_cold + (not is_warm)


def _shared_tokens(candidate: Candidate, numbers: NDArray[np.int64]) -> int:
    """Return the tokens of the longest common beginning with (m,) numbers of messages."""
    return int(candidate.tokens[: find_difference(candidate.numbers, numbers)].sum())


def _cost(price: Price, tokens: NDArray[np.int64], cached: int) -> float:
    """Return the dollars of a request of (m,) messages whose first `cached` tokens are in the cache."""
    return price.cost(price.usage(int(tokens.sum()), cached))


def _because(reason: str, how: str = "with the prefix") -> Override:
    return Override(RULE, reason, how, CACHE, kept=True)
