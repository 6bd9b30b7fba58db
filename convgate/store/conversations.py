"""The library: conversations are added, listed, searched, renamed, deleted and restored."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

from sqlite_utils import Database

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import StoreError
from convgate.core.text import truncate, writable
from convgate.store import documents
from convgate.store.database import Repository, Store
from convgate.store.openings import PrefixIndex
from convgate.transcripts.relevance_sets import split_group_of

Sort = Literal["added", "title", "turns", "tokens", "format"]

NUMBER = "(SELECT number FROM conversation_keys WHERE key = ?)"
"""SQL of the number of a conversation by one of its keys, deleted ones included."""

TITLE_LENGTH = 80
"""Characters of the first message that stand in for a missing title."""

EXCERPT_LENGTH = 120
"""Characters of the text that a search result shows."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_MIN_INDEXED = 3  # characters; the index is one of trigrams
_MAX_KNOWN = 16  # conversations

_PIECES = "rowid = ? OR rowid IN (SELECT -number FROM grown_turns WHERE conversation = ?)"
_FOUND = """
    SELECT iif(rowid > 0, rowid, (
        SELECT conversation FROM grown_turns WHERE grown_turns.number = -conversation_search.rowid
    )) FROM conversation_search"""


@dataclass(frozen=True, slots=True)
class NewConversation:
    """A conversation to add."""

    conversation: Conversation
    origin: str = ""  # the file it came from, or "pasted text"
    tokens: int | None = None  # of all its turns together
    title: str | None = None  # instead of the transcript's own or its first words
    split_group: str | None = None  # its key unless given; decides on which side of a split it is
    ends_here: bool = False  # add it even when the library has it with more turns
    workspace: str | None = None  # the project that it belongs to


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation in a list."""

    key: str  # names the conversation in links; the same content has the same key everywhere
    title: str
    format: str
    turns: int
    tokens: int | None
    origin: str
    added: datetime  # UTC
    workspace: str | None = None  # the project that it belongs to
    excerpt: str | None = None  # around the place that a search found


@dataclass(frozen=True, slots=True)
class StoredConversation:
    """A conversation exactly as it was read, and its summary."""

    summary: ConversationSummary
    conversation: Conversation


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """A page of conversations, and totals over all pages."""

    rows: tuple[ConversationSummary, ...]
    total: int  # conversations
    turns: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Addition:
    """The result of adding a conversation."""

    key: str
    title: str
    new: bool  # False when the library had it
    grown: bool = False  # the library has it with more turns: the key is that of the longer one


def title_of(conversation: Conversation) -> str:
    """Return the conversation's title, else its first line, shortened, else its id."""
    if conversation.title:
        return conversation.title
    texts = (turn.text.strip() for turn in conversation.turns if not turn.is_instruction)
    text = next((text for text in texts if text), conversation.id or "Untitled")
    return truncate(text.splitlines()[0].rstrip(), TITLE_LENGTH)


def terms(search: str) -> list[str]:
    """Return the words, and the phrases in quotes, of a search.

    >>> terms('tea "green tea"')
    ['tea', 'green tea']
    """
    return [phrase or word for phrase, word in _TERM.findall(writable(search))]


def number_of(db: Database, key: str) -> int:
    """Return the number of a conversation. Raises StoreError when it is missing or deleted."""
    return int(find_conversation(db, key)["number"])


def find_conversation(db: Database, key: str) -> dict[str, Any]:
    """Return the row of a conversation. Raises StoreError when it is missing or deleted."""
    for row in db.table("conversations").rows_where(f"deleted_at IS NULL AND number = {NUMBER}", [key]):
        return row
    raise StoreError(f"The library has no conversation {key!r}; it was deleted, or is in another library.")


@dataclass(frozen=True, slots=True)
class _KnownConversation:
    """A conversation as it was read; its content is the same as long as its key is."""

    key: str
    added: str  # as it is stored
    conversation: Conversation
    content: documents.ContentKey | None = None  # None until it grows


