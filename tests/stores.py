"""Stores for tests: cleared between examples, and new ones copied from a template."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from convgate.core.home import make_private
from convgate.store import Conversations, Store


@pytest.fixture(autouse=True)
def real_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new database runs every migration, where other tests copy a template."""
    monkeypatch.setattr("convgate.store.database.make_private", make_private)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """An empty store that waits a moment alone for what another program writes."""
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.05)
    store = Store(tmp_path / "home" / "convgate.db")
    yield store
    store.close()


def titles(store: Store) -> list[str]:
    """Return the titles of the conversations, sorted."""
    return sorted(row.title for row in Conversations(store).find().rows)


def clear_store(store: Store) -> Store:
    """Remove all conversations and labels; annotators stay, with nothing to undo; return the store."""
    conversations = Conversations(store)
    conversations.delete(sorted(conversations.keys()))
    conversations.purge()
    return store


class Template:
    """Creates databases of the newest schema as copies of one."""

    def __init__(self, folder: Path) -> None:
        file = folder / "template.db"
        Store(file).close()
        self._content = file.read_bytes()

    def put(self, path: Path) -> None:
        """Copy the template to a path that does not exist; of several processes the first wins."""
        if path.exists():
            return
        copy = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
        make_private(copy)
        copy.write_bytes(self._content)
        with suppress(FileExistsError):
            os.link(copy, path)
        copy.unlink()
