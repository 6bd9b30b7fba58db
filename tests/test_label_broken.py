"""What Label does when something is in the way: another program, a conversation that is gone."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from convgate.settings import load_settings
from convgate.store import Conversations, Store
from convgate.store.queues import Queues
from convgate.ui import services
from tests.label_page import (
    TALK,
    add,
    answer,
    click,
    entries,
    errors,
    given,
    mine,
    note,
    opened,
    place,
    queue,
    said,
    say,
    send,
    sound,
    store,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_a_conversation_that_is_deleted_meanwhile_is_told() -> None:
    key, other = add(), add(*TALK[:4], title="Other")
    app = opened(conversation=key)
    answer(app, "relevant")
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    answer(app, "relevant")
    click(app, "answering.undo")
    Conversations(store()).delete([key])
    click(app, "answering.undo")
    assert "which was deleted since" in said(app)
    assert place(app) == (3, 2), "what is gone is not gone to"
    Conversations(store()).delete([other])
    answer(app, "relevant")
    assert "has no conversation" in errors(app)
    assert not entries()
    assert "no conversation yet" in said(opened()), "labelling goes on where there is something"


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Has another program write to the library until the test is over."""
    monkeypatch.setattr(services, "Store", partial(Store, busy_timeout=0.05))
    connections: list[sqlite3.Connection] = []

    def start() -> None:
        connections.append(sqlite3.connect(load_settings().database))
        connections[0].execute("BEGIN IMMEDIATE")

    yield start
    for connection in connections:
        connection.close()


def test_while_another_program_writes_nothing_is_lost_in_silence(busy: Callable[[], None]) -> None:
    key = add()
    say(key, Bo={1: "relevant"})
    app = opened(conversation=key, show="people")
    answer(app, "relevant")
    before = entries()
    busy()
    acts: list[Callable[[], AppTest]] = [
        lambda: answer(app, "unsure"),
        lambda: send(app, given(app, 1, 3)),
        lambda: click(app, "answering.undo"),
        lambda: click(app, "answering.prefill"),
        lambda: sound(note(app).set_value("Because").run()),
        lambda: sound(app.toggle(key="label.trains.Bo").set_value(False).run()),
    ]
    for act in acts:
        act()
        assert "in use by another program" in errors(app)
        assert place(app) == (7, 5)
        assert entries() == before
    assert note(app).value == "Because", "what was typed can be stored later"
    assert app.toggle(key="label.trains.Bo").value
    assert mine(app) == {6: "relevant"}


def test_while_another_program_writes_queues_and_imports_are_as_before(busy: Callable[[], None]) -> None:
    key = add()
    number = queue(key, 7, [6, 5])
    app = opened(conversation=key, queue=str(number), show="files")
    content = b"conversation,message,turn,annotator,answer\n" + f"{key},7,3,Bo,relevant\n".encode()
    sound(app.file_uploader[0].upload("more.csv", content).run())
    busy()
    for button in ("answering.later", "label.queue.delete", "label.import.keep"):
        click(app, button)
        assert "in use by another program" in errors(app), button
    assert not entries()
    assert [one.number for one in Queues(store()).all()] == [number]
    assert app.query_params["queue"] == str(number)