class Conversations(Repository):
    """The conversations of a store; those that were read or grown last stay in memory."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._lock = threading.Lock()
        self._known: dict[int, _KnownConversation] = {}  # by number, the newest last

    def add(self, items: Iterable[NewConversation]) -> list[Addition]:
        """Add the conversations, all of them or none.

        One that the library has, also with more turns, is left as it is, unless it `ends_here`; a deleted one
        is restored. What is added together has one time, and keeps its order in lists.
        """
        with self._store.write() as db:
            now = datetime.now(UTC).isoformat()
            return [self._add(db, item, now) for item in items]

    def grow(self, key: str, turns: Sequence[Turn], *, tokens: int | None = None) -> Addition:
        """Append turns to a conversation. tokens: of the new turns together.

        Its key changes with its content; the former key finds it too. Labels of its turns stay. Raises
        StoreError when the library does not have it, or has the longer one.
        """
        with self._store.write() as db:
            row = find_conversation(db, key)
            number, before = row["number"], self._read(db, row)
            content = (before.content or documents.ContentKey(before.conversation)).copy()
            document = documents.dump_turns(turns, before.conversation)
            content.add(document)
            grown = (*before.conversation.turns, *documents.load_turns(document))
            new_key = content.digits
            conversations = db.table("conversations")
            if conversations.count_where("key = ?", [new_key]):
                raise StoreError(f"The library has the conversation with these turns, as {new_key!r}.")
            total = None if tokens is None or row["tokens"] is None else row["tokens"] + tokens
            db.table("former_keys").delete_where("key = ?", [new_key])
            conversations.update(number, {"key": new_key, "turns": len(grown), "tokens": total})
            db.table("former_keys").insert({"key": row["key"], "conversation": number})
            piece = db.table("grown_turns").insert({"conversation": number, "turns": document}).last_pk
            db.execute(
                "INSERT INTO conversation_search (rowid, title, text) VALUES (-?, '', ?)",
                [piece, _searched_text(turns)],
            )
            PrefixIndex(db).put(number, turns, start=len(before.conversation))
            conversation = replace(before.conversation, turns=grown)
            self._remember(number, _KnownConversation(new_key, row["added"], conversation, content))
        return Addition(new_key, row["title"], new=False)

    def get(self, key: str) -> StoredConversation:
        """Return the conversation; raises StoreError when the library does not have it."""
        with self._store.read() as db:
            row = find_conversation(db, key)
            known = self._read(db, row)
        return StoredConversation(documents.read_row(ConversationSummary, row), known.conversation)

    def summary(self, key: str) -> ConversationSummary:
        """Return the summary; raises StoreError when the library does not have the conversation."""
        with self._store.read() as db:
            return documents.read_row(ConversationSummary, find_conversation(db, key))

    def find(
        self,
        *,
        search: str = "",
        workspace: str | None = None,
        sort: Sort = "added",
        descending: bool = True,
        page: int = 1,
        per_page: int = 20,
    ) -> ConversationPage:
        """Return a page, from 1, of the conversations whose title or text has every word of `search`.

        Words are found inside longer ones, in any case; "words in quotes" stay together. workspace: only
        conversations of this one.
        """
        if sort not in get_args(Sort):
            raise StoreError(f"Conversations can be sorted by {', '.join(get_args(Sort))}; got {sort!r}.")
        words = terms(search)
        condition, values = _search_condition(words)
        where = f"deleted_at IS NULL{condition}"
        if workspace is not None:
            where, values = f"{where} AND workspace = ?", [*values, writable(workspace)]
        column = "title COLLATE NOCASE" if sort == "title" else sort
        # Among equals the newest comes first, and what was added together as it was given.
        order = f"{column} {'DESC' if descending else 'ASC'}, added DESC, number"
        with self._store.read() as db:
            total, turns, tokens = db.execute(
                "SELECT count(*), coalesce(sum(turns), 0), coalesce(sum(tokens), 0) FROM conversations"
                f" WHERE {where}",
                values,
            ).fetchone()
            rows = list(
                db.table("conversations").rows_where(
                    where, values, order_by=order, limit=per_page, offset=(page - 1) * per_page
                )
            )
            summaries = [
                documents.read_row(ConversationSummary, row | {"excerpt": _excerpt(db, row["number"], words)})
                for row in rows
            ]
        return ConversationPage(tuple(summaries), total, turns, tokens)

    def workspaces(self) -> list[str]:
        """Return the workspaces that have conversations, by name."""
        rows = self._rows(
            "SELECT DISTINCT workspace FROM conversations"
            " WHERE workspace IS NOT NULL AND deleted_at IS NULL ORDER BY workspace"
        )
        return [workspace for (workspace,) in rows]

    def keys(self, *, deleted: bool = False, workspace: str | None = None) -> set[str]:
        """Return the keys of all conversations that are not deleted, or of all that are.

        workspace: only of this one.
        """
        where, values = f"deleted_at IS {'NOT ' if deleted else ''}NULL", list[str]()
        if workspace is not None:
            where, values = f"{where} AND workspace = ?", [writable(workspace)]
        return {key for (key,) in self._rows(f"SELECT key FROM conversations WHERE {where}", values)}

    def rename(self, key: str, title: str) -> None:
        """Change the title in the library; the transcript stays as it was read."""
        if not (title := writable(title).strip()):
            raise StoreError("A title needs at least one character.")
        with self._store.write() as db:
            number = number_of(db, key)
            db.table("conversations").update(number, {"title": title})
            db.execute("UPDATE conversation_search SET title = ? WHERE rowid = ?", [title, number])

    def delete(self, keys: Sequence[str]) -> None:
        """Delete the conversations; `undelete` restores them until they are purged."""
        self._mark(keys, datetime.now(UTC).isoformat())

    def undelete(self, keys: Sequence[str]) -> None:
        """Restore deleted conversations."""
        self._mark(keys, None)

    def deleted(self) -> list[Conversation]:
        """Return what was deleted and not purged, in the order of adding."""
        with self._store.read() as db:
            rows = db.table("conversations").rows_where("deleted_at IS NOT NULL", order_by="number")
            return [_load(db, row["number"]) for row in rows]

    def purge(self, *, older_than: timedelta = timedelta(0)) -> int:
        """Remove what was deleted longer ago, with its traces in the file, and return how many.

        Raises StoreError as `Store.wipe` when traces are left.
        """
        limit = (datetime.now(UTC) - older_than).isoformat()
        with self._store.write() as db:
            old = db.table("conversations").rows_where("deleted_at <= ?", [limit], select="number")
            numbers = [row["number"] for row in old]
            for number in numbers:
                db.execute(f"DELETE FROM conversation_search WHERE {_PIECES}", [number, number])
                db.table("conversations").delete(number)
            if numbers:  # the index forgets a deleted text only when it is merged
                db.execute("INSERT INTO conversation_search (conversation_search) VALUES ('optimize')")
        if numbers:
            self._store.wipe()
        return len(numbers)

    def _read(self, db: Database, row: dict[str, Any]) -> _KnownConversation:
        """Return the conversation of a row."""
        known = self._known.get(row["number"])
        if known is None or (known.key, known.added) != (row["key"], row["added"]):
            known = _KnownConversation(row["key"], row["added"], _load(db, row["number"]))
            self._remember(row["number"], known)
        return known

    def _remember(self, number: int, known: _KnownConversation) -> None:
        with self._lock:
            others = {other: value for other, value in self._known.items() if other != number}
            self._known = dict([*others.items(), (number, known)][-_MAX_KNOWN:])

    def _add(self, db: Database, item: NewConversation, added: str) -> Addition:
        conversation = item.conversation
        key = documents.content_key(conversation)
        existing = next(db.table("conversations").rows_where(f"number = {NUMBER}", [key]), None)
        if existing and not (item.ends_here and existing["key"] != key):
            is_deleted = existing["deleted_at"] is not None
            if is_deleted:
                db.table("conversations").update(existing["number"], {"deleted_at": None})
            return Addition(existing["key"], existing["title"], new=is_deleted, grown=existing["key"] != key)
        title = writable(item.title or title_of(conversation))
        # A beginning stays on the side of the conversation that grew from it.
        group = existing["split_group"] if existing else item.split_group or split_group_of(conversation, key)
        row = {
            "key": key,
            "title": title,
            "format": conversation.format,
            "turns": len(conversation),
            "tokens": item.tokens,
            "origin": writable(item.origin),
            "added": added,
            "split_group": writable(group),
            "workspace": None if item.workspace is None else writable(item.workspace),
        }
        db.table("former_keys").delete_where("key = ?", [key])
        number = db.table("conversations").insert(row).last_pk
        assert isinstance(number, int)
        db.table("documents").insert({"number": number, "document": documents.dump(conversation)})
        db.execute(
            "INSERT INTO conversation_search (rowid, title, text) VALUES (?, ?, ?)",
            [number, title, _searched_text(conversation.turns)],
        )
        PrefixIndex(db).put(number, conversation.turns)
        return Addition(key, title, new=True)

    def _mark(self, keys: Sequence[str], deleted_at: str | None) -> None:
        update = f"UPDATE conversations SET deleted_at = ? WHERE number = {NUMBER}"
        with self._store.write() as db:
            db.conn.executemany(update, [(deleted_at, key) for key in keys])


def _load(db: Database, number: int) -> Conversation:
    """Return a conversation from its document and the turns that it grew by."""
    conversation = documents.load(db.table("documents").get(number)["document"])
    pieces = db.execute("SELECT turns FROM grown_turns WHERE conversation = ? ORDER BY number", [number])
    grown = [turn for (piece,) in pieces for turn in documents.load_turns(piece)]
    return replace(conversation, turns=(*conversation.turns, *grown)) if grown else conversation


def _searched_text(turns: Iterable[Turn]) -> str:
    return writable("\n".join(turn.scored_text for turn in turns))


def _search_condition(terms: list[str]) -> tuple[str, list[str]]:
    """Return the condition, and its values, of the conversations that have every term."""
    conditions, values = [], []
    for term in terms:
        if len(term) >= _MIN_INDEXED:
            conditions.append("conversation_search MATCH ?")
            # In quotes a term is plain text to FTS5, whatever operators it looks like.
            values.append('"' + term.replace('"', '""') + '"')
        else:
            like = "%" + re.sub(r"([\\%_])", r"\\\1", term) + "%"
            conditions.append(r"(title LIKE ? ESCAPE '\' OR text LIKE ? ESCAPE '\')")
            values += [like, like]
    # One query for each term: two of them may be in different pieces of a conversation that grew.
    return "".join(f" AND number IN ({_FOUND} WHERE {condition})" for condition in conditions), values


def _excerpt(db: Database, number: int, terms: list[str]) -> str | None:
    """Return some text around the first place of any term; None when only the title has terms."""
    if not terms:
        return None
    # FTS5's snippet() takes seconds over trigrams of a long conversation; SQLite's lower() knows only ASCII.
    rows = db.execute(
        f"SELECT text FROM conversation_search WHERE {_PIECES} ORDER BY rowid > 0 DESC, rowid DESC",
        [number, number],
    )
    text = "\n".join(text for (text,) in rows)
    match = re.search("|".join(map(re.escape, terms)), text, re.IGNORECASE)
    if match is None:
        return None
    start = max(0, match.start() - EXCERPT_LENGTH // 3)
    excerpt = " ".join(text[start : start + EXCERPT_LENGTH].split())
    return f"{'…' if start else ''}{excerpt}{'…' if start + EXCERPT_LENGTH < len(text) else ''}"
