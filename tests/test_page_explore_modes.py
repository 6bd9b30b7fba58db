"""Modes on Explore: a badge on each user's turn, and the correction of one."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from convgate.store import Store
from convgate.store.edits import ModeCorrections
from tests.context_page import EXPLORE, correct_mode, opened, store, talk
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


def test_a_person_corrects_and_confirms_modes(
    store: Store, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "explore.mode" not in {control.key for control in opened(EXPLORE, conversation=talk).selectbox}
    for module in ("reading", "inspector"):
        monkeypatch.setattr(f"convgate.ui.explore.{module}.are_modes_ready", lambda _: True)
    app = correct_mode(opened(EXPLORE, conversation=talk, selected="4"), "explore.mode", "LEARNING")
    assert badges(app)[3] == "LEARNING 1.00"
    correct_mode(opened(EXPLORE, conversation=talk, selected="2"), "explore.mode", "EXPLORATION")
    edits = ModeCorrections(store).of(talk)
    assert {turn: edit.corrected != edit.decided for turn, edit in edits.items()} == {1: False, 3: True}
