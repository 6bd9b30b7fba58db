"""Find conversations of sets and reports in the Library, so that their turns can be opened."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.core.conversation import Conversation
from convgate.store import Store
from convgate.store.openings import Openings, chain

Said = tuple[bytes, int]
"""Identifies a whole conversation: the last hash of its `chain`, and its number of turns."""


def said_in(conversation: Conversation) -> Said:
    """Return what identifies all turns of a conversation."""
    return chain(conversation.turns)[-1], len(conversation)


def library_keys(store: Store, said: Mapping[str, Said]) -> dict[str, str | None]:
    """Return the Library's key of each conversation, by id; None for one that it does not have.

    A conversation is found by its key, present or former, else by equal turns from whatever file.
    """
    keys: dict[str, str | None] = {}
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
            keys[id] = row[0] if row else None
    return keys
