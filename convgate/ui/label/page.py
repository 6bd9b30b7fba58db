"""Label from top to bottom: what is worked on, one card with one question, and more below."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.ui.label.more import VIEWS, draw_more
from convgate.ui.label.work import draw_work, resume
from convgate.ui.shared import scoring
from convgate.ui.shared.annotator import draw_annotator
from convgate.ui.shared.answering import (
    Answering,
    draw_actions,
    draw_answers,
    read_answers,
    take_answers,
    transcript_labelling,
)
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.frame import App
from convgate.ui.shared.outcome import PolicyOutcome, compute_outcome
from convgate.ui.shared.picker import pick_message
from convgate.ui.shared.policy_options import option_labels
from convgate.ui.shared.text import literal, show_text
from convgate.ui.shared.transcript import draw_transcript, opened_turns
from convgate.ui.shared.transcript_rows import RowMarks, transcript_data
from convgate.ui.shared.turn import draw_steps

GATE, TRANSCRIPT = "label.gate", "label.transcript"
_STYLE = Path(__file__).with_name("label.css")
_CONTEXT = 2  # turns that are shown before and after the turn that is asked about


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    if state.show not in VIEWS:
        state = replace(state, show=None)  # a tab of Explore
    if state.conversation is None:
        state = resume(app, state)
    picked = pick_message(page, app, state, problems, policy=option_labels(app.settings.home))
    if picked is None:
        page.keep(state)
        draw_annotator(app)
        draw_more(app, state)  # labels can be imported with their conversations
        return
    state, message = picked
    policy = scoring.load_policy(app, state.policy)
    scoring.encode_ahead(message, policy)
    scored = compute_outcome(app, state, message, policy, None)
    version = scored.gate.version if scored.gate else None
    answers = read_answers(app, scored.message, version, draw_work(app, state, scored.message))
    selected = state.selected
    if selected is None and len(answers.history):
        selected = answers.ask[0] if answers.ask else answers.history[-1]
    with st.container(border=True, key="label-card", gap="xsmall"):
        _draw_question(app, scored, answers, selected)
        if selected is None:
            draw_actions(answers)
        else:
            _draw_turn(scored, answers, selected)
    draw_more(app, state)


def _draw_question(app: App, scored: PolicyOutcome, answers: Answering, selected: int | None) -> None:
    """Draw the current message, and what is asked about it."""
    work = answers.work
    if answers.by and not answers.ask and len(answers.history) and not work.next_message:
        st.success("All turns before this message have an answer. Press N for the next message.")
    current = scored.message.current
    title = literal(app.conversations.summary(scored.message.key).title, limit=70)
    number = "The question" if current.index is None else f"Message {current.index + 1:,}"
    st.caption(f"{title} · {number}")
    with st.container(key="label-message"):
        show_text(current.turn.scored_text.strip(), limit=1_000)
    if selected is None or not answers.can_answer(selected):
        other = "another turn with a disagreement" if work.adjudicating else "a turn before this message"
        if not answers.paused:
            st.markdown("Nothing is left to answer." if work.finished else f"Choose {other}.")
        return
    verb = "Adjudicate: does" if work.adjudicating else "Does"
    st.subheader(f"{verb} turn {selected + 1:,} matter to this message?", anchor=False)
    if reason := work.reasons.get(selected):
        st.caption(f"Asked because: {reason}")


def _draw_turn(scored: PolicyOutcome, answers: Answering, selected: int) -> None:
    """Draw the turn with two turns of context on either side, and the answers."""
    shows_gate = bool(st.session_state.get(GATE))
    _draw_context(scored, answers, selected, shows_gate=shows_gate)
    if not answers.can_answer(selected):
        draw_actions(answers)
        return
    draw_answers(answers, selected)
    draw_steps("explore", scored.message.conversation, selected, page.select)
    st.toggle("Show the gate's decision", key=GATE, persist_state="session")
    if shows_gate:
        st.markdown(f"{literal(scored.label)}: {literal(scored.decisions.of(selected).reason)}")


def _draw_context(scored: PolicyOutcome, answers: Answering, selected: int, *, shows_gate: bool) -> None:
    """Draw the turn and its neighbours as a list, which takes keys and clicks."""
    conversation = scored.message.conversation
    turns = range(max(0, selected - _CONTEXT), min(len(conversation), selected + _CONTEXT + 1))
    marks = RowMarks(
        selected=selected,
        opened={selected, *opened_turns(scored.message.key)},
        labelling=transcript_labelling(answers, selected),
        only=turns,
    )
    data = transcript_data(
        conversation, scored.message.current, scored.decisions, marks, place=scored.message.key, height="60vh"
    )
    rows = [row for row in data["rows"] if row["turn"] in turns]
    if not shows_gate:  # scores and decisions would bias the answers
        hidden = {"outcome": "", "score": "", "bar": None, "reason": "", "state": "hidden"}
        rows = [row if row["state"] == "current" else {**row, **hidden} for row in rows]
    draw_transcript(
        {**data, "rows": rows, "threshold": data["threshold"] if shows_gate else None},
        key=TRANSCRIPT, on_answers=partial(take_answers, TRANSCRIPT),
    )  # fmt: skip
