"""The page Compare on a short conversation, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.training.library import RelevanceSets
from convgate.ui import services
from tests.fakes import FakeEncoder
from tests.page_talk import TALK

COMPARE = "pages/6_Compare.py"
MESSAGES = TALK[1:]


def serve(encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the page encode with that one."""
    monkeypatch.setattr(services, "encoder", lambda *_: encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)


def opened(path: str = COMPARE, /, **query: str) -> AppTest:
    """Return the page, with an address when given."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    app.switch_page(path)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.run())


def add_talk(*turns: Turn, title: str = "Talk") -> str:
    """Add a conversation to the library; return its key."""
    stored = Conversations(Store(load_settings().database))
    (added,) = stored.add([NewConversation(Conversation(title, turns or MESSAGES, title=title))])
    return added.key


def add_labelled(home: Path, *, conversations: int = 2) -> str:
    """Add a set in which two turns are relevant to the last message, the newest among them once; its name."""
    messages = [{"role": turn.role, "content": turn.text} for turn in MESSAGES]
    lines: list[dict[str, Any]] = []
    for number in range(conversations):
        place = number % len(messages)
        shown = messages[place:] + messages[:place]
        lines += [
            {"type": "conversation", "id": f"talk-{number}", "messages": shown},
            {
                "type": "case", "id": f"case-{number}", "conversation": f"talk-{number}", "turn": 6,
                "relevant": [0, 1] if number else [0, 5], "tags": ["return"] if number else [],
            },
        ]  # fmt: skip
    RelevanceSets(home).add("mine", "".join(json.dumps(line) + "\n" for line in lines).encode())
    return "mine"


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def said(app: AppTest) -> str:
    elements = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.subheader]
    return "\n".join(str(element.value) for element in elements).replace("\\", "").replace("\u2060", "")


def summary(app: AppTest) -> dict[str, list[str]]:
    """The cells of the summary of one conversation, by policy."""
    (table,) = [one.value for one in app.markdown if "| Tokens sent |" in str(one.value)]
    rows = [line.strip("| ").split(" | ") for line in table.replace("\\", "").splitlines()[2:]]
    return {row[0].split("**")[1]: row[1:] for row in rows}


def marks(app: AppTest) -> dict[str, list[Any]]:
    """The table's columns, by their heads."""
    (table,) = app.dataframe
    found: dict[str, list[Any]] = table.value.to_dict("list")
    return found
