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
}
"""What no constraint forbids, and convgate never writes; a row of the answer is one too many."""

_COLUMNS = """
    SELECT tables.name, columns.name, columns.type FROM sqlite_master AS tables
    JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table' AND columns.type <> ''
"""
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)

Schema = frozenset[tuple[str, str, str | None]]
"""Type, name and SQL of each table, index, trigger and view."""


def find_damage(path: Path) -> str | None:
    """Return what is wrong with the database, or None; the file is not changed."""
    try:
        with closing(sqlite3.connect(read_only_uri(path), uri=True)) as connection:
            db = Database(connection, execute_plugins=False)
            return check_schema(db, path) or check_rows(connection)
    except OSError:
        return None
    except (sqlite3.Error, UnicodeDecodeError) as error:  # without a code: text that is not UTF-8
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        return str(error) if code in _DAMAGE else None


def read_only_uri(path: Path) -> str:
    """Return the address by which SQLite opens the file without changing it.

    In a folder where it cannot make its files, as on read-only media, it takes a file without a log as it is.
    """
    path = path.resolve()
    immutable = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.as_uri()}?mode=ro{'&immutable=1' * immutable}"


def check_rows(connection: sqlite3.Connection, *, thorough: bool = True) -> str | None:
    """Return what is wrong with the pages and rows, or None; sqlite3.Error where SQLite cannot look.

    thorough: whether indices, foreign keys and values are checked too, which takes several times as long.
    """
    (found,) = connection.execute(f"PRAGMA {'integrity' if thorough else 'quick'}_check(1)").fetchone()
    if found != "ok":
        return str(found)
    if thorough and (row := connection.execute("PRAGMA foreign_key_check").fetchone()):
        return f"a row of {row[0]} refers to a row of {row[2]} that is missing"
    for problem, statement in _CONTRADICTIONS.items() if thorough else ():
        if connection.execute(statement).fetchone():
            return problem
    return _check_values(connection) if thorough else None


def _check_values(connection: sqlite3.Connection) -> str | None:
    """Return which column has a value that cannot be read, or None; reads and decodes every value."""
    for table, column, type in connection.execute(_COLUMNS).fetchall():
        is_wrong = f"typeof(\"{column}\") NOT IN ('{type.lower()}', 'null')"
        if type == "TEXT" and re.fullmatch(r"(.*_)?at", column):
            is_wrong += f' OR (date("{column}") IS NULL AND "{column}" IS NOT NULL)'
        if any(wrong for _, wrong in connection.execute(f'SELECT "{column}", {is_wrong} FROM "{table}"')):
            return f"the column {column} of {table} has a value that is no {type} or no time"
    return None


def check_schema(db: Database, path: Path) -> str | None:
    """Return how the schema differs from the one that the migrations made which were applied, or None.

    An empty database has none yet. Raises sqlite3.Error when the text is not in UTF-8.
    """
    _check_encoding(path)
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


def _check_encoding(path: Path) -> None:
    """Raise sqlite3.Error when the text is not in UTF-8: SQLite attaches no database of another encoding.

    Python must not read the header itself: a process that closes a file loses all locks that it has on it.
    """
    with closing(sqlite3.connect(":memory:", uri=True)) as memory:
        memory.execute("ATTACH ? AS library", [read_only_uri(path)])
        memory.execute("SELECT 1 FROM library.sqlite_master").fetchone()


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
