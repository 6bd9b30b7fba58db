"""The database file: transactions, threads, other programs, layouts, damage."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database, Migrations

from convgate.core.conversation import Conversation, Turn, prefix_hashes
from convgate.core.errors import DamagedError, StoreError
from convgate.sessions import SessionManager
from convgate.store import Conversations, NewConversation, Store, database
from convgate.store.documents import content_key
from convgate.store.openings import PrefixIndex
from convgate.store.queues import Queues
from convgate.store.schema import migrations
from convgate.store.sessions import Sessions
from convgate.transcripts import turns_from_messages
from tests.selectors import chat
from tests.stores import (
    real_migrations,  # noqa: F401 (autouse)
    titles,
)
from tests.stores import store as store


def conversation(text: str = "a private sentence", turns: int = 1) -> NewConversation:
    talk = tuple(Turn.of("user", f"{text} {index}") for index in range(turns))
    return NewConversation(Conversation("a", talk), "talk.json", tokens=3)


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("PRAGMA ignore_check_constraints = ON")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_new_store_makes_its_folder_and_keeps_it_to_its_owner(store: Store) -> None:
    with store.write():
        for path in [store.path.parent, *store.path.parent.iterdir()]:
            assert path.stat().st_mode & 0o077 == 0, path


def test_a_block_that_raises_leaves_nothing_behind(store: Store) -> None:
    conversations = Conversations(store)

    def items() -> Iterator[NewConversation]:
        yield conversation("first")
        raise KeyboardInterrupt("stopped")

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        conversations.add(items())
    assert conversations.find().total == 0


def test_blocks_inside_blocks_are_one_transaction(store: Store) -> None:
    conversations = Conversations(store)

    def add_and_fail() -> None:
        with store.write():
            conversations.add([conversation()])
            assert conversations.find().total == 1
            raise ZeroDivisionError("after the inner block")

    with pytest.raises(ZeroDivisionError, match="after the inner block"):
        add_and_fail()
    assert conversations.find().total == 0


def test_two_processes_that_write_lose_nothing(store: Store) -> None:
    program = f"""
from contextlib import closing
from pathlib import Path
from typing import Any
from convgate.core.conversation import Conversation, Turn
from convgate.store import Conversations, NewConversation, Store
for number in range(20):
    turns = (Turn.of("user", f"other {{number}}"),)
    Conversations(Store(Path({str(store.path)!r}))).add([NewConversation(Conversation("a", turns))])
"""
    patient = Store(store.path)
    with subprocess.Popen([sys.executable, "-c", program], cwd=Path(__file__).parents[1]) as other:
        for number in range(20):
            Conversations(patient).add([conversation(f"mine {number}")])
        assert other.wait() == 0
    assert Conversations(patient).find().total == 40


def test_readers_go_on_while_another_program_writes_and_writers_get_an_error(store: Store) -> None:
    conversations = Conversations(store)
    conversations.add([conversation("before")])
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")
    assert conversations.find().total == 1
    with pytest.raises(StoreError, match="another program"):
        conversations.add([conversation("meanwhile")])
    other.close()
    assert conversations.find().total == 1


def test_a_full_disk_stores_nothing(store: Store) -> None:
    conversations = Conversations(store)
    with store.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")
    with pytest.raises(StoreError, match="disk"):
        conversations.add([conversation("x" * 100_000)])
    assert conversations.find().total == 0


def test_erasing_leaves_no_word_in_the_files_and_a_store_that_works(store: Store) -> None:
    conversations = Conversations(store)
    store.erase()
    empty = store.path.stat().st_size
    conversations.add([conversation("zebrafish " + random.Random(1).randbytes(20_000).hex())])
    store.erase()
    assert conversations.find(search="zebrafish").total == 0
    files = [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes().lower()]
    assert files == []
    assert store.path.stat().st_size == empty, "the index has no trigram left either"
    conversations.add([conversation("zebrafish")])
    assert conversations.find(search="zebrafish").total == 1


def test_deleted_text_is_overwritten_before_the_file_is_compacted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = sqlite3.connect

    def connect_plainly(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.execute("PRAGMA secure_delete = OFF")  # the default of SQLite, but not of each build
        return connection

    def file_has_text() -> bool:
        with store.read() as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return b"zebrafish" in store.path.read_bytes()

    monkeypatch.setattr(sqlite3, "connect", connect_plainly)
    with closing(Store(tmp_path / "convgate.db")) as store:
        number = Queues(store).add("zebrafish", [], by="Ada", seed=1)
        assert file_has_text()
        with store.write() as db:
            db.table("queues").delete(number)
        assert not file_has_text()


def test_purging_removes_what_was_set_aside(store: Store) -> None:
    [added] = Conversations(store).add([conversation("zebrafish")])
    before = {path.name for path in store.path.parent.iterdir()}
    for name in ("convgate-damaged-1.db", "convgate-damaged-1.db-wal"):
        (store.path.parent / name).write_text("zebrafish")
    Conversations(store).delete([added.key])
    Conversations(store).purge()
    assert {path.name for path in store.path.parent.iterdir()} == before


# Layouts


@pytest.fixture
def upgrade(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes this the next version of convgate: its last migration turns titles into capitals."""
    newer = Migrations("convgate")
    for migration in migrations.pending(Database(memory=True)):
        newer(name=migration.name)(migration.fn)

    @newer()
    def m999_capitals(db: Database) -> None:
        db.execute("ALTER TABLE conversations ADD COLUMN mood TEXT")
        db.execute("UPDATE conversations SET title = upper(title)")

    def use() -> None:
        monkeypatch.setattr(database, "migrations", newer)

    return use


