"""Messages that somebody says something about: their numbers in the database."""

from __future__ import annotations

from sqlite_utils import Database

from convgate.errors import StoreError
from convgate.store.label_log import SituationKey
from convgate.transcripts.characters import writable

OF_DELETED = """
    SELECT situations.number FROM situations JOIN conversations ON conversations.number = conversation
    WHERE deleted_at IS NOT NULL"""
"""The numbers of messages in conversations that were deleted; there are few."""


def situation_number(db: Database, key: SituationKey) -> tuple[int, int]:
    """The number of a message, which is made when it is new, and how many turns are before it."""
    row = db.execute(
        "SELECT number, turns FROM conversations WHERE deleted_at IS NULL"
        " AND number = (SELECT number FROM conversation_keys WHERE key = ?)",
        [key.conversation],
    ).fetchone()
    if row is None:
        raise StoreError(f"the library has no conversation {key.conversation!r}")
    conversation, turns = row
    if (key.turn is None) == (not key.question.strip()):
        raise StoreError("what is answered is either a turn or a question")
    if key.turn is not None and not 0 <= key.turn < turns:
        raise StoreError(f"turn {key.turn} is answered, but the conversation has {turns} turns, from 0")
    number = find_situation(db, key)
    if number is None:
        made = {"conversation": conversation, "turn": key.turn, "question": writable(key.question)}
        number = db.table("situations").insert(made).last_pk
        assert isinstance(number, int)
    return number, turns if key.turn is None else key.turn


def find_situation(db: Database, key: SituationKey) -> int | None:
    """The number of a message; None when nobody said anything about it."""
    row = db.execute(
        "SELECT number FROM situations WHERE coalesce(turn, -1) = ? AND question = ?"
        " AND conversation = (SELECT number FROM conversation_keys WHERE key = ?)",
        [-1 if key.turn is None else key.turn, writable(key.question), key.conversation],
    ).fetchone()
    return row[0] if row else None


def lead(db: Database, situation: int) -> tuple[SituationKey, str | None]:
    """A message, and the title of its conversation when that was deleted."""
    *place, title, deleted_at = db.execute(
        "SELECT key, turn, question, title, deleted_at FROM situations JOIN conversations"
        " ON conversations.number = situations.conversation WHERE situations.number = ?",
        [situation],
    ).fetchone()
    return SituationKey(*place), title if deleted_at else None
