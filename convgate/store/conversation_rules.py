"""Rules that people chose for one conversation alone: Explore opens it with them until they are taken off."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from convgate.store.conversation_keys import number_of
from convgate.store.database import Store
from convgate.store.faults import translate_decoding_errors
from convgate.transcripts.characters import writable


@dataclass(frozen=True, slots=True)
class ConversationRule:
    """How the turns of one conversation are chosen."""

    policy: str  # the chooser, such as "gate@mine"
    choice: Mapping[str, str]  # the rule and its parameters, as an address has them
    note: str  # why, for people
    chosen: datetime  # UTC


class ConversationRules:
    """The rules of a store's conversations; at most one each."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, key: str) -> ConversationRule | None:
        """The conversation's own rule; None when it has none, or the library does not have it."""
        with self._store.read() as db:
            row = db.execute(
                "SELECT policy, choice, note, chosen_at FROM conversation_rules"
                " JOIN conversations ON number = conversation WHERE deleted_at IS NULL"
                " AND number = (SELECT number FROM conversation_keys WHERE key = ?)",
                [key],
            ).fetchone()
        if row is None:
            return None
        policy, choice, note, chosen_at = row
        with translate_decoding_errors("a rule of a conversation"):
            return ConversationRule(policy, json.loads(choice), note, datetime.fromisoformat(chosen_at))

    def put(self, key: str, policy: str, choice: Mapping[str, str], *, note: str = "") -> None:
        """Have the conversation chosen so from now on, in place of what was there.

        Raises StoreError when the library does not have it.
        """
        with self._store.write() as db:
            row = {
                "conversation": number_of(db, key),
                "policy": policy,
                "choice": json.dumps(dict(choice)),
                "note": writable(note),
                "chosen_at": datetime.now(UTC).isoformat(),
            }
            db.table("conversation_rules").insert(row, pk="conversation", replace=True)

    def remove(self, key: str) -> None:
        """Take the conversation's own rule off; nothing when it has none."""
        with self._store.write() as db:
            db.execute(
                "DELETE FROM conversation_rules"
                " WHERE conversation = (SELECT number FROM conversation_keys WHERE key = ?)",
                [key],
            )
