"""The choice of the conversation and its current message, the same on every page."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import StoreError
from convgate.ui.shared.changes import neighbours
from convgate.ui.shared.frame import App
from convgate.ui.shared.keys import NEXT_MESSAGE, PREVIOUS_MESSAGE
from convgate.ui.shared.navigation import LIBRARY
from convgate.ui.shared.page_state import LONGEST_QUESTION, Address, PageState, S
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal, make_labels_unique

_OFFERED = 200  # conversations in the menu; the Library finds the others


def pick_message(
    page: Address[S], app: App, state: S, problems: Sequence[str] = (), **known: Collection[str]
) -> tuple[S, OpenMessage] | None:
    """Return the current message, by number or typed; without either, the one a model would answer.

    The rest as `pick_conversation`.
    """
    picked = pick_conversation(page, app, state, problems, **known)
    if picked is None:
        return None
    state, key, conversation = picked
    turn, question = state.turn, state.question
    with st.sidebar:
        turn = conversation.current_index() if turn is None else turn
        put(f"{page.name}.turn", turn + 1)
        st.markdown(
            ":small[Current message]",
            help=f"The message that the model has to answer, 1 to {len(conversation):,}. Turns count from"
            " 1 here and in the address, from 0 in JSON and on the command line. The keys skip the"
            " assistant's turns.",
        )
        with st.container(
            horizontal=True, vertical_alignment="bottom", gap="xsmall", wrap=False, key=f"{page.name}-current"
        ):
            draw_steps(
                page, conversation, turn, partial(_draw_number, page, conversation, is_asked=bool(question))
            )
        put(f"{page.name}.question", question)
        st.text_input(
            "Or type a question",
            key=f"{page.name}.question", on_change=_typed_question, args=(page,), max_chars=LONGEST_QUESTION,
            placeholder="A question after the last turn",
            help="See what would be kept if this were the next message. Empty it to go back.",
        )  # fmt: skip
    return state, open_message(state, key, conversation)


def open_message(state: PageState, key: str, conversation: Conversation) -> OpenMessage:
    """Return the question of a state, or its turn; without either, the turn a model would answer."""
    if state.question:
        return OpenMessage(key, *conversation.with_question(state.question))
    turn = conversation.current_index() if state.turn is None else state.turn
    return OpenMessage(key, *conversation.at(turn))


def pick_conversation(
    page: Address[S], app: App, state: S, problems: Sequence[str] = (), **known: Collection[str]
) -> tuple[S, str, Conversation] | None:
    """Return the state on its conversation or the newest one, kept, with the present key of that.

    Without one, draw the reason and return None. problems: what is wrong with the address, drawn; known: see
    `PageState.drop_unknown`.
    """
    key = state.conversation
    titles = {row.key: row.title for row in app.conversations.find(per_page=_OFFERED).rows}
    if key is None and not titles:
        st.info("There is no conversation yet.", icon=":material/inventory_2:")
        _draw_way_to_library("Add a conversation, or a sample")
        return None
    try:
        summary = app.conversations.summary(key or next(iter(titles)))
        conversation = app.conversation(summary.key)
    except StoreError as error:
        st.error(literal(str(error)), icon=":material/link_off:")
        if titles:
            _draw_menu(page, titles, None)
        _draw_way_to_library("Open the Library")
        return None
    key = summary.key
    _draw_menu(page, {key: summary.title} | titles, key)
    if not len(conversation):
        st.info(
            "This conversation has no messages, so there is nothing to decide.",
            icon=":material/chat_bubble:",
        )
        _draw_way_to_library("Open the Library")
        return None
    if state.conversation is None:
        state = state.open_conversation(key)
    state, unknown = replace(state, conversation=key).drop_unknown(len(conversation), **known)
    page.keep(state, [*problems, *unknown])
    return state, key, conversation


def draw_steps(
    page: Address[Any], conversation: Conversation, turn: int, draw_picker: Callable[[], None]
) -> None:
    """Draw the buttons to the message before and after the turn, and the picker between them.

    turn: 0-based; one behind the last for a question.
    """
    before, after = neighbours(conversation.answerable(), turn)
    st.button(
        "", icon=":material/navigate_before:", key=f"{page.name}.previous", shortcut=PREVIOUS_MESSAGE,
        on_click=answer, args=(page, before), disabled=before is None,
        help=f"The previous message to answer ({PREVIOUS_MESSAGE})",
    )  # fmt: skip
    draw_picker()
    st.button(
        "", icon=":material/navigate_next:", key=f"{page.name}.next", shortcut=NEXT_MESSAGE,
        on_click=answer, args=(page, after), disabled=after is None,
        help=f"The next message to answer ({NEXT_MESSAGE})",
    )  # fmt: skip


def answer(page: Address[Any], turn: int | None) -> None:
    """Make that turn (0-based) the current message, if there is one; for callbacks."""
    if turn is not None:
        page.change(turn=turn, question="")


def _draw_number(page: Address[Any], conversation: Conversation, *, is_asked: bool) -> None:
    st.number_input(
        "Current message", min_value=1, max_value=len(conversation), key=f"{page.name}.turn",
        on_change=_typed_turn, args=(page,), disabled=is_asked, label_visibility="collapsed",
    )  # fmt: skip


def _draw_menu(page: Address[Any], titles: dict[str, str], chosen: str | None) -> None:
    labels, key = make_labels_unique(titles), f"{page.name}.conversation"
    put(key, chosen)
    st.sidebar.selectbox(
        "Conversation", list(labels), format_func=lambda option: labels.get(option, option), key=key,
        on_change=_picked, args=(page,), placeholder="Choose one", index=None if chosen is None else 0,
    )  # fmt: skip


def _picked(page: Address[Any]) -> None:
    if (key := st.session_state[f"{page.name}.conversation"]) is not None:
        page.show(page.now().open_conversation(key))


def _typed_turn(page: Address[Any]) -> None:
    answer(page, int(st.session_state[f"{page.name}.turn"]) - 1)


def _typed_question(page: Address[Any]) -> None:
    page.change(question=(st.session_state[f"{page.name}.question"] or "").strip())


def _draw_way_to_library(label: str) -> None:
    st.page_link(LIBRARY, label=label, icon=":material/arrow_forward:")
