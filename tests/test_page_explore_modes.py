"""The mode of the current message on the page Explore, and its correction."""

from __future__ import annotations

import pytest

from convgate.store import Store
from convgate.store.edits import ModeCorrections
from tests.context_page import correct_mode, key
from tests.fakes import FakeEncoder
from tests.page_app import open_page

__all__ = ["key"]  # fixtures


def test_a_person_corrects_the_mode_of_the_current_message(
    store: Store, key: str, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.ui.explore.page.BUNDLED_SHA256", fake_encoder.identity.revision)
    app = open_page("Explore", conversation=key, turn="8")
    control = app.selectbox(key="explore.mode")
    assert (control.value, control.options[0]) == ("", "Debugging (not reviewed)")
    correct_mode(app, "LEARNING", "explore")
    correction = ModeCorrections(store).of(key)[7]
    assert (correction.decided, correction.corrected) == ("DEBUGGING", "LEARNING")
