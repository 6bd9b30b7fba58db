"""One turn: what it says, where it stands or what left it out, and every reason for that."""

from __future__ import annotations

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.figures.modes import SECTION_LABELS
from convgate.ui.context import state
from convgate.ui.context.build import ContextView
from convgate.ui.context.invariants import ADDING, STATES, TYPES
from convgate.ui.navigation import EXPLORE
from convgate.ui.text import literal
from convgate.ui.turn import draw_turn_head, draw_turn_text, outcome_words

_QUOTED = 160  # characters of a statement


def draw_turn(shown: ContextView, selected: int) -> None:
    """The turn with all that is known of it."""
    turn = shown.conversation.turns[selected]
    draw_turn_head(
        "context", shown.conversation, selected, _select, reference=shown.moment.situation.turn.timestamp
    )
    draw_turn_text(turn)
    st.markdown(_where(shown, selected))
    _draw_policy(shown, selected)
    if (label := shown.bundle.labels.get(selected)) is not None:
        st.caption(f"It belongs to {label}.")
    for one in shown.states(selected):
        st.markdown(f"{STATES[one.state]} **{TYPES[one.type]}:** “{literal(one.text, limit=_QUOTED)}”")
    _draw_ways(shown, selected)


def _select(turn: int) -> None:
    state.change(selected=turn)  # and lists go where it is


def _where(shown: ContextView, selected: int) -> str:
    if selected == shown.index:
        return "**The message to answer:** it is always sent."
    if selected in shown.placed:
        section, turn = shown.placed[selected]
        return f"**In {SECTION_LABELS[section].lower()}:** {literal(outcome_words(turn.reason)[1])}"
    if shown.index is not None and selected > shown.index:
        return "This turn comes after the message to answer, so it is not sent."
    word, why = outcome_words(shown.bundle.decisions.of(selected).reason)
    return f"**{literal(word)}:** {literal(why)}"


def _draw_policy(shown: ContextView, selected: int) -> None:
    """What the policy says by itself, where that is not what was told above."""
    indices = shown.decided.indices
    if len(indices) and int(indices[0]) <= selected <= int(indices[-1]):
        reason = on_screen(shown.decided.of(selected).reason)
        if literal(outcome_words(reason)[1]) not in _where(shown, selected):
            st.caption(f"{literal(shown.policy_label, limit=60)} alone: {literal(reason)}")


def _hold() -> None:
    st.session_state[ADDING] = True
    state.change(show="invariants")


def _draw_ways(shown: ContextView, selected: int) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.button(
            "Hold on to it", key="context.hold", icon=":material/keep:",
            on_click=_hold, help="Add what it says as an invariant, which every context must have",
        )  # fmt: skip
        query = {"conversation": shown.key, "selected": str(selected + 1)}
        if shown.index is None:
            query["ask"] = shown.moment.situation.turn.text
        else:
            query["turn"] = str(shown.index + 1)
        st.page_link(
            EXPLORE, label="See its score in Explore", icon=":material/query_stats:", query_params=query
        )
