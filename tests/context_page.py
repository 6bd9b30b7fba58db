"""The page Context on a short conversation, with modes by single words: what its tests share."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.context.mode import MIN_CONFIDENCE, MODES, Mode, ModeDecision
from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.ui import services
from tests.contexts import WordJudge
from tests.fakes import FakeEncoder
from tests.page_app import open_page, sound

CONTEXT, EXPLORE = "pages/9_Context.py", "pages/1_Explore.py"
_WORDS: dict[str, tuple[Mode, float]] = {
    "add": ("TASK", 0.95),
    "write": ("TASK", 0.95),
    "error": ("DEBUGGING", 0.9),
    "perhaps": ("DEBUGGING", 0.75),
    "explain": ("LEARNING", 0.9),
    "what if": ("EXPLORATION", 0.9),
}

TALK = (
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


class ByWords:
    """A classifier of modes that goes by single words."""

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        """One decision a turn."""
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
def store(convgate_home: object) -> Store:
    return Store(load_settings().database)


@pytest.fixture
def talk(store: Store, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> str:
    """`TALK` in the library; nothing slow is loaded."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    monkeypatch.setattr("convgate.ui.modes.load_classifier", lambda *_: ByWords())
    monkeypatch.setattr("convgate.ui.modes.load_judge", lambda *_: WordJudge())
    return add(store, TALK)


def add(store: Store, said: Sequence[Turn]) -> str:
    """Put a conversation into the library; its key."""
    return Conversations(store).add([NewConversation(Conversation("talk", tuple(said)))])[0].key


def opened(file: str = CONTEXT, **query: str) -> AppTest:
    """The page at an address."""
    return open_page(file, **query)


def rows(app: AppTest) -> list[dict[str, Any]]:
    """The rows of the turn table."""
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    listed: list[dict[str, Any]] = json.loads(component.proto.json)["rows"]
    return listed


def turns(app: AppTest, state: str) -> list[int]:
    """The turns of the table, from 0, that are "kept" or "dropped"."""
    return [row["turn"] for row in rows(app) if row["state"] == state]


def correct_mode(app: AppTest, mode: str, page: str = "context") -> AppTest:
    """The page after a choice in the control of the mode; "" for not reviewed."""
    return sound(app.selectbox(key=f"{page}.mode").set_value(mode).run())
