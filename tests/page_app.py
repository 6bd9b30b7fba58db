"""The app at one of its pages, with a small conversation, as tests of pages drive it."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from streamlit.runtime.scriptrunner import RerunData
from streamlit.testing.v1 import AppTest, local_script_runner

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.embedding.base import Encoder
from convgate.gate.model import Gate
from convgate.modes.mode import Mode
from convgate.store import Conversations, NewConversation, Store
from convgate.ui.shared import services
from convgate.ui.shared.navigation import GROUPS
from tests.fakes import FakeEncoder
from tests.selectors import FirstWordClassifier, WordJudge

PAGES = {name: path for pages in GROUPS.values() for name, (path, _) in pages.items()}
IS_TRAINED = Gate.is_trained
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile: Ignore all"  # as long as a name may be
TURNS = (
    Turn.of("system", "You are a careful assistant."),
    Turn.of("user", "my loss is nan when the batch is empty"),
    Turn.of("assistant", "the mean of an empty batch is nan so the loss is nan"),
    Turn.of("user", "write a fibonacci function"),
    Turn.of("assistant", "def fibonacci of n returns n if n is small"),
    Turn.of("user", "is the loss still nan"),
    Turn.of("assistant", "check the batch before the mean"),
    Turn.of("user", "the loss is nan again with an empty batch"),
)
_ANSWER = re.compile(
    r"(?ms)^The model gets (none|[\d,]+) of (?:the newest )?([\d,]+) earlier turns?.*?"
    r"^([\d,]+) of ([\d,]+) tokens, (\S+) instead of (\S+)\."
)
_WORDS: dict[str, tuple[Mode, float]] = {
    "add": ("TASK", 0.95),
    "write": ("TASK", 0.95),
    "error": ("DEBUGGING", 0.9),
    "perhaps": ("DEBUGGING", 0.75),
    "explain": ("LEARNING", 0.9),
    "what if": ("EXPLORATION", 0.9),
}
MODE_TURNS = (
    Turn.of("system", "You are a careful assistant."),
    Turn.of("user", "what if we signed people in with cookies"),
    Turn.of("assistant", "cookies would do, tokens too"),
    Turn.of("user", "add a login with tokens"),
    Turn.of("assistant", "the login with tokens is there"),
    Turn.of("user", "You must never log the passwords of users."),
    Turn.of("assistant", "passwords are not logged"),
    Turn.of("user", "perhaps the tokens are the reason"),
    Turn.of("assistant", "tokens last an hour"),
    Turn.of("user", "add refresh tokens to the login"),
)


def use_encoder(encoder: Encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the pages encode with this one, and take their gate for a trained one."""
    monkeypatch.setattr(Gate, "is_trained", property(lambda _: True))
    monkeypatch.setattr(services, "encoder", lambda *_: encoder)


def use_word_modes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the pages decide modes and statements by single words, without a model."""
    monkeypatch.setattr("convgate.ui.shared.modes.load_classifier", lambda *_: WordClassifier())
    monkeypatch.setattr("convgate.ui.shared.modes.load_judge", lambda *_: WordJudge())


@pytest.fixture
def encoder(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    """What the pages encode with."""
    use_encoder(fake_encoder, monkeypatch)
    return fake_encoder


@pytest.fixture
def downloads(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the buttons of a page give for download, by their keys and the files' names."""
    files: dict[str, Any] = {}

    def download_button(label: str, data: Any, *, key: str, file_name: str, **_: object) -> bool:
        files[key] = files[file_name] = data
        return False

    monkeypatch.setattr("streamlit.download_button", download_button)
    return files


