"""Explore from top to bottom: choose, decide, then draw the answer, the picture, and the why of one turn."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.messages import turn_tokens
from convgate.ui.choosers import chooser_labels
from convgate.ui.explore import state
from convgate.ui.explore.answers import answering
from convgate.ui.explore.further import draw_further
from convgate.ui.explore.modes import Modes, explore_modes
from convgate.ui.explore.outcome import Outcome, outcome
from convgate.ui.explore.panel import draw_panel
from convgate.ui.explore.picking import pick_conversation, pick_moment
from convgate.ui.explore.reading import draw_reading
from convgate.ui.explore.rules import draw_own_rule, draw_policy, draw_rule, with_own_rule
from convgate.ui.explore.state import View
from convgate.ui.explore.strip import draw_chart, draw_strip
from convgate.ui.frame import App
from convgate.ui.page_state import draw_problems
from convgate.ui.threshold_settings import Extent

_STYLE = Path(__file__).with_name("explore.css")


def explore(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    picked = pick_conversation(app, view)
    if picked is None:
        return
    view, conversation = picked
    view = with_own_rule(app, view)
    labels = chooser_labels(app.settings.home)
    view, missing = view.within(conversation, labels)
    state.keep(view)
    draw_problems([*problems, *missing])
    draw_own_rule(app, view)
    moment = pick_moment(view, conversation)
    rule = st.sidebar.container()
    with st.sidebar:
        draw_policy(view, labels)
    made = outcome(app, view, moment)
    with rule:
        draw_rule(view, made, _extent(made))
    modes = explore_modes(app, view, made)
    draw_strip(view, app.conversations.summary(moment.key).title, made, modes)
    _draw_body(app, view, made, modes)


def _draw_body(app: App, view: View, made: Outcome, modes: Modes) -> None:
    answers = answering(app, made)
    selected = made.best() if view.selected is None else view.selected
    if not len(made.decisions):
        st.info(
            "Nothing to decide: this message is the first turn, so nothing stands before it to keep or drop."
            " Choose a later message on the left.",
            icon=":material/first_page:",
        )
    with st.container(key="explore-body"):
        left, right = st.columns([1.62, 1], gap="medium")
        with left:
            if len(made.decisions):
                draw_chart(made, selected)
            draw_reading(made, selected, answers, modes)
        with right, st.container(key="explore-panel"):
            draw_panel(app, made, selected, answers)
    draw_further(view, made, selected)


def _extent(made: Outcome) -> Extent:
    learned = made.gate.gate.learned_threshold if made.gate else 0.5
    tokens = int(turn_tokens(made.moment.history.turns).sum()) if len(made.moment.history) else 0
    return Extent(turns=len(made.moment.history), tokens=tokens, learned=learned)
