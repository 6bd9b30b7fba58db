"""SQLite's errors as errors with a message, and the checks that find a damaged or foreign database."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path

from sqlite_utils import Database, Migrations

from convgate.core.errors import DamagedError, StoreError
from convgate.store.schema import migrations

_BUSY = "{path} is in use by another program ({detail}). Nothing was stored; try again later."
_READ_ONLY = (
    "The database {path} cannot be written ({detail}). Nothing was changed. Make the file and its folder"
    " writable, or choose another folder with CONVGATE_HOME."
)
_DISK = (
    "The disk with the database {path} is full or failing ({detail}). Nothing was stored; free some space and"
    " try again."
)
_MESSAGES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_FULL: _DISK,
    sqlite3.SQLITE_IOERR: _DISK,
}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_DECODING_ERRORS = (ValueError, TypeError, KeyError, AttributeError, AssertionError, RecursionError)

# Their SQL is that of the library that made them, and differs between versions.
_MADE_BY_LIBRARIES = re.compile(rf"(conversation_search_|(idx_)?{Migrations.migrations_table}).*")


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Raise StoreError for SQLite's errors about the file, the disk or another program.

    Other errors, and those of Python about stored values, become a DamagedError when the database is found
    to be damaged. Otherwise they are bugs, such as wrong SQL, and pass through.
    """
    try:
        yield
    except (sqlite3.Error, *_DECODING_ERRORS) as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind
        if message := _MESSAGES.get(code):
            raise StoreError(message.format(path=path, detail=error)) from error
        is_text = isinstance(error, UnicodeDecodeError | sqlite3.OperationalError) and not code  # not UTF-8
        is_damage = code in _DAMAGE or is_text
        detail = str(error) if is_damage else _find_damage_of(path)
        if detail is None:
            raise
        raise make_damaged_error(path, detail) from error


@contextmanager
def translate_decoding_errors(what: str) -> Iterator[None]:
    """Raise StoreError when a stored value of `what`, such as JSON or a time, cannot be decoded."""
    try:
        yield
    except _DECODING_ERRORS as error:
        raise StoreError(
            f"A stored {what} is damaged ({type(error).__name__}: {error}). Restore a backup."
        ) from error


def make_damaged_error(path: Path, detail: str) -> DamagedError:
    """Return the error for a database that is damaged or not convgate's."""
    detail = detail[:500]
    return DamagedError(
        f"The database {path} is damaged or not a library of convgate ({detail}). It was left as it is. Stop"
        " convgate, move the file with its -wal and -shm files elsewhere, start with an empty library, and"
        " restore a backup on the Library page.",
        detail,
    )


def make_read_only_error(path: Path) -> StoreError:
    """Return the error for a write to a database that can only be read."""
    return StoreError(_READ_ONLY.format(path=path, detail="it is read-only"))


def read_only_uri(path: Path) -> str:
    """Return the URI with which SQLite opens the file without changing it.

    In a folder that cannot be written, SQLite cannot make the files for its log: a database without one is
    opened as immutable.
    """
    path = path.resolve()
    immutable = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.as_uri()}?mode=ro{'&immutable=1' * immutable}"


def find_damage(connection: sqlite3.Connection, *, thorough: bool = True) -> str | None:
    """Return what is wrong with the pages, or None; thorough: also indices, constraints and references."""
    (result,) = connection.execute(f"PRAGMA {'integrity' if thorough else 'quick'}_check(1)").fetchone()
    if result != "ok":
        return str(result)
    if not thorough:
        return None
    if row := connection.execute("PRAGMA foreign_key_check").fetchone():
        return f"a row of {row[0]} refers to a row of {row[2]} that is missing"
    if connection.execute("SELECT number FROM conversations EXCEPT SELECT number FROM documents").fetchone():
        return "a conversation has no document"
    if connection.execute("PRAGMA encoding").fetchone() != ("UTF-8",):
        return "its text is not in UTF-8"
    connection.execute(
        "SELECT rowid FROM conversation_search LIMIT 1"
    ).fetchone()  # reads the index's settings
    return None


def find_schema_difference(db: Database) -> str | None:
    """Return how the schema differs from that of this version, or None."""
    schema = _read_schema(db)
    if schema == (expected := _expected_schema()):
        return None
    type, name, _ = sorted(schema ^ expected, key=str)[0]
    return f"the {type} {name} is missing, unknown or different"


@cache
def _expected_schema() -> frozenset[tuple[str, str, str | None]]:
    db = Database(memory=True, execute_plugins=False)
    migrations.apply(db)
    return _read_schema(db)


def _read_schema(db: Database) -> frozenset[tuple[str, str, str | None]]:
    rows = db.conn.execute("SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'")
    return frozenset(
        (type, name, None if _MADE_BY_LIBRARIES.fullmatch(name) else sql) for type, name, sql in rows
    )


def _find_damage_of(path: Path) -> str | None:
    """Return what is wrong with the file, or None, also where it cannot be read."""
    uri = read_only_uri(path)
    try:
        with closing(sqlite3.connect(":memory:", uri=True)) as memory:  # attaches no other encoding
            memory.execute("ATTACH ? AS library", [uri])
            memory.execute("SELECT 1 FROM library.sqlite_master").fetchone()
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return find_damage(connection)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return str(error) if code in (*_DAMAGE, sqlite3.SQLITE_ERROR) else None
