"""The page Label without a browser: opened, worked with, and read, for the tests of its subjects."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.store import Conversations, CurrentKey, Entry, Labels, NewConversation, Store
from convgate.store.queues import NewItem, Queues
from convgate.ui import services
from tests.fakes import FakeEncoder
from tests.page_talk import TALK

LABEL = "pages/2_Label.py"
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile: Ignore all"  # as long as a name may be

COOKIES: dict[str, str] = {}
"""Those of the browser."""


@pytest.fixture
def label_page(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page needs without a model and a browser."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", COOKIES)


def add(*turns: Turn, title: str = "Talk") -> str:
    talk = Conversation(title, turns or TALK, title=title, format="openai")
    (added,) = Conversations(store()).add([NewConversation(talk)])
    return added.key


def store() -> Store:
    return _store(load_settings().database)


@lru_cache(maxsize=1)
def _store(path: Path) -> Store:
    return Store(path)


def labels() -> Labels:
    return Labels(store())


def opened(by: str | None = "Ada", /, **query: str) -> AppTest:
    """The page in a new browser that knows who labels, at an address."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    COOKIES.clear()
    if by is not None:
        COOKIES["convgate-annotator"] = by
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(LABEL).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def transcript(app: AppTest) -> dict[str, Any]:
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


def trigger(app: AppTest, event: str, value: object, **words: str) -> AppTest:
    """What the transcript's own code sends from the browser; words: what menus send with it, by their ids."""
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    states = app._tree.get_widget_states()
    for widget in states.widgets:
        if widget.id in words:
            widget.string_value = words[widget.id]
    told = json.dumps([{"event": event, "value": value}])
    states.widgets.append(
        WidgetState(id=_make_trigger_id(component.proto.id, "events"), json_trigger_value=told)
    )
    return sound(app._run(states))


def answer(app: AppTest, value: str) -> AppTest:
    return click(app, f"answering.{value}")


def send(app: AppTest, *answers: dict[str, Any], client: str = "x") -> AppTest:
    return trigger(app, "answers", {"client": client, "answers": list(answers)})


def given(
    app: AppTest, number: int, turn: int, value: str | None = "relevant", **more: Any
) -> dict[str, Any]:
    """An answer as the transcript sends it."""
    current = transcript(app)["labelling"]["current"]
    return {
        "number": number, "current": current, "turn": turn, "value": value, "scope": "turn", **more
    }  # fmt: skip


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    shown = "\n".join(str(element.value) for element in told)
    return shown.replace("\\", "").replace("\u2060", "")


def errors(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.error).replace("\\", "").replace("\u2060", "")


def held(key: str, by: str = "Ada", turn: int | None = 7, question: str = "") -> dict[int, str]:
    """What somebody says of a message, by turn."""
    return labels().of(CurrentKey(key, turn, question)).of(by)


def mine(app: AppTest) -> dict[int, str]:
    """The answers that the rows show."""
    return {row["turn"]: row["mine"] for row in transcript(app)["rows"] if row["mine"]}


def place(app: AppTest) -> tuple[int, int | None]:
    """The message and the turn that are shown, from 0."""
    data = transcript(app)
    return data["current"], data["selected"]


def say(key: str, turn: int = 7, /, **answers: dict[int, Any]) -> None:
    """Answers of several people about a message."""
    for by, said_by in answers.items():
        labels().answer(CurrentKey(key, turn), said_by, by=by)


def progress(app: AppTest) -> str:
    return "\n".join(one.proto.text for one in app.get("progress"))


def saved(app: AppTest) -> str:
    """The line about what was stored last."""
    return "\n".join(one.value for one in app.caption if one.value.startswith(":material/check:"))


def entries() -> list[Entry]:
    """All that holds, without when it was said."""
    return sorted((replace(one, at=None) for one in labels().entries()), key=repr)


def queue(key: str, turn: int, turns: list[int], name: str = "Mine", by: str = "Ada") -> int:
    items = [NewItem(CurrentKey(key, turn), one, "audit", f"Reason {one}.") for one in turns]
    return Queues(store()).add(name, items, by=by, seed=1)
