"""An exchange: a user's message with what answers it. The gatekeeper decides about exchanges."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from convgate.core.conversation import Conversation, Turn
from convgate.messages.units import is_from_user, split_exchanges

TAIL = 4
"""How many earlier turns an exchange of a conversation carries; the checks read the last one alone."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A user's message and its answer; either may be empty."""

    user: str
    assistant: str = ""
    previous: tuple[Turn, ...] = ()  # oldest first, up to just before `user`


@dataclass(frozen=True, slots=True)
class PlacedExchange:
    """An exchange of a conversation, and its turns."""

    exchange: Exchange
    user_turn: int  # 0-based
    turns: tuple[int, ...]  # 0-based, increasing: the user's and all that answer it


def exchanges_of(conversation: Conversation) -> list[PlacedExchange]:
    """Return the exchanges of a conversation in order, without instructions.

    A user's turn is answered by the turns of assistant and tools up to the next user's; `assistant` has the
    assistant's text only. In a transcript without an assistant, each turn is an exchange.
    """
    turns = conversation.turns
    spoken = [index for index, turn in enumerate(turns) if not turn.is_instruction]
    has_answers = any(turns[index].role == "assistant" for index in spoken)
    placed: list[PlacedExchange] = []
    for group in split_exchanges(turns) if has_answers else [[index] for index in spoken]:
        first, start = group[0], bisect_left(spoken, group[0])
        if has_answers and not is_from_user(turns[first]):
            continue
        answers = [turns[index].text for index in group[1:] if turns[index].role == "assistant"]
        previous = tuple(turns[index] for index in spoken[max(0, start - TAIL) : start])
        exchange = Exchange(turns[first].text, "\n".join(filter(None, answers)), previous)
        placed.append(PlacedExchange(exchange, first, tuple(group)))
    return placed
