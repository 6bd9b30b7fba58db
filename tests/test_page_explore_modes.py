"""Modes on Explore: a badge on each user's turn."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.context_page import EXPLORE, opened, store, talk
from tests.test_page_explore import transcript

__all__ = ["store", "talk"]  # fixtures


def badges(app: AppTest) -> dict[int, str]:
    return {row["turn"]: row["mode"][0] for row in transcript(app)["rows"] if row["mode"]}


def test_each_users_turn_has_its_mode_unless_finding_them_takes_long(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert badges(opened(EXPLORE, conversation=talk)) == {}, "no classifier is bundled for this encoder"
    monkeypatch.setattr("convgate.ui.explore.reading.are_modes_ready", lambda _: True)
    app = opened(EXPLORE, conversation=talk, turn="8")
    assert badges(app) == {
        1: "EXPLORATION 0.90", 3: "TASK 0.95", 5: "GENERAL 0.50", 7: "DEBUGGING 0.75", 9: "TASK 0.95",
    }  # fmt: skip
    assert transcript(app)["rows"][3]["mode"][1] == "TASK with 0.95: it says “add”."
    monkeypatch.setattr("convgate.ui.explore.reading._MAX_TURNS_WITH_MODES", 9)
    assert badges(opened(EXPLORE, conversation=talk)) == {}
