"""One SQLite file: connections, transactions, backup.

store = Store(home / "convgate.db")
with store.write() as db:              # all of it or nothing
    db["labels"].insert({...})
"""

from __future__ import annotations

import os
import secrets
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from sqlite_utils import Database, Migrations

from convgate.errors import DamagedError, StoreError
from convgate.files import sync_folder
from convgate.home import check_writable, is_read_only, make_home, make_private
from convgate.store.damage import check_rows, check_schema, read_only_uri
from convgate.store.faults import make_damaged_error, make_read_only_error, translate_errors
from convgate.store.migrations import migrations

BUSY_TIMEOUT = 5.0
"""Seconds to wait for another program that is writing."""

READ_SECONDS = 60.0
"""Seconds that the statements of one block of `Store.read` may take."""

_STEPS = 100_000  # of SQLite's virtual machine between two looks at the clock: some milliseconds
_KEPT_BACKUPS = 2  # of those that migrations make

_TRACES = (
    "It is removed, but another program uses the database {path}: files beside it may hold traces until every"
    " program that uses it has ended."
)


class Store:
    """The database at `path`, made when it is not there, brought to the newest schema when it is older.

    Before that, an older one is backed up beside itself. Threads share a store: each borrows a connection for
    itself, and what one of them opens inside a block it has open already joins that block. In read-only mode,
    and where file or folder cannot be written, it can only be read. Raises StoreError, from here and from
    every block, when the file cannot be read or written, is damaged, another program holds it, or a newer
    convgate wrote it.
    """

    def __init__(self, path: Path, *, busy_timeout: float = BUSY_TIMEOUT) -> None:
        self.path = path
        self._busy_timeout = busy_timeout
        self._idle: list[Database] = []
        self._borrowed = threading.local()
        self.is_read_only = is_read_only(path) or (path.exists() and not _can_write(path))
        if not self.is_read_only:
            try:
                make_home(path.parent)
                make_private(path)
            except OSError as error:
                raise StoreError(
                    f"The data folder {path.parent} cannot be made or written ({error.strerror}). Choose "
                    "another one with CONVGATE_HOME."
                ) from error
        elif not path.exists():
            raise StoreError(
                f"There is no library at {path}, and read-only mode makes none. Start convgate once without "
                "it, or choose another folder with CONVGATE_HOME."
            )
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    @property
    def previous(self) -> Path | None:
        """The file with the library as it was before the last restore; None when there is none."""
        with self.read() as db:
            file = self._replaced_by(_restore_of(db))
        return file if file.exists() else None

    @contextmanager
    def read(self) -> Iterator[Database]:
        """A connection to ask questions with; its statements are stopped after READ_SECONDS."""
        is_joined = getattr(self._borrowed, "db", None) is not None
        with self._borrow() as db:
            if is_joined:
                yield db
                return
            db.conn.set_progress_handler(_limit(), _STEPS)
            try:
                yield db
            finally:
                db.conn.set_progress_handler(None, 0)

    @contextmanager
    def _borrow(self) -> Iterator[Database]:
        """A connection that may take as long as it needs."""
        borrowed: Database | None = getattr(self._borrowed, "db", None)
        if borrowed is not None:
            yield borrowed
            return
        with translate_errors(self.path):
            self._borrowed.db = db = self._idle.pop() if self._idle else self._connect()
            try:
                yield db
            finally:
                del self._borrowed.db
                self._idle.append(db)

    @contextmanager
    def write(self) -> Iterator[Database]:
        """A transaction: committed at the end of the block, undone as a whole when the block raises."""
        self._check_writable()
        with self._borrow() as db:
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

    def check(self, *, thorough: bool = False) -> None:
        """Raise DamagedError unless all pages, or pages and rows, are in order; reads the whole file."""
        with self._borrow() as db:
            if problem := check_rows(db.conn, thorough=thorough):
                raise make_damaged_error(self.path, problem)

    def backup(self, target: Path) -> None:
        """Write all of the database, as it is at this moment, to the new file `target`.

        Raises StoreError when the file exists or cannot be written.
        """
        if target.exists():
            raise StoreError(f"{target} exists already; a backup does not overwrite it")
        self._copy(target)

    def backup_bytes(self) -> bytes:
        """A backup as the contents of one file, to be downloaded."""
        with tempfile.TemporaryDirectory(prefix="convgate-") as folder:
            target = Path(folder, "backup.db")
            self.backup(target)
            return target.read_bytes()

    def restore(self, source: Path) -> None:
        """Put the backup `source` in the place of everything that is here; older backups are migrated.

        What was here is kept as `previous`. Raises StoreError, and changes nothing, when the backup is
        damaged or not of this convgate or an earlier one, or another program is writing.
        """
        self._restore(source, lambda copy: shutil.copyfile(source, copy))

    def restore_bytes(self, content: bytes) -> None:
        """Restore the contents of a backup's file. Raises StoreError as `restore`."""
        self._restore(Path("uploaded.db"), lambda copy: copy.write_bytes(content))

    def _restore(self, source: Path, write_copy: Callable[[Path], object]) -> None:
        self._check_writable()
        with ExitStack() as stack:
            try:  # beside the library, where the next restore removes what a kill leaves
                prefix = f"{self.path.stem}-previous-"
                temporary = tempfile.TemporaryDirectory(prefix=prefix, dir=self.path.parent)
                folder = Path(stack.enter_context(temporary))
                write_copy(copy := folder / source.name)
            except OSError as error:
                raise StoreError(f"{source} cannot be read or copied ({error.strerror}).") from error
            with self._borrow() as db:
                (page_size,) = db.conn.execute("PRAGMA page_size").fetchone()
            checked = stack.enter_context(closing(_checked(copy, page_size)))
            with checked._borrow() as backup, self._borrow() as db:
                restore = 1 + secrets.randbelow(2**31 - 1)
                backup.conn.execute(f"PRAGMA user_version = {restore}")
                former: list[Path] = []

                def keep(status: int, remaining: int, total: int) -> None:
                    _stop_when_busy(status)
                    if not former:  # the first step took the write lock: what is copied now is all there is
                        with closing(self._connect()) as replaced:
                            former.append(self._replaced_by(_restore_of(replaced)))
                        for left in set(_find_replaced(self.path)) - {
                            *former,
                            folder,
                        }:  # by a restore that was killed
                            with suppress(OSError):
                                _remove(left)
                        self._copy(self._replaced_by(restore))

                # A step before the last: the tables alone are more than 16 pages.
                backup.conn.backup(db.conn, pages=16, progress=keep)
        with suppress(OSError):
            former[0].unlink(missing_ok=True)

    def undo_restore(self) -> None:
        """Swap the library and the one from before the last restore. Raises StoreError as `restore`."""
        self._check_writable()
        if (previous := self.previous) is None:
            raise StoreError(f"There is no library from before a restore beside {self.path}.")
        self.restore(previous)

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

        What restores and migrations kept goes, and damaged databases that were moved aside. Raises StoreError
        when another program uses the files, after which traces go when the last one ends.
        """
        self._check_writable()
        try:
            aside = self.path.parent.glob(f"{self.path.stem}-damaged-*")
            for kept in (*self._kept_backups(), *_find_replaced(self.path), *aside):
                _remove(kept)
        except OSError as error:
            raise StoreError(f"{error.filename} cannot be removed ({error.strerror}); delete it.") from error
        try:
            with self._borrow() as db:
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
        with self._borrow() as db:
            _refuse_newer(db, self.path)
            if problem := check_schema(db, self.path):
                raise make_damaged_error(self.path, problem)
            is_pending = bool(migrations.pending(db))
            if self.is_read_only:
                if is_pending:
                    raise StoreError(
                        f"{self.path} was written by an older convgate and has to be migrated, which is not"
                        " possible here. Open it, or a copy of it, once where it can be written."
                    )
                return
            with suppress(sqlite3.OperationalError):  # another program that starts is doing the same
                db.conn.execute("PRAGMA journal_mode = WAL").fetchall()
            if is_pending:
                # Under one lock, so that two programs that start together do not both migrate.
                with self.write():
                    self._back_up_before_migrating(db)
                    migrations.apply(db)

    def _back_up_before_migrating(self, db: Database) -> None:
        applied = [migration.name for migration in migrations.applied(db)]
        if not migrations.pending(db) or not any(db.table(name).count for name in _user_tables(db)):
            return
        self._copy(self.path.with_name(f"{self.path.stem}-before-{applied[-1]}.db"))
        for old in self._kept_backups()[:-_KEPT_BACKUPS]:
            old.unlink(missing_ok=True)

    def _kept_backups(self) -> list[Path]:
        """The files that migrations made, the oldest first."""
        return sorted(self.path.parent.glob(f"{self.path.stem}-before-*"))

    def _replaced_by(self, restore: int) -> Path:
        """The file for the library that a restore replaced.

        It is found by the number that the restore gave to the database: that comes with the commit, so a kill
        before or after it leaves both libraries and the way between them.
        """
        return self.path.with_name(f"{self.path.stem}-previous-{restore}.db")

    def _copy(self, target: Path) -> None:
        """Write what was committed last to the file `target`, in its place, whole or not at all."""
        check_writable(target)
        partial = target.with_name(f"{target.name}.partial")
        try:
            partial.unlink(missing_ok=True)
            partial.touch(mode=0o600)
            with translate_errors(self.path), closing(self._connect()) as db:
                db.conn.execute("VACUUM INTO ?", [str(partial)])
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            partial.replace(target)
            sync_folder(target.parent)
        except OSError as error:
            raise StoreError(
                f"No backup can be written to {target} ({error.strerror}). Nothing was changed."
            ) from error
        finally:
            with suppress(OSError):
                partial.unlink(missing_ok=True)

    def _check_writable(self) -> None:
        check_writable(self.path)
        if self.is_read_only:
            raise make_read_only_error(self.path)

    def _connect(self) -> Database:
        connection = sqlite3.connect(
            read_only_uri(self.path) if self.is_read_only else self.path,
            timeout=self._busy_timeout,
            check_same_thread=False,
            uri=self.is_read_only,
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten, too
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            return Database(connection, execute_plugins=False)
        except sqlite3.Error:
            connection.close()
            raise


def _checked(backup: Path, page_size: int) -> Store:
    """The store of a backup, migrated, with pages of that many bytes.

    Raises StoreError when it is not whole, or not one of convgate.
    """
    try:
        with translate_errors(backup), closing(sqlite3.connect(backup)) as found:
            if not migrations.applied(Database(found, execute_plugins=False)):
                raise StoreError(f"{backup.name} is not a backup of convgate. Nothing was changed.")
            if found.execute("PRAGMA page_size").fetchone() != (page_size,):
                found.execute("PRAGMA journal_mode = DELETE").fetchall()
                found.execute(f"PRAGMA page_size = {page_size}")
                found.execute("VACUUM")
        store = Store(backup)
        try:
            store.check(thorough=True)
        except BaseException:
            store.close()
            raise
    except DamagedError as error:
        raise StoreError(
            f"{backup.name} is damaged or not a backup of convgate ({error.detail}). Nothing was changed."
        ) from error
    return store


def set_aside(path: Path) -> Path:
    """Rename a damaged database with what belongs to it, so that a new one can begin; its new name.

    So is the library from before a restore, which the next restore would remove. Raises StoreError when it
    cannot be renamed.
    """
    check_writable(path)
    now = f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    aside = path.with_name(f"{path.stem}-damaged-{now}.db")
    try:
        for replaced in _find_replaced(path):
            replaced.rename(path.with_name(aside.stem + replaced.name.removeprefix(path.stem)))
        for suffix in ("", "-wal", "-shm"):
            if (file := path.with_name(path.name + suffix)).exists():
                file.rename(aside.with_name(aside.name + suffix))
    except OSError as error:
        raise StoreError(f"{path} cannot be moved ({error.strerror}); move it by hand.") from error
    return aside


def _find_replaced(path: Path) -> list[Path]:
    """Return what restores of the database kept, or left when they were killed."""
    return list(path.parent.glob(f"{path.stem}-previous-*"))


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _restore_of(db: Database) -> int:
    """The number of the restore that made the database; 0 when none did."""
    number: int = db.conn.execute("PRAGMA user_version").fetchone()[0]
    return number


def _limit() -> Callable[[], bool]:
    """Whether to stop; SQLite asks while a statement runs. Python in between counts a second at most."""
    spent, last = 0.0, time.monotonic()

    def is_over() -> bool:
        nonlocal spent, last
        now = time.monotonic()
        spent, last = spent + min(now - last, 1.0), now
        return spent > READ_SECONDS

    return is_over


def _can_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _stop_when_busy(status: int) -> None:
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
