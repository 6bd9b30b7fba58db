"""Whether a file is a whole database of convgate: its schema, its pages, its rows."""

from __future__ import annotations

import os
import re
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path

from sqlite_utils import Database, Migrations

from convgate.store.migrations import migrations

# Their text is that of the library that made them, whose versions may differ; statistics come and go.
_MADE_BY_OTHERS = re.compile(rf"(conversation_search_|(idx_)?{Migrations.migrations_table}).*")
_SCHEMA = "SELECT type, name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'"

_CONTRADICTIONS = {
    "a conversation has no document": "SELECT number FROM conversations EXCEPT SELECT number FROM documents",
    "a label has no time": "SELECT 1 FROM labels WHERE date(at) IS NULL",
}
"""What no constraint forbids, and convgate never writes; a row of the answer is one too many."""

_NOT_SEEN = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CANTOPEN)
_ENCODINGS = (b"\0\0\0\1", b"\0\0\0\0")  # as the header names UTF-8, and one that is not yet chosen

Schema = frozenset[tuple[str, str, str | None]]
"""Type, name and SQL of each table, index, trigger and view."""


def find_damage(path: Path, *, thorough: bool = True) -> str | None:
    """Return what is wrong with the database, or None; the file is not changed.

    thorough: whether indices, foreign keys and times are checked too, which takes several times as long.
    """
    try:
        with path.open("rb") as file:
            if file.read(60)[56:] not in _ENCODINGS:
                return "its header names another encoding of text"
        with closing(sqlite3.connect(read_only_uri(path), uri=True)) as connection:
            return check_schema(Database(connection, execute_plugins=False)) or check_rows(
                connection, thorough=thorough
            )
    except OSError:
        return None
    except (sqlite3.Error, UnicodeDecodeError) as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
        return None if code in _NOT_SEEN else str(error)


def read_only_uri(path: Path) -> str:
    """Return the address by which SQLite opens the file without changing it.

    Where nobody can change it and there is no log beside it, SQLite needs to make no files there.
    """
    is_frozen = hasattr(os, "statvfs") and bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    immutable = is_frozen and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.resolve().as_uri()}?mode=ro{'&immutable=1' * immutable}"


def check_rows(connection: sqlite3.Connection, *, thorough: bool = True) -> str | None:
    """Return what is wrong with the pages and rows, or None; sqlite3.Error where SQLite cannot look."""
    (found,) = connection.execute(f"PRAGMA {'integrity' if thorough else 'quick'}_check(1)").fetchone()
    if found != "ok":
        return str(found)
    if thorough and (row := connection.execute("PRAGMA foreign_key_check").fetchone()):
        return f"a row of {row[0]} refers to a row of {row[2]} that is missing"
    for problem, statement in _CONTRADICTIONS.items() if thorough else ():
        if connection.execute(statement).fetchone():
            return problem
    return None


def check_schema(db: Database) -> str | None:
    """Return how the schema differs from the one that the migrations made which were applied, or None.

    An empty database has none yet.
    """
    db.conn.execute("BEGIN")  # another program may be migrating
    try:
        applied = tuple(migration.name for migration in migrations.applied(db))
        found = _schema_of(db)
        (application,) = db.conn.execute("PRAGMA application_id").fetchone()
    finally:
        db.conn.rollback()
    if application:
        return f"it belongs to another program, with the application_id {application}"
    if not found or found == (expected := _schema_after(applied)):
        return None
    type, name, _ = sorted(found ^ expected, key=str)[0]
    has = "is missing" if name not in {name for _, name, _ in found} else "should not be there or be another"
    return f"the {type} {name} {has}"


@cache
def _schema_after(applied: tuple[str, ...]) -> Schema:
    """The schema of a new database after these migrations."""
    db = Database(memory=True, execute_plugins=False)
    migrations.ensure_migrations_table(db)
    for migration in migrations.pending(db):
        if migration.name in applied:
            migration.fn(db)
    return _schema_of(db)


def _schema_of(db: Database) -> Schema:
    return frozenset(
        (type, name, None if _MADE_BY_OTHERS.fullmatch(name) else sql)
        for type, name, sql in db.conn.execute(_SCHEMA)
    )
