"""Explore shows the mode of the current message, and a person corrects it."""

from __future__ import annotations

import pytest

from convgate.store import Store
from convgate.store.edits import ModeCorrections
from tests.context_page import EXPLORE, correct_mode, opened, store, talk
from tests.fakes import FakeEncoder

__all__ = ["store", "talk"]  # fixtures


def test_a_person_corrects_the_mode_of_the_current_message(
    store: Store, talk: str, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.ui.explore.page.BUNDLED_SHA256", fake_encoder.identity.revision)
    app = opened(EXPLORE, conversation=talk, turn="8")
    control = app.selectbox(key="explore.mode")
    assert (control.value, control.options[0]) == ("", "Debugging (not reviewed)")
    correct_mode(app, "LEARNING", "explore")
    correction = ModeCorrections(store).of(talk)[7]
    assert (correction.decided, correction.corrected) == ("DEBUGGING", "LEARNING")
