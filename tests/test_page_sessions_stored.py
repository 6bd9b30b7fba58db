"""Stored sessions: the table, one session with its conversations, deleting it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.policies.sessions.manager import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.sessions import Session, Sessions
from tests.page_app import click, said, sound
from tests.test_page_sessions import boundaries, opened

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
    return list(zip(table["workspace"], table["state"], strict=True))


def select(app: AppTest, row: int) -> AppTest:
    app.session_state["sessions.stored"] = {"selection": {"rows": [row], "columns": [], "cells": []}}
    return sound(app.run())


def test_a_selected_session_shows_its_conversations_and_is_deleted(store: Store, shop: Session) -> None:
    key = Conversations(store).add([NewConversation(Conversation("talk", (Turn.of("user", "hi"),)))])[0].key
    SessionManager(store, workspace="shop").add_conversation(key)
    app = opened(on="stored")
    assert listed(app) == [("shop", "active"), ("shop", "ended"), ("lab", "ended")]
    assert app.dataframe[0].value["reason"][2] == "The lab is closed."
    select(app, 0)
    assert shop.id in said(app)
    (link,) = [button for button in app.button if (button.key or "").startswith("sessions.open")]
    assert "TESTING" in link.label
    sound(link.click().run())
    assert boundaries(app) == {1: "session"}
    app = select(opened(on="stored"), 2)
    click(app, "sessions.delete")
    assert listed(app) == [("shop", "active"), ("shop", "ended")]
    assert Sessions(store).count() == 2


def test_without_sessions_it_says_how_an_agent_adds_them(store: Store) -> None:
    app = opened(on="stored")
    assert "SessionManager" in app.code[0].value
