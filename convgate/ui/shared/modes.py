"""Modes of a conversation's messages: the classifiers, the corrections of people, and their control."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.settings import Settings
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import KindJudge, load_judge
from convgate.messages.units import is_from_user
from convgate.modes.classifier import ModeClassifier, load_classifier
from convgate.modes.mode import MODES, Mode
from convgate.store.edits import ModeCorrection, ModeCorrections
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.session_state import put

_NOT_REVIEWED = ""
_BATCH = 32  # turns between two reports of the progress
_BY_HOME: dict[str | type[Any], Callable[[Any], Any]] = {Settings: lambda settings: str(settings.home)}


@st.cache_resource(max_entries=2, show_spinner="Loading the classifier of modes …", hash_funcs=_BY_HOME)
def mode_classifier(settings: Settings) -> ModeClassifier:
    """Return the classifier of modes, loaded once; errors as of `load_classifier`."""
    return load_classifier(settings)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=_BY_HOME)
def statement_judge(settings: Settings) -> KindJudge:
    """Return the classifier of statements, loaded once; errors as of `load_judge`."""
    return load_judge(settings)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=_BY_HOME)
def statement_reader(settings: Settings) -> InvariantReader:
    """Return what finds the statements that must hold, loaded once; errors as of `load_judge`."""
    return InvariantReader(statement_judge(settings))


def corrected_modes(app: App, key: str) -> dict[int, Mode]:
    """Return the modes that people chose for messages of a conversation, by turn."""
    edits = ModeCorrections(app.store).of(key).items()
    return {turn: mode for turn, edit in edits for mode in MODES if mode == edit.corrected}


def draw_mode_correction(
    app: App, page: Address[Any], key: str, conversation: Conversation, turn: int | None
) -> None:
    """Draw the control that corrects or confirms the mode of a user's message; nothing for other turns.

    turn: None for a typed question.
    """
    if turn is None or not is_from_user(conversation.turns[turn]):
        return
    decided = mode_classifier(app.settings).classify([conversation.turns[turn]])[0].mode
    control = f"{page.name}.mode"
    put(control, corrected_modes(app, key).get(turn, _NOT_REVIEWED))

    def store() -> None:
        mode = st.session_state[control]
        correction = ModeCorrection(decided, mode) if mode else None
        with reporting_problems():
            ModeCorrections(app.store).change(key, {turn: correction})

    def label(mode: str) -> str:
        if mode == _NOT_REVIEWED:
            return f"{decided.capitalize()} (not reviewed)"
        return f"{mode.capitalize()}{' (as classified)' if mode == decided else ''}"

    st.selectbox(
        "Correct the mode", [_NOT_REVIEWED, *MODES], key=control, on_change=store, format_func=label,
        help="Monitor shows how often the classifier is wrong. Choose its own mode to confirm it.",
    )  # fmt: skip
    draw_problem()
