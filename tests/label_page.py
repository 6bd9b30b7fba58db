"""The page Label: its inputs and what it shows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from convgate.store import CurrentKey, Entry, Labels
from convgate.store.queues import NewItem, Queues
from tests.fakes import FakeEncoder
from tests.page_app import app_store, check, click, open_page, turn_table, use_encoder

COOKIES: dict[str, str] = {}
"""The browser's cookies."""


@pytest.fixture
def label_page(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the page needs without a model and a browser."""
    use_encoder(fake_encoder, monkeypatch)
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", COOKIES)


def labels() -> Labels:
    return Labels(app_store())


def open_label(by: str | None = "Ada", /, **query: str) -> AppTest:
    """Return the page in a new browser of that annotator, at an address."""
    COOKIES.clear()
    if by is not None:
        COOKIES["convgate-annotator"] = by
    return open_page("Label", **query)


def trigger(app: AppTest, event: str, value: object, **words: str) -> AppTest:
    """Send an event as the turn table's script does; words: values of menus, by their ids."""
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    states = app._tree.get_widget_states()
    for widget in states.widgets:
        if widget.id in words:
            widget.string_value = words[widget.id]
    events = json.dumps([{"event": event, "value": value}])
    states.widgets.append(
        WidgetState(id=_make_trigger_id(component.proto.id, "events"), json_trigger_value=events)
    )
    return check(app._run(states))


def answer(app: AppTest, value: str) -> AppTest:
    return click(app, f"answering.{value}")


def send_answers(app: AppTest, *answers: dict[str, Any], client: str = "x") -> AppTest:
    return trigger(app, "answers", {"client": client, "answers": list(answers)})


def answer_event(
    app: AppTest, number: int, turn: int, value: str | None = "relevant", **more: Any
) -> dict[str, Any]:
    """Return an answer as the turn table sends it."""
    current = turn_table(app)["labelling"]["current"]
    return {
        "number": number, "current": current, "turn": turn, "value": value, "scope": "turn", **more
    }  # fmt: skip


def error_text(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.error).replace("\\", "").replace("\u2060", "")


def answers_of(key: str, by: str = "Ada", turn: int | None = 7, question: str = "") -> dict[int, str]:
    """Return an annotator's answers about a message, by turn."""
    return labels().of(CurrentKey(key, turn, question)).of(by)


def shown_answers(app: AppTest) -> dict[int, str]:
    """Return the answers that the rows show, by turn."""
    return {row["turn"]: row["mine"] for row in turn_table(app)["rows"] if row["mine"]}


def position(app: AppTest) -> tuple[int, int | None]:
    """Return the current message and the selected turn, 0-based."""
    data = turn_table(app)
    return data["current"], data["selected"]


def opened(app: AppTest) -> str:
    """Return the key of the conversation that is shown."""
    key: str = app.session_state["explore.state"].conversation
    return key


def add_answers(key: str, turn: int = 7, /, **answers: dict[int, Any]) -> None:
    """Store answers of several annotators about a message."""
    for by, answered in answers.items():
        labels().answer(CurrentKey(key, turn), answered, by=by)


def progress_text(app: AppTest) -> str:
    return "\n".join(one.proto.text for one in app.get("progress"))


def saved_text(app: AppTest) -> str:
    """Return the line about what was stored last."""
    return "\n".join(one.value for one in app.caption if one.value.startswith(":material/check:"))


def all_entries() -> list[Entry]:
    """Return all entries without their times."""
    return sorted((replace(one, at=None) for one in labels().entries()), key=repr)


def add_queue(key: str, turn: int, turns: list[int], name: str = "Mine", by: str = "Ada") -> int:
    items = [NewItem(CurrentKey(key, turn), one, "audit", f"Reason {one}.") for one in turns]
    return Queues(app_store()).add(name, items, by=by, seed=1)
