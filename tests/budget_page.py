"""Explore with a budget on a short conversation, with modes by single words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.modes.mode import MIN_CONFIDENCE, MODES, Mode, ModeDecision
from tests.contexts import WordJudge
from tests.fakes import FakeEncoder
from tests.page_app import add_conversation, check, open_page, turn_table, use_encoder

open_budgeted = partial(open_page, "Explore", budget="8000")
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


class WordClassifier:
    """Decides modes by single words."""

    encoder = FakeEncoder()

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        """Return one decision per turn."""
        return [self._decision(item, turn.text) for item, turn in enumerate(turns)]

    def _decision(self, item: int, text: str) -> ModeDecision:
        word = next((word for word in _WORDS if word in text), "")
        likeliest, confidence = _WORDS.get(word, ("GENERAL", 0.5))
        mode = likeliest if confidence >= MIN_CONFIDENCE else "GENERAL"
        return ModeDecision(
            item, mode, "classifier", f"it says “{word}”.", "mode", mode=mode,
            confidence=confidence, source="classifier" if word else "low confidence", likeliest=likeliest,
            probabilities={one: float(one == likeliest) for one in MODES}, signs=(word,) if word else (),
        )  # fmt: skip


@pytest.fixture
def key(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of a conversation with every mode in the library; nothing slow is loaded."""
    use_encoder(fake_encoder, monkeypatch)
    monkeypatch.setattr("convgate.ui.shared.modes.load_classifier", lambda *_: WordClassifier())
    monkeypatch.setattr("convgate.ui.shared.modes.load_judge", lambda *_: WordJudge())
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
