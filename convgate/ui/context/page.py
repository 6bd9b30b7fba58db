"""Context from top to bottom: choose, build, then the answer, the pictures, the lists, and one turn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from convgate.context.mode import known_intents
from convgate.ui.choosers import chooser_labels
from convgate.ui.context import state
from convgate.ui.context.build import ContextBuild, make
from convgate.ui.context.charts import draw_along, draw_bar
from convgate.ui.context.controls import draw_cells, draw_intent, draw_tried
from convgate.ui.context.invariants import draw_invariants
from convgate.ui.context.lists import draw_dropped, draw_messages, draw_sections
from convgate.ui.context.state import SHOWN, View
from convgate.ui.context.strip import draw_difference, draw_strip, marks_of
from convgate.ui.context.turn import draw_turn
from convgate.ui.frame import App
from convgate.ui.modes import conversation_modes
from convgate.ui.page_state import draw_problems

_STYLE = Path(__file__).with_name("context.css")


def context_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    picked = state.PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        return
    key, conversation = picked
    view = view.showing(key)
    labels = chooser_labels(app.settings.home)
    view, unknown = view.among(intent=known_intents(app.settings))
    view, missing = view.within(conversation, labels)
    state.keep(view)
    draw_problems([*problems, *unknown, *missing])
    moment = state.PICKER.pick_moment(key, conversation, view.turn, view.question)
    with st.sidebar:
        draw_intent(view, app.settings)
        rest = st.container()
    made = make(app, view, moment)
    budgets = made.replay.builder.budgets
    with rest:
        draw_tried(view, app.settings, labels, table=budgets.total(made.shown.bundle.mode))
    _draw_context(app, view, made)


def _draw_context(app: App, view: View, made: ContextBuild) -> None:
    shown = made.shown
    draw_strip(shown, app.conversations.summary(shown.key).title)
    usual = make(app, view.as_set, shown.moment) if view.overrides or view.intent else None
    marks: dict[int, str] = {}
    if usual is not None:
        draw_difference(shown.bundle, usual.shown.bundle)
        marks = marks_of(shown.bundle, usual.shown.bundle)
    draw_bar(shown)
    mode = shown.bundle.mode
    as_set = (usual or made).replay.builder.budgets
    draw_cells(shown, as_set.cells(mode))
    draw_along(shown, made.replay, conversation_modes(app, shown.key, shown.conversation))
    selected = _usual(made) if view.selected is None else view.selected
    with st.container(key="context-body"):
        left, right = st.columns([1.45, 1], gap="medium")
        with left:
            _draw_lists(made, view, selected, marks)
        with right, st.container(key="context-turn"):
            draw_turn(shown, selected)


def _draw_lists(made: ContextBuild, view: View, selected: int, marks: Mapping[int, str]) -> None:
    shown, view = made.shown, replace(view, selected=selected)
    counts = {
        "sections": shown.turns,
        "invariants": len(shown.bundle.invariants),
        "dropped": len(shown.moment.history) - shown.turns,
        "messages": len(shown.bundle.messages),
    }
    st.segmented_control(
        "Look at", list(SHOWN), required=True, label_visibility="collapsed",
        **state.page.control("show", view.show, section=None, why=None),
        format_func=lambda name: f"{SHOWN[name]} {counts[name]:,}",
    )  # fmt: skip
    if view.show == "sections":
        draw_sections(shown, view, marks)
    elif view.show == "invariants":
        draw_invariants(shown, view)
    elif view.show == "dropped":
        draw_dropped(shown, view, marks)
    elif view.show == "messages":
        draw_messages(made, view)


def _usual(made: ContextBuild) -> int:
    """The turn that is looked at first: the newest that is sent, else the message to answer."""
    placed = made.shown.placed
    if placed:
        return max(placed)
    index = made.shown.index
    return len(made.shown.conversation) - 1 if index is None else index
