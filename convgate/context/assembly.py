"""The messages that are sent: those of the chosen turns, and those that are added."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convgate.context.invariant import Invariant
from convgate.context.turn_table import TurnTable
from convgate.core.conversation import INSTRUCTION_ROLES, Turn
from convgate.core.errors import ContextError
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.transcripts import turns_from_messages

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AddedMessage:
    """A message that stands in a context and is no turn of the conversation."""

    message: Message
    turn: Turn  # the message as a turn
    tokens: int
    reason: str  # a sentence


def read_capsules(capsules: Sequence[str | Message], counter: TokenCounter | None) -> list[AddedMessage]:
    """Return capsules as system messages; a message that is one already stays the very same object.

    Raises ContextError for one that is neither a text nor such a message.
    """
    if isinstance(capsules, str | Mapping):
        raise ContextError("capsules are a list of texts or messages; got a single one")
    messages = [
        {"role": "system", "content": capsule} if isinstance(capsule, str) else capsule
        for capsule in capsules
    ]
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, Mapping) else type(message).__name__
        if not isinstance(message, Mapping) or role not in INSTRUCTION_ROLES:
            raise ContextError(
                f"capsule {place}: a capsule is a text, or a message of system or developer; got {role!r}"
            )
    return _add(messages, "a summary that the caller handed in.", counter)


def restate(
    invariants: Sequence[Invariant],
    table: TurnTable,
    counter: TokenCounter | None,
    shortened: Collection[int] = (),
) -> list[AddedMessage]:
    """Return messages for what has to hold and does not stand in its own turn's words.

    That is what a person wrote anew or pinned to an unsendable turn, or whose turn is one of `shortened`.
    """
    texts = [
        invariant.text
        for invariant in invariants
        if invariant.held
        and (
            invariant.source in {*table.unsendable, *shortened}
            or invariant.text not in table.turns[invariant.source].text
        )
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


@dataclass(frozen=True, eq=False, slots=True)
class MessageList:
    """The finished list."""

    messages: list[Message]
    places: list[int | None]  # of each message its index; None for an added one
    turns: list[Turn]  # the same messages
    tokens: list[int]  # of each


def assemble(
    table: TurnTable, indices: Sequence[int], messages: Sequence[Message], added: Sequence[AddedMessage]
) -> MessageList:
    """Return the messages of the turns `indices`, with `added` behind the instructions that stand first."""
    leading = next((row for row, index in enumerate(indices) if not table.instructs[index]), len(indices))
    start = slice(leading, leading)
    result = MessageList(
        list(messages), list(indices), [table.turns[i] for i in indices], [table.tokens[i] for i in indices]
    )
    result.messages[start] = [message.message for message in added]
    result.places[start] = [None] * len(added)
    result.turns[start] = [message.turn for message in added]
    result.tokens[start] = [message.tokens for message in added]
    return result
