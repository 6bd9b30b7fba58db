"""One question at a time: does this turn matter to the message?"""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from convgate.errors import StoreError
from convgate.ui.answering import (
    PROBLEM,
    Answering,
    Later,
    draw_answers,
    draw_prefill,
    draw_saved,
    keep_saved,
    said_words,
)
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.panel import draw_neighbours
from convgate.ui.label.message_done import draw_all_answered
from convgate.ui.text import literal, show_text
from convgate.ui.transcript.rows import when
from convgate.ui.why import Explained, draw_why

NOTE, _HELD = "label.note", "label.note.held"
_TEXT, _MESSAGE = 4_000, 300  # characters that are shown of the turn and of the message


def draw_question(
    answering: Answering, outcome: Outcome, selected: int | None, reason: str, later: Later | None = None
) -> None:
    """The message, the turn, why it is asked about, the answers, what the gate thinks of it, and a note."""
    moment = answering.moment
    if selected is not None:
        draw_neighbours(outcome, selected)
    if selected is None or not answering.answers_for(selected):
        _draw_nothing(answering, selected)
        return
    turn, asked = moment.conversation.turns[selected], moment.situation.turn
    message = "the question" if moment.situation.index is None else f"message {moment.situation.index + 1:,}"
    draw_all_answered(answering)
    verb = "Settle: does" if answering.settling else "Does"
    st.subheader(f"{verb} turn {selected + 1:,} matter to {message}?", anchor=False)
    st.caption(f"{message.capitalize()}: {literal(asked.text or asked.scored_text, limit=_MESSAGE)}")
    told, exact = when(turn.timestamp, asked.timestamp)
    with st.container(key="label-turn", border=True, gap="xsmall"):
        who = literal(turn.speaker, limit=60)
        st.caption(" · ".join(part for part in (who, told) if part), help=exact or None)
        if turn.scored_text.strip():
            show_text(turn.scored_text.strip(), limit=_TEXT)
        else:
            st.caption("This turn has no text.")
    if reason:
        st.caption(f":material/help_center: Asked because: {literal(reason)}")
    draw_answers(answering, selected, later)
    if said := said_words(answering, selected):
        st.markdown(f":material/group: {said}")
    _draw_opinions(outcome, selected)
    if not answering.settling:
        draw_prefill(answering)
    _draw_note(answering, selected)
    with st.container(key="label-why"):
        _draw_why(outcome, selected)


def _draw_nothing(answering: Answering, selected: int | None) -> None:
    if not len(answering.history):
        st.info(
            "This message is the first turn, so there is nothing before it to label. Choose a later one.",
            icon=":material/first_page:",
        )
    elif answering.finished and answering.settling:
        st.markdown("Everything is settled.")
    elif answering.finished:
        st.markdown("Nothing of this queue is left to answer.")
    elif selected == answering.moment.situation.index:
        st.markdown("This is the message that is answered. Choose a turn before it.")
    elif selected not in answering.history:
        st.markdown("This turn comes after the message, so it cannot matter to it.")
    else:
        st.markdown(
            "Nobody disagrees about this turn, so there is nothing to settle. Choose one of the list."
        )
    draw_saved(answering, None)


def _draw_opinions(outcome: Outcome, selected: int) -> None:
    """What the policy says, and the one beside it. How the threshold came about is told once, above."""
    told = [(outcome.label, outcome.decisions)]
    if outcome.other is not None:
        told.append((outcome.other_label, outcome.other.decisions))
    for label, decisions in told:
        word, _, why = replace(decisions, because="").of(selected).reason.partition(": ")
        st.markdown(f"{literal(label)}: **{word.lower()}** · {literal(why)}")


def _draw_note(answering: Answering, selected: int) -> None:
    if answering.by is None:
        return
    said = answering.held.notes.get(selected, {}).get(answering.by)
    held = said.value if said else ""
    key = f"{NOTE}.{'.'.join(map(str, answering.moment.place))}.{selected}"
    # By itself the field keeps what was typed, which an undo takes back and a fault of the disk does not.
    if st.session_state.get(_HELD) != (key, answering.by, held):
        st.session_state[_HELD] = (key, answering.by, held)
        st.session_state[key] = held
    st.text_input(
        "Note", key=key, placeholder="Why, if it needs saying; Enter keeps it",
        on_change=_noted, args=(answering, selected, key), max_chars=2_000,
    )  # fmt: skip


def _noted(answering: Answering, turn: int, key: str) -> None:
    assert answering.by is not None
    state.touched()
    try:
        keep_saved(
            answering.labels.note(answering.situation, turn, st.session_state[key] or "", by=answering.by)
        )
    except StoreError as error:
        st.session_state[PROBLEM] = error


def _draw_why(outcome: Outcome, selected: int) -> None:
    if outcome.gate is None or not outcome.decisions.parts:
        return
    place = st.expander("Why it scored so", key="label.why", on_change=state.touched, icon=":material/help:")
    if place.open:
        with place:
            draw_why(
                Explained("label", outcome.gate, outcome.moment, outcome.decisions, state.touched), selected
            )
