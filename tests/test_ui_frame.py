"""The frame of every page: navigation, and problems shown as messages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.errors import DamagedError
from convgate.core.home import app_root
from convgate.store import Store
from convgate.ui.shared import services
from convgate.ui.shared.navigation import GROUPS
from tests.page_app import new_app


def test_every_page_links_to_every_other(convgate_home: Path) -> None:
    paths = {path for pages in GROUPS.values() for path, _ in pages.values()}
    assert paths == {"app.py", *(f"pages/{file.name}" for file in (app_root() / "pages").glob("*.py"))}

    labels = [link.proto.label for link in new_app().run().sidebar.get("page_link")]
    assert labels == [name for pages in GROUPS.values() for name in pages]


@pytest.mark.parametrize("content", ["not a database" * 1000, None], ids=["damaged", "folder in the way"])
def test_a_database_that_cannot_be_opened_is_reported_without_a_traceback(
    convgate_home: Path, content: str | None
) -> None:
    database = convgate_home / "convgate.db"
    if content is None:
        database.mkdir(parents=True)
    else:
        convgate_home.mkdir()
        database.write_text(content)

    app = new_app().run()

    assert not app.exception
    assert "convgate\\.db" in app.error[0].value
    assert [button.label for button in app.button] == (["Move the damaged file aside"] if content else [])


def test_a_damaged_database_is_moved_aside_for_a_new_library(convgate_home: Path) -> None:
    convgate_home.mkdir()
    (convgate_home / "convgate.db").write_text("not a database" * 1000)

    app = new_app().run().button[0].click().run()

    assert not app.exception
    assert not app.error
    assert app.subheader[0].value == "Start with a sample"
    [aside] = convgate_home.glob("convgate-damaged-*.db")
    assert aside.read_text() == "not a database" * 1000


def test_unread_damage_is_reported_at_the_start(convgate_home: Path) -> None:
    store = Store(convgate_home / "convgate.db")
    with store.read() as db:
        pages = db.execute("PRAGMA page_count").fetchone()[0]
    store.close()
    content = bytearray(store.path.read_bytes())
    content[4096 * (pages - 3) :] = bytes(3 * 4096)
    store.path.write_bytes(content)

    app = new_app().run()

    assert not app.exception
    assert "is damaged" in app.error[0].value


def test_a_wrong_setting_is_reported_without_a_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_DEVICE", "*tpu*")

    app = new_app().run()

    assert not app.exception
    assert "CONVGATE\\_DEVICE" in app.error[0].value
    assert "\\*tpu\\*" in app.error[0].value


def test_a_problem_in_a_page_is_shown_and_a_fault_surfaces() -> None:
    def script(kind: str) -> None:
        from unittest.mock import patch

        import streamlit as st

        from convgate.core.errors import StoreError
        from convgate.ui.shared.frame import page

        with patch("convgate.ui.shared.frame.draw_navigation"), page("A page", "It fails.") as app:
            st.text(len(app.conversations.keys()))
            raise StoreError("the <disk> is full") if kind == "problem" else ValueError("a fault")
        st.text("after")

    app = AppTest.from_function(script, args=["problem"]).run()
    assert not app.exception
    assert app.error[0].value == r"the \<disk\> is full"
    assert [element.value for element in app.text] == ["0", "after"]

    app = AppTest.from_function(script, args=["fault"]).run()
    assert len(app.exception) == 1
    assert not app.error


def test_a_library_that_fails_its_check_is_closed(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Store) -> None:
        raise DamagedError("damaged", "detail")

    closed: list[Path] = []
    monkeypatch.setattr(Store, "check", fail)
    monkeypatch.setattr(Store, "close", lambda store: closed.append(store.path))

    with pytest.raises(DamagedError):
        services.store(convgate_home / "convgate.db")

    assert closed == [convgate_home / "convgate.db"]
