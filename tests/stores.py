"""Stores for tests: cleared between examples, and new ones copied from a template."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from convgate.core.home import make_private
from convgate.store import Conversations, Store


@pytest.fixture(autouse=True)
def real_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a new database goes through every migration; for other tests it is copied."""
    monkeypatch.setattr("convgate.store.database.make_private", make_private)


def clear_store(store: Store) -> Store:
    """The store without conversations and labels; annotators stay, with nothing to undo."""
    conversations = Conversations(store)
    conversations.delete(sorted(conversations.keys()))
    conversations.purge()
    return store


class Template:
    """Gives a database that is not there yet the newest schema at once, as a copy of one that has it."""

    def __init__(self, folder: Path) -> None:
        file = folder / "template.db"
        Store(file).close()
        self._content = file.read_bytes()

    def put(self, path: Path) -> None:
        """Only where nothing is; of several processes that begin together, one is the first."""
        if path.exists():
            return
        copy = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        make_private(copy)
        copy.write_bytes(self._content)
        with suppress(FileExistsError):
            os.link(copy, path)
        copy.unlink()
