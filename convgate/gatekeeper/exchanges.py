"""A conversation as exchanges: a user's turn with all that answers it."""

from __future__ import annotations

from convgate.conversation import Conversation
from convgate.gatekeeper.exchange import Exchange, PlacedExchange

TAIL = 4
"""Turns before an exchange that it knows of: the checks look at the last one alone."""


def exchanges_of(conversation: Conversation) -> list[PlacedExchange]:
    """The exchanges in order; instructions stand in none, nor does what precedes the first user's turn.

    A user's turn is answered by the turns of assistant and tools up to the next user's; `assistant` is
    the assistant's text alone. In a transcript without an assistant each turn is an exchange of its own.
    `previous` is no more than the last turns (TAIL), so the whole takes time linear in the turns.
    """
    turns = conversation.turns
    taking_part = [index for index, turn in enumerate(turns) if not turn.is_instruction]
    answered = any(turns[index].role == "assistant" for index in taking_part)
    placed: list[PlacedExchange] = []
    for at, first in enumerate(taking_part):
        if answered and not _asks(turns[first].role):
            continue
        end = at + 1
        while answered and end < len(taking_part) and not _asks(turns[taking_part[end]].role):
            end += 1
        group = taking_part[at:end]
        replies = [turns[index].text for index in group[1:] if turns[index].role == "assistant"]
        before = tuple(turns[index] for index in taking_part[max(0, at - TAIL) : at])
        exchange = Exchange(turns[first].text, "\n".join(text for text in replies if text), before)
        placed.append(PlacedExchange(exchange, first, tuple(group)))
    return placed


def _asks(role: str) -> bool:
    """Whether a role speaks for a person: all but the assistant and tools."""
    return role not in {"assistant", "tool", "function"}
