"""What is simulated: which modes are usual, toward which they drift, how far, how long, how many requests."""

from __future__ import annotations

import streamlit as st

from convgate.context.mode import MODES
from convgate.ui.monitor import state
from convgate.ui.monitor.view import (
    LEAST_FAR,
    LEAST_MINUTES,
    LEAST_RATE,
    MOST_FAR,
    MOST_MINUTES,
    MOST_RATE,
    ORIGINS,
    View,
)

ORIGIN, TOWARD, FAR = "monitor.origin", "monitor.toward", "monitor.far"
MINUTES, RATE, SHARE = "monitor.minutes", "monitor.rate", "monitor.share"


def draw_tried(view: View, *, has_baseline: bool) -> None:
    """The controls."""
    origins = [one for one in ORIGINS if one != "baseline" or has_baseline]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        state.put(ORIGIN, view.origin if view.origin in origins else "own")
        st.segmented_control(
            "Usual modes", origins, key=ORIGIN, format_func=ORIGINS.__getitem__, required=True,
            on_change=_changed, help="Whose shares of modes are taken for usual, and for the baseline.",
        )  # fmt: skip
        state.put(TOWARD, view.toward)
        st.selectbox("Drifts toward", MODES, key=TOWARD, on_change=_changed, width=190)
        state.put(RATE, view.rate)
        st.number_input(
            "Requests an hour", LEAST_RATE, MOST_RATE, step=100, key=RATE, on_change=_changed, width=160
        )
    if view.origin == "own" or view.origin not in origins:
        with st.container(horizontal=True, gap="small"):
            for place, mode in enumerate(MODES):
                state.put(f"{SHARE}.{mode}", view.shares[place])
                st.number_input(
                    mode.capitalize(), 0, 100, key=f"{SHARE}.{mode}", on_change=_changed_shares, width=130,
                    help="In any unit: only how they are to each other counts",
                )  # fmt: skip
    left, right = st.columns(2, gap="large")
    with left:
        state.put(FAR, view.far)
        st.slider(
            "How far they drift (nats)", LEAST_FAR, MOST_FAR, step=0.01, key=FAR, on_change=_changed,
            help="The Kullback–Leibler divergence of an hour of such requests from the baseline",
        )  # fmt: skip
    with right:
        state.put(MINUTES, view.minutes)
        st.slider(
            "For how long (minutes)", LEAST_MINUTES, MOST_MINUTES, step=5, key=MINUTES, on_change=_changed
        )


def _changed() -> None:
    state.change(
        origin=st.session_state[ORIGIN], toward=st.session_state[TOWARD],
        far=round(float(st.session_state[FAR]), 2), minutes=int(st.session_state[MINUTES]),
        rate=int(st.session_state[RATE]), step=None,
    )  # fmt: skip


def _changed_shares() -> None:
    shares = tuple(int(st.session_state[f"{SHARE}.{mode}"]) for mode in MODES)
    if any(shares):
        state.change(shares=shares, origin="own", step=None)
    else:  # of nothing there are no shares; the controls go back to what they were
        state.touched()
