"""The modes of messages in Explore: a badge for each user's turn, one for the message, and a filter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import streamlit as st

from convgate.context.mode import MODES, ModeDecision
from convgate.context.modes import ConversationModes
from convgate.core.conversation import Turn
from convgate.core.errors import ContextError
from convgate.core.text import format_number, pluralize
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.modes import are_modes_ready, conversation_modes, find_ahead, mode_classifier
from convgate.ui.text import literal

FIND = "explore.find_modes"
_ALL = ""
_AT_ONCE = 120  # turns of a conversation whose modes are found without being asked for


@dataclass(frozen=True)
class Modes:
    """What the page shows of them; nothing while they are not known."""

    told: Mapping[int, tuple[str, str]] = field(default_factory=dict)  # by user's turn: name, and why
    only: Sequence[int] | None = None  # the turns that belong to the mode that is chosen
    message: ModeDecision | None = None  # of the message to answer by itself
    applied: str = ""  # the mode of the conversation there


NO_MODES = Modes()


def explore_modes(app: App, view: View, outcome: Outcome) -> Modes:
    """The modes of the conversation, as far as they cost nothing; in the sidebar the filter.

    To find them, messages are read once more, for the first time only. A person has to ask for that where
    it takes long: with many messages, with a policy that needs no encoder, or with an encoder that the
    classifier has to be fitted to.
    """
    asked = view.mode is not None or bool(st.session_state.get(FIND))
    talk = outcome.moment.conversation
    encoded = getattr(outcome.policy, "encoder", None) is not None
    few = len(talk) <= _AT_ONCE
    if not asked and not (encoded and few and are_modes_ready(app)):
        with st.sidebar:
            st.button(
                "Find modes", key="explore.modes", icon=":material/category:", on_click=_find,
                help="Which turns are about a task, an error, learning, exploring. The first time takes a"
                f" while: {pluralize(len(talk), 'turn')}.",
            )  # fmt: skip
        return NO_MODES
    try:
        find_ahead(app, outcome.moment.key, talk)
        found = conversation_modes(app, outcome.moment.key, talk)
    except ContextError as error:  # what is kept does not hang on it
        st.warning(f"The modes cannot be found: {literal(str(error))}", icon=":material/category:")
        return NO_MODES
    _draw_filter(view, found)
    situation = outcome.moment.situation
    only = None
    if view.mode is not None:
        only = [turn for turn, label in found.labels.items() if label == view.mode]
    told = {turn: badge(one) for turn, one in found.found.items()}
    if situation.index is None:
        return Modes(told, only, _of_question(app, situation.turn))
    message = found.found.get(situation.index)
    return Modes(told, only, message, found.applied.get(situation.index, ""))


def mode_number(modes: Modes) -> list[tuple[str, str, str, str]]:
    """The mode of the message to answer, for the strip; nothing while it is not known."""
    one = modes.message
    if one is None:
        return []
    applied = modes.applied or one.mode
    carried = "" if applied == one.mode else f"by itself {one.mode.capitalize()}, "
    told = f"{carried}{format_number(one.confidence)}"
    return [("Mode", applied.capitalize(), told, f"{one.reason} Context shows what follows from it.")]


def badge(one: ModeDecision) -> tuple[str, str]:
    """What stands on a turn, and its tooltip.

    An unsure one names what it most likely is.
    """
    name = one.mode if one.mode == one.likeliest else f"{one.likeliest}?"
    return f"{name} {format_number(one.confidence)}", one.reason


def _of_question(app: App, turn: Turn) -> ModeDecision:
    (found,) = mode_classifier(app).classify([turn])
    return found


def _draw_filter(view: View, found: ConversationModes) -> None:
    labels = list(found.labels.values())
    st.sidebar.selectbox(
        "List turns of", [_ALL, *MODES], **state.page.control("mode", view.mode, none=_ALL),
        format_func=lambda mode: f"{mode.capitalize()}: {labels.count(mode):,}" if mode else "All modes",
        help="Every user's turn has a mode, and its answers share it. The list shows one mode alone; what is"
        " kept stays the same.",
    )  # fmt: skip


def _find() -> None:
    st.session_state[FIND] = True
    state.touched()
