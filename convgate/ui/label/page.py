"""Label from top to bottom: what is worked on, one card with one question, and more below."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.annotator import draw_annotator
from convgate.ui.answering import (
    Answering,
    draw_actions,
    draw_answers,
    keep_saved,
    reporting_problems,
    take_answers,
    transcript_labelling,
)
from convgate.ui.choosers import chooser_labels
from convgate.ui.explore import state
from convgate.ui.explore.answers import answering
from convgate.ui.explore.inspector import draw_neighbours
from convgate.ui.explore.outcome import Outcome, outcome
from convgate.ui.explore.picking import pick_conversation, pick_moment
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.label.more import draw_more
from convgate.ui.label.work import Work, draw_progress, draw_work, resume
from convgate.ui.text import literal, show_text
from convgate.ui.transcript import Marks, asked, draw_transcript, transcript_data
from convgate.ui.why import draw_parts

NOTE, GATE, TRANSCRIPT = "label.note", "label.gate", "label.transcript"
_OPENED, _STORED_NOTE = "label.opened", "label.note.stored"
_STYLE = Path(__file__).with_name("label.css")
_CONTEXT = 2  # turns that are shown before and after the turn that is asked about
_CLIPPED = 200  # characters that the list of turns shows of a turn


def label(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    if view.conversation is None:
        view = resume(app, view)
    picked = pick_conversation(app, view)
    if picked is None:
        state.keep(view)
        draw_annotator(app)
        draw_more(app, view)  # labels can be imported with their conversations
        return
    view, conversation = picked
    view, missing = view.within(conversation, chooser_labels(app.settings.home))
    state.keep(view)
    for problem in [*problems, *missing]:
        st.warning(literal(problem), icon=":material/link_off:")
    scored = outcome(app, view, pick_moment(view, conversation))
    work = draw_work(app, view, scored)
    if work is not None:
        draw_progress(app, view, scored)
        with st.container(border=True, key="label-card", gap="xsmall"):
            _draw_card(app, view, scored, work)
    draw_more(app, view)


def _draw_card(app: App, view: View, scored: Outcome, work: Work) -> None:
    """One question: the message, the turn with two turns of context on either side, and the answers."""
    answers = answering(
        app, scored, asked=list(work.reasons), adjudicating=work.adjudicating, finished=work.finished,
        next_message=work.next_message,
    )  # fmt: skip
    moment = scored.moment
    history = answers.history
    selected = view.selected
    if selected is None:
        selected = answers.ask[0] if answers.ask else history[-1] if len(history) else None
    if answers.paused:
        st.warning(literal(answers.paused), icon=":material/pause_circle:")
    if answers.by and not answers.ask and len(history) and answers.next_message is None:
        st.success("All turns before this message have an answer. Press N for the next message.")
    title = literal(app.conversations.summary(moment.key).title, limit=70)
    number = "The question" if moment.situation.index is None else f"Message {moment.situation.index + 1:,}"
    st.caption(f"{title} · {number}")
    with st.container(key="label-message"):
        show_text(moment.situation.turn.scored_text.strip(), limit=1_000)
    can_answer = selected is not None and answers.can_answer(selected)
    if selected is None or not can_answer:
        other = "another turn with a disagreement" if work.adjudicating else "a turn before this message"
        st.markdown("Nothing is left to answer." if answers.finished else f"Choose {other}.")
    else:
        verb = "Adjudicate: does" if work.adjudicating else "Does"
        st.subheader(f"{verb} turn {selected + 1:,} matter to this message?", anchor=False)
        if reason := work.reasons.get(selected):
            st.caption(f"Asked because: {reason}")
    if selected is None:
        draw_actions(answers)
        return
    shows_gate = bool(st.session_state.get(GATE))
    _draw_context(scored, answers, selected, shows_gate=shows_gate)
    text = moment.conversation.turns[selected].scored_text.strip()
    if len(text) > _CLIPPED or text.count("\n") > 2:
        with st.container(key="label-turn"):
            show_text(text, limit=4_000)
    if not can_answer:
        draw_actions(answers)
        return
    draw_answers(answers, selected, work.skip)
    draw_neighbours(scored, selected)
    _draw_note(answers, selected)
    st.toggle("Show the gate's decision", key=GATE, on_change=state.touched, persist_state="session")
    if shows_gate:
        _draw_decision(scored, selected)


def _draw_context(scored: Outcome, answers: Answering, selected: int, *, shows_gate: bool) -> None:
    """The turn and its neighbours as a list, which takes keys and clicks."""
    first = max(0, selected - _CONTEXT)
    turns = range(first, min(len(scored.moment.conversation), selected + _CONTEXT + 1))
    marks = Marks(
        selected=selected,
        opened={selected, st.session_state.get(_OPENED, selected)},
        labelling=transcript_labelling(answers, selected),
        only=turns,
    )
    data = transcript_data(
        scored.moment.conversation, scored.moment.situation, scored.decisions, marks,
        place=scored.moment.key, height="60vh",
    )  # fmt: skip
    rows = [row for row in data["rows"] if row["turn"] in turns]
    if not shows_gate:  # scores and decisions would bias the answers
        hidden = {"outcome": "", "score": "", "bar": None, "reason": "", "state": "hidden"}
        rows = [row if row["state"] == "current" else {**row, **hidden} for row in rows]
    draw_transcript(
        {**data, "rows": rows, "threshold": data["threshold"] if shows_gate else None},
        key=TRANSCRIPT, on_asked=_on_asked, on_answers=_on_answers,
    )  # fmt: skip


def _draw_decision(scored: Outcome, selected: int) -> None:
    st.markdown(f"{literal(scored.label)}: {literal(scored.decisions.of(selected).reason)}")
    if scored.decisions.parts:
        draw_parts("label", scored.decisions, selected)


def _draw_note(answers: Answering, selected: int) -> None:
    if answers.by is None:
        return
    said = answers.held.notes.get(selected, {}).get(answers.by)
    stored = said.value if said else ""
    key = f"{NOTE}.{'.'.join(map(str, answers.moment.place))}.{selected}"
    # By itself the field keeps what was typed: after an undo that is wrong, after a failed write it is right.
    if st.session_state.get(_STORED_NOTE) != (key, answers.by, stored):
        st.session_state[_STORED_NOTE] = (key, answers.by, stored)
        st.session_state[key] = stored
    st.text_input(
        "Note", key=key, placeholder="Enter saves", on_change=_on_note, args=(answers, selected, key),
        max_chars=2_000,
    )  # fmt: skip


def _on_note(answers: Answering, turn: int, key: str) -> None:
    assert answers.by is not None
    state.touched()
    with reporting_problems():
        text = st.session_state[key] or ""
        keep_saved(answers.labels.note(answers.situation, turn, text, by=answers.by))


def _on_asked() -> None:
    request = asked(TRANSCRIPT)
    state.touched()
    if request is None:
        return
    if request.what == "select":
        state.change(selected=request.turn)
    elif request.what == "answer":
        state.change(turn=request.turn, question="", selected=None)
    else:
        st.session_state[_OPENED] = request.turn


def _on_answers() -> None:
    state.touched()
    take_answers(TRANSCRIPT)
