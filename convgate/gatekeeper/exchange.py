"""What the gatekeeper decides about: a user's message with the answer to it, and what was said before."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.conversation import Turn


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and answer; either may be empty."""

    user: str
    assistant: str = ""
    previous: tuple[Turn, ...] = ()  # oldest first, up to just before `user`


@dataclass(frozen=True, slots=True)
class PlacedExchange:
    """An exchange of a conversation, and which turns it is made of."""

    exchange: Exchange
    user_turn: int  # 0-based
    turns: tuple[int, ...]  # 0-based, increasing: the user's and all that answer it
