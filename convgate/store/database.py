"""One SQLite file: connections, transactions, backup.

store = Store(home / "convgate.db")
with store.write() as db:              # all of it or nothing
    db["labels"].insert({...})
"""

from __future__ import annotations

import sqlite3
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlite_utils import Database, Migrations

from convgate.errors import StoreError
from convgate.home import make_home, make_private
from convgate.store.faults import explained
from convgate.store.migrations import migrations

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another program that is writing."""


_TRACES = (
    "It is removed, but another program uses the database {path}: files beside it may hold traces until every"
    " program that uses it has ended."
)


class Store:
    """The database at `path`, made when it is not there, brought to the newest schema when it is older.

    Threads share a store: each borrows a connection for itself, and what one of them opens inside a block
    it has open already joins that block. Raises StoreError, from here and from every block, when the file
    cannot be read or written, another program holds it, or a newer convgate wrote it.
    """

    def __init__(self, path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
        self.path = path
        self._busy_timeout = busy_timeout
        self._idle: list[Database] = []
        self._borrowed = threading.local()
        try:
            make_home(path.parent)
            make_private(path)
        except OSError as error:
            raise StoreError(
                f"The data folder {path.parent} cannot be made or written ({error.strerror}). Choose another "
                "one with CONVGATE_HOME."
            ) from error
        self._migrate()

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection to ask questions with."""
        borrowed: Database | None = getattr(self._borrowed, "db", None)
        if borrowed is not None:
            yield borrowed
            return
        with explained(self.path):
            self._borrowed.db = db = self._idle.pop() if self._idle else self._connect()
            try:
                yield db
            finally:
                del self._borrowed.db
                self._idle.append(db)

    @contextmanager
    def write(self) -> Iterator[Database]:
        """A transaction: committed at the end of the block, undone as a whole when the block raises."""
        with self.read() as db:
            if db.conn.in_transaction:
                with db.atomic():
                    yield db
                return
            # Asking for the write lock at once: a reader that becomes a writer cannot wait for it.
            db.conn.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.conn.commit()
            except BaseException:
                db.conn.rollback()
                raise

    def backup(self, target: Path) -> None:
        """Write all of the database, as it is at this moment, to the new file `target`.

        Raises StoreError when the file exists or cannot be written.
        """
        if target.exists():
            raise StoreError(f"{target} exists already; a backup does not overwrite it")
        with explained(target), self.read() as db:
            db.conn.execute("VACUUM INTO ?", [str(target)])

    def backup_bytes(self) -> bytes:
        """A backup as the contents of one file, to be downloaded."""
        with tempfile.TemporaryDirectory(prefix="convgate-") as folder:
            target = Path(folder, "backup.db")
            self.backup(target)
            return target.read_bytes()

    def restore(self, source: Path) -> None:
        """Put the backup `source` in the place of everything that is here; older backups are migrated.

        Raises StoreError, and changes nothing, when it is not a whole backup of this convgate or an
        earlier one, or another program is writing.
        """
        with (
            explained(source),
            closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as backup,
        ):
            found = Database(backup, execute_plugins=False)
            if not migrations.applied(found):
                raise StoreError(f"{source.name} is not a backup of convgate")
            _refuse_newer(found, source)
            if backup.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise StoreError(f"the backup {source.name} is damaged; nothing was changed")
            with self.read() as db:
                backup.backup(db.conn, progress=_stop_when_busy)
        self._migrate()

    def erase(self) -> None:
        """Remove every row of every table, and the traces of them in the file. There is no way back."""
        with self.write() as db:
            db.conn.execute("PRAGMA defer_foreign_keys = ON")
            for name in _user_tables(db):
                db.conn.execute(f'DELETE FROM "{name}"')
                if db.table(
                    name
                ).virtual_table_using:  # a full-text index keeps deleted words until it is rebuilt
                    db.conn.execute(f'INSERT INTO "{name}" ("{name}") VALUES (\'rebuild\')')
        self.wipe()

    def wipe(self) -> None:
        """Have the files hold nothing any more of what was deleted.

        Raises StoreError when another program uses them, after which traces go when the last one ends.
        """
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
            db.conn.execute("PRAGMA journal_mode = WAL").fetchall()
            _refuse_newer(db, self.path)
            if migrations.pending(db):
                # Under one lock, so that two programs that start together do not both migrate.
                with self.write():
                    migrations.apply(db)

    def _connect(self) -> Database:
        connection = sqlite3.connect(self.path, timeout=self._busy_timeout, check_same_thread=False)
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten, too
            return Database(connection, execute_plugins=False)
        except sqlite3.Error:
            connection.close()
            raise


def _stop_when_busy(status: int, remaining: int, total: int) -> None:
    """SQLite has waited for the busy timeout when it says so; Python's backup would try again for ever."""
    if status in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = status
        raise error


def _refuse_newer(db: Database, path: Path) -> None:
    known = {migration.name for migration in migrations.pending(Database(memory=True))}
    unknown = {migration.name for migration in migrations.applied(db)} - known
    if unknown:
        raise StoreError(
            f"{path} was written by a newer convgate (it has {', '.join(sorted(unknown))}). "
            "Update convgate to open it."
        )


def _user_tables(db: Database) -> list[str]:
    """Tables that hold a person's data; the tables behind a full-text index empty with their index."""
    virtual = [table.name for table in db.tables if table.virtual_table_using]
    return [
        name
        for name in db.table_names()
        if name != Migrations.migrations_table and not any(name.startswith(f"{index}_") for index in virtual)
    ]
