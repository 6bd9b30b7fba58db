"""Explore from top to bottom: the message, metrics, threshold, chart, transcript, and the selected turn."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.core.bundled_encoder import BUNDLED_SHA256
from convgate.ui.explore.controls import (
    draw_budget,
    draw_nothing_kept,
    draw_policy,
    draw_rule,
    draw_threshold,
)
from convgate.ui.explore.encoding import read_all, show_newest_first
from convgate.ui.explore.inspector import draw_inspector
from convgate.ui.explore.messages import draw_messages
from convgate.ui.explore.reading import draw_reading
from convgate.ui.explore.summary import (
    describe_mode,
    draw_chart,
    draw_message,
    draw_metrics,
    draw_sections,
    draw_selection_problems,
)
from convgate.ui.shared import scoring
from convgate.ui.shared.answers import Work, read_answers
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.frame import App
from convgate.ui.shared.modes import draw_mode_correction
from convgate.ui.shared.outcome import Outcome, compute_outcome
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.picker import pick_conversation, pick_message
from convgate.ui.shared.policy_options import option_labels
from convgate.ui.shared.samples import draw_sample_note

_STYLE = Path(__file__).with_name("explore.css")
_COLUMNS = (1.62, 1)
_FIRST = "explore.first"  # the turn that is selected first of a message shown in part, and of which message


def explore(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    picked = pick_conversation(page, app, state.conversation)
    if picked is None:
        return
    key, conversation = picked
    labels = option_labels(app.settings.home)
    state, missing = state.with_key(key).drop_unknown_turns(conversation, labels)
    page.keep(state)
    draw_problems([*problems, *missing])
    message = pick_message(page, key, conversation, state.turn, state.question)
    with st.sidebar:
        draw_policy(state, labels)
        draw_budget(state, app.settings.context_budget)
    policy = scoring.load_policy(app, state.policy)
    budget = app.settings.context_budget if state.budget is None else state.budget
    if budget is None:
        message = show_newest_first(page, message, policy)
    elif not read_all(page, message, *scoring.encoding(app, policy)):
        return
    result = compute_outcome(app, state, message, policy, budget)
    with st.sidebar:
        draw_rule(result)
    answers = read_answers(app, result.message, result.gate.version if result.gate else None, Work())
    selected = _first_selected(result) if state.selected is None else state.selected

    summary = app.conversations.summary(key)
    draw_sample_note(summary.origin, message.current.index)
    left, right = st.columns(_COLUMNS, gap="medium")
    with left:
        draw_message(summary.title, message.current)
        mode_place = st.container()
    draw_selection_problems(result.selection)
    with right:
        draw_metrics(result)
    left, right = st.columns(_COLUMNS, gap="medium")
    with left:
        if len(result.decisions):
            draw_threshold(result, state)
            draw_nothing_kept(result)
            draw_chart(result, selected, is_logit=state.logit)
            draw_sections(result.selection)
        else:
            st.info("Nothing to decide: this is the first turn. Choose a later message.")
        draw_reading(app, state, result, selected, answers)
    with right, st.container(key="explore-panel"):
        draw_inspector(app, state, result, selected, answers)
    draw_messages(state, result)
    # Last, because the classifier of modes takes seconds to load. Without a budget, policies that do without
    # its encoder do without it.
    encoder, spent = getattr(result.policy, "encoder", None), result.selection.budgeted
    if spent is not None or (encoder is not None and encoder.identity.revision == BUNDLED_SHA256):
        with mode_place:
            if spent is not None:
                st.markdown(describe_mode(spent))
            draw_mode_correction(app, page, key, conversation, message.current.index)


def _first_selected(result: Outcome) -> int | None:
    """Return the turn to explain before a person selects one; it stays when older turns are read."""
    name = f"{result.label} {result.message.labelled}"
    if result.message.history.start:
        st.session_state[_FIRST] = name, result.first_selected()
    message, selected = st.session_state.get(_FIRST, ("", None))
    return selected if message == name else result.first_selected()
