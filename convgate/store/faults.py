"""What SQLite's errors mean to a person, and what to do about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from convgate.errors import StoreError

_DAMAGED = (
    "The database {path} is damaged ({detail}). It was left as it is. Stop convgate, move the file somewhere "
    "else together with its -wal and -shm neighbours, and start again: with an empty library, or with a "
    "backup put in its place."
)
_READ_ONLY = (
    "The database {path} cannot be written ({detail}). Make the file and its folder writable, or choose "
    "another folder with CONVGATE_HOME. Nothing was changed."
)
_DISK = (
    "The disk with the database {path} is full or failing ({detail}). Nothing was stored; free some space "
    "and try again."
)
_BUSY = (
    "The database {path} is in use by another program that is writing to it ({detail}). Nothing was stored; "
    "try again when the other program is done."
)
_MESSAGES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_FULL: _DISK,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's errors about the file, the disk or another program into a StoreError.

    What is left, such as a mistake in a statement, is a fault of convgate and surfaces as it is.
    """
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        message = _MESSAGES.get(code & 0xFF)  # the low byte is the kind, the rest details it
        if message is None:
            raise
        raise StoreError(message.format(path=path, detail=error)) from error
