"""Label from top to bottom: who, which message, then one question after the other."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.annotator import annotator, draw_annotator
from convgate.ui.choosers import chooser_labels
from convgate.ui.explore import state
from convgate.ui.explore.answers import answering
from convgate.ui.explore.outcome import Outcome, outcome
from convgate.ui.explore.picking import pick_conversation, pick_moment
from convgate.ui.explore.reading import draw_reading
from convgate.ui.explore.rules import draw_policy
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.label.more import draw_more
from convgate.ui.label.question import draw_question
from convgate.ui.label.strip import draw_strip
from convgate.ui.label.work import draw_work, resumed, work_on
from convgate.ui.text import literal

_STYLE = Path(__file__).with_name("label.css")


def label(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    if view.conversation is None:
        view = resumed(app, view)
    picked = pick_conversation(app, view)
    if picked is None:
        state.keep(view)
        draw_annotator(app)
        draw_more(app, view)  # labels can be brought in with their conversations
        return
    view, conversation = picked
    choosers = chooser_labels(app.settings.home)
    view, missing = view.within(conversation, choosers)
    state.keep(view)
    for problem in [*problems, *missing]:
        st.warning(literal(problem), icon=":material/link_off:")
    moment = pick_moment(view, conversation)
    with st.sidebar:
        draw_policy(view, choosers)
    made = outcome(app, view, moment)
    if draw_work(app, view, made):
        _draw_body(app, view, made)
    draw_more(app, view)


def _draw_body(app: App, view: View, made: Outcome) -> None:
    work = work_on(app, view, made)
    answers = answering(
        app, made, asked=work.asked, settling=work.settling, finished=work.finished, onward=work.onward
    )
    ask = answers.ask
    selected = (ask[0] if ask else made.best()) if view.selected is None else view.selected
    title = app.conversations.summary(made.moment.key).title
    draw_strip(answers, title, counts=work.onward is None)
    if answers.paused:
        st.warning(literal(answers.paused), icon=":material/pause_circle:")
    elif annotator() is None:
        st.info("Choose a name to label; until then you can look around.", icon=":material/person:")
    with st.container(key="label-body"):
        left, right = st.columns([1.62, 1], gap="medium")
        with left:
            draw_reading(made, selected, answers)
        with right, st.container(key="label-panel", gap="xsmall"):
            reason = "" if selected is None else work.reasons.get(selected, "")
            draw_question(answers, made, selected, reason, work.later)
