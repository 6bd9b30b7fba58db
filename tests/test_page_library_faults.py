"""The page Library on a full disk, a locked database and missing permissions."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.ui.shared import services
from convgate.ui.shared.text import literal
from tests.page_app import lock_database as lock_database
from tests.page_app import new_app


@pytest.fixture
def library(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.05)
    return new_app()


@pytest.fixture
def stored_key(convgate_home: Path) -> str:
    """The key of the one conversation that is in the library."""
    store = Store(load_settings().database)
    said = Turn.of("user", "Where is the oasis?")
    [added] = Conversations(store).add([NewConversation(Conversation("Old", (said,), title="Old"))])
    store.close()
    return added.key


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def add_file(app: AppTest, text: str = "Two days east.") -> AppTest:
    content = json.dumps({"messages": [{"role": "user", "content": text}]})
    app.file_uploader[0].upload("new.json", content.encode()).run()
    return app.button(key="add-files").click().run()


def delete(app: AppTest) -> AppTest:
    return press(app, "Delete")


def rename(app: AppTest) -> AppTest:
    next(field for field in app.text_input if field.label == "Title").set_value("Other")
    return press(app, "Rename")


def restore(app: AppTest) -> AppTest:
    backup = services.store(load_settings().database).backup_bytes()
    app.file_uploader[1].upload("backup.db", backup).run()
    return press(app, "Replace the library by this backup")


def erase(app: AppTest) -> AppTest:
    app.text_input(key="library.erase.word").set_value("erase")
    return press(app, "Erase everything")


def listed_conversations() -> list[tuple[str, str]]:
    store = Store(load_settings().database)
    try:
        return [(row.key, row.title) for row in Conversations(store).find().rows]
    finally:
        store.close()


@pytest.mark.parametrize("act", [add_file, delete, rename, restore, erase])
def test_while_another_program_writes_nothing_is_changed_and_an_error_is_shown(
    library: AppTest, stored_key: str, lock_database: Callable[[], None], act: Callable[[AppTest], AppTest]
) -> None:
    app = library.run()
    lock_database()

    act(app)

    assert not app.exception
    assert "in use by another program" in app.error[0].value
    assert not app.success
    assert listed_conversations() == [(stored_key, "Old")]


def test_the_library_can_be_looked_at_while_another_program_writes(
    library: AppTest, stored_key: str, lock_database: Callable[[], None]
) -> None:
    lock_database()
    app = library.run()
    assert not app.exception
    assert not app.error
    assert len(app.main.get("page_link")) == 1


def test_a_full_disk_stores_nothing_of_a_file_and_says_so(library: AppTest, stored_key: str) -> None:
    app = library.run()
    with services.store(load_settings().database).read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
        db.execute(f"PRAGMA max_page_count = {pages + 2}")

    add_file(app, "sand " * 20_000)

    assert not app.exception
    assert "full or failing" in app.error[0].value
    assert "Nothing was stored" in app.error[0].value
    assert not app.success
    assert listed_conversations() == [(stored_key, "Old")]


def test_a_restore_can_be_undone_where_the_list_cannot_be_shown(library: AppTest, stored_key: str) -> None:
    with closing(Store(load_settings().database)) as store:
        store.restore_bytes(store.backup_bytes())
        with store.write() as db:
            db.execute("UPDATE conversations SET added = 'yesterday'")

    app = library.run()

    assert not app.exception
    assert len(app.error) == 1
    assert len(app.file_uploader) == 2
    app.button(key="library.undo-restore").click().run()
    assert not app.error
    assert listed_conversations() == [(stored_key, "Old")]


def test_a_read_only_folder_is_named_before_anything_is_tried(library: AppTest, convgate_home: Path) -> None:
    convgate_home.mkdir()
    make_read_only(convgate_home)

    app = library.run()

    assert not app.exception
    assert literal("CONVGATE_HOME") in app.error[0].value
    assert list(convgate_home.iterdir()) == []


def test_a_library_that_became_read_only_is_left_as_it_is(
    library: AppTest, stored_key: str, convgate_home: Path
) -> None:
    database = load_settings().database
    before = database.read_bytes()
    make_read_only(database)
    make_read_only(convgate_home)

    app = library.run()

    assert not app.exception
    assert literal("CONVGATE_HOME") in app.error[0].value
    assert not app.success
    assert database.read_bytes() == before


def make_read_only(path: Path) -> None:
    path.chmod(0o500)
    if os.access(path, os.W_OK):
        pytest.skip("root may write everywhere")
