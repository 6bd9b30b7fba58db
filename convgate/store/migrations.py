"""How the database came to look as it does: append a migration, never change one that was released.

Every room that keeps something adds its tables here, and a repository file of its own.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

migrations = Migrations("convgate")


@migrations()
def m001_conversations(db: Database) -> None:
    """Conversations: what lists show, the documents, and an index of every substring of three letters."""
    db.execute("""
        CREATE TABLE conversations (
            number INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            title TEXT NOT NULL,
            format TEXT NOT NULL,
            turns INTEGER NOT NULL,
            tokens INTEGER,
            origin TEXT NOT NULL,
            added_at TEXT NOT NULL,
            deleted_at TEXT
        )""")
    db.execute("CREATE INDEX conversations_by_time ON conversations (deleted_at, added_at)")
    # Apart from the list's columns, so that listing never reads past megabytes of text.
    db.execute("""
        CREATE TABLE documents (
            number INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE,
            document TEXT NOT NULL
        )""")
    # Trigrams find parts of words, and words of languages that do not put spaces between them.
    db.execute("CREATE VIRTUAL TABLE conversation_search USING fts5 (title, text, tokenize = 'trigram')")
