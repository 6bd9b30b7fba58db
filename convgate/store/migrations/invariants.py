"""Tables of what people make of invariants: what must hold in a conversation, against what is found in it."""

from __future__ import annotations

from sqlite_utils import Database


def m011_invariant_edits(db: Database) -> None:
    """What was said of the invariants of a message, and what it was before each change."""
    # edits: a JSON list in the order in which they were made. In a change, NULL where there was none.
    db.execute("""
        CREATE TABLE invariant_edits (
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            turn INTEGER NOT NULL CHECK (turn >= 0),
            edits TEXT NOT NULL,
            PRIMARY KEY (conversation, turn)
        ) WITHOUT ROWID""")
    db.execute("""
        CREATE TABLE invariant_changes (
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            step INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            edits TEXT,
            PRIMARY KEY (conversation, step, turn)
        ) WITHOUT ROWID""")
