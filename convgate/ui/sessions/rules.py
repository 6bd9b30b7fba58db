"""The rules of boundaries in the sidebar, and what a change of them does to the conversation."""

from __future__ import annotations

import math

import streamlit as st
import tomli_w

from convgate.core.text import format_duration, pluralize
from convgate.policies.sessions import Boundaries, BoundaryRules
from convgate.ui.sessions import state
from convgate.ui.sessions.boundaries import ConversationBoundaries

_GAPS = tuple(
    60.0 * minutes
    for minutes in (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720, 1440, 2880, 4320, 10080)
)
_SETTINGS = {
    "idle_gap": "session_idle_gap",
    "continue_overrides_gap": "session_continue_overrides_gap",
    "close_on_complete": "session_auto_close_on_workflow_complete",
}
_MAX_TURNS = 10  # that are named


def draw_rules(rules: BoundaryRules, saved: BoundaryRules) -> None:
    """Draw the rules in the sidebar."""
    with st.sidebar:
        st.markdown("**Rules**", help="Changes apply to this page only. The lines below save them.")
        st.select_slider(
            "Idle gap that ends a session", sorted({*_GAPS, math.inf, rules.idle_gap, saved.idle_gap}),
            format_func=_format_gap, **state.page.control("gap", rules.idle_gap),
        )  # fmt: skip
        st.toggle(
            "“Continue” overrides the gap",
            **state.page.control("override", rules.continue_overrides_gap),
            help="A message that begins with “continue” continues the conversation after any gap.",
        )
        st.toggle(
            "COMPLETE closes the conversation",
            **state.page.control("complete", rules.close_on_complete),
            help="The message after the workflow state COMPLETE begins a conversation.",
        )
        if rules != saved:
            st.button(
                "Reset the rules", key="sessions.reset", icon=":material/undo:", width="stretch",
                on_click=state.change, kwargs={"gap": None, "override": None, "complete": None},
            )  # fmt: skip
            st.caption("To save these rules, add to convgate.toml:")
            st.code(settings_lines(rules, saved), language="toml")


def draw_effect(boundaries: ConversationBoundaries) -> None:
    """Show what the changed rules change in the conversation."""
    if boundaries.rules == boundaries.saved_rules:
        return
    turns = changed_turns(boundaries.shown, boundaries.saved)
    numbers = ", ".join(f"{turn + 1:,}" for turn in turns[:_MAX_TURNS])
    more = " …" if len(turns) > _MAX_TURNS else ""
    change = f"Different at {pluralize(len(turns), 'turn')}: {numbers}{more}." if turns else "No change here."
    st.info(
        f"Changed rules: {_count(boundaries.shown)}. Saved rules: {_count(boundaries.saved)}. {change}",
        icon=":material/tune:",
    )


def changed_turns(boundaries: Boundaries, saved: Boundaries) -> list[int]:
    """Return the turns with which something else begins, in order."""
    kinds, saved_kinds = (
        {record.item: record.kind for record in each.records} for each in (boundaries, saved)
    )
    turns = kinds.keys() | saved_kinds.keys()
    return sorted(turn for turn in turns if kinds.get(turn) != saved_kinds.get(turn))


def settings_lines(rules: BoundaryRules, saved: BoundaryRules) -> str:
    """Return the lines of a settings file that save the rules."""
    values = {name: getattr(rules, field) for field, name in _SETTINGS.items()}
    changed = {
        name: values[name] for field, name in _SETTINGS.items() if values[name] != getattr(saved, field)
    }
    return tomli_w.dumps(changed)


def _format_gap(gap: float) -> str:
    return "none" if math.isinf(gap) else format_duration(gap)


def _count(boundaries: Boundaries) -> str:
    conversations = pluralize(len(boundaries.conversation_starts), "conversation")
    return f"{conversations} in {pluralize(len(boundaries.session_starts), 'session')}"
