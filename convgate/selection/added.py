"""Messages that are sent and are no turns of the conversation: capsules, and statements of what must hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from convgate.core.conversation import INSTRUCTION_ROLES, Turn
from convgate.core.errors import RequestError
from convgate.invariants.invariant import Invariant
from convgate.messages.table import TurnTable
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.transcripts import turns_from_messages

Message = Mapping[str, Any]

QUOTE_INTRODUCTION = "Earlier turns of this conversation, quoted for the message that follows:"


@dataclass(frozen=True, slots=True)
class AddedMessage:
    """A message that is sent and is no turn of the conversation."""

    message: Message
    turn: Turn  # the message as a turn
    tokens: int
    reason: str  # a sentence


@dataclass(frozen=True, slots=True)
class Capsule:
    """A text to send that is no turn of the conversation, and why."""

    text: str
    reason: str  # a sentence


def read_capsules(
    capsules: Sequence[str | Message | Capsule], counter: TokenCounter | None
) -> list[AddedMessage]:
    """Return capsules as system messages; a capsule that is a message stays the same object.

    Raises RequestError for one that is neither a text nor a system or developer message.
    """
    if isinstance(capsules, str | Mapping | Capsule):
        raise RequestError("capsules are a list of texts or messages; got a single one")
    messages: list[Message] = []
    for capsule in capsules:
        text = capsule.text if isinstance(capsule, Capsule) else capsule
        messages.append({"role": "system", "content": text} if isinstance(text, str) else text)
    for place, message in enumerate(messages):
        role = message.get("role") if isinstance(message, Mapping) else type(message).__name__
        if not isinstance(message, Mapping) or role not in INSTRUCTION_ROLES:
            raise RequestError(
                f"capsule {place}: a capsule is a text, or a message of system or developer; got {role!r}"
            )
    added = _add(messages, "a summary that the caller handed in.", counter)
    return [
        replace(message, reason=capsule.reason) if isinstance(capsule, Capsule) else message
        for message, capsule in zip(added, capsules, strict=True)
    ]


def restate(
    held: Iterable[Invariant], table: TurnTable, counter: TokenCounter | None, shortened: Collection[int] = ()
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


def quote_turns(turns: Sequence[Turn], indices: Sequence[int], counter: TokenCounter | None) -> AddedMessage:
    """Return a user's message that quotes turns, to stand before the current message."""
    message = {"role": "user", "content": quote_text(turns, indices)}
    return _add([message], "it quotes earlier turns that are needed now.", counter)[0]


def quote_text(turns: Sequence[Turn], indices: Sequence[int]) -> str:
    """Return the text of that message: who said what, every line of a turn behind a mark.

    >>> print(quote_text([Turn.of("user", "No nuts."), Turn.of("assistant", "Noted.")], [0]))
    Earlier turns of this conversation, quoted for the message that follows:
    Turn 0, user:
    > No nuts.
    """
    lines = [QUOTE_INTRODUCTION]
    for index in indices:
        lines.append(f"Turn {index}, {turns[index].role}:")
        lines += [f"> {line}".rstrip() for line in turns[index].text.splitlines()]
    return "\n".join(lines)


def _add(messages: Sequence[Message], reason: str, counter: TokenCounter | None) -> list[AddedMessage]:
    turns = turns_from_messages(messages)
    tokens = turn_tokens(turns, counter).tolist() if turns else []
    return [
        AddedMessage(message, turn, cost, reason)
        for message, turn, cost in zip(messages, turns, tokens, strict=True)
    ]
