"""What the store tells about sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

MovedKind = Literal["session", "conversation", "none"]
"""What a person says that begins with a message."""


@dataclass(frozen=True, slots=True)
class Session:
    """A time of work in one workspace, from its first message until it ends."""

    id: str  # with the date and time of its start, such as session_20251113_140000_1234
    workspace: str
    started: datetime  # UTC
    last_activity: datetime  # UTC
    conversation_count: int
    ended: datetime | None = None  # UTC; None while it is active
    reason: str = ""  # why it ended

    @property
    def is_active(self) -> bool:
        """Whether the next message may go on in it."""
        return self.ended is None


@dataclass(frozen=True, slots=True)
class SessionConversation:
    """A conversation of a session."""

    number: int  # names it in the store
    session: str | None  # id; None when it is in none, or that was cleaned up
    key: str | None  # of the conversation in the library; None when that does not have it
    title: str  # as the library lists it, where that has it
    tags: tuple[str, ...]
    began: datetime  # UTC
    last_activity: datetime  # UTC
    workflow_state: str | None


@dataclass(frozen=True, slots=True)
class MovedBoundary:
    """What a person made of a message, against the rules or with them."""

    kind: MovedKind
    note: str = ""  # why, in the person's words
    at: datetime | None = None  # UTC; when it was moved
