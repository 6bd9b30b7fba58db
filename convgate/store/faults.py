"""What SQLite's errors mean to a person, and what to do about them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from convgate.errors import DamagedError, StoreError
from convgate.store.damage import find_damage

_DAMAGED = (
    "The database {path} is damaged or not a library of convgate ({detail}). It was left as it is. Stop "
    "convgate, move the file somewhere else together with its -wal and -shm neighbours, start again with an "
    "empty library, and restore a backup on the Library page."
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
_SLOW = (
    "Reading the database {path} took too long and was stopped ({detail}). Ask for less at once. "
    "If that does not help, the file may be damaged: restore a backup on the Library page."
)
_MESSAGES = {
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_FULL: _DISK,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_INTERRUPT: _SLOW,
}
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_UNREADABLE = (
    *(ValueError, TypeError, KeyError, AttributeError, OverflowError, OSError, AssertionError),
    RecursionError,
)
"""What Python raises where a row has other values than were ever written."""


@contextmanager
def translate_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file, the disk or another program into a StoreError.

    Other errors, and those that rows with impossible values lead to, are a DamagedError when the database is
    found to be damaged; else they are a mistake of convgate, such as a wrong statement, and surface.
    """
    try:
        yield
    except (sqlite3.Error, *_UNREADABLE) as error:
        code = getattr(error, "sqlite_errorcode", None)
        if code is not None and (message := _MESSAGES.get(code & 0xFF)):  # the low byte is the kind
            raise StoreError(message.format(path=path, detail=error)) from error
        # Python raises the error without a code for text that is not UTF-8.
        is_text = code is None and isinstance(error, sqlite3.OperationalError)
        is_damage = is_text or (code is not None and code & 0xFF in _DAMAGE)
        detail = str(error) if is_damage else find_damage(path)
        if detail is None:
            raise
        raise make_damaged_error(path, detail) from error


def make_damaged_error(path: Path, detail: str) -> DamagedError:
    """Return the error of a database that is not whole."""
    detail = detail[:500]
    return DamagedError(_DAMAGED.format(path=path, detail=detail), detail)


def make_read_only_error(path: Path) -> StoreError:
    """Return the error of a database that can only be read."""
    return StoreError(_READ_ONLY.format(path=path, detail="it can only be read here"))


@contextmanager
def translate_decoding_errors(
    what: str, remedy: str = "Restore a backup on the Library page."
) -> Iterator[None]:
    """Turn what rows cannot mean, although SQLite reads them, into a StoreError; also a decorator."""
    try:
        yield
    except _UNREADABLE as error:
        raise StoreError(
            f"What the database has of {what} is damaged ({type(error).__name__}: {error}). {remedy}"
        ) from error
