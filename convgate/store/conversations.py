"""The library: conversations that are kept, listed, searched, renamed, deleted and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from sqlite_utils import Database

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import documents, fulltext
from convgate.store.conversation_records import (
    Addition,
    ConversationPage,
    ConversationSummary,
    DeletedConversation,
    NewConversation,
    Sort,
    StoredConversation,
    summary_of,
    title_of,
)
from convgate.store.database import Store
from convgate.store.faults import translate_decoding_errors
from convgate.store.openings import Openings
from convgate.transcripts.characters import writable
from convgate.transcripts.split_groups import split_group_of

_ORDER = {
    "added": "added_at",
    "title": "title COLLATE NOCASE",
    "turns": "turns",
    "tokens": "tokens",
    "format": "format",
}


class Conversations:
    """The conversations of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, items: Iterable[NewConversation]) -> list[Addition]:
        """Keep the conversations, all of them or none; one that is there already is left as it is.

        So is one that went on since: what is told is the longer one, unless the new one `ends_here`. One that
        was deleted comes back. What is added together has one time, and keeps its order in lists.
        """
        with self._store.write() as db:
            now = datetime.now(UTC).isoformat()
            return [self._add(db, item, now) for item in items]

    def grow(self, key: str, turns: Sequence[Turn], *, tokens: int | None = None) -> Addition:
        """Put turns after the last one of a conversation. tokens: what they count together.

        Its content is another then, and so is its key; the former one finds it too. What was said of its
        turns stays. Raises StoreError when the library does not have it, or has the longer one already.
        """
        with self._store.write() as db:
            row = self._row(db, key)
            (document,) = db.execute(
                "SELECT document FROM documents WHERE number = ?", [row["number"]]
            ).fetchone()
            before = documents.load(document)
            grown = replace(before, turns=(*before.turns, *turns))
            number, new_key = row["number"], documents.content_key(grown)
            if db.execute("SELECT 1 FROM conversations WHERE key = ?", [new_key]).fetchone():
                raise StoreError(f"the library has the conversation with these turns already, as {new_key!r}")
            total = None if tokens is None or row["tokens"] is None else row["tokens"] + tokens
            db.execute("DELETE FROM former_keys WHERE key = ?", [new_key])
            db.execute(
                "UPDATE conversations SET key = ?, turns = ?, tokens = ? WHERE number = ?",
                [new_key, len(grown), total, number],
            )
            db.execute("INSERT INTO former_keys (key, conversation) VALUES (?, ?)", [row["key"], number])
            db.execute("UPDATE documents SET document = ? WHERE number = ?", [documents.dump(grown), number])
            db.execute(
                "UPDATE conversation_search SET text = ? WHERE rowid = ?", [_searched_text(grown), number]
            )
            Openings(db).put(number, grown.turns)
        return Addition(new_key, row["title"], new=False)

    def get(self, key: str) -> StoredConversation:
        """The conversation `key`; raises StoreError when the library does not have it."""
        with self._store.read() as db:
            row = self._row(db, key)
            document = db.execute(
                "SELECT document FROM documents WHERE number = ?", [row["number"]]
            ).fetchone()
        with translate_decoding_errors("a conversation"):
            return StoredConversation(summary_of(row), documents.load(document[0]))

    def summary(self, key: str) -> ConversationSummary:
        """What the list says about `key`; raises StoreError when the library does not have it."""
        with self._store.read() as db:
            return summary_of(self._row(db, key))

    def find(
        self,
        *,
        search: str = "",
        sort: Sort = "added",
        descending: bool = True,
        page: int = 1,
        per_page: int = 20,
        deleted: bool = False,
    ) -> ConversationPage:
        """Page `page`, from 1, of the conversations whose title or text has every word of `search`.

        Words are found inside longer ones, in any case; "words in quotes" stay together. Past the last
        page there are no rows. `deleted` lists what was deleted and can come back.
        """
        if sort not in get_args(Sort):
            raise StoreError(f"conversations can be sorted by {', '.join(get_args(Sort))}; got {sort!r}")
        terms = fulltext.terms(search)
        tables, condition, parameters = fulltext.found(terms)
        where = f"{tables} WHERE deleted_at IS {'NOT ' if deleted else ''}NULL{condition}"
        # Of what is equal the newest comes first, and what was added together as it was given.
        order = f"conversations.{_ORDER[sort]} {'DESC' if descending else 'ASC'}, added_at DESC, number"
        with self._store.read() as db:
            total, turns, tokens = db.execute(
                f"SELECT count(*), coalesce(sum(turns), 0), coalesce(sum(tokens), 0) FROM {where}", parameters
            ).fetchone()
            rows = list(
                db.query(
                    f"SELECT conversations.* FROM {where} ORDER BY {order} LIMIT ? OFFSET ?",
                    [*parameters, per_page, (page - 1) * per_page],
                )
            )
            summaries = tuple(summary_of(row, fulltext.excerpt(db, row["number"], terms)) for row in rows)
        return ConversationPage(summaries, total, turns, tokens)

    def keys(self, *, deleted: bool = False) -> set[str]:
        """The keys of all conversations that are not deleted, or of all that are."""
        where = f"deleted_at IS {'NOT ' if deleted else ''}NULL"
        with self._store.read() as db:
            return {key for (key,) in db.execute(f"SELECT key FROM conversations WHERE {where}")}

    def rename(self, key: str, title: str) -> None:
        """Give the conversation another title in the library; its transcript stays as it was read."""
        if not (title := writable(title).strip()):
            raise StoreError("a title needs at least one letter")
        with self._store.write() as db:
            number = self._row(db, key)["number"]
            db.execute("UPDATE conversations SET title = ? WHERE number = ?", [title, number])
            db.execute(
                "UPDATE conversation_search SET title = ? WHERE rowid = ?",
                [title, number],
            )

    def delete(self, keys: Sequence[str]) -> None:
        """Take the conversations off the list; `undelete` brings them back until they are purged."""
        self._mark(keys, datetime.now(UTC).isoformat())

    def undelete(self, keys: Sequence[str]) -> None:
        """Bring deleted conversations back, as they were."""
        self._mark(keys, None)

    def undelete_all(self) -> None:
        """Bring back everything that was deleted and not purged."""
        with self._store.write() as db:
            db.execute("UPDATE conversations SET deleted_at = NULL WHERE deleted_at IS NOT NULL")

    def deleted(self) -> list[DeletedConversation]:
        """What was deleted and not purged, in the order of adding; without turns where it is damaged."""
        with self._store.read() as db:
            keys: dict[int, set[str]] = {}
            for number, key in db.execute("SELECT number, key FROM conversation_keys"):
                keys.setdefault(number, set()).add(key)
            rows = db.execute(
                "SELECT number, document FROM conversations JOIN documents USING (number)"
                " WHERE deleted_at IS NOT NULL ORDER BY number"
            )
            return [_deleted(frozenset(keys[number]), document) for number, document in rows]

    def purge(self, *, older_than: timedelta = timedelta(0)) -> int:
        """Remove for good what was deleted at least `older_than` ago; how many conversations that were.

        Copies in trainings and relevance sets are `convgate.training.library`'s business. Raises StoreError
        when traces are left in the file, because another program uses it.
        """
        limit = (datetime.now(UTC) - older_than).isoformat()
        with self._store.write() as db:
            numbers = [
                n for (n,) in db.execute("SELECT number FROM conversations WHERE deleted_at <= ?", [limit])
            ]
            for number in numbers:
                db.execute("DELETE FROM conversation_search WHERE rowid = ?", [number])
                db.execute("DELETE FROM conversations WHERE number = ?", [number])
            if numbers:  # the index forgets a deleted text only when it is merged
                db.execute("INSERT INTO conversation_search (conversation_search) VALUES ('optimize')")
        if numbers:
            self._store.wipe()
        return len(numbers)

    def _add(self, db: Database, item: NewConversation, added_at: str) -> Addition:
        conversation = item.conversation
        key = documents.content_key(conversation)
        known = db.execute(
            "SELECT conversations.key, title, deleted_at, split_group FROM conversations"
            " JOIN conversation_keys USING (number) WHERE conversation_keys.key = ?",
            [key],
        ).fetchone()
        if known and not (item.ends_here and known[0] != key):
            held, title, deleted_at, _ = known
            if deleted_at:
                db.execute("UPDATE conversations SET deleted_at = NULL WHERE key = ?", [held])
            return Addition(held, title, new=deleted_at is not None, grown=held != key)
        # A beginning stays on the side of the conversation that went on from it.
        group = known[3] if known else item.split_group or split_group_of(conversation, key)
        title = writable(item.title or title_of(conversation))
        row = {
            "key": key,
            "title": title,
            "format": conversation.format,
            "turns": len(conversation),
            "tokens": item.tokens,
            "origin": writable(item.origin),
            "added_at": added_at,
            "split_group": writable(group),
        }
        db.execute("DELETE FROM former_keys WHERE key = ?", [key])
        number = db.table("conversations").insert(row).last_pk
        assert isinstance(number, int)
        db.table("documents").insert({"number": number, "document": documents.dump(conversation)})
        db.execute(
            "INSERT INTO conversation_search (rowid, title, text) VALUES (?, ?, ?)",
            [number, title, _searched_text(conversation)],
        )
        Openings(db).put(number, conversation.turns)
        return Addition(key, title, new=True)

    def _row(self, db: Database, key: str) -> dict[str, Any]:
        for row in db.query(
            "SELECT conversations.* FROM conversations WHERE deleted_at IS NULL"
            " AND number = (SELECT number FROM conversation_keys WHERE key = ?)",
            [key],
        ):
            return dict(row)
        raise StoreError(
            f"The library has no conversation {key!r}; it was deleted, or is in another library."
        )

    def _mark(self, keys: Sequence[str], deleted_at: str | None) -> None:
        with self._store.write() as db:
            for key in keys:
                db.execute(
                    "UPDATE conversations SET deleted_at = ?"
                    " WHERE number = (SELECT number FROM conversation_keys WHERE key = ?)",
                    [deleted_at, key],
                )


def _deleted(keys: frozenset[str], document: str) -> DeletedConversation:
    try:
        return DeletedConversation(keys, documents.load(document))
    except StoreError:  # it can be removed as well as any other
        return DeletedConversation(keys, Conversation("", ()), is_damaged=True)


def _searched_text(conversation: Conversation) -> str:
    return writable("\n".join(turn.scored_text for turn in conversation.turns))
