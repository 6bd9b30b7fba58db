"""The library: conversations that are kept, listed, searched, renamed, deleted and taken back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlite_utils import Database

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import documents, fulltext
from convgate.store.database import Store
from convgate.store.openings import Openings
from convgate.transcripts.characters import writable

Sort = Literal["added", "title", "turns", "tokens", "format"]

TITLE_LENGTH = 80
"""Characters of the first message that stand in for a missing title."""

_ORDER = {
    "added": "added_at",
    "title": "title COLLATE NOCASE",
    "turns": "turns",
    "tokens": "tokens",
    "format": "format",
}


@dataclass(frozen=True, slots=True)
class NewConversation:
    """A conversation to keep, and what is known about it besides."""

    conversation: Conversation
    origin: str = ""  # the file it came from, or "pasted text"
    tokens: int | None = None  # of all its turns together
    title: str | None = None  # to be listed under, instead of the transcript's own or its first words


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


class Conversations:
    """The conversations of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, items: Iterable[NewConversation]) -> list[Addition]:
        """Keep the conversations, all of them or none; one that is there already is left as it is.

        One that was deleted comes back. What is added together has one time, and keeps its order in lists.
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
        return StoredConversation(_summary(row), documents.load(document[0]))

    def summary(self, key: str) -> ConversationSummary:
        """What the list says about `key`; raises StoreError when the library does not have it."""
        with self._store.read() as db:
            return _summary(self._row(db, key))

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
            summaries = tuple(_summary(row, fulltext.excerpt(db, row["number"], terms)) for row in rows)
        return ConversationPage(summaries, total, turns, tokens)

    def keys(self) -> set[str]:
        """The keys of all conversations that are not deleted."""
        with self._store.read() as db:
            return {key for (key,) in db.execute("SELECT key FROM conversations WHERE deleted_at IS NULL")}

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

    def purge(self, *, older_than: timedelta = timedelta(0)) -> int:
        """Remove for good what was deleted at least `older_than` ago; how many conversations that were."""
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
        return len(numbers)

    def _add(self, db: Database, item: NewConversation, added_at: str) -> Addition:
        conversation = item.conversation
        key = documents.content_key(conversation)
        known = db.execute("SELECT title, deleted_at FROM conversations WHERE key = ?", [key]).fetchone()
        if known:
            title, deleted_at = known
            if deleted_at:
                db.execute("UPDATE conversations SET deleted_at = NULL WHERE key = ?", [key])
            return Addition(key, title, new=deleted_at is not None)
        title = writable(item.title or title_of(conversation))
        row = {
            "key": key,
            "title": title,
            "format": conversation.format,
            "turns": len(conversation),
            "tokens": item.tokens,
            "origin": writable(item.origin),
            "added_at": added_at,
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
            f"The library has no conversation {key!r}; it was deleted, or the link is from another library."
        )

    def _mark(self, keys: Sequence[str], deleted_at: str | None) -> None:
        with self._store.write() as db:
            for key in keys:
                db.execute(
                    "UPDATE conversations SET deleted_at = ?"
                    " WHERE number = (SELECT number FROM conversation_keys WHERE key = ?)",
                    [deleted_at, key],
                )


def _summary(row: dict[str, Any], excerpt: str | None = None) -> ConversationSummary:
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


def _searched_text(conversation: Conversation) -> str:
    return writable("\n".join(turn.scored_text for turn in conversation.turns))


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
