"""How far one is: this message, this person."""

from __future__ import annotations

import streamlit as st

from convgate.ui.answering import Answering
from convgate.ui.text import literal
from convgate.ui.wording import counted


def draw_strip(answering: Answering, title: str, *, counts: bool) -> None:
    """The message that is answered; counts: and how many of its earlier turns have an answer."""
    situation, history = answering.moment.situation, answering.history
    asked = "a question" if situation.index is None else f"message {situation.index + 1:,}"
    text = literal(situation.turn.text or situation.turn.scored_text, limit=60)
    st.markdown(f"**{literal(title, limit=70)}** · {asked}: {text}")
    if not counts or not len(history):
        return
    done = len(answering.mine)
    relevant = sum(answer == "relevant" for answer in answering.mine.values())
    told = f"{done:,} of {counted(len(history), 'turn')} answered, {relevant:,} relevant"
    st.progress(done / len(history), text=told)
