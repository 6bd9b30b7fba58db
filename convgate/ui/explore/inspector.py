"""The inspector of the selected turn: reason, parts of its score, links, words, matrix."""

from __future__ import annotations

import streamlit as st

from convgate.ui.annotator import draw_annotator, is_asked
from convgate.ui.answering import draw_answers
from convgate.ui.answers import Answering
from convgate.ui.explore import state
from convgate.ui.explore.explanation import draw_links, draw_parts, draw_words
from convgate.ui.explore.invariants import STATES, TYPES
from convgate.ui.explore.matrix import draw_matrix
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.keys import MAKE_CURRENT
from convgate.ui.text import literal
from convgate.ui.turn import Step, draw_turn_head, draw_turn_text, format_explanation

_MAX_STATEMENT = 160  # characters

TABS = ("Why", "Score", "Links", "Words", "Matrix")


def draw_inspector(
    app: App, view: View, outcome: Outcome, selected: int | None, answering: Answering
) -> None:
    """Draw the selected turn, and the tab that is open."""
    if selected is None:
        return
    message = outcome.message
    draw_turn_head(
        "explore", message.conversation, selected, state.page.select, _make_current(outcome, selected),
        reference=message.current.turn.timestamp,
    )  # fmt: skip
    indices = outcome.decisions.indices
    if not len(indices) or not int(indices[0]) <= selected <= int(indices[-1]):
        if selected == message.current.index:
            st.markdown("This is the current message: it is always sent.")
        elif selected < message.history.start:
            st.markdown("This turn is not read yet, so nothing is decided about it.")
        else:
            st.markdown("This turn comes after the current message, so nothing is decided about it.")
        draw_turn_text(message.conversation.turns[selected])
        return
    shown = view.show if view.show in TABS else TABS[0]
    tabs = st.tabs(TABS, **state.page.control("show", shown, none=TABS[0]))
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open:
            with tab:
                _draw_tab(app, name, outcome, selected, answering)


def _draw_tab(app: App, name: str, outcome: Outcome, selected: int, answering: Answering) -> None:
    decisions, gate = outcome.decisions, outcome.gate
    if name == "Why":
        _draw_reason(outcome, selected)
        draw_turn_text(outcome.message.conversation.turns[selected])
        _draw_label(app, answering, selected)
    elif name == "Score":
        _draw_score(outcome, selected)
    elif gate is None or not decisions.parts:
        st.caption("Only the gate explains this. Choose it as policy.")
    elif name == "Links":
        draw_links(gate, outcome.message, selected)
    elif name == "Words":
        draw_words(gate, outcome.message, selected)
    else:
        draw_matrix(gate, outcome, selected)


def _draw_reason(outcome: Outcome, selected: int) -> None:
    decision = outcome.decisions.of(selected)
    st.markdown(f"**{literal(decision.outcome_text)}:** {format_explanation(decision.explanation)}")
    if (mode := outcome.labels.get(selected)) is not None:
        st.caption(f"Mode: {mode}")
    for invariant in outcome.selection.invariants:
        if invariant.source == selected:
            text = literal(invariant.text, limit=_MAX_STATEMENT)
            st.markdown(f"{STATES[invariant.state]} **{TYPES[invariant.type]}:** “{text}”")
    if flip := outcome.flips.of(selected) if outcome.flips else "":
        arrow, before = ("↑", "drops") if flip == "up" else ("↓", "keeps")
        st.markdown(f":orange-badge[{arrow} flips] The gate's own rule {before} this turn.")


def _draw_score(outcome: Outcome, selected: int) -> None:
    decision = outcome.decisions.of(selected)
    if decision.parts:
        draw_parts(outcome.decisions, selected)
    elif outcome.decisions.scores is None:
        st.caption("This policy does not score turns.")
    elif decision.score is None:
        st.caption("This turn has no score: an earlier stage decided about it.")
    else:
        st.caption("Only the gate's scores are made of parts; this policy has one number.")


def _draw_label(app: App, answering: Answering, selected: int) -> None:
    with st.container(horizontal=not is_asked(), vertical_alignment="center", gap="xsmall"):
        st.markdown("**Does it matter to the current message?**", width="content")
        draw_annotator(app)
    if answering.by is not None:
        draw_answers(answering, selected)


def _make_current(outcome: Outcome, selected: int) -> Step:
    return Step(
        "make_current", "make current", MAKE_CURRENT,
        None if selected == outcome.message.current.index else selected,
        "Decide as if this turn were the message to answer",
        lambda turn: state.page.change(turn=turn, question="", selected=None),
    )  # fmt: skip
