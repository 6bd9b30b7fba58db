"""Backups of the database and restoring them."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import StoreError
from convgate.store import Conversations, NewConversation, Store
from tests.stores import store as store
from tests.stores import titles


@pytest.fixture
def backup(store: Store, tmp_path: Path) -> Path:
    """A backup of a library with one conversation; the library has a second one since."""
    add(store, "in the backup")
    backup = tmp_path / "backup.db"
    backup.write_bytes(store.backup_bytes())
    add(store, "since")
    return backup


def add(store: Store, text: str) -> str:
    conversation = Conversation("a", (Turn.of("user", text),))
    return Conversations(store).add([NewConversation(conversation)])[0].key


def test_a_backup_restores_everything_as_it_was(store: Store, tmp_path: Path) -> None:
    kept = add(store, "before the backup")
    backup = tmp_path / "backup.db"
    backup.write_bytes(store.backup_bytes())
    Conversations(store).delete([kept])
    add(store, "after the backup")
    store.restore_bytes(backup.read_bytes())
    assert Conversations(store).keys() == {kept}
    assert Conversations(store).find(search="before the").total == 1
    add(store, "life goes on")


def test_a_restore_can_be_undone_and_redone(store: Store, backup: Path) -> None:
    assert store.previous is None
    store.restore_bytes(backup.read_bytes())
    assert titles(store) == ["in the backup"]
    with closing(Store(store.path)) as again:
        assert again.previous.stat().st_mode & 0o777 == 0o600
        again.restore_bytes(again.previous.read_bytes())
        assert titles(store) == ["in the backup", "since"]
        again.restore_bytes(again.previous.read_bytes())
        assert titles(store) == ["in the backup"]


WRONG = {
    "empty": b"",
    "text": b"some text" * 1000,
    "a title is no text": "UPDATE conversations SET title = x'0011'",
    "a count is no number": "UPDATE conversations SET turns = 'x'",
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_a_wrong_backup_changes_nothing(store: Store, backup: Path, wrong: bytes | str) -> None:
    if isinstance(wrong, bytes):
        backup.write_bytes(wrong)
    else:
        change_unchecked(backup, wrong)
    with pytest.raises(StoreError, match="backup"):
        store.restore_bytes(backup.read_bytes())
    assert titles(store) == ["in the backup", "since"]
    assert store.previous is None


def change_unchecked(path: Path, statement: str) -> None:
    """Change a database as no STRICT table allows."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        select = "SELECT name, sql FROM sqlite_master WHERE sql LIKE '%STRICT%'"
        tables = connection.execute(select).fetchall()
        for name, sql in tables:
            loose = [sql.replace("STRICT, ", "").replace("STRICT", ""), name]
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", loose)
        connection.commit()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.execute("PRAGMA writable_schema = ON")
        for name, sql in tables:
            connection.execute("UPDATE sqlite_master SET sql = ? WHERE name = ?", [sql, name])
        connection.commit()


def test_nothing_is_restored_while_another_program_writes(store: Store, backup: Path) -> None:
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    errors: list[str] = []

    def attempt() -> None:
        try:
            store.restore_bytes(backup.read_bytes())
        except StoreError as error:
            errors.append(str(error))

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(timeout=5)
    other.close()
    assert errors, "the restore is still waiting"
    assert str(store.path) in errors[0]
    assert titles(store) == ["in the backup", "since"]


def test_what_a_restore_kept_goes_when_the_library_is_erased(store: Store) -> None:
    add(store, "zebrafish")
    store.restore_bytes(store.backup_bytes())
    store.erase()
    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]
