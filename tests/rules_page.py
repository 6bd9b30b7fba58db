"""Rules on a small library: what its tests share."""

from __future__ import annotations

import html
import re
from pathlib import Path

from streamlit.testing.v1 import AppTest

from convgate.core.app_files import app_root
from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.ui.rules.editor import TEXT
from convgate.ui.rules.rules_file import rules_path

RULES = "pages/7_Rules.py"
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile: we need to talk about that at length"
SKIP_BUILD = "skip_patterns:\n  - pattern: '\\bbuild\\b'\n    reason: about builds\n    category: noise\n"

FIRST = (
    ("hello", "Hi, what can I do?"),  # a greeting
    ("I prefer dark mode in every tool that I use", "Noted."),
    ("the build is red again and nobody knows why that is", "Let me look at the logs of the last run."),
    (HOSTILE, "As you like."),
    ("ok", "Good."),
)
SECOND = (
    ("build the site with the flag for the drafts, and tell me what it says", "It says nothing."),
    ("is there a way to see which of the pages are the slowest ones", "There is: the report has a column."),
)


def library() -> dict[str, str]:
    """Two conversations; their keys by title."""
    return {one.title: add(one) for one in (talk("Second", SECOND), talk("First", FIRST)) if one.title}


def add(conversation: Conversation) -> str:
    """Put a conversation into the library; its key."""
    (added,) = Conversations(Store(load_settings().database)).add([NewConversation(conversation)])
    return added.key


def talk(title: str, said: tuple[tuple[str, str], ...]) -> Conversation:
    """Questions with their answers."""
    turns = [
        Turn.of(role, text) for pair in said for role, text in zip(("user", "assistant"), pair, strict=True)
    ]
    return Conversation(title, tuple(turns), title=title, format="openai")


def open_page(**query: str) -> AppTest:
    """The page by its address, in a new session."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(RULES).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def choose(app: AppTest, key: str, value: object) -> AppTest:
    return sound(app.button_group(key=key).set_value(value).run())


def write(app: AppTest, text: str) -> AppTest:
    """Type a text into the editor."""
    return sound(app.text_area(key=TEXT).set_value(text).run())


def editor(app: AppTest) -> str:
    """The text in the editor."""
    return str(app.text_area(key=TEXT).value)


def shown(app: AppTest) -> list[str]:
    """The exchanges on the screen: their HTML, one after the other."""
    return [one.proto.body for one in app.get("html") if '<div class="exchange' in one.proto.body]


def texts(app: AppTest) -> list[str]:
    """The same without tags."""
    return [html.unescape(re.sub(r"<[^>]+>", " ", body)) for body in shown(app)]


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success]
    return "\n".join(str(element.value) for element in told).replace("\\", "").replace("\u2060", "")


def rules_file() -> Path:
    """Where rules stand; its folder is there afterwards."""
    path = rules_path(load_settings())
    path.parent.mkdir(parents=True, exist_ok=True)
    return path
