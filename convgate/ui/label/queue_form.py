"""Making a queue: what it is to be made of, and the making, which shows how far it is."""

from __future__ import annotations

import secrets
from datetime import datetime

import streamlit as st

from convgate.labels.candidates import Judge, Judges
from convgate.labels.queue import library_queue
from convgate.policies.gate import GatePolicy
from convgate.store.queues import Queues
from convgate.ui import scoring
from convgate.ui.annotator import annotator
from convgate.ui.choosers import chooser_labels, policy_of
from convgate.ui.explore import state
from convgate.ui.frame import App
from convgate.ui.label.queueing import MAKING, open_newest, open_queue
from convgate.ui.wording import counted

NAME, SIZE, OTHER, POLICY, WHERE = (
    f"label.queue.{name}" for name in ("name", "size", "other", "policy", "where")
)
_NONE = "none"
_SIZES = (10, 20, 50, 100, 200)


def draw_form(app: App) -> None:
    """What a new queue is to be made of."""
    if annotator() is None:
        st.info("A queue belongs to somebody: choose your name above.", icon=":material/person:")
        return
    labels = chooser_labels(app.settings.home)
    gates = [name for name in labels if policy_of(name) == GatePolicy.name and name != GatePolicy.name]
    policies = [name for name in labels if policy_of(name) != GatePolicy.name]
    with st.form("label.queue.form", border=True):
        st.markdown(
            "**A new queue** asks about the turns that teach most: near the threshold, or where versions,"
            " policies or people disagree; some are drawn by lot. Where nothing is labelled yet, the first"
            " thirty all are."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name", f"{datetime.now().astimezone():%A, %d %B}", key=NAME, max_chars=80)
            st.selectbox("Turns", _SIZES, index=1, key=SIZE)
            st.selectbox(
                "From", ["library", "this"], key=WHERE,
                format_func={"library": "All conversations", "this": "This conversation"}.__getitem__,
            )  # fmt: skip
            st.selectbox(
                "Against the version", [_NONE, *gates], key=OTHER,
                format_func=lambda one: labels.get(one, "None"),
                help="Turns that the version in use keeps and this one drops, or the other way round",
            )  # fmt: skip
            st.selectbox(
                "Against the policy", [_NONE, *policies], index=policies.index("hybrid") + 1, key=POLICY,
                format_func=lambda one: labels.get(one, "None"),
            )  # fmt: skip
        made = st.form_submit_button("Make the queue", type="primary", icon=":material/playlist_add:")
    if Queues(app.store).all():
        st.button("Not now", key="label.queue.cancel", on_click=_not_now, args=(app,), type="tertiary")
    if made:
        _make(app)


def _make(app: App) -> None:
    """Not in a callback, where no progress can be shown."""
    by, view = annotator(), st.session_state[state.VIEW]
    assert by is not None
    labels = chooser_labels(app.settings.home)

    def judge(chooser: str) -> Judge | None:
        if chooser == _NONE:
            return None
        return Judge(labels[chooser], scoring.policy(app, chooser))

    place = st.empty()

    def report(done: int, total: int, /) -> None:
        place.progress(done / max(total, 1), text=f"Looking at {counted(total, 'message')} …")

    gate = scoring.gate_policy(app)
    queues, seed = Queues(app.store), secrets.randbelow(2**31)
    items = library_queue(
        app.store,
        Judges(
            Judge(gate.version, gate),
            judge(st.session_state[OTHER]),
            judge(st.session_state[POLICY]),
        ),
        size=int(st.session_state[SIZE]),
        seed=seed,
        by=by,
        conversations=[view.conversation] if st.session_state[WHERE] == "this" else None,
        progress=report,
    )
    place.empty()
    if not items:
        st.info("There is nothing left to ask about: every turn that was looked at is settled.")
        return
    queue = queues.add(st.session_state[NAME] or "Queue", items, by=by, seed=seed)
    st.session_state[MAKING] = False
    open_queue(app, queue.number)
    st.rerun()


def _not_now(app: App) -> None:
    st.session_state[MAKING] = False
    open_newest(app)
