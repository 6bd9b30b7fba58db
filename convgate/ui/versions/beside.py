"""Any two choosers side by side, on a conversation or on a set with known relevant turns."""

from __future__ import annotations

import streamlit as st

from convgate.policies.gate import GatePolicy
from convgate.ui.choosers import chooser_labels
from convgate.ui.frame import App
from convgate.ui.versions import state
from convgate.ui.versions.measured import draw_on_set
from convgate.ui.versions.talk import draw_on_conversation
from convgate.ui.versions.view import View
from convgate.versions.catalog import Versions

A, B, ON = "versions.a", "versions.b", "versions.on"
_PLACES = {False: "On a conversation", True: "On a set"}


def draw_beside(app: App, view: View) -> None:
    """The choice of the two and of what they are compared on, then how they differ."""
    active = Versions(app.settings.home).active
    labels = chooser_labels(app.settings.home)
    labels[GatePolicy.name] = f"Gate in use ({active})" if active else "Gate in use (untrained)"
    with st.container(horizontal=True, vertical_alignment="bottom", key="versions-choosers"):
        state.put(A, view.a)
        st.selectbox(
            "A, what you know", list(labels), key=A, format_func=lambda name: labels[name],
            on_change=_chose, args=("a", A),
        )  # fmt: skip
        st.button(
            "", key="versions.swap", icon=":material/swap_horiz:", on_click=_swap, help="Swap the two",
            disabled=view.b is None,
        )  # fmt: skip
        state.put(B, view.b)
        st.selectbox(
            "B, what may be better", list(labels), key=B, format_func=lambda name: labels[name],
            on_change=_chose, args=("b", B), index=None, placeholder="Choose a version or a policy",
        )  # fmt: skip
    state.put(ON, view.on_set)
    st.segmented_control(
        "Compared on", list(_PLACES), key=ON, format_func=lambda on: _PLACES[on], required=True,
        on_change=_chose, args=("on_set", ON), label_visibility="collapsed",
    )  # fmt: skip
    if view.b is None:
        st.info("Choose what to put beside A.", icon=":material/compare_arrows:")
    elif view.a == view.b:
        st.info("A and B are the same, so nothing differs. Choose another B.", icon=":material/equal:")
    elif view.on_set:
        draw_on_set(app, view, labels)
    else:
        draw_on_conversation(app, view, labels)


def _chose(name: str, key: str) -> None:
    state.change(**{name: st.session_state[key], "page": 1})


def _swap() -> None:
    view: View = st.session_state[state.VIEW]
    state.change(a=view.b, b=view.a, page=1)
