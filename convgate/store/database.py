"""One SQLite file: connections, transactions, backups.

store = Store(home / "convgate.db")
with store.write() as db:              # all of it or nothing
    db["labels"].insert({...})
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from convgate.core.errors import DamagedError, StoreError
from convgate.core.files import write_whole
from convgate.core.home import check_writable, is_read_only, make_home, make_private
from convgate.store.documents import Record, read_row
from convgate.store.schema import migrations

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another program that is writing."""

Values = Sequence[Any] | dict[str, Any]

_BUSY = "{path} is in use by another program ({detail}). Nothing was stored; try again later."
_READ_ONLY = (
    "The database {path} cannot be written ({detail}). Nothing was changed. Make the file and its folder"
    " writable, or choose another folder with CONVGATE_HOME."
)
_DISK = (
    "The disk with the database {path} is full or failing ({detail}). Nothing was stored; free some space and"
    " try again."
)
_DAMAGED = (
    "The database {path} is damaged or not a library of convgate ({detail}). It was left as it is. Stop"
    " convgate, move the file with its -wal and -shm files elsewhere, start with an empty library, and"
    " restore a backup on the Library page."
)
_TRACES = (
    "It is removed, but another program uses the database {path}: its files may hold traces until every"
    " program that uses it has ended."
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


class Store:
    """The database at `path`, created when it is missing and migrated when an older convgate wrote it.

    Before a migration it is backed up beside itself. Threads share a store: each borrows a connection, and a
    block inside another block of the same thread joins it. With `read_only` and in read-only mode it can only
    be read. Raises StoreError, here and from every block, when the file cannot be read or written, is
    damaged, is in use by another program, or has the layout of another version.
    """

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self.path = path
        self._idle: list[Database] = []
        self._borrowed = threading.local()
        self.is_read_only = read_only or is_read_only(path)
        if not self.is_read_only:
            try:
                make_home(path.parent)
                make_private(path)
            except OSError as error:
                raise StoreError(
                    f"The data folder {path.parent} cannot be made or written ({error.strerror}). Choose"
                    " another one with CONVGATE_HOME."
                ) from error
        elif not path.exists():
            raise StoreError(
                f"There is no library at {path}, and read-only mode creates none. Start convgate once without"
                " it, or choose another folder with CONVGATE_HOME."
            )
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Database]:
        """Yield a connection to read with."""
        borrowed: Database | None = getattr(self._borrowed, "db", None)
        if borrowed is not None:
            yield borrowed
            return
        with _translated_errors(self.path):
            self._borrowed.db = db = self._idle.pop() if self._idle else self._connect()
            try:
                yield db
            finally:
                del self._borrowed.db
                self._idle.append(db)

    @contextmanager
    def write(self) -> Iterator[Database]:
        """Yield a connection in a transaction: committed at the end, rolled back when the block raises."""
        check_writable(self.path)
        with self.read() as db:
            if db.conn.in_transaction:
                with db.atomic():
                    yield db
                return
            # Take the write lock at once: a reader that becomes a writer cannot wait for it.
            db.conn.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.conn.commit()
            except BaseException:
                db.conn.rollback()
                raise

    def check(self) -> None:
        """Raise DamagedError unless all pages are intact and all values have the types of their columns."""
        with self.read() as db:
            (result,) = db.execute("PRAGMA quick_check(1)").fetchone()
            if result != "ok":
                raise _damaged_error(self.path, result)

    def backup_bytes(self) -> bytes:
        """Return a copy of the database as the contents of a file."""
        with tempfile.TemporaryDirectory(prefix="convgate-") as folder:
            copy = Path(folder, "backup.db")
            with _translated_errors(self.path), closing(self._connect()) as db:
                db.conn.execute("VACUUM INTO ?", [str(copy)])
            return copy.read_bytes()

    def restore_bytes(self, content: bytes) -> None:
        """Replace all content by that of a backup's file; the replaced content stays in `previous`.

        Raises StoreError, and changes nothing, when the backup is damaged, of another program or of a newer
        convgate, or when another program is writing.
        """
        check_writable(self.path)
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="convgate-"))
            backup = stack.enter_context(closing(_open_backup(Path(folder, "backup.db"), content)))
            previous = self._copy(f"before-restore-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
            try:
                self._copy_from(backup)
            except BaseException:
                previous.unlink()
                raise

    @property
    def previous(self) -> Path | None:
        """Return the file with the library from before the last restore, or None."""
        return max(self.path.parent.glob(f"{self.path.stem}-before-restore-*.db"), default=None)

    def erase(self) -> None:
        """Delete all content and its traces in the files. This cannot be undone."""
        check_writable(self.path)
        with (
            tempfile.TemporaryDirectory(prefix="convgate-") as folder,
            closing(Store(Path(folder, "empty.db"))) as empty,
        ):
            self._copy_from(empty)
        self.wipe()

    def wipe(self) -> None:
        """Remove the traces of deleted rows: free pages, and copies from restores, migrations and damage.

        Raises StoreError when another program uses the files; then traces go when that ends.
        """
        check_writable(self.path)
        try:
            for pattern in ("before-*", "damaged-*"):
                for path in self.path.parent.glob(f"{self.path.stem}-{pattern}"):
                    path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{error.filename} cannot be removed ({error.strerror}); delete it.") from error
        try:
            with self.read() as db:
                db.conn.execute("VACUUM")
                busy, *_ = db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except StoreError as error:
            raise StoreError(f"{_TRACES.format(path=self.path)} ({error})") from error
        if busy:
            raise StoreError(_TRACES.format(path=self.path))

    def close(self) -> None:
        """Close the idle connections; the store can be used again afterwards."""
        while self._idle:
            self._idle.pop().close()

    def _migrate(self) -> None:
        with self.read() as db:
            tables = db.table_names()  # first: another program that creates them commits both together
            applied = [migration.name for migration in migrations.applied(db)]
            _check_layout(self.path, tables, applied)
            if self.is_read_only:
                if migrations.pending(db):
                    raise StoreError(
                        f"{self.path} was written by an older convgate and must be migrated. Open it, or a"
                        " copy of it, once where it can be written."
                    )
            else:
                with suppress(sqlite3.OperationalError):  # another program that starts is doing the same
                    db.conn.execute("PRAGMA journal_mode = WAL").fetchall()
                if migrations.pending(db):
                    with self.write():  # of two programs that start together, one migrates
                        if applied and migrations.pending(db):
                            self._copy(f"before-{applied[-1]}")
                        migrations.apply(db)

    def _copy_from(self, other: Store) -> None:
        """Replace all content by that of another store."""
        with other.read() as source, self.read() as target:
            source.conn.backup(target.conn, progress=_stop_when_busy)

    def _copy(self, name: str) -> Path:
        """Write what is committed to a file beside the database, and return its path."""
        target = self.path.with_name(f"{self.path.stem}-{name}.db")
        try:
            write_whole(target, self.backup_bytes(), private=True)
        except OSError as error:
            raise StoreError(
                f"No backup can be written to {target} ({error.strerror}). Nothing was changed."
            ) from error
        return target

    def _connect(self) -> Database:
        connection = sqlite3.connect(
            _read_only_uri(self.path) if self.is_read_only else self.path,
            timeout=BUSY_TIMEOUT,
            check_same_thread=False,
            uri=self.is_read_only,
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")  # overwrite what is deleted
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            return Database(connection, execute_plugins=False)
        except sqlite3.Error:
            connection.close()
            raise


class Repository:
    """Base of the repositories: what they read, in one line each."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def _rows(self, sql: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Return all rows."""
        with self._store.read() as db:
            return db.execute(sql, values).fetchall()

    def _row(self, sql: str, values: Values = ()) -> tuple[Any, ...]:
        """Return the first row; an empty tuple when there is none."""
        with self._store.read() as db:
            return db.execute(sql, values).fetchone() or ()

    def _records(self, cls: type[Record], sql: str, values: Values = ()) -> list[Record]:
        """Return all rows as dataclasses."""
        with self._store.read() as db:
            return [read_row(cls, row) for row in db.query(sql, values)]


def set_aside(path: Path) -> Path:
    """Rename a damaged database, with the files that belong to it, and return its new name.

    Raises StoreError when it cannot be renamed.
    """
    check_writable(path)
    aside = f"{path.stem}-damaged-{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    try:
        for file in list(path.parent.glob(f"{path.name}*")):
            file.rename(file.with_name(aside + file.name.removeprefix(path.stem)))
    except OSError as error:
        raise StoreError(f"{path} cannot be renamed ({error.strerror}); move it by hand.") from error
    return path.with_name(f"{aside}.db")


def _open_backup(file: Path, content: bytes) -> Store:
    """Write a backup to a file, and return its store, migrated. Raises StoreError when it is damaged."""
    if not content.startswith(b"SQLite format 3\0"):
        raise StoreError("The file is not a backup of convgate. Nothing was changed.")
    try:
        file.write_bytes(content)
        store = Store(file)
        try:
            store.check()
        except BaseException:
            store.close()
            raise
    except OSError as error:
        raise StoreError(f"The backup cannot be copied ({error.strerror}).") from error
    except DamagedError as error:
        raise StoreError(f"The backup is damaged ({error.detail}). Nothing was changed.") from error
    return store


def _check_layout(path: Path, tables: list[str], applied: list[str]) -> None:
    if tables and not applied:
        raise _damaged_error(path, "it belongs to another program")
    known_migrations = {migration.name for migration in migrations.pending(Database(memory=True))}
    if unknown := set(applied) - known_migrations:
        raise StoreError(
            f"{path} has the layout of another version of convgate ({', '.join(sorted(unknown))}). Open it"
            " with that version, or choose another folder with CONVGATE_HOME. Nothing was changed."
        )


def _stop_when_busy(status: int, _remaining: int, _total: int) -> None:
    """Raise what SQLite says after its busy timeout; Python's `backup` would retry for ever."""
    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = status
        raise error


@contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    """Raise StoreError for SQLite's errors about the file, the disk, another program or damage."""
    try:
        yield
    except (sqlite3.IntegrityError, sqlite3.ProgrammingError):  # bugs
        raise
    except (sqlite3.Error, UnicodeDecodeError) as error:  # also of names in a damaged schema
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind
        if message := _MESSAGES.get(code):
            raise StoreError(message.format(path=path, detail=error)) from error
        raise _damaged_error(path, str(error)) from error


def _damaged_error(path: Path, detail: str) -> DamagedError:
    """Return the error for a database that is damaged or not convgate's."""
    detail = detail[:500]
    return DamagedError(_DAMAGED.format(path=path, detail=detail), detail)


def _read_only_uri(path: Path) -> str:
    """Return the URI with which SQLite opens the file without changing it.

    In a folder that cannot be written, SQLite cannot make the files for its log: a database without one is
    opened as immutable.
    """
    path = path.resolve()
    immutable = not os.access(path.parent, os.W_OK) and not path.with_name(f"{path.name}-wal").exists()
    return f"{path.as_uri()}?mode=ro{'&immutable=1' * immutable}"
