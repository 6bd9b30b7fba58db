"""The control with which a person corrects or confirms the mode of a message; shared by pages."""

from __future__ import annotations

from typing import Any

import streamlit as st

from convgate.context.mode import MODES
from convgate.context.modes.conversation import is_from_user
from convgate.core.conversation import Conversation
from convgate.store.edits import ModeCorrection, ModeCorrections
from convgate.ui.actions import draw_problem, reporting_problems
from convgate.ui.frame import App
from convgate.ui.modes import corrected_modes, mode_classifier
from convgate.ui.page_state import Address
from convgate.ui.state import put

_NOT_REVIEWED = ""


def draw_mode_correction(
    app: App, page: Address[Any], key: str, conversation: Conversation, turn: int | None
) -> None:
    """Draw the control for a user's message; nothing for other turns and for a typed question (None)."""
    if turn is None or not is_from_user(conversation.turns[turn]):
        return
    decided = mode_classifier(app.settings).classify([conversation.turns[turn]])[0].mode
    control = f"{page.name}.mode"
    put(control, corrected_modes(app, key).get(turn, _NOT_REVIEWED))

    def store() -> None:
        page.touched()
        mode = st.session_state[control]
        correction = ModeCorrection(decided, mode) if mode else None
        with reporting_problems():
            ModeCorrections(app.store).change(key, {turn: correction})

    def label(mode: str) -> str:
        return f"{mode.capitalize() or 'Not reviewed'}{' (as classified)' if mode == decided else ''}"

    st.selectbox(
        "Correct the mode", [_NOT_REVIEWED, *MODES], key=control, on_change=store, format_func=label,
        help="Monitor shows how often the classifier is wrong. Choose its own mode to confirm it.",
    )  # fmt: skip
    draw_problem()
