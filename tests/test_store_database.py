"""The database file: transactions, threads, other programs, damage, backups."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, NewConversation, Store
from convgate.store.migrations import migrations
from tests.stores import made_as_a_persons  # noqa: F401 (autouse)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "home" / "convgate.db", busy_timeout=0.05)
    yield store
    store.close()


def talk(text: str = "a private sentence", turns: int = 1) -> NewConversation:
    said = tuple(Turn.of("user", f"{text} {index}") for index in range(turns))
    return NewConversation(Conversation("a", said), "talk.json", tokens=3)


def test_a_new_store_makes_its_folder_and_keeps_it_to_its_owner(store: Store) -> None:
    assert store.path.exists()
    with store.write():
        for path in [store.path.parent, *store.path.parent.iterdir()]:
            assert path.stat().st_mode & 0o077 == 0, path


def test_a_folder_and_a_database_that_are_there_keep_their_permissions(store: Store) -> None:
    store.path.parent.chmod(0o755)
    store.path.chmod(0o644)

    Store(store.path).close()

    assert store.path.parent.stat().st_mode & 0o777 == 0o755
    assert store.path.stat().st_mode & 0o777 == 0o644


def test_a_block_that_raises_leaves_nothing_behind(store: Store) -> None:
    conversations = Conversations(store)

    def items() -> Iterator[NewConversation]:
        yield talk("first")
        raise KeyboardInterrupt("stopped")

    with pytest.raises(KeyboardInterrupt, match="stopped"):
        conversations.add(items())

    assert conversations.find().total == 0


def test_blocks_inside_blocks_are_one_transaction(store: Store) -> None:
    conversations = Conversations(store)

    def add_and_fail() -> None:
        with store.write():
            conversations.add([talk()])
            assert conversations.find().total == 1
            raise ZeroDivisionError("after the inner block")

    with pytest.raises(ZeroDivisionError, match="after the inner block"):
        add_and_fail()

    assert conversations.find().total == 0


def test_threads_share_a_store_and_its_connections(store: Store) -> None:
    conversations = Conversations(store)

    def work(number: int) -> int:
        conversations.add([talk(f"thread {number}")])
        return conversations.find(search=f'"thread {number}"').total

    for number in range(3):  # a finished thread's connection serves the next one
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(work, number).result() == 1

    assert conversations.find().total == 3
    assert len(store._idle) == 1


def test_readers_go_on_while_another_program_writes_and_writers_say_who_is_in_the_way(store: Store) -> None:
    conversations = Conversations(store)
    conversations.add([talk("before")])
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")

    assert conversations.find().total == 1
    with pytest.raises(StoreError, match=r"in use by another program.*Nothing was stored"):
        conversations.add([talk("meanwhile")])

    other.close()
    assert conversations.find().total == 1


def test_a_full_disk_stores_nothing_and_says_so(store: Store) -> None:
    conversations = Conversations(store)
    with store.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")

    with pytest.raises(StoreError, match=r"disk .* is full or failing.*Nothing was stored"):
        conversations.add([talk("x" * 100_000)])

    assert conversations.find().total == 0


def test_a_read_only_database_says_how_to_choose_another_place(store: Store) -> None:
    with store.read() as db:
        db.execute("PRAGMA query_only = ON")

    with pytest.raises(StoreError, match=r"cannot be written.*CONVGATE_HOME"):
        Conversations(store).add([talk()])


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(
        StoreError, match=r"data folder .*file/home cannot be made or written .*CONVGATE_HOME"
    ):
        Store(tmp_path / "file" / "home" / "convgate.db")


def test_a_file_that_is_no_database_is_left_alone_and_named(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    path.write_text("not a database, but perhaps precious" * 100)

    with pytest.raises(StoreError, match=rf"{path} is damaged .*It was left as it is\. .*move the file"):
        Store(path)

    assert path.read_text() == "not a database, but perhaps precious" * 100


def test_damage_inside_the_file_is_a_clear_error_too(store: Store) -> None:
    Conversations(store).add([talk(turns=2000)])
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096:] = b"\x55" * (len(content) - 4096)
    store.path.write_bytes(content)

    with pytest.raises(StoreError, match="is damaged"):
        Conversations(Store(store.path)).find(search="private")


def test_the_oldest_schema_migrates_to_the_newest(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    old = sqlite3.connect(path)
    first = migrations.pending(Database(memory=True))[0].name
    later = [m.name for m in migrations.pending(Database(memory=True))[1:]]
    migrations.apply(Database(old), stop_before=later[:1])
    old.execute(
        "INSERT INTO conversations (number, key, title, format, turns, tokens, origin, added_at) "
        "VALUES (7, 'abc', 'Old talk', 'openai', 0, NULL, 'old.json', '2026-01-02T03:04:05+00:00')"
    )
    old.execute("""INSERT INTO documents VALUES (7, '{"id":"a","format":"openai","turns":[]}')""")
    old.execute("INSERT INTO conversation_search (rowid, title, text) VALUES (7, 'Old talk', 'words')")
    old.commit()
    old.close()

    store = Store(path)

    assert first == "m001_conversations"
    assert Conversations(store).get("abc").summary.title == "Old talk"
    with store.read() as db:
        assert migrations.pending(db) == []
    store.close()


def test_a_database_of_a_newer_convgate_is_refused(store: Store) -> None:
    newer = Migrations("convgate")

    @newer()
    def m999_from_the_future(db: Database) -> None: ...

    with store.write() as db:
        newer.apply(db)

    with pytest.raises(StoreError, match=r"newer convgate \(it has m999_from_the_future\).*Update"):
        Store(store.path)


def test_a_backup_restores_everything_as_it_was(store: Store, tmp_path: Path) -> None:
    conversations = Conversations(store)
    [kept] = conversations.add([talk("before the backup")])
    backup = tmp_path / "backup.db"
    backup.write_bytes(store.backup_bytes())
    conversations.delete([kept.key])
    conversations.add([talk("after the backup")])

    store.restore(backup)

    assert [row.key for row in conversations.find().rows] == [kept.key]
    assert conversations.find(search="before the").total == 1
    conversations.add([talk("life goes on")])


def test_a_backup_is_not_restored_while_another_program_writes(store: Store, tmp_path: Path) -> None:
    conversations = Conversations(store)
    conversations.add([talk("before the backup")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    conversations.add([talk("after the backup")])
    other = sqlite3.connect(store.path)
    other.execute("BEGIN IMMEDIATE")

    outcomes: list[str] = []
    attempt = threading.Thread(target=lambda: outcomes.append(attempted(store, backup)), daemon=True)
    attempt.start()
    attempt.join(timeout=5)
    other.close()

    assert outcomes, "the restore is still waiting"
    assert f"{store.path} is in use by another program" in outcomes[0]
    assert "Nothing was stored" in outcomes[0]
    assert conversations.find(search="after the").total == 1


def attempted(store: Store, backup: Path) -> str:
    try:
        store.restore(backup)
    except StoreError as error:
        return str(error)
    return "restored"


def test_a_backup_never_overwrites(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "precious.db"
    target.write_text("precious")

    with pytest.raises(StoreError, match=r"precious\.db exists already"):
        store.backup(target)

    assert target.read_text() == "precious"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is not a backup of convgate"), (b"some text" * 1000, "is damaged")],
    ids=["empty", "text"],
)
def test_what_is_no_backup_changes_nothing(
    store: Store, tmp_path: Path, content: bytes, message: str
) -> None:
    conversations = Conversations(store)
    conversations.add([talk()])
    (tmp_path / "wrong.db").write_bytes(content)

    with pytest.raises(StoreError, match=message):
        store.restore(tmp_path / "wrong.db")

    assert conversations.find().total == 1


def test_erasing_leaves_no_word_in_the_file_and_a_store_that_works(store: Store) -> None:
    conversations = Conversations(store)
    store.erase()
    empty = store.path.stat().st_size
    conversations.add([talk("zebrafish " + random.Random(1).randbytes(20_000).hex())])

    store.erase()

    assert conversations.find(search="zebrafish").total == 0
    files = [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes().lower()]
    assert files == []
    assert store.path.stat().st_size == empty, "the index has no trigram left either"
    conversations.add([talk("zebrafish")])
    assert conversations.find(search="zebrafish").total == 1


def test_opening_a_store_again_leaves_the_locks_of_the_first(tmp_path: Path) -> None:
    """A process that closes the file by itself loses SQLite's locks on it, and with them writes."""
    path = tmp_path / "convgate.db"
    first = Store(path)
    Store(path)
    program = (
        f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('PRAGMA journal_mode = DELETE')"
    )
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr
    first.close()
