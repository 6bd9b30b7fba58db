"""With prices: keep the prefix that the provider has in its cache where that costs less, by what is billed.

Providers bill an unchanged prefix at about a tenth. So a selection that changes with every message can cost
more than sending everything. Each way has all turns that the policy keeps, held turns and tool units
included; so none loses more than the policy does:

| way | what is sent |
|---|---|
| select | what the policy keeps: a new prefix |
| append | what was sent for the request before, and all turns since |
| recall | the same, and the missing turns quoted in one message before the current one |
| insert | the same, and the missing turns in their own places |
| all | every turn |

Within a budget, ways that exceed it are none, and everything stands for the newest turns that fit where not
all do: what most programs send otherwise. A selection then leaves room, as one that fills its budget is made
anew for each message. While a run of calls goes on, its budget shrinks with each: what was selected for its
message stays as long as it fits.

Of the ways that leave the conversation so far no dearer than sending everything each time, the one is taken
that costs least now and later. A way may cost what was saved so far, less what it would cost to send
everything again with the next request; nothing, where the policy keeps so little that new selections stay
cheaper than everything from the cache. Later: the requests in a row that will find their prefix in the cache,
by the pauses so far, read it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import CACHE, Override, TurnDecisions
from convgate.costs.prices import Price
from convgate.invariants.invariant import Invariant
from convgate.messages.tokens import TokenCounter
from convgate.selection.added import quote_turns
from convgate.selection.memory import Quotes, Spending, find_difference, message_number
from convgate.selection.request import Request
from convgate.selection.sending import SentMessages, find_needed, send

Way = Literal["select", "append", "recall", "insert", "all"]

_PRIOR = (4, 1)  # warm requests and cold ones that a conversation is taken to have had before its first
ROOM = 0.2
"""Of a budget, the share that a selection leaves to the messages to come, in a conversation that exceeds it."""

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


class _Candidate(NamedTuple):
    way: Way
    kept: NDArray[np.bool_]  # (n,)
    quotes: Quotes
    numbers: NDArray[np.int64]  # (m,) of its messages and the run, as in `PastRequest.sent`
    tokens: NDArray[np.int64]  # (m,)

    def whole(self, costs: NDArray[np.int64]) -> int:
        """Return its tokens without stubs. costs: (n + k,) of each turn."""
        is_turn = self.numbers >= 0
        return int(costs[self.numbers[is_turn]].sum() + self.tokens[~is_turn].sum())


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
        self._n_warm = self._before.n_warm + (self._warm is not None)
        self._n_cold = self._before.n_cold + (past is not None and self._warm is None)
        # of requests in a row that find the cache warm: the mean of a geometric law
        self._further = (_PRIOR[0] + self._n_warm) / (_PRIOR[1] + self._n_cold)
        self._held = held
        sendable = _find_sendable(request, selected)
        candidates = _find_candidates(request, selected, sendable, costs, counter, held)
        select, *others, everything = candidates
        added = int(everything.tokens[everything.numbers < 0].sum())
        self._cost_all, start = self._price_newest(sendable, costs + saved, added)
        fits_all = start == 0
        whole = costs + saved
        limit = np.inf if request.limit is None else request.limit
        candidates = [select] + [
            each
            for each in (*others, everything)
            if each.whole(whole) <= limit and not each.kept[list(corrected)].any()
        ]
        self._all = everything
        if not fits_all:
            new = int(whole[past.sent[-1] + 1 :].sum()) if past else int(whole[-1])
            self._further = min(self._further, max(0, limit - select.whole(whole)) / max(1, new))
        # Where a new selection for each message costs no more than everything does from the cache, nothing
        # ever has to be sent again in full; nor where everything cannot be sent.
        self._selected_cost = selected_cost = _cost(price, select.tokens, 0)
        total = int(everything.tokens.sum())
        self._is_sparse = not fits_all or 2 * selected_cost <= price.cost(price.usage(total, total))
        self._chosen = min(candidates, key=self._weigh)

    def _weigh(self, candidate: _Candidate) -> tuple[bool, float]:
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

    def send(
        self, selected: SentMessages, decisions: TurnDecisions
    ) -> tuple[SentMessages, TurnDecisions]:
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


def leave_room(request: Request) -> Request:
    """Return the request with a budget that leaves room for the messages to come."""
    budget, table = request.budget, request.table
    if budget is None or table.total <= budget:
        return request
    return replace(request, budget=int(budget * (1 - ROOM)))


def _find_sendable(request: Request, selected: SentMessages) -> NDArray[np.bool_]:
    """Return (n,) whether each turn can be sent."""
    table, n = request.table, len(request.table)
    needed = table.flags(selected.valid.indices)
    sendable = ~table.is_unsendable
    sendable[: request.history.start] &= table.is_instruction[: request.history.start]
    if request.dialect.user_first and table.is_user.any():
        opening = np.arange(n) < int(np.argmax(table.is_user))
        sendable &= ~opening | table.is_instruction | needed
    return np.asarray(sendable)


def _find_candidates(
    request: Request,
    selected: SentMessages,
    sendable: NDArray[np.bool_],
    costs: NDArray[np.int64],
    counter: TokenCounter | None,
    held: Sequence[Invariant],
) -> list[_Candidate]:
    """Return the ways that can be gone, from `select` to `all`. sendable: (n,) turns that can be sent."""
    table, past, n = request.table, request.past, len(request.table)
    needed = table.flags(selected.valid.indices)

    def candidate(way: Way, kept: NDArray[np.bool_], quotes: Quotes) -> _Candidate:
        messages = {before: quote_turns(table.turns, quoted, counter) for before, quoted in quotes.items()}
        indices = np.flatnonzero(kept)
        others = np.flatnonzero(~table.is_instruction[indices])
        leading = int(others[0]) if len(others) else len(indices)
        added = [*find_needed(selected.statements, held, table, kept), *selected.capsules]
        places = [leading] * len(added) + [int(np.searchsorted(indices, before)) for before in quotes]
        further = [*added, *messages.values()]
        numbers = np.insert(indices, places, [message_number(message.turn.text) for message in further])
        tokens = np.insert(costs[indices], places, [message.tokens for message in further])
        numbers, tokens = (
            np.concatenate([numbers, np.arange(n, len(costs))]),
            np.concatenate([tokens, costs[n:]]),
        )
        return _Candidate(way, kept, quotes, numbers, tokens)

    candidates = [candidate("select", needed, {})]
    if past is not None and past.current < n:
        layout = np.zeros(n, dtype=np.bool_)
        layout[past.sent[(past.sent >= 0) & (past.sent < n)]] = True
        layout[past.current + 1 :] = True
        layout &= sendable
        layout[table.current] = True
        quotes = {
            place: quoted
            for place, quoted in past.quotes.items()
            if layout[place] and place != table.current and sendable[list(quoted)].all()
        }
        seen = layout.copy()
        seen[[index for quoted in quotes.values() for index in quoted]] = True
        missing = np.flatnonzero(needed & ~seen).tolist()
        if past.current == table.current and past.sent[-1] < len(costs) - 1:
            # the calls of a run leave less room for the same message, whose turns are sent already
            stated = {invariant.source for invariant in held}
            missing = [index for index in missing if index in stated]
        if not missing:
            candidates.append(candidate("append", layout, quotes))
        else:
            if request.adds and table.is_user[table.current] and _can_be_quoted(request, missing):
                recalled = {**quotes, table.current: tuple(missing)}
                candidates.append(candidate("recall", layout, recalled))
            candidates.append(candidate("insert", layout | table.flags(missing), quotes))
    candidates.append(candidate("all", sendable, {}))
    return candidates


def _can_be_quoted(request: Request, indices: Sequence[int]) -> bool:
    """Return whether a user's message may quote the turns: no tool's output should pass for his words."""
    table = request.table
    return all(
        table.turns[index].role in ("user", "assistant")
        and not table.has_tools(index)
        and all(part.kind == "text" for part in table.turns[index].parts)
        for index in indices
    )


def _shared_tokens(candidate: _Candidate, numbers: NDArray[np.int64]) -> int:
    """Return the tokens of the longest common beginning with (m,) numbers of messages."""
    return int(candidate.tokens[: find_difference(candidate.numbers, numbers)].sum())


def _cost(price: Price, tokens: NDArray[np.int64], cached: int) -> float:
    """Return the dollars of a request of (m,) messages whose first `cached` tokens are in the cache."""
    return price.cost(price.usage(int(tokens.sum()), cached))


def _because(reason: str, how: str = "with the prefix") -> Override:
    return Override(RULE, reason, how, CACHE, kept=True)
