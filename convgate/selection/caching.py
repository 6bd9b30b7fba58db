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

The cheapest is sent, by its bill and that of the requests to come that will read it from the cache: their
expected number, by the pauses of the conversation so far.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import CACHE, Override, TurnDecisions
from convgate.costs.prices import Price
from convgate.selection.added import AddedMessage, quote_text
from convgate.selection.memory import PastRequest, Quotes, message_number
from convgate.selection.request import Request
from convgate.selection.sending import SentMessages

Way = Literal["select", "append", "recall", "insert", "all"]

_PRIOR = (2, 1)  # warm requests and cold ones that a conversation is taken to have had before its first
RULE = "prefix"
"""The rule of turns that are sent, or quoted, for the sake of the cached prefix."""

_CACHED = "it is part of the prefix that the provider has in its cache until {until:%H:%M} UTC."
_TO_COME = "it costs little now, and the next request finds its prefix in the cache."
_QUOTED_BEFORE = "it was quoted before turn {place}, and that is part of the prefix."
_QUOTED = "It is quoted before the current message, so that the cached prefix stays as it is."
_LABEL_TOKENS = 10  # of the line in front of a quoted turn, about

Send = Callable[..., SentMessages]  # of (n,) kept turns, and `quotes`


@dataclass(frozen=True, slots=True)
class CacheReport:
    """What a request costs, and why it is made as it is."""

    way: Way
    tokens_cached: int  # that the provider is expected to read from its cache
    cost: float  # dollars, of the input
    cost_selected: float  # had only what the policy keeps been sent
    cost_all: float  # had everything been sent


class _Candidate(NamedTuple):
    way: Way
    kept: NDArray[np.bool_]  # (n,)
    quotes: Quotes
    numbers: NDArray[np.int64]  # (m,) of its messages, as in `PastRequest.sent`
    tokens: NDArray[np.int64]  # (m,)


def reuse_prefix(
    request: Request, decisions: TurnDecisions, selected: SentMessages, price: Price, send: Send
) -> tuple[SentMessages, TurnDecisions, CacheReport]:
    """Return what is sent in place of `selected`, the decisions with what that changes, and the costs.

    send: makes a valid list of (n,) kept turns and `quotes`.
    """
    candidates = list(_find_candidates(request, selected))
    warm = request.past
    if warm is not None and request.at - warm.at > price.life_seconds:
        warm = None
    further = _expect_warm_requests(request, price)
    costs = [_cost(candidate, warm, price, further) for candidate in candidates]
    best = min(range(len(candidates)), key=lambda place: sum(costs[place]))
    candidate = candidates[best]
    sent = selected
    if candidate.way != "select":
        sent = send(candidate.kept, quotes=candidate.quotes)
        decisions = sent.valid.applied_to(_explain(request, decisions, candidate, warm, price))
    everything = next(place for place, other in enumerate(candidates) if other.way == "all")
    report = CacheReport(
        candidate.way,
        price.usage(int(candidate.tokens.sum()), _shared_tokens(candidate, warm)).cached,
        costs[best][0],
        costs[0][0],
        costs[everything][0],
    )
    return sent, decisions, report


def _find_candidates(request: Request, selected: SentMessages) -> Sequence[_Candidate]:
    """Return all ways that can be gone, `select` first."""
    table, past, n = request.table, request.past, len(request.table)
    needed = table.flags(selected.valid.indices)
    sendable = ~table.is_unsendable
    sendable[: request.history.start] &= table.is_instruction[: request.history.start]
    added = [*selected.statements, *selected.capsules]

    def candidate(way: Way, kept: NDArray[np.bool_], quotes: Quotes) -> _Candidate:
        return _Candidate(way, kept, quotes, *_lay_out(request, np.flatnonzero(kept), added, quotes))

    candidates = [candidate("select", needed, {})]
    if past is not None and past.current < n:
        layout = np.zeros(n, dtype=np.bool_)
        layout[past.sent[past.sent >= 0]] = True
        layout[past.current + 1 :] = True
        layout &= sendable
        layout[table.current] = True
        quotes = {
            place: quoted
            for place, quoted in past.quotes.items()
            if layout[place] and sendable[list(quoted)].all()
        }
        seen = layout.copy()
        seen[[index for quoted in quotes.values() for index in quoted]] = True
        missing = np.flatnonzero(needed & ~seen).tolist()
        if not missing:
            candidates.append(candidate("append", layout, quotes))
        else:
            if request.adds and table.is_user[table.current] and _can_be_quoted(request, missing):
                recalled = {**quotes, table.current: tuple(missing)}
                candidates.append(candidate("recall", layout, recalled))
            candidates.append(candidate("insert", layout | needed, quotes))
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


