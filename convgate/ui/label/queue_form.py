"""The form for a new queue, and its making, which shows its progress."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import Literal

import streamlit as st

from convgate.labels.queue import Judge, make_queue
from convgate.policies.gate import GatePolicy
from convgate.store.queues import Queues
from convgate.ui import scoring
from convgate.ui.annotator import annotator
from convgate.ui.choosers import chooser_labels, policy_of
from convgate.ui.explore import state
from convgate.ui.frame import App

MAKING = "label.making"
"""Whether a new queue is being described."""

SIZE, OTHER, WHERE = "label.queue.size", "label.queue.other", "label.queue.where"
_SIZES = (10, 20, 50, 100, 200)


def draw_form(app: App) -> bool:
    """Draw the form; return whether a queue was made."""
    if annotator() is None:
        st.info("Choose a name above to make a queue.", icon=":material/person:")
        return False
    names = chooser_labels(app.settings.home)
    others = [name for name in names if name != GatePolicy.name]
    with st.form("label.queue.form", border=True):
        st.markdown("**New queue**: turns near the threshold, turns with a disagreement, and random turns.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Turns", _SIZES, index=1, key=SIZE)
            st.selectbox(
                "From", ["library", "this"], key=WHERE,
                format_func={"library": "All conversations", "this": "This conversation"}.__getitem__,
            )  # fmt: skip
            st.selectbox(
                "Compared with", others, index=others.index("hybrid"), key=OTHER,
                format_func=lambda name: names.get(name, name),
                help="Asks about turns that the active version keeps and this one drops, or vice versa",
            )  # fmt: skip
        is_submitted = st.form_submit_button("Make queue", type="primary", icon=":material/playlist_add:")
    return is_submitted and _make(app, names)  # not in a callback, where no spinner can be shown


def _make(app: App, names: dict[str, str]) -> bool:
    by, view, other = annotator(), st.session_state[state.VIEW], st.session_state[OTHER]
    assert by is not None
    gate, seed = scoring.gate_policy(app), secrets.randbelow(2**31)
    kind: Literal["versions", "policies"] = "versions" if policy_of(other) == GatePolicy.name else "policies"
    with st.spinner("Scoring messages …"):
        items = make_queue(
            app.store,
            Judge(gate.version, gate),
            Judge(names[other], scoring.policy(app, other), kind),
            size=int(st.session_state[SIZE]),
            seed=seed,
            by=by,
            conversations=[view.conversation] if st.session_state[WHERE] == "this" else None,
        )
    if items:
        Queues(app.store).add(f"{datetime.now().astimezone():%A, %d %B}", items, by=by, seed=seed)
    else:
        st.info("No turns are left to ask about.")
    return bool(items)
