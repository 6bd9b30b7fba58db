"""How far one is: this message, this person."""

from __future__ import annotations

import streamlit as st

from convgate.ui.answering import Answering
from convgate.ui.text import literal
from convgate.ui.wording import counted


def draw_strip(answering: Answering, title: str, *, counts: bool) -> None:
    """The message that is answered, and what all decisions about it have in common.

    counts: and how many of its earlier turns have an answer, or were put off.
    """
    with st.container(gap="xsmall"):
        _draw_message(answering, title)
        if counts and len(answering.history):
            _draw_counts(answering)


def _draw_message(answering: Answering, title: str) -> None:
    situation, because = answering.moment.situation, answering.decisions.because
    asked = "a question" if situation.index is None else f"message {situation.index + 1:,}"
    text = literal(situation.turn.text or situation.turn.scored_text, limit=60)
    st.markdown(f"**{literal(title, limit=70)}** · {asked}: {text}")
    if because:
        st.caption(literal(because))


def _draw_counts(answering: Answering) -> None:
    done = len(answering.mine)
    relevant = sum(answer == "relevant" for answer in answering.mine.values())
    told = f"{done:,} of {counted(len(answering.history), 'turn')} answered, {relevant:,} relevant"
    if put_off := sum(turn not in answering.mine for turn in answering.later):
        told += f" · {counted(put_off, 'turn')} put off, to be asked about last"
    st.progress(done / len(answering.history), text=told)
