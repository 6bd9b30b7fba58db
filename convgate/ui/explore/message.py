"""The current message as one field, in which any question can be asked; its picker, and its mode."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.conversation import Conversation
from convgate.core.text import isolate, truncate, writable
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.page_state import LONGEST_QUESTION
from convgate.ui.shared.picker import answer, draw_steps
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import has_arrived, put
from convgate.ui.shared.text import literal

PICKER, QUESTION = "explore.turn.picked", "explore.asked"
_FILLED = "explore.asked.filled"  # the message whose text the field was given
_TOO_LONG = "explore.asked.too_long"  # characters of a question that was not asked
_OFFERED = 400  # messages of the picker, around the current one
_EXCERPT = 1_000  # characters of the message; the transcript has all of it


def draw_message(title: str, message: OpenMessage) -> DeltaGenerator:
    """Draw the message to answer as a field to ask another in, and return the place for its mode."""
    turn, index = message.current.turn, message.current.index
    number = "your question" if index is None else f"turn {index + 1:,}"
    who = "" if index is None else f" · {literal(turn.speaker, limit=40)}"
    with st.container(gap="xsmall", key="explore-message"):
        with st.container(key="explore-title"):  # where the sidebar, which names it, is folded
            st.caption(f"**{literal(title, limit=60)}**")
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-current"):
            st.caption(f"answering {number}{who}")
            mode_place = st.container(width="content")
            here = len(message.conversation) if index is None else index
            draw_steps(page, message.conversation, here, partial(_draw_picker, message.conversation, index))
        text = (turn.text or turn.scored_text).strip()
        _fill(text, message)
        st.chat_input(
            writable(truncate(text, _EXCERPT)) or "This message has no text.",
            key=QUESTION, on_submit=_ask, args=(text,),
        )  # fmt: skip
        if count := st.session_state.pop(_TOO_LONG, 0):
            st.warning(
                f"The question has {count:,} characters; at most {LONGEST_QUESTION:,} are decided.",
                icon=":material/short_text:",
            )
    return mode_place


def _draw_picker(conversation: Conversation, index: int | None) -> None:
    """Draw the conversation's own messages to choose from; index: of the current one, None for a question."""
    messages = conversation.answerable()
    here = len(conversation) if index is None else index
    near = sorted(sorted(messages, key=lambda turn: abs(turn - here))[:_OFFERED])
    offered = sorted({*near, *(() if index is None else (index,))})
    put(PICKER, index)
    st.selectbox(
        "Current message", offered, key=PICKER, on_change=_pick, label_visibility="collapsed", width=200,
        format_func=partial(_label, conversation), index=None if index is None else 0,
        placeholder="Back to a message",
        help="The message that the model has to answer. Type in the field below to ask another question.",
    )  # fmt: skip


def _label(conversation: Conversation, turn: int) -> str:
    text = " ".join(conversation.turns[turn].scored_text.split())
    return writable(f"{turn + 1:,} · {isolate(truncate(text, 60))}")


def _pick() -> None:
    # When another conversation opens, the browser sends the label of a message that is not offered any more.
    if isinstance(turn := st.session_state[PICKER], int):
        answer(page, turn)


def _fill(text: str, message: OpenMessage) -> None:
    """Have the field hold the text, to be changed; one that is too long to ask is its placeholder."""
    is_filled = st.session_state.get(_FILLED) == message.labelled and not has_arrived()
    if not is_filled and _TOO_LONG not in st.session_state:
        st.session_state[QUESTION] = writable(text) if len(text) <= LONGEST_QUESTION else ""
    st.session_state[_FILLED] = message.labelled


def _ask(text: str) -> None:
    question = (st.session_state[QUESTION] or "").strip()
    st.session_state.pop(_FILLED, None)  # the browser has emptied the field
    if question == writable(text):
        return
    if len(question) > LONGEST_QUESTION:
        st.session_state[QUESTION], st.session_state[_TOO_LONG] = question, len(question)
    elif question:
        page.change(question=question)
