"""The database of the guardrails, however it comes and goes while a program runs."""

from __future__ import annotations

from pathlib import Path

from convgate.errors import StoreError
from convgate.store.database import Store

BUSY_TIMEOUT = 0.25
"""Seconds to wait for another program; what has to be written is tried again later."""


_PARENTS: list[Store] = []  # in a forked process, what must not be closed while the parent uses it


class Place:
    """A store with connections of its own, opened when it is first asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._store: Store | None = None
        self._file: tuple[int, int] | None = None  # which file it was

    def store(self) -> Store:
        """The store; StoreError when its file cannot be opened, or was removed since it was.

        A file that was put in its place is opened in its stead.
        """
        found = _identity(self.path)
        if self._file is not None and found != self._file:
            self.close()
            if found is None:
                raise StoreError(
                    f"The database {self.path} is gone. What is to be logged is kept for a while, in case"
                    " that it comes back; after that it is lost."
                )
        if self._store is None:
            self._store = Store(self.path, busy_timeout=BUSY_TIMEOUT)
            self._file = _identity(self.path)
        return self._store

    def close(self) -> None:
        """Close what is open; the next call opens it again."""
        store, self._store = self._store, None
        if store is not None:
            store.close()

    def forget_parent(self) -> None:
        """In a forked process: open anew, and leave what the parent has open as it is, unclosed."""
        if self._store is not None:
            _PARENTS.append(self._store)
        self._store = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
