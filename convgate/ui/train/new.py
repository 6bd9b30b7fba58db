"""A new training: its data, the version to start from, and the button that starts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from convgate.labels.agreement import training_warnings
from convgate.labels.gold import gold_set
from convgate.training.epochs import FURTHER
from convgate.training.library import SetInfo
from convgate.training.process import start_training
from convgate.training.split import MIN_COMPARED, MIN_CONVERSATIONS
from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.ui.label_sources import LABELS, draw_too_few
from convgate.ui.text import literal
from convgate.ui.train.data import REPLAY, draw_data
from convgate.ui.train.state import View, attempt, show_run
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

PARENT, EPOCHS, NAME, NOTE = "train.parent", "train.epochs", "train.name", "train.note"
ACTIVATE, START = "train.activate", "train.start"


def draw_new(app: App, view: View, known: Mapping[str, SetInfo]) -> None:
    """Draw the choices, the warnings and the button."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Data", anchor=False)
        data = draw_data(app, view, known)
    with right:
        st.subheader("New version", anchor=False)
        has_parent = _draw_version(Versions(app.settings.home))
    for warning in training_warnings(app.store):
        st.warning(literal(warning), icon=":material/warning:")
    enough_data = False
    if data.is_empty:
        st.info("Choose data to learn from.", icon=":material/info:")
    else:
        enough_data = draw_too_few(data.conversations)
        if data.conversations < MIN_CONVERSATIONS:
            st.caption("No conversation is held out, so the new version is not compared with its parent.")
        elif data.conversations < MIN_COMPARED:
            st.caption("The new version is compared with its parent by cross-validation.")
    st.button(
        "Start training", key=START, type="primary" if enough_data else "secondary",
        icon=":material/play_arrow:", on_click=attempt, args=(_start, app, data.names),
        disabled=data.is_empty or not has_parent,
        help="It runs in the background: you can leave or reload this page.",
    )  # fmt: skip


def _draw_version(versions: Versions) -> bool:
    """Draw the options of the new version; return whether there is one to start from."""
    names, active = versions.names(), versions.active
    if not names:
        st.info("No version to start from: `convgate pretrain` makes one.", icon=":material/account_tree:")
        return False
    st.selectbox(
        "Start from", names, index=names.index(active) if active in names else 0, key=PARENT,
        persist_state="session", help="The version to train further. It stays as it is.",
    )  # fmt: skip
    st.caption(f"Active: {literal(active or UNTRAINED)}")
    st.number_input(
        "Max epochs", 1, 100, FURTHER.epochs, key=EPOCHS, persist_state="session",
        help="It stops earlier when the validation loss no longer improves.",
    )  # fmt: skip
    st.text_input(
        "Name", key=NAME, max_chars=64, placeholder="The date and a number",
        help="Lower-case letters, digits, periods, hyphens and underscores.",
    )  # fmt: skip
    st.text_input("Note", key=NOTE, max_chars=400, placeholder="What is new about it?")
    st.toggle(
        "Activate it when it is better", value=True, key=ACTIVATE, persist_state="session",
        help="When the 95% interval of its gain excludes 0 on at least 25 held-out conversations. Otherwise"
        " it waits for you.",
    )  # fmt: skip
    return True


def _start(app: App, names: Sequence[str]) -> None:
    # From the session: arguments would be those before what was typed last.
    values = st.session_state
    Versions(app.settings.home).get(values[PARENT]).files()  # fails here rather than in the background
    id = start_training(
        app.settings.home,
        values[PARENT],
        labels=gold_set(app.store) if LABELS in names else None,
        sets=[name for name in names if name != LABELS],
        replay=values[REPLAY],
        epochs=int(values[EPOCHS]),
        name=values[NAME].strip(),
        note=values[NOTE].strip(),
        who=person(),
        activate=values[ACTIVATE],
    )
    show_run(id)
