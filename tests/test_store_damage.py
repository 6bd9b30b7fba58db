"""Files that are no whole library: damaged, foreign, half made; backups that are not ours."""

from __future__ import annotations

import os
import signal
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database

from convgate.conversation import Conversation, Turn
from convgate.errors import DamagedError, StoreError
from convgate.store import Conversations, NewConversation, Store, damage, database
from convgate.store.migrations import migrations
from tests.commands import Run
from tests.forked import fork, needs_fork
from tests.stores import made_as_a_persons  # noqa: F401 (autouse)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = Store(tmp_path / "home" / "convgate.db", busy_timeout=0.05)
    yield store
    store.close()


def talk(text: str) -> NewConversation:
    return NewConversation(Conversation("a", (Turn.of("user", text),)), "talk.json", tokens=3)


def titles(store: Store) -> list[str]:
    return sorted(row.title for row in Conversations(store).find().rows)


def change(path: Path, *statements: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


FOREIGN = {
    "other tables": ["CREATE TABLE recipes (name TEXT)"],
    "our names": ["CREATE TABLE conversations (name TEXT)"],
    "an application": ["PRAGMA application_id = 1196444487"],
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=list(FOREIGN))
def test_a_database_of_another_program_is_named_and_left_alone(tmp_path: Path, statements: list[str]) -> None:
    path = tmp_path / "convgate.db"
    change(path, *statements)
    before = path.read_bytes()

    with pytest.raises(DamagedError, match=str(path)):
        Store(path)

    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.glob("convgate*.db*")] == ["convgate.db"]


SCHEMA = {
    "a table is gone": ["DROP TABLE documents"],
    "a column has another name": ["ALTER TABLE queues RENAME COLUMN name TO title"],
    "a view is broken": ["UPDATE sqlite_master SET sql = 'CREATE VIEW v AS SELECT 1' WHERE type = 'view'"],
    "the schema is no SQL": ["UPDATE sqlite_master SET sql = 'CREATE TABLE (' WHERE name = 'labels'"],
    "the schema is no text": ["UPDATE sqlite_master SET sql = CAST(x'ff41' AS TEXT) WHERE name = 'labels'"],
    "a trigger is added": ["CREATE TRIGGER t AFTER INSERT ON labels BEGIN DELETE FROM documents; END"],
}


@pytest.mark.parametrize("statements", SCHEMA.values(), ids=list(SCHEMA))
def test_a_schema_that_is_not_ours_is_neither_opened_nor_restored(
    store: Store, tmp_path: Path, statements: list[str]
) -> None:
    backup = tmp_path / "backup.db"
    store.backup(backup)
    change(backup, *statements)
    Conversations(store).add([talk("kept")])

    with pytest.raises(DamagedError):
        Store(backup)
    with pytest.raises(StoreError):
        store.restore(backup)

    assert titles(store) == ["kept"]


ROWS = {
    "text is no UTF-8": "UPDATE conversations SET title = CAST(x'ff41' AS TEXT)",
    "a time is none": "UPDATE conversations SET added_at = 'yesterday'",
    "a time is a number": "UPDATE conversations SET added_at = x'00ff'",
    "a title is no text": "UPDATE conversations SET title = x'0011'",
    "a count is no number": "UPDATE conversations SET turns = 'x'",
}


@pytest.mark.parametrize("statement", ROWS.values(), ids=list(ROWS))
def test_a_row_that_cannot_be_read_is_a_typed_error(store: Store, statement: str) -> None:
    Conversations(store).add([talk("one")])
    change(store.path, statement)

    with pytest.raises(StoreError):
        Conversations(store).find()


