"""Hold and repair: from the chosen turns to the messages that are sent, a valid list with what is added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import HOLD, Override, TurnDecisions
from convgate.invariants.invariant import Invariant, held_turns
from convgate.messages.table import Flags, TurnTable
from convgate.messages.tokens import TokenCounter
from convgate.messages.validity import ValidSelection, make_valid
from convgate.selection.added import AddedMessage, Message, quote_turns, restate
from convgate.selection.memory import Quotes, message_number
from convgate.selection.request import Request
from convgate.transcripts import to_messages
from convgate.transcripts.dialects.base import Dialect


def hold(
    request: Request, decisions: TurnDecisions, held: Sequence[Invariant], counter: TokenCounter | None
) -> tuple[TurnDecisions, list[AddedMessage]]:
    """Return the decisions with all `held_turns` held, and what is stated beside them.

    That is the reason of these turns, whether the policy keeps them or not.

    An invariant is stated in a message of its own where its turn is never sent, or says it in other words.
    Instructions to the model, summaries and tool units are held too, by `make_valid`.
    """
    statements = restate(held, request.table, counter) if request.adds else []
    turns = set(decisions.indices.tolist())
    return decisions.with_overrides(
        {
            turn: Override(invariant.type, invariant.explain_sent(turn), "as a rule", HOLD, kept=True)
            for turn, invariant in held_turns(held).items()
            if turn in turns
        }
    ), statements


@dataclass(frozen=True, eq=False)
class SentMessages:
    """The messages that are sent, in parallel lists, and what made them a valid list."""

    valid: ValidSelection
    messages: list[Message]
    places: list[int | None]  # of each message its turn; None for an added one
    turns: list[Turn]  # the same messages
    tokens: list[int]  # of each
    statements: list[AddedMessage]  # of what must hold and no turn that is sent says
    capsules: list[AddedMessage]
    quotes: Quotes = field(default_factory=dict)
    quoting: list[AddedMessage] = field(default_factory=list)  # the messages that quote
    shortened: Mapping[int, int] = field(default_factory=dict)  # turns with stubs, and numbers of their texts

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """(m,) of each message: its index, or a number below 0 for its text."""
        rows = zip(self.places, self.turns, strict=True)
        numbers = (message_number(turn.text) if place is None else place for place, turn in rows)
        return np.fromiter(numbers, dtype=np.int64)


def send(
    request: Request,
    kept: Collection[int] | NDArray[Any],
    *,
    held: Sequence[Invariant] = (),
    statements: Sequence[AddedMessage] = (),
    capsules: Sequence[AddedMessage] = (),
    pair_answers: bool = False,
    quotes: Quotes | None = None,
    counter: TokenCounter | None = None,
) -> SentMessages:
    """Return the valid list nearest to the kept turns, with added messages after the leading instructions.

    Of the statements those are sent that say what is held and what no turn that is sent says. A message that
    quotes turns stands before its turn.
    """
    table, dialect = request.table, request.dialect
    valid = make_valid(table, kept, table.current, pair_answers=pair_answers)
    indices = valid.indices
    statements = find_needed(statements, held, table, table.flags(indices))
    others = (row for row, index in enumerate(indices) if not table.is_instruction[index])
    leading = next(others, len(indices))
    added, start = [*statements, *capsules], slice(leading, leading)
    messages = request.messages
    sent = SentMessages(
        valid,
        to_messages(valid.of(request.turns)) if messages is None else valid.of(messages),
        list(indices),
        [table.turns[index] for index in indices],
        table.costs[indices].tolist(),
        list(statements),
        list(capsules),
        quotes or {},
    )
    if messages is None and request.current.index is None:
        sent.messages[-1] = dialect.message(request.current.turn.role, request.current.turn.text)
    sent.messages[start] = [_in_shape(dialect, message) for message in added]
    sent.places[start] = [None] * len(added)
    sent.turns[start] = [message.turn for message in added]
    sent.tokens[start] = [message.tokens for message in added]
    for before, quoted in sent.quotes.items():
        row, message = sent.places.index(before), quote_turns(table.turns, quoted, counter)
        sent.messages.insert(row, _in_shape(dialect, message))
        sent.places.insert(row, None)
        sent.turns.insert(row, message.turn)
        sent.tokens.insert(row, message.tokens)
        sent.quoting.append(message)
    return sent


def find_needed(
    statements: Sequence[AddedMessage], held: Sequence[Invariant], table: TurnTable, kept: Flags
) -> list[AddedMessage]:
    """Return the statements of what is held and no turn that is sent says. kept: (n,) turns that are sent."""
    if not statements:
        return []
    stated = {
        invariant.text
        for invariant in held
        if not kept[invariant.source] or invariant.text not in table.turns[invariant.source].text
    }
    return [statement for statement in statements if statement.turn.text in stated]


def add_run(request: Request, sent: SentMessages) -> SentMessages:
    """Return what is sent with the run behind the message to answer."""
    if not request.run:
        return sent
    return replace(
        sent,
        messages=[*sent.messages, *to_messages(request.run)],
        places=[*sent.places, *request.run_indices],
        turns=[*sent.turns, *request.run],
        tokens=[*sent.tokens, *request.run_costs.tolist()],
    )


def _in_shape(dialect: Dialect, added: AddedMessage) -> Message:
    """Return an added message as the API takes it: the very same where it has that shape."""
    shaped = dialect.message(added.turn.role, added.turn.text)
    takes_text = isinstance(shaped.get("content"), str)
    return added.message if takes_text and shaped["role"] == added.message["role"] else shaped