def _lay_out(
    request: Request, indices: NDArray[np.int64], added: Sequence[AddedMessage], quotes: Quotes
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (m,) the numbers of the messages and (m,) their tokens, the quotes' new ones estimated."""
    table = request.table
    others = np.flatnonzero(~table.is_instruction[indices])
    leading = int(others[0]) if len(others) else len(indices)
    places, numbers, tokens = [leading] * len(added), list[int](), list[int]()
    for message in added:
        numbers.append(message_number(message.turn.text))
        tokens.append(message.tokens)
    for before, quoted in quotes.items():
        places.append(int(np.searchsorted(indices, before)))
        numbers.append(message_number(quote_text(table.turns, quoted)))
        tokens.append(int(table.costs[list(quoted)].sum()) + _LABEL_TOKENS * (len(quoted) + 1))
    return np.insert(indices, places, numbers), np.insert(table.costs[indices], places, tokens)


def _shared_tokens(candidate: _Candidate, past: PastRequest | None) -> int:
    """Return the tokens of the longest common beginning with the request before."""
    if past is None:
        return 0
    n = min(len(past.sent), len(candidate.numbers))
    differs = np.flatnonzero(past.sent[:n] != candidate.numbers[:n])
    return int(candidate.tokens[: differs[0] if len(differs) else n].sum())


def _expect_warm_requests(request: Request, price: Price) -> float:
    """Return how many requests in a row will find the cache warm: p / (1 - p), the mean of a geometric law.

    p is the share of warm requests so far, with a prior.
    """
    warm, cold = _PRIOR
    for pause in request.pauses:
        warm, cold = (warm + 1, cold) if pause <= price.life_seconds else (warm, cold + 1)
    return warm / cold


def _cost(
    candidate: _Candidate, warm: PastRequest | None, price: Price, further: float
) -> tuple[float, float]:
    """Return the cost of the request, and that of sending the same in the requests to come; in dollars."""
    total = int(candidate.tokens.sum())
    now = price.cost(price.usage(total, _shared_tokens(candidate, warm)))
    return now, further * price.cost(price.usage(total, total))


def _explain(
    request: Request, decisions: TurnDecisions, candidate: _Candidate, warm: PastRequest | None, price: Price
) -> TurnDecisions:
    """Return the decisions with every turn kept that is sent or quoted for the sake of the prefix."""
    kept = candidate.kept[decisions.indices] & ~decisions.kept
    is_cached = decisions.indices <= (-1 if warm is None or candidate.way == "all" else warm.current)
    until = datetime.fromtimestamp(request.at + price.life_seconds, UTC)
    overrides = dict.fromkeys(
        decisions.indices[kept & is_cached].tolist(), _because(_CACHED.format(until=until))
    )
    overrides |= dict.fromkeys(decisions.indices[kept & ~is_cached].tolist(), _because(_TO_COME))
    for place, quoted in candidate.quotes.items():
        for index in quoted:
            now = f"{decisions.why(index).explanation} {_QUOTED}"
            reason = now if place == request.table.current else _QUOTED_BEFORE.format(place=place)
            overrides[index] = _because(reason, "as a quote")
    return decisions.with_overrides(overrides)


def _because(reason: str, how: str = "with the prefix") -> Override:
    return Override(RULE, reason, how, CACHE, kept=True)
