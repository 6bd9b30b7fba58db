"""What a budget was spent on: the mode, the chart of sections, and what could not be kept."""

from __future__ import annotations

import re

import streamlit as st

from convgate.core.text import pluralize
from convgate.figures.context import budget_figure, describe_budget
from convgate.figures.hover import on_screen
from convgate.figures.layout import CONFIG
from convgate.modes.mode import SURE
from convgate.selection.selection import Budgeted, Selection
from convgate.transcripts.characters import writable
from convgate.ui.explore import state
from convgate.ui.explore.state import MAX_BUDGET, View
from convgate.ui.text import literal
from convgate.ui.theme import current_palette

_MAX_STATEMENT = 120  # characters
_MESSAGE = re.compile(r"^message (\d+)")  # a place in what is sent
_CAUSES = {
    "drift": "The modes of the last hour have drifted from the baseline",
    "misclassified": "People corrected too many modes",
    "errors": "This mode fails too often",
    "breach": "An invariant was missing",
}


def draw_budget(view: View, default: int | None) -> None:
    """Draw the control of the budget; default: that of the settings."""
    st.number_input(
        "Budget (tokens)", value=None, min_value=0, max_value=MAX_BUDGET, step=1_000,
        **state.page.control("budget", view.budget),
        placeholder="No limit" if default is None else f"{default:,}, as in the settings",
        help="Of everything that is sent. The mode of the message divides it into sections. Invariants,"
        " instructions and the current message are never cut.",
    )  # fmt: skip


def draw_sections(selection: Selection) -> None:
    """Draw the tokens of each section beside the budget and the whole conversation."""
    if selection.budgeted is None:
        return
    figure = budget_figure(selection, selection.budgeted, palette=current_palette())
    st.plotly_chart(
        figure, theme=None, key="explore.bar", config=CONFIG, height=figure.layout.height,
        alt=writable(describe_budget(selection, selection.budgeted)),
    )  # fmt: skip


def describe_mode(spent: Budgeted) -> str:
    """Return which mode divides the budget, and why, as Markdown."""
    decision = spent.mode_decision
    reason = (
        "chosen by a person."
        if decision.source == "intent"
        else literal(on_screen(decision.reason), limit=400)
    )
    if any(fallback.cause != "breach" for fallback in spent.fallbacks):
        return f"**{spent.mode}** in place of {decision.mode}. Message: {reason}"
    if spent.mode == decision.mode:
        return f"**{spent.mode}**: {reason}"
    return (
        f"{reason} The conversation stays in **{spent.mode}**: it changes from {SURE:.2f} on, or when two"
        " messages in a row agree."
    )


def draw_selection_problems(selection: Selection) -> None:
    """Draw fallbacks, what exceeds the budget, and what chat APIs may refuse."""
    for fallback in selection.fallbacks:
        reason = literal(on_screen(fallback.reason))
        st.error(f"**{_CAUSES[fallback.cause]}.** {reason}", icon=":material/error:")
    for invariant in selection.breaches:
        text = literal(invariant.text, limit=_MAX_STATEMENT)
        st.error(f"Missing was turn {invariant.source + 1:,}: “{text}”", icon=":material/error:")
    if selection.over_budget:
        st.error(
            f"**{pluralize(selection.over_budget, 'token')} over the budget.** Increase the budget.",
            icon=":material/data_alert:",
        )
    if selection.missing_results:
        ids = ", ".join(literal(id, limit=40) for id in selection.missing_results[:5])
        st.warning(f"Results of tool calls are missing: {ids}", icon=":material/hourglass_empty:")
    for violation in selection.violations[:5]:
        text = _MESSAGE.sub(
            lambda match: f"message {int(match[1]) + 1:,} of those sent", violation.partition(": ")[2]
        )
        st.warning(f"Chat APIs may refuse this list: {literal(text, limit=300)}", icon=":material/warning:")
