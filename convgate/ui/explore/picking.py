"""Which conversation, and which of its messages is the one to answer."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from convgate.conversation import Conversation
from convgate.errors import StoreError
from convgate.ui.explore import state
from convgate.ui.explore.navigation import following, preceding
from convgate.ui.explore.view import LONGEST_QUESTION, View
from convgate.ui.frame import App
from convgate.ui.keys import NEXT_MESSAGE, PREVIOUS_MESSAGE
from convgate.ui.navigation import LIBRARY
from convgate.ui.scoring import Moment
from convgate.ui.text import literal
from convgate.ui.wording import told_apart

CONVERSATION, TURN, QUESTION = "explore.conversation", "explore.turn", "explore.question"
_OFFERED = 200  # conversations in the menu; the Library finds the others


def pick_conversation(app: App, view: View) -> tuple[View, Conversation] | None:
    """The conversation of the view, or the newest one; None when there is none to show, and why is said."""
    newest = app.conversations.find(per_page=_OFFERED)
    if view.conversation is None:
        if not newest.rows:
            st.info("There is no conversation yet.", icon=":material/inventory_2:")
            _draw_way_to_library("Add a conversation, or a sample")
            return None
        view = view.opened(newest.rows[0].key)
    assert view.conversation is not None
    try:
        # One that has grown since is still found by the key that it had.
        view = replace(view, conversation=app.conversations.summary(view.conversation).key)
        assert view.conversation is not None
        conversation = app.conversation(view.conversation)
    except StoreError as error:
        st.error(literal(str(error)), icon=":material/link_off:")
        if newest.rows:
            _draw_menu(app, {row.key: row.title for row in newest.rows}, None)
        _draw_way_to_library(
            "See what is in the Library" if newest.rows else "Add a conversation, or a sample"
        )
        return None
    titles = {row.key: row.title for row in newest.rows}
    titles.setdefault(view.conversation, app.conversations.summary(view.conversation).title)
    _draw_menu(app, titles, view.conversation)
    if not len(conversation):
        st.info(
            "This conversation has no messages, so there is nothing to decide.", icon=":material/chat_bubble:"
        )
        _draw_way_to_library("Choose another one in the Library")
        return None
    return view, conversation


def pick_moment(view: View, conversation: Conversation) -> Moment:
    """The message to answer, by number, by key, or typed."""
    with st.sidebar:
        turn = conversation.current_index() if view.turn is None else view.turn
        asked = bool(view.question)
        state.put(TURN, turn + 1)
        st.markdown(
            ":small[Current message]",
            help=f"The message that the model has to answer, 1 to {len(conversation):,}. Turns count from 1"
            " here and in the address, from 0 in JSON and on the command line. The keys skip the assistant's"
            " turns.",
        )
        messages = conversation.answerable()
        with st.container(
            horizontal=True, vertical_alignment="bottom", gap="xsmall", wrap=False, key="explore-current"
        ):
            st.button(
                "", icon=":material/navigate_before:", key="explore.previous", shortcut=PREVIOUS_MESSAGE,
                on_click=_answer, args=(preceding(messages, turn),), help="The previous message to answer",
            )  # fmt: skip
            st.number_input(
                "Current message", min_value=1, max_value=len(conversation), key=TURN,
                on_change=_typed_turn, disabled=asked, label_visibility="collapsed",
            )  # fmt: skip
            st.button(
                "", icon=":material/navigate_next:", key="explore.next", shortcut=NEXT_MESSAGE,
                on_click=_answer, args=(following(messages, turn),), help="The next message to answer",
            )  # fmt: skip
        state.put(QUESTION, view.question)
        st.text_input(
            "… or ask what nobody asked yet",
            key=QUESTION, on_change=_typed_question, max_chars=LONGEST_QUESTION,
            placeholder="A question after the last turn",
            help="See what would be kept if this were the next message. Empty it to go back.",
        )  # fmt: skip
    situation, history = conversation.asked(view.question) if asked else conversation.at(turn)
    assert view.conversation is not None
    return Moment(view.conversation, situation, history)


def _draw_menu(app: App, titles: dict[str, str], chosen: str | None) -> None:
    labels = told_apart(titles)
    state.put(CONVERSATION, chosen)
    st.sidebar.selectbox(
        "Conversation", list(labels), format_func=lambda key: labels.get(key, key), key=CONVERSATION,
        on_change=_picked, placeholder="Choose one", index=None if chosen is None else 0,
    )  # fmt: skip


def _draw_way_to_library(label: str) -> None:
    st.page_link(LIBRARY, label=label, icon=":material/arrow_forward:")


def _picked() -> None:
    key = st.session_state[CONVERSATION]
    if key is not None:
        view: View = st.session_state[state.VIEW]
        st.session_state[state.VIEW] = view.opened(key)
    state.touched()


def _answer(turn: int | None) -> None:
    if turn is not None:
        state.change(turn=turn, question="", selected=None)


def _typed_turn() -> None:
    _answer(int(st.session_state[TURN]) - 1)


def _typed_question() -> None:
    state.change(question=(st.session_state[QUESTION] or "").strip(), selected=None)
