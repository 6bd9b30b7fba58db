"""The selected turn: its text, the section it is sent in or what dropped it, and its invariants."""

from __future__ import annotations

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.figures.modes import SECTION_LABELS
from convgate.ui.context import state
from convgate.ui.context.build import ContextResult
from convgate.ui.context.invariants import STATES, TYPES
from convgate.ui.navigation import EXPLORE
from convgate.ui.text import literal
from convgate.ui.turn import draw_turn_head, draw_turn_text, format_explanation

_MAX_STATEMENT = 160  # characters


def draw_turn(result: ContextResult, selected: int) -> None:
    """Draw the turn with everything that is known about it."""
    turn = result.conversation.turns[selected]
    current = result.message.current.turn
    draw_turn_head("context", result.conversation, selected, state.page.select, reference=current.timestamp)
    draw_turn_text(turn)
    reason = _reason(result, selected)
    st.markdown(reason)
    indices = result.decisions.indices
    if len(indices) and indices[0] <= selected <= indices[-1]:
        alone = result.decisions.of(selected)
        if format_explanation(alone.explanation) not in reason:
            st.caption(f"{literal(result.policy_label, limit=60)} alone: {literal(on_screen(alone.reason))}")
    if (mode := result.bundle.labels.get(selected)) is not None:
        st.caption(f"Mode: {mode}")
    for invariant in result.bundle.invariants:
        if invariant.source == selected:
            text = literal(invariant.text, limit=_MAX_STATEMENT)
            st.markdown(f"{STATES[invariant.state]} **{TYPES[invariant.type]}:** “{text}”")
    query = {"conversation": result.key, "selected": str(selected + 1)}
    query |= {"ask": current.text} if result.index is None else {"turn": str(result.index + 1)}
    st.page_link(EXPLORE, label="Open in Explore", icon=":material/query_stats:", query_params=query)


def _reason(result: ContextResult, selected: int) -> str:
    if selected == result.index:
        return "**Current message:** always sent."
    if selected in result.placed:
        section, turn = result.placed[selected]
        why = format_explanation(turn.explanation)
        return f"**{SECTION_LABELS[section]}, {turn.tokens:,} tokens:** {why}"
    if result.index is not None and selected > result.index:
        return "After the current message, so not sent."
    decision = result.bundle.decisions.of(selected)
    return f"**{literal(decision.outcome_text)}:** {format_explanation(decision.explanation)}"
