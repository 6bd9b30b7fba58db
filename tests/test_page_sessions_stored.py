"""Stored sessions: the list, one of them with its conversations, ending, cleaning up; and speed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.policies.sessions.manager import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.sessions import Session, Sessions
from tests.costs import timed
from tests.test_page_sessions import cards, click, metric, opened, said, sound

NOW = datetime.now(UTC)


@pytest.fixture
def store(convgate_home: object) -> Store:
    return Store(load_settings().database)


def _same(at: datetime) -> datetime:
    return at


@pytest.fixture
def shop(store: Store) -> Session:
    """Two sessions of a shop, one of them active, and a hundred days old one of a lab."""
    for workspace, days in (("lab", 100), ("shop", 3), ("shop", 1)):
        at = NOW - timedelta(days=days)
        sessions = SessionManager(store, workspace=workspace, clock=partial(_same, at))
        found = sessions.detect("hello")
        sessions.detect({"role": "assistant", "content": "ok", "workflow_state": "TESTING"})
        if workspace == "lab":
            sessions.end("The lab is closed.")
    return found.session


def listed(app: AppTest) -> list[tuple[str, str]]:
    """Workspace and state of the sessions in the table."""
    table = app.dataframe[0].value
    return [(row["workspace"], row["state"].split()[-1]) for _, row in table.iterrows()]


def test_the_list_begins_with_active_sessions_and_is_filtered(shop: Session) -> None:
    app = opened(on="stored")
    assert listed(app) == [("shop", "active"), ("shop", "ended"), ("lab", "ended")]
    sound(app.selectbox(key="sessions.workspace").set_value("lab").run())
    assert listed(app) == [("lab", "ended")]
    assert app.dataframe[0].value["why it ended"][0] == "The lab is closed."
    sound(app.button_group(key="sessions.only").set_value("active").run())
    assert "There is no such session." in said(app)
    assert app.query_params["workspace"] in ("lab", ["lab"])


def test_a_click_opens_a_session_with_its_conversations(store: Store, shop: Session) -> None:
    key = Conversations(store).add([NewConversation(Conversation("talk", (Turn.of("user", "hi"),)))])[0].key
    SessionManager(store, workspace="shop").add_conversation(key)
    app = opened(on="stored")
    app.session_state["sessions.table"] = {"selection": {"rows": [], "columns": [], "cells": [(0, "state")]}}
    sound(app.run())
    app = opened(on="stored", session=shop.id)
    told = said(app)
    assert shop.id in told
    assert "TESTING" in told
    number = SessionManager(store, workspace="shop").conversations()[0].number
    app.text_input(key=f"sessions.title.{number}").set_value("The <b>button</b>")
    app.text_input(key=f"sessions.tags.{number}").set_value("shop, ui, shop")
    (save,) = [one for one in app.button if one.label == "Save"]
    sound(save.click().run())
    held = Sessions(store).conversation(number)
    assert (held.title, held.tags) == ("The <b>button</b>", ("shop", "ui"))
    assert Conversations(store).summary(key).title == "The <b>button</b>", "the library's title is the same"
    assert ":gray-badge[ui]" in said(app)
    click(app, f"sessions.bounds.{number}")
    assert "In the stored session" in said(app)
    assert "tags: shop, ui" in said(app)


def test_a_session_is_ended_with_a_reason(store: Store, shop: Session) -> None:
    app = opened(on="stored", session=shop.id)
    app.text_input(key=f"sessions.reason.{shop.id}").set_value("Shop is shut")
    click(app, "sessions.end")
    assert Sessions(store).get(shop.id).reason == "Shop is shut"
    assert "sessions.end" not in {one.key for one in app.button}
    assert listed(app)[0] == ("shop", "ended")


def test_cleaning_up_tells_before_it_takes(store: Store, shop: Session) -> None:
    app = opened(on="stored")
    app.session_state["sessions.cleaning"] = True
    sound(app.run())
    assert "**1 session** of 1 workspace would go" in said(app)
    sound(app.number_input(key="sessions.days").set_value(2).run())
    assert "**2 sessions** of 2 workspaces would go" in said(app)
    click(app, "sessions.ask")
    assert len(listed(app)) == 3, "nothing goes before the answer"
    click(app, "sessions.keep")
    click(click(app, "sessions.ask"), "sessions.clean")
    assert listed(app) == [("shop", "active")]
    assert "Removed 2 sessions." in said(app)
    assert "Nothing to clean up" in said(app)


def test_without_sessions_it_says_how_an_agent_makes_them(store: Store) -> None:
    app = opened(on="stored")
    assert "SessionManager" in app.code[0].value
    assert "No session is stored yet" in said(app)


def test_a_session_that_is_gone_is_told(shop: Session) -> None:
    app = opened(on="stored", session="session_0", page="9")
    assert "There is no session 'session_0'" in said(app)
    assert len(listed(app)) == 3, "a page that there is not is the last one"


@pytest.mark.slow
def test_a_long_list_and_a_long_conversation_follow_at_once(
    store: Store, report_figure: Callable[[str], None]
) -> None:
    moment = NOW - timedelta(days=50)
    with store.write() as db:
        db.conn.executemany(
            "INSERT INTO sessions (id, workspace, started, ended, last_activity) VALUES (?, ?, ?, ?, ?)",
            [
                (f"session_{index}", f"w{index % 1000}", at, None if index < 1000 else at, at)
                for index in range(100_000)
                for at in [(moment + timedelta(seconds=index)).isoformat()]
            ],
        )
    app = opened(on="stored", page="2500")
    assert "100,000 sessions, 49,981 to 50,000 here." in said(app)
    newest_first = [f"session_{index}" for index in range(51_019, 50_999, -1)]  # behind the 1,000 active ones
    assert list(app.dataframe[0].value["session"]) == newest_first
    stored = min(timed(app) for _ in range(3))
    assert list(app.dataframe[0].value["session"]) == newest_first
    talk = [moment + timedelta(minutes=index, hours=3 * (index // 25)) for index in range(2_000)]
    turns = tuple(
        Turn.of("assistant" if at.minute % 2 else "user", f"said {at}", timestamp=at) for at in talk
    )
    key = Conversations(store).add([NewConversation(Conversation("long", turns))])[0].key
    app = opened(conversation=key, gap="1800")
    assert "Turn 1,976" in said(app), "where the last conversation begins"
    app.button(key="sessions.older").click()
    boundaries = timed(app)
    assert "Turn 1,975" in said(app)
    last = [f"turns {first:,}–{first + 24:,}" for first in range(1_801, 2_000, 25)]
    assert (cards(app), metric(app, "Sessions")) == (last, "80")
    report_figure(
        f"sessions: page 2,500 of 100,000 stored ones drawn in {stored:.2f} s; another of 2,000 turns in 80"
        f" sessions in {boundaries:.2f} s"
    )
