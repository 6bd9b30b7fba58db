"""What the library takes, and what it tells about conversations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from convgate.conversation import Conversation
from convgate.store.faults import translate_decoding_errors

Sort = Literal["added", "title", "turns", "tokens", "format"]

TITLE_LENGTH = 80
"""Characters of the first message that stand in for a missing title."""


@dataclass(frozen=True, slots=True)
class NewConversation:
    """A conversation to keep, and what is known about it besides."""

    conversation: Conversation
    origin: str = ""  # the file it came from, or "pasted text"
    tokens: int | None = None  # of all its turns together
    title: str | None = None  # to be listed under, instead of the transcript's own or its first words
    split_group: str | None = None  # what says on which side of a split it is; its key unless given
    ends_here: bool = False  # it is kept on its own where the library has more of it


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """What a list shows of a conversation."""

    key: str  # names the conversation in links; the same content has the same key everywhere
    title: str
    format: str
    turns: int
    tokens: int | None
    origin: str
    added: datetime  # UTC
    excerpt: str | None = None  # where a search found it


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation exactly as it was read, and what the library says about it."""

    summary: ConversationSummary
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class DeletedConversation:
    """A conversation that was deleted and can come back."""

    keys: frozenset[str]  # its own, and those from before it grew
    conversation: Conversation
    is_damaged: bool = False  # it cannot be read, and stands here without turns


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Some of the conversations that were asked for, and the totals over all of them."""

    rows: tuple[ConversationSummary, ...]
    total: int  # conversations
    turns: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Addition:
    """What became of a conversation that was to be added."""

    key: str
    title: str
    new: bool  # False when the library had it already
    grown: bool = False  # the library has more of it: the key is that of the longer one


def title_of(conversation: Conversation) -> str:
    """What a conversation is listed under: its own title, else the first line that somebody said, shortened.

    Its id when nobody said anything.
    """
    if conversation.title:
        return conversation.title
    spoken = (turn.text.strip() for turn in conversation.turns if not turn.is_instruction)
    text = next((text for text in spoken if text), conversation.id or "Untitled")
    first = text.splitlines()[0].rstrip()
    return first if len(first) <= TITLE_LENGTH else f"{first[: TITLE_LENGTH - 1].rstrip()}…"


_TYPES = {"key": str, "title": str, "format": str, "turns": int, "tokens": int | None, "origin": str}


@translate_decoding_errors("a conversation")
def summary_of(row: dict[str, Any], excerpt: str | None = None) -> ConversationSummary:
    """What a list shows of a row of the table."""
    for name, type in _TYPES.items():
        if not isinstance(row[name], type):
            raise TypeError(f"{name} is {row[name]!r}")
    return ConversationSummary(
        key=row["key"],
        title=row["title"],
        format=row["format"],
        turns=row["turns"],
        tokens=row["tokens"],
        origin=row["origin"],
        added=datetime.fromisoformat(row["added_at"]),
        excerpt=excerpt,
    )