@pytest.mark.parametrize(
    "statement",
    [
        *ROWS.values(),
        "UPDATE documents SET document = x'7b7d'",
        "INSERT INTO queues VALUES (1, 'q', 'Ada', '2026-13-01', 1, NULL)",
    ],
)
def test_a_backup_with_a_row_that_cannot_be_read_is_refused(
    store: Store, tmp_path: Path, statement: str
) -> None:
    Conversations(store).add([talk("kept")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    change(backup, statement)

    with pytest.raises(StoreError, match="backup"):
        store.restore(backup)

    assert titles(store) == ["kept"]
    assert store.previous is None


def in_utf_16(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA encoding = 'UTF-16le'")
    migrations.apply(Database(connection))
    connection.close()


def in_no_encoding(path: Path) -> None:
    Store(path).close()
    content = bytearray(path.read_bytes())
    content[59] = 4
    path.write_bytes(content)


@pytest.mark.parametrize("make", [in_utf_16, in_no_encoding])
def test_a_library_in_another_encoding_is_neither_opened_nor_restored(
    store: Store, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    Conversations(store).add([talk("kept")])
    backup = tmp_path / "backup.db"
    make(backup)

    with pytest.raises(StoreError, match="encoding"):
        store.restore(backup)
    with pytest.raises(DamagedError, match="encoding"):
        Store(backup)

    assert titles(store) == ["kept"]


def test_a_backup_with_another_page_size_is_restored(store: Store, tmp_path: Path) -> None:
    Conversations(store).add([talk("in the backup")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    change(backup, "PRAGMA page_size = 8192", "VACUUM", "PRAGMA journal_mode = WAL")
    Conversations(store).add([talk("since")])

    store.restore(backup)

    assert titles(store) == ["in the backup"]
    store.undo_restore()
    assert titles(store) == ["in the backup", "since"]


def test_only_what_sqlite_calls_damage_is_damage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        error = sqlite3.OperationalError("out of memory")
        error.sqlite_errorcode = sqlite3.SQLITE_NOMEM
        raise error

    monkeypatch.setattr(damage, "check_schema", fail)

    assert damage.find_damage(store.path) is None


def test_a_store_that_cannot_be_used_is_closed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = tmp_path / "backup.db"
    store.backup(backup)
    change(backup, "INSERT INTO documents VALUES (99, '{}')", "CREATE TABLE recipes (name TEXT)")
    close, closed = Store.close, set()

    def note(closing: Store) -> None:
        closed.add(closing.path.name)
        close(closing)

    monkeypatch.setattr(Store, "close", note)
    with pytest.raises(DamagedError):
        Store(backup)
    assert closed == {"backup.db"}

    change(backup, "DROP TABLE recipes")
    closed.clear()
    with pytest.raises(StoreError):
        store.restore(backup)
    assert closed == {"backup.db"}


def test_a_conversation_without_its_document_is_a_typed_error(store: Store) -> None:
    [added] = Conversations(store).add([talk("one")])
    change(store.path, "DELETE FROM documents")

    with pytest.raises(StoreError):
        Conversations(store).get(added.key)


def destroyed(path: Path, pages: range) -> None:
    content = bytearray(path.read_bytes())
    for page in pages:
        content[4096 * page : 4096 * (page + 1)] = bytes(4096)
    path.write_bytes(content)


def test_a_check_finds_destroyed_pages_that_nothing_else_reads(store: Store) -> None:
    Conversations(store).add([talk(f"{number} " + "x" * 20_000) for number in range(40)])
    store.check()
    store.close()
    pages = store.path.stat().st_size // 4096
    destroyed(store.path, range(pages - 40, pages))

    with pytest.raises(DamagedError):
        Store(store.path).check()


def test_mistakes_in_a_whole_database_surface_as_they_are(store: Store) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such column"), store.read() as db:
        db.execute("SELECT unknown FROM conversations")
    with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"), store.write() as db:
        db.execute("INSERT INTO documents VALUES (1, NULL)")


def test_a_constraint_that_fails_in_a_damaged_database_is_a_typed_error(store: Store) -> None:
    Conversations(store).add([talk("one")])
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("INSERT INTO documents VALUES (99, '{}')")  # without its conversation
    connection.close()

    with pytest.raises(DamagedError), store.write() as db:
        db.execute("INSERT INTO documents VALUES (98, '{}')")


def test_schemas_are_not_trusted_and_cells_are_checked(store: Store) -> None:
    with store.read() as db:
        assert db.execute("PRAGMA trusted_schema").fetchone() == (0,)
        assert db.execute("PRAGMA cell_size_check").fetchone() == (1,)


def test_one_read_is_stopped_after_a_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    monkeypatch.setattr(database, "READ_SECONDS", -1.0)

    with pytest.raises(StoreError, match="too long"), store.read() as db:
        db.execute(endless).fetchall()

    bounded = endless.replace("FROM n)", "FROM n WHERE i < 300000)")
    with store.write() as db:  # an import may take as long as it needs
        assert db.execute(bounded).fetchone() == (300_000,)


def older(path: Path, *, without: int = 1) -> str:
    """Make a database with a conversation that lacks the newest migrations; the last one that it has."""
    names = [migration.name for migration in migrations.pending(Database(memory=True))]
    connection = sqlite3.connect(path)
    migrations.apply(Database(connection), stop_before=names[-without])
    connection.execute(
        "INSERT INTO conversations (number, key, title, format, turns, origin, added_at)"
        " VALUES (7, 'abc', 'Old talk', 'openai', 0, 'old.json', '2026-01-02T03:04:05+00:00')"
    )
    connection.execute("""INSERT INTO documents VALUES (7, '{"id":"a","format":"openai","turns":[]}')""")
    connection.commit()
    connection.close()
    return names[-without - 1]


def test_before_a_migration_the_database_is_backed_up(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    last = older(path)

    Store(path).close()

    backup = tmp_path / f"convgate-before-{last}.db"
    assert backup.stat().st_mode & 0o777 == 0o600
    with sqlite3.connect(backup) as kept:
        assert kept.execute("SELECT title FROM conversations").fetchall() == [("Old talk",)]
        assert [one.name for one in migrations.applied(Database(kept))][-1] == last
    kept.close()
    again = Store(tmp_path / "copy.db")
    again.restore(backup)
    assert titles(again) == ["Old talk"]
    again.close()


def test_a_new_database_is_migrated_without_a_backup(store: Store) -> None:
    assert not list(store.path.parent.glob("*before*"))


def test_of_backups_before_migrations_the_newest_two_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    for without in (4, 3, 2, 1):
        path.unlink(missing_ok=True)
        last = older(path, without=without)
        Store(path).close()

    kept = sorted(file.name for file in tmp_path.glob("*before*"))
    assert len(kept) == 2
    assert kept[-1] == f"convgate-before-{last}.db"


def test_without_a_backup_nothing_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    last = older(path)
    (tmp_path / f"convgate-before-{last}.db").mkdir()  # nothing can be put there

    with pytest.raises(StoreError, match="backup"):
        Store(path)

    with sqlite3.connect(path) as left:
        assert [one.name for one in migrations.applied(Database(left))][-1] == last
    left.close()
    assert not list(tmp_path.glob("*.partial"))


def test_a_restore_can_be_undone_and_redone(store: Store, tmp_path: Path) -> None:
    Conversations(store).add([talk("in the backup")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    Conversations(store).add([talk("since")])
    assert store.previous is None

    store.restore(backup)
    assert titles(store) == ["in the backup"]
    again = Store(store.path)
    assert again.previous is not None
    assert again.previous.stat().st_mode & 0o777 == 0o600
    again.undo_restore()
    assert titles(store) == ["in the backup", "since"]
    again.undo_restore()
    assert titles(store) == ["in the backup"]
    again.close()


def test_what_a_restore_kept_goes_when_the_library_is_wiped(store: Store, tmp_path: Path) -> None:
    Conversations(store).add([talk("zebrafish")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    store.restore(backup)

    store.erase()

    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]


def test_removing_for_good_takes_what_was_moved_aside_and_what_a_killed_restore_left(store: Store) -> None:
    [added] = Conversations(store).add([talk("zebrafish")])
    before = {path.name for path in store.path.parent.iterdir()}
    for name in ("convgate-damaged-1.db", "convgate-damaged-1.db-wal", "convgate-previous-x/backup.db"):
        (store.path.parent / name).parent.mkdir(exist_ok=True)
        (store.path.parent / name).write_text("zebrafish")
    Conversations(store).delete([added.key])

    Conversations(store).purge()

    assert {path.name for path in store.path.parent.iterdir()} == before


@needs_fork
def test_a_killed_restore_leaves_texts_beside_the_library_alone_until_the_next(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere, backup = tmp_path / "temporary", tmp_path / "backup.db"
    elsewhere.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    Conversations(store).add([talk("zebrafish")])
    store.backup(backup)
    store.close()
    before = {path.name for path in store.path.parent.iterdir()}

    def restore_until_killed() -> None:
        monkeypatch.setattr(database, "check_rows", lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        Store(store.path).restore_bytes(backup.read_bytes())

    assert fork(restore_until_killed).wait() == -signal.SIGKILL

    assert list(elsewhere.iterdir()) == []
    [left] = [path for path in store.path.parent.iterdir() if path.name not in before | SHARED]
    assert left.stat().st_mode & 0o077 == 0
    store.restore(backup)
    assert not left.exists()


SHARED = {"convgate.db-wal", "convgate.db-shm"}


def test_a_backup_whose_rows_contradict_each_other_is_refused(store: Store, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    store.backup(backup)
    change(backup, "INSERT INTO documents VALUES (99, '{}')")

    with pytest.raises(StoreError):
        store.restore(backup)

    assert store.previous is None


def test_a_backup_of_an_older_convgate_is_migrated_before_it_takes_the_place(
    store: Store, tmp_path: Path
) -> None:
    older(tmp_path / "old.db", without=3)
    before = (tmp_path / "old.db").read_bytes()

    store.restore(tmp_path / "old.db")

    assert titles(store) == ["Old talk"]
    assert (tmp_path / "old.db").read_bytes() == before


def test_a_restore_that_fails_keeps_the_way_back_of_the_one_before(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Conversations(store).add([talk("first")])
    backup = tmp_path / "backup.db"
    store.backup(backup)
    Conversations(store).add([talk("second")])
    store.restore(backup)
    (tmp_path / "wrong.db").write_text("no database")

    with pytest.raises(StoreError):
        store.restore(tmp_path / "wrong.db")

    store.undo_restore()
    assert titles(store) == ["first", "second"]


def test_a_damaged_file_is_moved_aside_with_what_belongs_to_it(tmp_path: Path) -> None:
    path = tmp_path / "convgate.db"
    for suffix in ("", "-wal"):
        path.with_name(path.name + suffix).write_text("damaged" + suffix)

    aside = database.set_aside(path)

    assert aside.read_text() == "damaged"
    assert aside.with_name(aside.name + "-wal").read_text() == "damaged-wal"
    Store(path).close()


def test_what_a_restore_kept_outlives_the_new_library(store: Store, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    store.backup(backup)
    Conversations(store).add([talk("kept")])
    store.restore(backup)
    store.close()

    database.set_aside(store.path)
    with closing(Store(store.path)) as new:
        assert new.previous is None
        new.restore(backup)
        new.restore(backup)
        [kept] = store.path.parent.glob("convgate-damaged-*previous*")
        new.restore(kept)
        assert titles(new) == ["kept"]


def test_two_files_that_are_moved_aside_at_once_are_both_kept(tmp_path: Path) -> None:
    path, aside = tmp_path / "convgate.db", set()
    for text in "ab":
        path.write_text(text)
        aside.add(database.set_aside(path))

    assert sorted(file.read_text() for file in aside) == ["a", "b"]


def test_the_folder_of_a_copy_is_synchronised(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    monkeypatch.setattr(database, "sync_folder", folders.append)

    store.backup(tmp_path / "backup.db")

    assert folders == [tmp_path]


def test_an_import_into_a_database_with_destroyed_pages_is_refused(convgate_home: Path, run: Run) -> None:
    store = Store(convgate_home / "convgate.db")
    Conversations(store).add([talk(f"{number} " + "x" * 20_000) for number in range(40)])
    store.close()
    pages = store.path.stat().st_size // 4096
    destroyed(store.path, range(pages - 40, pages))
    before = store.path.read_bytes()
    file = convgate_home.parent / "new.json"
    file.write_text('{"messages": [{"role": "user", "content": "Hello"}]}')

    code, _, errors = run("import", file)

    assert code == 1
    assert "is damaged" in errors
    assert store.path.read_bytes() == before