@pytest.fixture
def lock_database(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Has another program write to the library until the test is over."""
    monkeypatch.setattr("convgate.store.database.BUSY_TIMEOUT", 0.05)
    connections: list[sqlite3.Connection] = []

    def start() -> None:
        connections.append(sqlite3.connect(load_settings().database))
        connections[0].execute("BEGIN IMMEDIATE")

    yield start
    for connection in connections:
        connection.close()


def new_app() -> AppTest:
    """Return the app in a new session, not yet run."""
    return AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)


def open_page(page: str, /, **query: str) -> AppTest:
    """Return the app in a new session at that page, such as "Explore", and address."""
    app = new_app()
    for name, value in query.items():
        app.query_params[name] = value
    return check(app.switch_page(PAGES[page]).run())


def add_conversation(*turns: Turn, title: str = "Talk", format: str = "openai") -> str:
    """Add a conversation, by default of `TURNS`, to the app's library; return its key."""
    conversation = Conversation(title, turns or TURNS, title=title, format=format)
    (added,) = Conversations(app_store()).add([NewConversation(conversation)])
    return added.key


def app_store() -> Store:
    """Return the app's library."""
    return _store(load_settings().database)


@lru_cache(maxsize=1)
def _store(path: Path) -> Store:
    return Store(path)


def check(app: AppTest) -> AppTest:
    """Return the app; fails when the run raised."""
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    """Return the app after a click on that button."""
    return check(app.button(key=key).click().run())


def click_in_fragment(app: AppTest, key: str) -> AppTest:
    """Return the app after a click on a button of its fragment, which runs alone as in a browser."""
    fragments = list(app._fragment_storage._fragments)
    with mock.patch.object(local_script_runner, "RerunData", partial(RerunData, fragment_id_queue=fragments)):
        return click(app, key)


def go_back(app: AppTest, /, **query: str) -> AppTest:
    """Return the app after the browser's back button, to this address of the same page."""
    app.query_params.clear()
    for name, value in query.items():
        app.query_params[name] = value
    going_back = partial(RerunData, is_history_navigation=True)
    with mock.patch.object(local_script_runner, "RerunData", going_back):
        return check(app.run())


def choose(app: AppTest, key: str, value: object) -> AppTest:
    """Return the app after a choice in that group of buttons."""
    return check(app.button_group(key=key).set_value(value).run())


def page_text(app: AppTest) -> str:
    """Return the text of the page, without the signs that escape or emphasize."""
    boxes = [*app.info, *app.warning, *app.error, *app.success]
    elements = [*app.markdown, *app.caption, *boxes, *app.subheader, *app.text]
    text = "\n".join(str(element.value) for element in elements)
    return text.replace("\\", "").replace("\u2060", "").replace("**", "")


def metric(app: AppTest, label: str) -> str:
    """Return the value of a metric."""
    return next(str(element.value) for element in app.metric if element.label == label)


def stated(app: AppTest, name: str) -> str:
    """Return a number of Explore's sentence about what is sent, or the threshold of its details, by name."""
    text = page_text(app)
    if name in ("Threshold", "Lowest kept"):
        (number,) = re.findall(rf"^{name}: (none|[\d.]*\d)", text, re.MULTILINE)
        return str(number)
    found = _ANSWER.search(text)
    assert found, text
    names = ("Kept", "Of", "Tokens", "All tokens", "Cost", "Cost of all")
    return dict(zip(names, found.groups(), strict=True))[name].replace("none", "0")


def address(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address."""
    return {name: value if isinstance(value, str) else value[0] for name, value in app.query_params.items()}


def turn_table(app: AppTest) -> dict[str, Any]:
    """Return what the page gives the table of turns."""
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


open_budgeted = partial(open_page, "Explore", budget="8000")


class WordClassifier(FirstWordClassifier):
    """Decides modes by single words."""

    def read(self, text: str) -> tuple[Mode, float, str]:
        word = next((word for word in _WORDS if word in text), "")
        return *_WORDS.get(word, ("GENERAL", 0.5)), word


@pytest.fixture
def key(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of a conversation with every mode in the library; nothing slow is loaded."""
    use_encoder(fake_encoder, monkeypatch)
    use_word_modes(monkeypatch)
    return add_conversation(*MODE_TURNS)


def sent(app: AppTest) -> list[int]:
    """The turns of the table, from 0, that are sent, without the current one."""
    return [row["turn"] for row in turn_table(app)["rows"] if row["state"] in ("kept", "forced")]


def dropped(app: AppTest) -> list[int]:
    """The turns of the table, from 0, that are not sent."""
    return [row["turn"] for row in turn_table(app)["rows"] if row["state"] in ("dropped", "cut")]


def correct_mode(app: AppTest, mode: str) -> AppTest:
    """The page after a choice in the control of the mode; "" for not reviewed."""
    return check(app.selectbox(key="explore.mode").set_value(mode).run())
