"""Label from top to bottom: the steps, one card with one question, what is worked on, and more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.ui.label.more import VIEWS, draw_more
from convgate.ui.label.work import draw_modes, draw_work, resume
from convgate.ui.shared import keys, scoring
from convgate.ui.shared.answering import (
    Answering,
    Work,
    draw_actions,
    draw_answers,
    read_answers,
    take_answers,
    transcript_labelling,
)
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.improvement import Improvement, draw_improvement
from convgate.ui.shared.outcome import PolicyOutcome, compute_outcome
from convgate.ui.shared.picker import pick_message
from convgate.ui.shared.policy_options import option_labels
from convgate.ui.shared.text import literal, show_text
from convgate.ui.shared.transcript import draw_transcript, opened_turns
from convgate.ui.shared.transcript_rows import RowMarks, transcript_data
from convgate.ui.shared.turn import draw_steps

GATE, TRANSCRIPT = "label.gate", "label.transcript"
_STYLE = Path(__file__).with_name("label.css")
_BELOW = 130  # px below the turns, for the answers to end with the window
_CONTEXT = 30  # turns that are shown before and after the turn that is asked about


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    if state.show not in VIEWS:
        state = replace(state, show=None)  # a tab of Explore
    if state.conversation is None:
        state = resume(app, state)
    improvement = draw_improvement(app, "label")
    picked = pick_message(page, app, state, problems, policy=option_labels(app.settings))
    if picked is None:
        page.keep(state)
        draw_more(app, state)  # labels can be imported with their conversations
        return
    state, message = picked
    policy = scoring.load_policy(app, state.policy)
    scoring.encode_ahead(message, policy)
    scored = compute_outcome(app, state, message, policy, None)
    version = scored.gate.version if scored.gate else None
    draw_modes(app, state, scored.message)
    card = st.container(border=True, key="label-card", gap="xsmall")
    work = draw_work(app, state, scored.message, improvement.first)
    answers = read_answers(app, scored.message, version, work)
    selected = state.selected
    if selected is None and len(answers.history):
        selected = answers.ask[0] if answers.ask else answers.history[-1]
    with card:
        _draw_question(app, scored, answers, selected)
        if answers.is_complete:
            _draw_next(state, answers.work, improvement)
        if selected is None:
            draw_actions(answers)
        else:
            _draw_turn(scored, answers, selected)
    if selected is not None and answers.can_answer(selected):
        st.toggle("Show the gate's decision", key=GATE, persist_state="session")
    draw_more(app, state)


def _draw_question(app: App, scored: PolicyOutcome, answers: Answering, selected: int | None) -> None:
    """Draw the current message, what is asked about it, and why."""
    work, current = answers.work, scored.message.current
    title = literal(app.conversations.summary(scored.message.key).title, limit=70)
    number = "The question" if current.index is None else f"Message {current.index + 1:,}"
    st.caption(f"{number} · {title}")
    with st.container(key="label-message"):
        show_text(current.turn.scored_text.strip(), limit=1_000)
    if work.finished and not work.adjudicating:
        st.markdown(":material/done_all: All suggested turns have an answer of yours.")
    elif answers.is_complete and not work.adjudicating:
        st.markdown(":material/done_all: All turns before this message have an answer.")
    elif work.finished:
        st.markdown(":material/done_all: No disagreement is left to adjudicate.")
        st.button(
            "Label this message", key="label.back", type="primary",
            on_click=page.change, kwargs={"adjudicate": False},
        )  # fmt: skip
    elif selected is None or not answers.can_answer(selected):
        other = "another turn with a disagreement" if work.adjudicating else "a turn before this message"
        if not answers.paused:
            st.markdown(f"Choose {other}.")
    else:
        verb = "Adjudicate: does" if work.adjudicating else "Does"
        newest = "it is the newest without an answer" if answers.ask[:1] == [selected] else ""
        reason = work.reasons.get(selected) or newest
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
            st.subheader(
                f"{verb} turn {selected + 1:,} matter to this message?", anchor=False, width="content"
            )
            st.caption(f"Asked because {reason}." if reason else "", width="content")


def _draw_next(state: ExploreState, work: Work, improvement: Improvement) -> None:
    """Draw the button to what is asked about next, or the next conversation without labels, if any."""
    title = next((title for key, title in improvement.first.items() if key != state.conversation), None)
    if state.queue is None and not state.adjudicate:
        words = f"Next: {literal(title, limit=60)}" if title else ""
    else:
        words = "" if work.finished else "Next"
    if words and work.next_message is not None:
        st.button(
            words, key="label.next", type="primary", shortcut=keys.ONWARD, icon=":material/arrow_forward:",
            on_click=_go_next, args=(work.next_message,),
        )  # fmt: skip


def _go_next(next_message: Callable[[], bool]) -> None:
    next_message()


def _draw_turn(scored: PolicyOutcome, answers: Answering, selected: int) -> None:
    """Draw the turn among those around it, and the answers."""
    shows_gate = bool(st.session_state.get(GATE))
    _draw_context(scored, answers, selected, shows_gate=shows_gate)
    if not answers.can_answer(selected):
        draw_actions(answers)
        return
    if shows_gate:
        st.markdown(f"{literal(scored.label)}: {literal(on_screen(scored.decisions.of(selected).reason))}")
    steps = partial(draw_steps, "explore", scored.message.conversation, selected, page.select)
    draw_answers(answers, selected, steps)


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
        conversation,
        scored.message.current,
        scored.decisions,
        marks,
        place=scored.message.key,
        height=f"fill {_BELOW}",
    )
    rows = [row for row in data["rows"] if row["turn"] in turns]
    if not shows_gate:  # scores and decisions would bias the answers
        hidden = {"outcome": "", "score": "", "bar": None, "reason": "", "state": "hidden"}
        rows = [row if row["state"] == "current" else {**row, **hidden} for row in rows]
    draw_transcript(
        {**data, "rows": rows, "threshold": data["threshold"] if shows_gate else None},
        key=TRANSCRIPT, on_answers=partial(take_answers, TRANSCRIPT),
    )  # fmt: skip
