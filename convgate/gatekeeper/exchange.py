"""An exchange: a user's message with what answers it. The gatekeeper decides about exchanges."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.core.conversation import Conversation, Turn

TAIL = 4
"""How many earlier turns an exchange of a conversation carries; the checks read the last one alone."""

ANSWERING_ROLES = frozenset({"assistant", "tool", "function"})


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
    indices = [index for index, turn in enumerate(turns) if not turn.is_instruction]
    has_answers = any(turns[index].role == "assistant" for index in indices)
    placed: list[PlacedExchange] = []
    for start, first in enumerate(indices):
        if has_answers and turns[first].role in ANSWERING_ROLES:
            continue
        end = start + 1
        while has_answers and end < len(indices) and turns[indices[end]].role in ANSWERING_ROLES:
            end += 1
        group = indices[start:end]
        answers = [turns[index].text for index in group[1:] if turns[index].role == "assistant"]
        previous = tuple(turns[index] for index in indices[max(0, start - TAIL) : start])
        exchange = Exchange(turns[first].text, "\n".join(filter(None, answers)), previous)
        placed.append(PlacedExchange(exchange, first, tuple(group)))
    return placed
