"""Modes on Explore: a badge on each user's turn, a list of one mode alone, the mode of the message."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.context_page import EXPLORE, ByWords, opened, store, talk
from tests.page_app import click, metric, sound
from tests.test_page_explore import transcript

__all__ = ["store", "talk"]  # fixtures


@pytest.fixture
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with the encoder that ships, for which a classifier is there."""
    monkeypatch.setattr("convgate.ui.explore.modes.are_modes_ready", lambda _: True)


def badges(app: AppTest) -> dict[int, str]:
    return {row["turn"]: row["mode"][0] for row in transcript(app)["rows"] if row["mode"]}


def turns(app: AppTest) -> list[int]:
    return [row["turn"] for row in transcript(app)["rows"]]


def test_each_users_turn_has_its_mode_and_the_list_can_be_of_one_mode(ready: None, talk: str) -> None:
    app = opened(EXPLORE, conversation=talk, turn="8")
    assert badges(app) == {
        1: "EXPLORATION 0.90", 3: "TASK 0.95", 5: "GENERAL 0.50", 7: "DEBUGGING 0.75", 9: "TASK 0.95",
    }  # fmt: skip
    assert transcript(app)["rows"][3]["mode"][1] == "TASK with 0.95: it says “add”."
    assert metric(app, "Mode") == "Task", "one unsure message does not change it"
    (box,) = [one for one in app.selectbox if one.key == "explore.mode"]
    assert "Task: 5" in box.options, "turns that belong to it, answers among them"
    app = sound(box.set_value("EXPLORATION").run())
    assert [turn for turn in turns(app) if turn not in (7, transcript(app)["selected"])] == [1, 2]
    assert 7 in turns(app), "the message to answer is always there"
    assert app.query_params["mode"] in ("EXPLORATION", ["EXPLORATION"])
    assert turns(opened(EXPLORE, conversation=talk, mode="LEARNING", selected="4")) == [3, 9]


def test_modes_that_would_cost_something_wait_until_they_are_asked_for(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    class Counting(ByWords):
        def classify(self, turns: Any) -> Any:
            asked.append(len(turns))
            return super().classify(turns)

    monkeypatch.setattr("convgate.ui.modes.load_classifier", lambda *_: Counting())
    app = opened(EXPLORE, conversation=talk)
    assert (badges(app), asked) == ({}, [])
    app = click(app, "explore.modes")
    assert len(badges(app)) == 5
    found = list(asked)
    sound(app.run())
    assert asked == found, "once for a conversation"


def test_a_long_conversation_waits_too(ready: None, talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.ui.explore.modes._AT_ONCE", 9)
    app = opened(EXPLORE, conversation=talk)
    assert badges(app) == {}
    assert badges(opened(EXPLORE, conversation=talk, mode="TASK")), "a link to a mode asks for them"
    assert "explore.modes" in {one.key for one in app.button}


def test_a_typed_question_has_a_mode_too(ready: None, talk: str) -> None:
    app = opened(EXPLORE, conversation=talk, ask="explain the refresh")
    assert metric(app, "Mode") == "Learning"
