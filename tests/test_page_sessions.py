"""Sessions: boundaries of a conversation, moved by hand, under settings that are tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.store.moved_boundaries import MovedBoundaries
from convgate.transcripts import read_conversations

SESSIONS, EXPLORE = "pages/8_Sessions.py", "pages/1_Explore.py"
DAY = "sample_conversations/purple_button_one_day.json"


@pytest.fixture
def store(convgate_home: object) -> Store:
    return Store(load_settings().database)


@pytest.fixture
def day(store: Store) -> str:
    """The sample day in the library: turns 1, 7 and 13 matter."""
    (talk,) = read_conversations(app_root() / DAY)
    return Conversations(store).add([NewConversation(talk)])[0].key


def add(store: Store, said: Sequence[Turn]) -> str:
    return Conversations(store).add([NewConversation(Conversation("talk", tuple(said)))])[0].key


def opened(page: str = SESSIONS, **query: str) -> AppTest:
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(page).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    return "\n".join(str(one.value) for one in told).replace("\\", "").replace("\u2060", "")


def cards(app: AppTest) -> list[str]:
    """The extent of each conversation in the list."""
    return [
        one.value.split(" · ")[0]
        for one in app.caption
        if one.value.startswith(("turn ", "turns ")) and "message" in one.value
    ]


def metric(app: AppTest, label: str) -> str:
    return next(str(one.value) for one in app.metric if one.label == label)


def moved(store: Store, key: str) -> dict[int, tuple[str, str]]:
    return {turn: (one.kind, one.note) for turn, one in MovedBoundaries(store).of(key).items()}


def test_a_conversation_tells_what_begins_where_and_why(day: str) -> None:
    app = opened(conversation=day)
    assert cards(app) == ["turns 1–6", "turns 7–13"]
    assert (metric(app, "Sessions"), metric(app, "Conversations")) == ("1", "2")
    told = said(app)
    assert "Turn 7" in told, "where the last conversation begins is looked at first"
    assert "The workflow reached COMPLETE at turn 6, which closed the conversation before." in told
    assert 'Turn 13: "Continue" goes on with the conversation, after 2 h' in told
    assert "Thu 5 Mar 2026, 09:00–11:00" in told
    assert app.query_params["conversation"] == [day] or app.query_params["conversation"] == day
