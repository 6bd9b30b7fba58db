"""From the turns that were chosen to the messages that go out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convgate.context.check import Place
from convgate.context.invariant import Invariant
from convgate.context.moment import Moment
from convgate.conversation import INSTRUCTION_ROLES, Turn
from convgate.errors import ContextError
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.transcripts import turns_from_messages

Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Added:
    """A message that stands in a context and is no turn of the conversation."""

    message: Message
    turn: Turn  # the same
    tokens: int
    reason: str  # a sentence


def read_capsules(capsules: Sequence[str | Message], counter: TokenCounter | None) -> list[Added]:
    """Capsules as system messages; a message that is one already stays the very same object.

    Raises ContextError for one that is neither a text nor such a message.
    """
    if isinstance(capsules, str | Mapping):
        raise ContextError("capsules are a list of texts or messages; got a single one")
    given = [{"role": "system", "content": one} if isinstance(one, str) else one for one in capsules]
    for place, message in enumerate(given):
        if not isinstance(message, Mapping) or message.get("role") not in INSTRUCTION_ROLES:
            role = message.get("role") if isinstance(message, Mapping) else type(message).__name__
            raise ContextError(
                f"capsule {place}: a capsule is a text, or a message of system or developer; got {role!r}"
            )
    return _added(given, "a summary that the caller handed in.", counter)


def restated(
    invariants: Sequence[Invariant],
    moment: Moment,
    counter: TokenCounter | None,
    shortened: Collection[int] = (),
) -> list[Added]:
    """Messages for what has to hold and does not stand in its own turn's words.

    That is an invariant whose text a person wrote anew, or which a person pinned to a turn that no valid list
    can have, or whose turn is one of `shortened`, which are not sent for lack of room.
    """
    texts = [
        one.text
        for one in invariants
        if one.held
        and (
            one.source in moment.unsendable
            or one.source in shortened
            or one.text not in moment.turns[one.source].text
        )
    ]
    messages = [{"role": "system", "content": text} for text in dict.fromkeys(texts)]
    return _added(messages, "it must hold, and its own turn is not sent, or says it in other words.", counter)


def _added(messages: Sequence[Message], reason: str, counter: TokenCounter | None) -> list[Added]:
    turns = turns_from_messages(messages)
    tokens = turn_tokens(turns, counter).tolist() if turns else []
    return [
        Added(message, turn, cost, reason)
        for message, turn, cost in zip(messages, turns, tokens, strict=True)
    ]


@dataclass(frozen=True, eq=False, slots=True)
class Assembled:
    """The finished list."""

    messages: list[Message]
    places: list[Place]  # of each message in the conversation
    turns: list[Turn]  # the same messages
    tokens: list[int]  # of each


def assemble(
    moment: Moment, indices: Sequence[int], messages: Sequence[Message], added: Sequence[Added]
) -> Assembled:
    """The messages of the turns `indices`, what was added behind the instructions that stand first."""
    leading = 0
    while leading < len(indices) and moment.columns.instructs[indices[leading]]:
        leading += 1
    extra = list(added)

    def around(of_turns: list[Any], of_added: list[Any]) -> list[Any]:
        return [*of_turns[:leading], *of_added, *of_turns[leading:]]

    return Assembled(
        around(list(messages), [one.message for one in extra]),
        around(list(indices), [None] * len(extra)),
        around([moment.turns[index] for index in indices], [one.turn for one in extra]),
        around([moment.tokens[index] for index in indices], [one.tokens for one in extra]),
    )
