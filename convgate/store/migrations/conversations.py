"""Tables of conversations, and what is kept beside each."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from sqlite_utils import Database


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


def m003_conversation_rules(db: Database) -> None:
    """Rules that people chose for one conversation alone, as an address has them."""
    db.execute("""
        CREATE TABLE conversation_rules (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE,
            policy TEXT NOT NULL,
            choice TEXT NOT NULL,
            note TEXT NOT NULL,
            chosen_at TEXT NOT NULL
        )""")


def m004_openings(db: Database) -> None:
    """How conversations begin, so that one is found again as it grows; keys that they had before."""
    # hash: of who said what in the first turns of a conversation, this many.
    db.execute("""
        CREATE TABLE openings (
            hash BLOB NOT NULL,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE,
            length INTEGER NOT NULL,
            PRIMARY KEY (hash, conversation, length)
        ) WITHOUT ROWID""")
    db.execute("CREATE INDEX openings_by_conversation ON openings (conversation)")
    # Conversations that agents told of, and go on telling of while they last.
    db.execute("""
        CREATE TABLE live_conversations (
            conversation INTEGER PRIMARY KEY REFERENCES conversations (number) ON DELETE CASCADE
        )""")
    db.execute("""
        CREATE TABLE former_keys (
            key TEXT PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations (number) ON DELETE CASCADE
        ) WITHOUT ROWID""")
    db.execute("CREATE INDEX former_keys_by_conversation ON former_keys (conversation)")
    db.execute("""
        CREATE VIEW conversation_keys AS
        SELECT key, number FROM conversations UNION ALL SELECT key, conversation FROM former_keys""")
    for number, document in db.execute("SELECT number, document FROM documents").fetchall():
        if (read := _read(document)) is None:
            continue
        hashes = _chain(read["turns"])
        last = len(hashes) - 1
        kept = {*_lengths_kept(last), last}
        db.conn.executemany(
            "INSERT INTO openings (hash, conversation, length) VALUES (?, ?, ?)",
            [(hashes[length], number, length) for length in sorted(kept)],
        )


def m007_split_groups(db: Database) -> None:
    """What says on which side of a split a conversation is, and goes on saying so as it grows.

    It is the key that the conversation was added with.
    """
    db.execute("ALTER TABLE conversations ADD COLUMN split_group TEXT NOT NULL DEFAULT ''")
    db.execute("UPDATE conversations SET split_group = key")
    former: dict[int, set[str]] = {}
    for number, key in db.execute("SELECT conversation, key FROM former_keys").fetchall():
        former.setdefault(number, set()).add(key)
    for number, keys in former.items():
        (document,) = db.execute("SELECT document FROM documents WHERE number = ?", [number]).fetchone()
        # Former keys have no order, but each is that of a beginning.
        read = _read(document)
        first = next((key for key in _keys_of_beginnings(read) if key in keys), None) if read else None
        if first is not None:
            db.execute("UPDATE conversations SET split_group = ? WHERE number = ?", [first, number])


def _read(document: str) -> dict[str, Any] | None:
    """A conversation as it was stored at the time; None for a damaged one, which nobody can open either."""
    try:
        read: dict[str, Any] = json.loads(document)
        return read if isinstance(read["turns"], list) else None
    except (ValueError, KeyError, TypeError):
        return None


def _keys_of_beginnings(document: dict[str, Any]) -> Iterator[str]:
    """The content keys of the first 0, 1, 2, … turns, as they were made at the time."""
    rest = {name: value for name, value in document.items() if name not in ("id", "title", "turns")}
    # The turns come last, so that each beginning goes on from the one before.
    digest = hashlib.sha256(_dumped(rest | {"turns": []}).removesuffix(b"]}"))
    yield _key(digest)
    for number, turn in enumerate(document["turns"]):
        digest.update((b"," if number else b"") + _dumped(turn))
        yield _key(digest)


def _key(unfinished: hashlib._Hash) -> str:
    digest = unfinished.copy()
    digest.update(b"]}")
    return digest.hexdigest()[:16]


def _dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _chain(turns: list[dict[str, Any]]) -> list[bytes]:
    """A hash of the first 0, 1, 2, … turns, as it was made at the time."""
    hashes = [b""]
    for turn in turns:
        text = "\n".join(part for _, part in turn["parts"])
        calls = [f"{name}({arguments})" for _, name, arguments in turn.get("tool_calls", ())]
        scored = "\n".join([text, *calls] if text else calls)
        digest = hashlib.blake2b(hashes[-1], digest_size=12)
        for said in (turn["role"], turn.get("name") or "", scored):
            encoded = said.encode("utf-8", "surrogatepass")
            digest.update(f"{len(encoded)}:".encode() + encoded)
        hashes.append(digest.digest())
    return hashes


def _lengths_kept(turns: int) -> Iterator[int]:
    """The lengths of the beginnings that were kept at the time."""
    length = 0
    while length <= turns:
        yield length
        length += 1 if length < 16 else length // 2
