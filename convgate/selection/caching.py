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

Of the ways that cannot make the conversation dearer than sending everything each time, the one is taken that
costs least now and later. A way may cost what the conversation has saved so far, less what it would cost to
send everything again with the next request. Later: the requests in a row that will find their prefix in the
cache, by the pauses so far, read it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import CACHE, Override, TurnDecisions
from convgate.costs.prices import Price
from convgate.invariants.invariant import Invariant
from convgate.messages.table import TurnTable
from convgate.messages.tokens import TokenCounter
from convgate.selection.added import AddedMessage, quote_turns
from convgate.selection.memory import PastRequest, Quotes, Spending, message_number
from convgate.selection.request import Request
from convgate.selection.sending import SentMessages, send

Way = Literal["select", "append", "recall", "insert", "all"]

_PRIOR = (4, 1)  # warm requests and cold ones that a conversation is taken to have had before its first
RULE = "prefix"
"""The rule of turns that are sent, or quoted, for the sake of the cached prefix."""

_CACHED = "it is part of the prefix that the provider has in its cache until {until:%H:%M} UTC."
_TO_COME = "it costs little now, and the next request finds its prefix in the cache."
_QUOTED_BEFORE = "it was quoted before turn {place}, and that is part of the prefix."
_QUOTED = "It is quoted before the current message, so that the cached prefix stays as it is."


@dataclass(frozen=True, slots=True)
class CacheReport:
    """What a request costs, and why it is made as it is."""

    way: Way
    tokens_cached: int  # that the provider is expected to read from its cache
    cost: float  # dollars, of the input
    cost_all: float  # had everything been sent, now and before
    spending: Spending  # of the conversation, with this request


class _Candidate(NamedTuple):
    way: Way
    kept: NDArray[np.bool_]  # (n,)
    quotes: Quotes
    numbers: NDArray[np.int64]  # (m,) of its messages, as in `PastRequest.sent`
    tokens: NDArray[np.int64]  # (m,)


def reuse_prefix(
    request: Request,
    decisions: TurnDecisions,
    selected: SentMessages,
    held: Sequence[Invariant],
    price: Price,
    counter: TokenCounter | None,
) -> tuple[SentMessages, TurnDecisions, CacheReport]:
    """Return what is sent in place of `selected`, the decisions with what that changes, and the costs.

    held: what must hold. Nothing is sent that exceeds the request's budget, unless `selected` does.
    """
    past, candidates = request.past, _find_candidates(request, selected, counter)
    before = Spending() if past is None else past.spending or Spending()
    warm = None if past is None or request.at - past.at > price.life_seconds else past
    n_warm = before.n_warm + (warm is not None)
    n_cold = before.n_cold + (past is not None and warm is None)
    everything, numbers = candidates[-1].tokens, candidates[-1].numbers
    cost_all = _cost(price, everything, 0 if warm is None else int(everything[numbers <= warm.current].sum()))
    further = (_PRIOR[0] + n_warm) / (_PRIOR[1] + n_cold)  # the mean of a geometric law

    def weigh(candidate: _Candidate) -> tuple[bool, float]:
        """Return whether it costs more than was saved, and what it costs now and later."""
        now = _cost(price, candidate.tokens, _shared_tokens(candidate, warm))
        later = further * _cost(price, candidate.tokens, int(candidate.tokens.sum()))
        known = int(everything[: _first_difference(candidate.numbers, numbers)].sum())
        back = _cost(price, everything, known) - _cost(price, everything, int(everything.sum()))
        risk = now + back * further / (1 + further)
        is_dear = before.cost + risk > before.cost_all + cost_all
        return is_dear, risk if is_dear else now + later

    limit = math.inf if request.budget is None else max(request.budget, int(candidates[0].tokens.sum()))
    candidate = min((each for each in candidates if each.tokens.sum() <= limit), key=weigh)
    sent = selected
    if candidate.way != "select":
        sent = send(
            request, candidate.kept, held=held, statements=selected.statements, capsules=selected.capsules,
            pair_answers=request.pair_answers and request.budget is None,
            quotes=candidate.quotes, counter=counter,
        )  # fmt: skip
        decisions = sent.valid.applied_to(_explain(request, decisions, candidate, warm, price))
    shared = 0 if warm is None else sum(sent.tokens[: _first_difference(warm.sent, sent.numbers)])
    usage = price.usage(sum(sent.tokens), shared)
    cost = price.cost(usage)
    spending = Spending(before.cost + cost, before.cost_all + cost_all, n_warm, n_cold)
    return sent, decisions, CacheReport(candidate.way, usage.cached, cost, cost_all, spending)


def _find_candidates(
    request: Request, selected: SentMessages, counter: TokenCounter | None
) -> list[_Candidate]:
    """Return the ways that can be gone, from `select` to `all`."""
    table, past, n = request.table, request.past, len(request.table)
    needed = table.flags(selected.valid.indices)
    sendable = ~table.is_unsendable
    sendable[: request.history.start] &= table.is_instruction[: request.history.start]
    added = [*selected.statements, *selected.capsules]

    def candidate(way: Way, kept: NDArray[np.bool_], quotes: Quotes) -> _Candidate:
        messages = {before: quote_turns(table.turns, quoted, counter) for before, quoted in quotes.items()}
        return _Candidate(way, kept, quotes, *_lay_out(table, np.flatnonzero(kept), added, messages))

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
    table: TurnTable,
    indices: NDArray[np.int64],
    added: Sequence[AddedMessage],
    quotes: Mapping[int, AddedMessage],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (m,) the numbers of the messages and (m,) their tokens."""
    others = np.flatnonzero(~table.is_instruction[indices])
    leading = int(others[0]) if len(others) else len(indices)
    places = [leading] * len(added) + [int(np.searchsorted(indices, before)) for before in quotes]
    messages = [*added, *quotes.values()]
    return (
        np.insert(indices, places, [message_number(message.turn.text) for message in messages]),
        np.insert(table.costs[indices], places, [message.tokens for message in messages]),
    )


def _first_difference(numbers: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    """Return the length of the longest common beginning."""
    n = min(len(numbers), len(others))
    differs = np.flatnonzero(numbers[:n] != others[:n])
    return int(differs[0]) if len(differs) else n


def _shared_tokens(candidate: _Candidate, warm: PastRequest | None) -> int:
    """Return the tokens of the longest common beginning with a request whose prefix is in the cache."""
    return (
        0 if warm is None else int(candidate.tokens[: _first_difference(warm.sent, candidate.numbers)].sum())
    )


def _cost(price: Price, tokens: NDArray[np.int64], cached: int) -> float:
    """Return the dollars of a request of (m,) messages whose first `cached` tokens are in the cache."""
    return price.cost(price.usage(int(tokens.sum()), cached))


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
