"""The messages that are sent: those of the chosen turns, and added ones."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import INSTRUCTION_ROLES, Turn
from convgate.core.errors import ContextError
from convgate.invariants.invariant import Invariant, find_missing
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.validity import ValidSelection, make_valid
from convgate.selection.claims import Placement, SectionClaims
from convgate.selection.memory import message_number
from convgate.selection.packing import ContextBudget, Packer
from convgate.selection.turn_table import TurnTable
from convgate.transcripts import to_messages, turns_from_messages
from convgate.transcripts.dialects.base import Dialect, join_neighbours

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AddedMessage:
    """A message of a context that is no turn of the conversation."""

    message: Message
    turn: Turn  # the message as a turn
    tokens: int
    reason: str  # a sentence


@dataclass(frozen=True, slots=True)
class Capsule:
    """A text for a context that is no turn of the conversation, and why it is there."""

    text: str
    reason: str  # a sentence


def read_capsules(
    capsules: Sequence[str | Message | Capsule], counter: TokenCounter | None
) -> list[AddedMessage]:
    """Return capsules as system messages; a capsule that is a message stays the same object.

    Raises ContextError for one that is neither a text nor a system or developer message.
    """
    if isinstance(capsules, str | Mapping | Capsule):
        raise ContextError("capsules are a list of texts or messages; got a single one")
    messages: list[Message] = []
    for capsule in capsules:
        text = capsule.text if isinstance(capsule, Capsule) else capsule
        messages.append({"role": "system", "content": text} if isinstance(text, str) else text)
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, Mapping) else type(message).__name__
        if not isinstance(message, Mapping) or role not in INSTRUCTION_ROLES:
            raise ContextError(
                f"capsule {place}: a capsule is a text, or a message of system or developer; got {role!r}"
            )
    added = _add(messages, "a summary that the caller handed in.", counter)
    return [
        replace(message, reason=capsule.reason) if isinstance(capsule, Capsule) else message
        for message, capsule in zip(added, capsules, strict=True)
    ]


def state_invariants(
    claims: SectionClaims, total: int, counter: TokenCounter | None, *, shortens: bool
) -> tuple[list[AddedMessage], dict[int, int]]:
    """Return the messages that state invariants apart from their turns, and the turns that these replace,
    each with the tokens of the statements that need not be sent beside it.

    Where the conversation exceeds the total and `shortens`, statements replace each turn that is longer than
    they are: what else it says competes for the budget as evidence does.
    """
    table, invariants = claims.table, claims.reading.held
    shortened = dict[int, int]()
    if shortens and table.total > total:
        texts = defaultdict[int, set[str]](set)
        for invariant in invariants:
            if invariant.source in claims.required:
                texts[invariant.source].add(invariant.text)
        sources = Counter(text for own in texts.values() for text in own)
        costs = {each.turn.text: each.tokens for each in _restate(invariants, table, counter, texts)}
        for source, own in texts.items():
            if sum(costs[text] for text in own) < table.tokens[source]:
                said = table.turns[source].text  # an edited statement is sent in any case
                shortened[source] = sum(costs[text] for text in own if sources[text] == 1 and text in said)
    return _restate(invariants, table, counter, shortened), shortened


def _restate(
    held: Sequence[Invariant],
    table: TurnTable,
    counter: TokenCounter | None,
    shortened: Collection[int] = (),
) -> list[AddedMessage]:
    """Return messages that state invariants that are not sent in the words of their own turns.

    These are edited by a person or pinned to an unsendable turn, or their turn is one of `shortened`.
    """
    texts = [
        invariant.text
        for invariant in held
        if table.is_unsendable[invariant.source]
        or invariant.source in shortened
        or invariant.text not in table.turns[invariant.source].text
    ]
    messages = [{"role": "system", "content": text} for text in dict.fromkeys(texts)]
    return _add(messages, "it must hold, and its own turn is not sent, or says it in other words.", counter)


def _add(messages: Sequence[Message], reason: str, counter: TokenCounter | None) -> list[AddedMessage]:
    turns = turns_from_messages(messages)
    tokens = turn_tokens(turns, counter).tolist() if turns else []
    return [
        AddedMessage(message, turn, cost, reason)
        for message, turn, cost in zip(messages, turns, tokens, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class MessageList:
    """The messages of a context, in parallel lists."""

    messages: list[Message]
    places: list[int | None]  # of each message its index; None for an added one
    turns: list[Turn]  # the same messages
    tokens: list[int]  # of each
    dialect: Dialect

    def joined(self) -> list[Message]:
        """Return the messages as the API takes them: where it refuses neighbours of one role, as one."""
        return join_neighbours(self.dialect, self.messages)

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """(m,) of each message: its index, or a number below 0 for its text."""
        rows = zip(self.places, self.turns, strict=True)
        numbers = (message_number(turn.text) if place is None else place for place, turn in rows)
        return np.fromiter(numbers, dtype=np.int64)


def assemble(
    table: TurnTable,
    indices: Sequence[int],
    messages: Sequence[Message],
    added: Sequence[AddedMessage],
    dialect: Dialect,
) -> MessageList:
    """Return the messages of the turns `indices`, with `added` after the leading instructions."""
    others = (row for row, index in enumerate(indices) if not table.is_instruction[index])
    leading = next(others, len(indices))
    start = slice(leading, leading)
    result = MessageList(
        list(messages),
        list(indices),
        [table.turns[i] for i in indices],
        [table.tokens[i] for i in indices],
        dialect,
    )
    result.messages[start] = [_in_shape(dialect, message) for message in added]
    result.places[start] = [None] * len(added)
    result.turns[start] = [message.turn for message in added]
    result.tokens[start] = [message.tokens for message in added]
    return result


def _in_shape(dialect: Dialect, added: AddedMessage) -> Message:
    """Return an added message as the API takes it: the very same where it has that shape."""
    shaped = dialect.message(added.turn.role, added.turn.text)
    takes_text = isinstance(shaped.get("content"), str)
    return added.message if takes_text and shaped["role"] == added.message["role"] else shaped


@dataclass(frozen=True, eq=False, slots=True)
class ContextPlan:
    """The claims and the added messages of a context, and its budget."""

    claims: SectionClaims
    budget: ContextBudget
    statements: list[AddedMessage]  # of invariants, apart from their turns
    capsules: list[AddedMessage]


@dataclass(frozen=True, eq=False, slots=True)
class PackedContext:
    """The messages of a context, and how they were chosen."""

    placed: Mapping[int, Placement]  # by turn, before the list is made valid
    statements: list[AddedMessage]  # of what must hold and no turn that is sent says
    capsules: list[AddedMessage]  # those that fit
    valid: ValidSelection
    sent: MessageList
    missing: list[Invariant]  # that must hold, and that no message states


def pack_messages(
    plan: ContextPlan,
    packer: Packer,
    turns: Sequence[Turn],
    messages: Sequence[Message] | None,
    dialect: Dialect,
) -> PackedContext:
    """Return the messages that the packer chooses.

    turns: the caller's, the current one included; messages: their messages; None: their sources. dialect:
    the shape of messages that are added.
    """
    claims = plan.claims
    packed = packer(claims, [capsule.tokens for capsule in plan.capsules], plan.budget)
    capsules = [plan.capsules[place] for place in packed.capsules]
    table = claims.table
    valid = make_valid(table.messages, packed.placed, table.current)
    chosen = to_messages(valid.of(turns)) if messages is None else valid.of(messages)
    in_own_words = set(valid.indices)
    stated = {
        invariant.text
        for invariant in claims.reading.held
        if invariant.source not in in_own_words or invariant.text not in table.turns[invariant.source].text
    }
    statements = [statement for statement in plan.statements if statement.turn.text in stated]
    sent = assemble(table, valid.indices, chosen, [*statements, *capsules], dialect)
    missing = find_missing(claims.reading.held, sent.messages, sent.places)
    placed = packed.placed | {
        index: Placement("rules", None) for index in claims.shortened if index in packed.placed
    }
    return PackedContext(placed, statements, capsules, valid, sent, missing)
