"""A message all of whose earlier turns are answered, and the next one to go on with."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import streamlit as st

from convgate.store import SituationKey
from convgate.ui.answering import Answering
from convgate.ui.wording import counted

_LOOKED_AT = 50  # messages


def draw_all_answered(answering: Answering) -> None:
    """That nothing is left, and the way to a message without an answer; nothing while a turn is open.

    Queues and disagreements tell by themselves when they are done.
    """
    if answering.by is None or answering.settling or answering.onward is not None or answering.ask:
        return
    done = f"All {counted(len(answering.history), 'turn')} are answered."
    if len(answering.history) == 1:
        done = "The only turn before this message is answered."
    following = _unanswered(answering)
    if following is None:
        done += " Choose another message or conversation on the left, or a queue above."
    st.success(done, icon=":material/done_all:")
    if following is not None:
        assert following.turn is not None
        st.button(
            f"Go on with message {following.turn + 1:,}", key="label.next_message",
            on_click=answering.go, args=(following, None), icon=":material/arrow_forward:",
        )  # fmt: skip


def _unanswered(answering: Answering) -> SituationKey | None:
    """The message without an answer of this person that comes next, else the nearest one before."""
    assert answering.by is not None
    moment = answering.moment
    here = len(moment.conversation) if moment.situation.index is None else moment.situation.index
    messages = [turn for turn in moment.conversation.answerable() if turn > 0]
    after = [turn for turn in messages if turn > here]
    before = [turn for turn in reversed(messages) if turn < here]
    for turn in islice([*after, *before], _LOOKED_AT):
        situation = replace(answering.situation, turn=turn, question="")
        if not answering.labels.of(situation).of(answering.by):
            return situation
    return None
