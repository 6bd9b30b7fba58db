"""The turns beside the one that is looked at, one key away."""

from __future__ import annotations

import streamlit as st

from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.keys import MAKE_CURRENT, NEWER, OLDER
from convgate.ui.text import literal


def draw_neighbours(outcome: Outcome, selected: int) -> None:
    """To the older and the newer turn, and the button that makes this one the message to answer."""
    count = len(outcome.moment.conversation)
    with st.container(horizontal=True, gap="xsmall", key="explore-neighbours"):
        st.button(
            "older", key="explore.older", shortcut=OLDER, disabled=selected == 0,
            on_click=_select, args=(selected - 1,), help=_neighbour(outcome, selected - 1),
        )  # fmt: skip
        st.button(
            "newer", key="explore.newer", shortcut=NEWER, disabled=selected == count - 1,
            on_click=_select, args=(selected + 1,), help=_neighbour(outcome, selected + 1),
        )  # fmt: skip
        st.button(
            "make current", key="explore.make_current", shortcut=MAKE_CURRENT,
            disabled=selected == outcome.moment.situation.index, on_click=_make_current, args=(selected,),
            help="Decide as if this turn were the message to answer",
        )  # fmt: skip


def _neighbour(outcome: Outcome, index: int) -> str | None:
    turns = outcome.moment.conversation.turns
    if not 0 <= index < len(turns):
        return None
    return f"Turn {index + 1}: {literal(turns[index].scored_text, limit=120)}"


def _select(turn: int) -> None:
    state.change(selected=turn)


def _make_current(turn: int) -> None:
    state.change(turn=turn, question="", selected=None)
