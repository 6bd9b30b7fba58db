"""A new training: what to learn from, from which version, and the button that starts it."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from convgate.core.text import pluralize
from convgate.labels.gold import gold_set
from convgate.training.epochs import FURTHER
from convgate.training.process import Order, start_training
from convgate.training.split import MIN_CONVERSATIONS
from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.train import state
from convgate.ui.train.data import Chosen, draw_data
from convgate.ui.train.warnings import warnings_before_training
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

PARENT, EPOCHS, NAME, NOTE = "train.parent", "train.epochs", "train.name", "train.note"
ACTIVATE, START = "train.activate", "train.start"


def draw_order(app: App) -> None:
    """The choices side by side, what to know before, and the button."""
    versions = Versions(app.settings.home)
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Learn from", anchor=False)
        chosen = draw_data(app)
    with right:
        st.subheader("Make a version", anchor=False)
        order = _draw_version(versions)
    for warning in warnings_before_training(app):
        st.warning(literal(warning), icon=":material/warning:")
    if note := few(chosen):
        st.info(note, icon=":material/info:")
    st.button(
        "Start training", key=START, type="primary", icon=":material/play_arrow:", on_click=_start,
        args=(app, chosen, order), disabled=chosen.is_empty or order is None,
        help="It runs in a process of its own: you can go on working, reload the page or close it.",
    )  # fmt: skip


def few(chosen: Chosen) -> str:
    """What to know when little was chosen; empty when there is enough."""
    if chosen.is_empty:
        return "Choose something to learn from."
    if not chosen.conversations:
        return "Without labels or sets it only repeats what comes with convgate, so it will hardly change."
    if chosen.conversations < MIN_CONVERSATIONS:
        return (
            f"These labels are of {pluralize(chosen.conversations, 'conversation')}. All are learned from, but"
            " none is left to compare the new version with its parent, so it is not made active by itself."
            f" Label turns in {MIN_CONVERSATIONS} conversations or more to see whether it gets better."
        )
    return ""


def _draw_version(versions: Versions) -> Order | None:
    names, active = versions.names(), versions.active
    if not names:
        st.info(
            "There is no version to start from; `convgate pretrain` makes one.",
            icon=":material/account_tree:",
        )
        return None
    parent = st.selectbox(
        "Start from", names, index=names.index(active) if active in names else 0, key=PARENT,
        persist_state="session",
        help="The version that goes on learning. It stays as it is; a new one is made.",
    )  # fmt: skip
    st.caption(f"In use: {literal(active or UNTRAINED)}")
    epochs = st.number_input(
        "Epochs, at most", 1, 100, FURTHER.epochs, key=EPOCHS, persist_state="session",
        help="Passes over the data. It stops earlier when the conversations kept for validation get no"
        " better, and the best epoch counts.",
    )  # fmt: skip
    name = st.text_input(
        "Name", key=NAME, max_chars=64, placeholder="the day's date and a number",
        help="Small letters, digits, points, hyphens and underscores.",
    )  # fmt: skip
    note = st.text_input("Note", key=NOTE, max_chars=400, placeholder="What is new about it?")
    activate = st.toggle(
        "Use it when it is better", value=True, key=ACTIVATE, persist_state="session",
        help="Activated when the 95% interval of its gain excludes 0 on at least 25 held-out conversations."
        " Otherwise it waits for you.",
    )  # fmt: skip
    return Order(
        parent=parent,
        epochs=int(epochs),
        name=name.strip(),
        note=note.strip(),
        who=person(),
        activate=activate,
    )


def _start(app: App, chosen: Chosen, order: Order) -> None:
    def start() -> str:
        Versions(app.settings.home).get(order.parent).files()  # damage is told here and not by a failed run
        labels = gold_set(app.store) if chosen.labels else None
        whole = replace(order, labels=labels, sets=chosen.sets, replay=chosen.replay)
        return start_training(app.settings.home, whole)

    id = state.attempt(start)
    if id is not None:
        state.look_at(id)
