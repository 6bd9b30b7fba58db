"""Two choosers on one conversation: what each sends, and every turn that they decide otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.conversation import Conversation
from convgate.decisions import TurnDecisions
from convgate.errors import StoreError
from convgate.figures.hover import percent
from convgate.ui import scoring
from convgate.ui.frame import App
from convgate.ui.judging import Sent, sent
from convgate.ui.navigation import LIBRARY
from convgate.ui.scoring import Moment, encode_ahead
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.turns import TurnRow, draw_paging, draw_turn
from convgate.ui.versions.view import View
from convgate.ui.wording import counted

CONVERSATION, MESSAGE = "versions.conversation", "versions.message"
_OFFERED = 200  # conversations in the menu
NEWEST = 100  # messages that are compared unless all are asked for: thousands of turns take minutes


@dataclass(frozen=True, eq=False)
class Flips:
    """The turns that two choosers decide otherwise, over all messages; row i of each is one flip."""

    entry: NDArray[np.int64]  # (n,) which of the messages
    turns: NDArray[np.int64]  # (n,) 0-based
    decided: int  # turns that were decided about, over all messages

    @property
    def agreement(self) -> float:
        """The share of decisions that are the same; 1 when there were none."""
        return 1 - len(self.turns) / self.decided if self.decided else 1.0


def flips(a: Sent, b: Sent) -> Flips:
    """Where two choosers differ on the same messages."""
    found = [np.flatnonzero(mine != theirs) for mine, theirs in zip(a.kept, b.kept, strict=True)]
    return Flips(
        entry=np.repeat(np.arange(len(found)), [len(rows) for rows in found]),
        turns=np.concatenate(found or [np.zeros(0, dtype=np.int64)]),
        decided=sum(len(mine) for mine in a.kept),
    )


def draw_on_conversation(app: App, view: View, labels: Mapping[str, str]) -> None:
    """The choice of conversation and message, then agreement, tokens and flips."""
    key, conversation = _pick(app, view)
    if conversation is None or key is None or view.b is None:
        return
    view = replace(view, conversation=key)
    state.keep(view)  # what a link opens must not hang on what else there is by then
    offered = [index for index in conversation.answerable() if index > 0]
    if not offered:
        st.info("No message of this conversation has a turn before it to decide about.")
        return
    messages = _pick_message(view, conversation, offered)
    made = []
    for chooser in (view.a, view.b or view.a):
        policy = scoring.policy(app, chooser)
        if encoder := getattr(policy, "encoder", None):
            encode_ahead(Moment(key, *conversation.at(offered[-1])), encoder)
        made.append(sent(conversation, key, messages, policy, labels[chooser]))
    a, b = made
    found = flips(a, b)
    _draw_numbers(a, b, found)
    _draw_flips(view, key, conversation, a, b, found)


def _pick(app: App, view: View) -> tuple[str | None, Conversation | None]:
    newest = app.conversations.find(per_page=_OFFERED)
    if not newest.rows:
        st.info("There is no conversation yet.", icon=":material/inventory_2:")
        st.page_link(LIBRARY, label="Add a conversation, or a sample", icon=":material/arrow_forward:")
        return None, None
    key = view.conversation or newest.rows[0].key
    titles = {row.key: row.title for row in newest.rows}
    conversation = None
    try:
        conversation = app.conversation(key)
        titles.setdefault(key, app.conversations.summary(key).title)
    except StoreError as error:
        st.error(literal(str(error)), icon=":material/link_off:")
    state.put(CONVERSATION, key if conversation is not None else None)
    # Streamlit tells options apart by what they show, so that equal titles need more than their title.
    numbers = {one: f"{title} ({place})" for place, (one, title) in enumerate(titles.items(), 1)}
    twice = {title for title in titles.values() if list(titles.values()).count(title) > 1}
    st.selectbox(
        "Conversation", list(titles), key=CONVERSATION, index=None, placeholder="Choose one",
        format_func=lambda one: numbers.get(one, one) if titles.get(one) in twice else titles.get(one, one),
        on_change=_chose_conversation,
    )  # fmt: skip
    return key, conversation


def _pick_message(view: View, conversation: Conversation, offered: list[int]) -> list[int]:
    """The messages to answer: the chosen one, or each that a model would answer."""
    chosen = view.turn if view.turn is not None and 0 < view.turn < len(conversation) else None
    state.put(MESSAGE, None if chosen is None else chosen + 1)
    st.number_input(
        "Message to answer", min_value=2, max_value=len(conversation), key=MESSAGE, value=None,
        placeholder="Every message", on_change=_chose_message,
        help="Empty it to compare over every message that a model would answer. Messages count from 1.",
    )  # fmt: skip
    if chosen is not None:
        return [chosen]
    if len(offered) <= NEWEST or view.all_messages:
        return offered
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"The newest {NEWEST} of {counted(len(offered), 'message')}.", width="content")
        st.button(
            f"Compare over all {len(offered):,}", key="versions.all_messages", type="tertiary",
            on_click=state.change, kwargs={"all_messages": True, "page": 1},
            help="It shows how far it is; whatever you click meanwhile ends it. Done once, it is remembered.",
        )  # fmt: skip
    return offered[-NEWEST:]


def _draw_numbers(a: Sent, b: Sent, found: Flips) -> None:
    up = sum(int((theirs & ~mine).sum()) for mine, theirs in zip(a.kept, b.kept, strict=True))
    with st.container(horizontal=True, key="versions-numbers"):
        st.metric(
            "Agreement", percent(found.agreement), width="content",
            help=f"The share of {counted(found.decided, 'decision')} about earlier turns that is the same.",
        )  # fmt: skip
        st.metric("Flips", f"{len(found.turns):,}", width="content")
        st.metric("B keeps more", f"{up:,}", width="content", help="Turns that only B keeps")
        st.metric(
            "B keeps less", f"{len(found.turns) - up:,}", width="content", help="Turns that only A keeps"
        )
        st.metric("Tokens of A", f"{int(a.tokens.sum()):,}", width="content")
        st.metric(
            "Tokens of B", f"{int(b.tokens.sum()):,}", delta=f"{int(b.tokens.sum() - a.tokens.sum()):+,}",
            delta_color="off", width="content",
            help="Of what is sent for these messages together, each list with its current message",
        )  # fmt: skip


def _draw_flips(view: View, key: str, conversation: Conversation, a: Sent, b: Sent, found: Flips) -> None:
    if not len(found.turns):
        st.info("They decide the same about every turn.", icon=":material/check:")
        return
    st.caption("Each link opens the turn in Explore, decided by A, with B beside it.")
    rows = draw_paging(view, len(found.turns))
    for row in rows:
        entry, turn = int(found.entry[row]), int(found.turns[row])
        message = a.messages[entry]
        draw_turn(
            TurnRow(
                turn=turn,
                message=message,
                text=conversation.turns[turn].scored_text,
                speaker=conversation.turns[turn].speaker,
                kept_a=bool(a.kept[entry][turn]),
                kept_b=bool(b.kept[entry][turn]),
                score_a=_score(a, entry, turn),
                score_b=_score(b, entry, turn),
            ),
            key,
            view,
        )
    draw_paging(view, len(found.turns), below=True)


def _score(made: Sent, entry: int, turn: int) -> float | None:
    return TurnDecisions.value(made.scores[entry], turn)


def _chose_conversation() -> None:
    if st.session_state[CONVERSATION] is not None:
        state.change(conversation=st.session_state[CONVERSATION], turn=None, all_messages=False, page=1)


def _chose_message() -> None:
    number = st.session_state[MESSAGE]
    state.change(turn=None if number is None else int(number) - 1, page=1)
