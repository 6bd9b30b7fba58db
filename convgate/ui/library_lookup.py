"""Conversations of sets and reports found again in the Library, so that their turns can be opened."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.core.conversation import Conversation
from convgate.store import Store
from convgate.store.openings import Openings, chain

Said = tuple[bytes, int]
"""What stands for all that was said: the last hash of a `chain`, and the number of turns."""


def said_in(conversation: Conversation) -> Said:
    """What stands for all that was said in it."""
    return chain(conversation.turns)[-1], len(conversation)


def library_keys(store: Store, said: Mapping[str, Said]) -> dict[str, str | None]:
    """The key under which the Library has each conversation, by id; None for one that it has not.

    It is the one that has, or had, the id for its key, though it may have gone on since; else one in which
    the same speakers said the same, whatever file it came from.
    """
    found: dict[str, str | None] = {}
    with store.read() as db:
        openings = Openings(db)
        for id, (last, turns) in said.items():
            row = db.execute(
                "SELECT conversations.key FROM conversations JOIN conversation_keys USING (number)"
                " WHERE conversation_keys.key = ? AND deleted_at IS NULL",
                [id],
            ).fetchone()
            if row is None and (number := openings.ending(last, turns)) is not None:
                row = db.execute("SELECT key FROM conversations WHERE number = ?", [number]).fetchone()
            found[id] = row[0] if row else None
    return found