def test_an_older_layout_is_backed_up_and_migrated(
    store: Store, upgrade: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    Conversations(store).add([conversation("old talk")])
    backup = store.path.parent / "backup.db"
    backup.write_bytes(store.backup_bytes())
    upgrade()
    with monkeypatch.context() as read_only:
        read_only.setattr(database, "is_read_only", lambda _: True)
        with pytest.raises(StoreError, match="older"):
            Store(store.path)
    upgraded = Store(store.path)
    assert titles(upgraded) == ["OLD TALK 0"]
    [kept] = store.path.parent.glob("convgate-before-*.db")
    assert kept.stat().st_mode & 0o777 == 0o600
    Conversations(upgraded).add([conversation("new talk")])
    for old in (kept, backup):
        before = old.read_bytes()
        upgraded.restore_bytes(old.read_bytes())
        assert titles(upgraded) == ["OLD TALK 0"]
        assert old.read_bytes() == before
    assert len(list(store.path.parent.glob("convgate-before-m*"))) == 1, "an up-to-date one needs no backup"
    upgraded.close()


def test_a_session_stored_before_growth_was_is_read_grown_searched_and_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = Migrations("convgate")
    for migration in migrations.pending(Database(memory=True)):
        if migration.name < "m005":
            older(name=migration.name)(migration.fn)
    with monkeypatch.context() as before:
        before.setattr(database, "migrations", older)
        old, now = Store(tmp_path / "convgate.db"), datetime.now(UTC)
        new = NewConversation(Conversation("a", turns_from_messages(chat("the zebra asks", "the walrus"))))
        [added] = Conversations(old).add([new])
        live = SessionManager(old).detect("the zebra asks", at=now).session
        Sessions(old).add_conversation(live.id, added.key, now)
        with old.read() as db:
            assert "grown_turns" not in db.table_names()
        old.close()
    store = Store(tmp_path / "convgate.db")
    conversations, sessions = Conversations(store), SessionManager(store)
    assert conversations.get(added.key).conversation.turns == new.conversation.turns
    grown = sessions.add_message("and the giraffe?")
    assert (grown.session.id, sessions.add_message("no").key) == (live.id, sessions.history().key)
    texts = ["the zebra asks", "the walrus", "and the giraffe?", "no"]
    stored = conversations.get(added.key)  # by the key that it had
    assert [turn.text for turn in stored.conversation.turns] == texts
    assert stored.summary.key == content_key(stored.conversation)
    with store.read() as db:
        assert PrefixIndex(db).same(prefix_hashes(stored.conversation.turns)) == stored.summary.key
    assert conversations.find(search="zebra giraffe").total == 1
    conversations.delete([stored.summary.key])
    assert conversations.find(search="zebra").total == 0
    conversations.purge()
    for table in ("documents", "grown_turns", "openings", "conversation_search"):
        with store.read() as db:
            assert db.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table


def test_without_a_backup_nothing_is_migrated(store: Store, upgrade: Callable[[], None]) -> None:
    Conversations(store).add([conversation("old talk")])
    before = [migration.name for migration in migrations.pending(Database(memory=True))]
    (store.path.parent / f"convgate-before-{before[-1]}.db").mkdir()  # nothing can be put there
    upgrade()
    with pytest.raises(StoreError, match="backup"):
        Store(store.path)
    with sqlite3.connect(store.path) as left:
        assert [one.name for one in migrations.applied(Database(left))] == before
    left.close()


@pytest.mark.parametrize("name", ["m999_future", "m001_conversations"])
def test_an_unknown_layout_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    path = tmp_path / "convgate.db"
    other = Migrations("convgate")
    other(name=name)(lambda db: db.table("notes").insert({"text": "precious"}))
    db = Database(path)
    other.apply(db)
    db.close()
    before = path.read_bytes()
    with pytest.raises(StoreError) as raised:
        Store(path)
    assert raised.value.code == "store"
    assert path.read_bytes() == before


# Damage


@pytest.mark.parametrize("table", ["recipes", "conversations"])
def test_a_database_of_another_program_is_named_and_left_alone(tmp_path: Path, table: str) -> None:
    path = tmp_path / "convgate.db"
    change(path, f"CREATE TABLE {table} (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(DamagedError):
        Store(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.glob("convgate*.db*")] == ["convgate.db"]


def destroy_last_pages(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-40 * 4096 :] = bytes(40 * 4096)
    path.write_bytes(content)


def test_a_check_finds_destroyed_pages_that_nothing_else_reads(store: Store) -> None:
    Conversations(store).add([conversation(f"{number} " + "x" * 20_000) for number in range(40)])
    store.check()
    store.close()
    destroy_last_pages(store.path)
    with pytest.raises(DamagedError):
        Store(store.path).check()


def test_a_damaged_file_is_moved_aside_with_what_belongs_to_it(tmp_path: Path) -> None:
    path, contents = tmp_path / "convgate.db", set()
    for text in "ab":  # also twice in a second
        for suffix in ("", "-wal"):
            path.with_name(path.name + suffix).write_text(text + suffix)
        aside = database.set_aside(path)
        contents.add((aside.read_text(), aside.with_name(aside.name + "-wal").read_text()))
    assert contents == {("a", "a-wal"), ("b", "b-wal")}
    Store(path).close()
