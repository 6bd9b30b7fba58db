"""The ways in which a request can be sent, with the turns that its policy keeps: see `caching`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.invariants.invariant import Invariant
from convgate.messages.tokens import TokenCounter
from convgate.messages.validity import make_valid
from convgate.selection.added import quote_turns
from convgate.selection.memory import Quotes, message_number
from convgate.selection.request import Request
from convgate.selection.sending import SentMessages, find_needed

Way = Literal["select", "append", "recall", "insert", "all"]


class Candidate(NamedTuple):
    """What can be sent."""

    way: Way
    kept: NDArray[np.bool_]  # (n,)
    quotes: Quotes
    numbers: NDArray[np.int64]  # (m,) of its messages and the run, as in `PastRequest.sent`
    tokens: NDArray[np.int64]  # (m,)

    def whole(self, costs: NDArray[np.int64]) -> int:
        """Return its tokens without stubs. costs: (n + k,) of each turn."""
        is_turn = self.numbers >= 0
        return int(costs[self.numbers[is_turn]].sum() + self.tokens[~is_turn].sum())

    def has_any(self, turns: Collection[int]) -> bool:
        """Return whether one of the turns is sent or quoted."""
        quoted = chain.from_iterable(self.quotes.values())
        return bool(self.kept[list(turns)].any()) or any(index in turns for index in quoted)


def find_sendable(request: Request, selected: SentMessages) -> NDArray[np.bool_]:
    """Return (n,) whether each turn can be sent."""
    table, n = request.table, len(request.table)
    needed = table.flags(selected.valid.indices)
    sendable = ~table.is_unsendable
    sendable[: request.history.start] &= table.is_instruction[: request.history.start]
    if request.dialect.user_first and table.is_user.any():
        opening = np.arange(n) < int(np.argmax(table.is_user))
        sendable &= ~opening | table.is_instruction | needed
    return np.asarray(sendable)


def find_candidates(
    request: Request,
    selected: SentMessages,
    sendable: NDArray[np.bool_],
    costs: NDArray[np.int64],
    counter: TokenCounter | None,
    held: Sequence[Invariant],
) -> list[Candidate]:
    """Return the ways that can be gone, from `select` to `all`. sendable: (n,) turns that can be sent."""
    table, past, n = request.table, request.past, len(request.table)
    needed = table.flags(selected.valid.indices)

    def candidate(way: Way, kept: NDArray[np.bool_], quotes: Quotes) -> Candidate:
        if request.limit is not None:  # what the repair adds may exceed it
            repaired = make_valid(table, kept, table.current, pair_answers=request.pair_answers)
            kept = table.flags(repaired.indices)
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
        return Candidate(way, kept, quotes, numbers, tokens)

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
