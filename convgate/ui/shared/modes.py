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


def draw_mode(
    app: App, page: Address[Any], key: str, conversation: Conversation, turn: int | None, applied: str | None
) -> None:
    """Draw the mode of a user's message, and the control that corrects or confirms it.

    turn: None for a typed question. applied: the mode that divides the budget, and why; without a budget
    nothing is drawn for turns that are no user's.
    """
    edit = decided = None
    if turn is not None and is_from_user(conversation.turns[turn]):
        edit = ModeCorrections(app.store).of(key).get(turn)
        decided = mode_classifier(app.settings).classify([conversation.turns[turn]])[0].mode
    elif applied is None:
        return
    mode = (edit.corrected if edit else decided or "").capitalize() or "why"
    icon = None if edit is None else ":material/check:"
    with st.popover(f"Mode: {mode}", icon=icon, key=f"{page.name}-mode"):
        if applied is not None:
            st.markdown(applied)
        if turn is not None and decided is not None:
            _draw_correction(app, page, key, turn, decided)
            if edit is not None:
                verb = "confirmed" if edit.corrected == decided else "corrected"
                effect = "" if applied else " Modes choose turns only within a budget."
                st.caption(f":material/check: Saved as {verb}; Monitor counts it.{effect}")
    draw_problem()


def _draw_correction(app: App, page: Address[Any], key: str, turn: int, decided: Mode) -> None:
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
