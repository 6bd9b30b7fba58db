"""The controls for one turn: the answers with their keys, what they are for, undo, and what was stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.labels.scopes import SCOPES, Scope
from convgate.ui import keys, state
from convgate.ui.answering.message import Answering
from convgate.ui.answering.storing import (
    ELSEWHERE,
    PROBLEM,
    SAVED,
    SCOPE,
    chosen_scope,
    give,
    leave_for_later,
    prefill,
    turn_back,
)
from convgate.ui.answering.words import CALLED, MARKS, saved_words
from convgate.ui.answering.words import SCOPES as CALLED_SCOPES
from convgate.ui.frame import show_problem
from convgate.ui.text import literal
from convgate.ui.wording import counted

_STYLE = Path(__file__).with_name("answering.css")
_KEYS = {"relevant": keys.RELEVANT, "not_relevant": keys.NOT_RELEVANT, "unsure": keys.UNSURE}


@dataclass(frozen=True, slots=True)
class Later:
    """What "later" does where it is more than to put off the turn."""

    act: Callable[[], None]
    help: str
    disabled: bool = False


def draw_answers(answering: Answering, turn: int, later: Later | None = None) -> None:
    """The answers for one turn, which stay in sight, and what is stored."""
    mine, idle = answering.mine.get(turn), answering.by is None
    scope = SCOPES[0] if answering.settling else _draw_scope(answering)
    several = "" if scope == SCOPES[0] else f" · {counted(len(answering.targets(turn, scope)), 'turn')}"
    st.html(_STYLE)
    with st.container(key="answering-bar", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="answering-choices"):
            for value, called in CALLED.items():
                st.button(
                    f"{MARKS[value]} {called}{several}", key=f"answering.{value}", shortcut=_KEYS[value],
                    disabled=idle, type="primary" if value == mine else "secondary", on_click=give,
                    args=(answering, turn, value), wrap=True,
                )  # fmt: skip
        draw_saved(answering, turn, later)


def draw_saved(answering: Answering, turn: int | None, later: Later | None = None) -> None:
    """Undo and redo, and what was stored last, or why something was not."""
    if (problem := st.session_state.pop(PROBLEM, None)) is not None:
        show_problem(problem)
    if answering.by is None:
        return
    undoable, redoable = answering.labels.can_undo(answering.by)
    mine = None if turn is None else answering.mine.get(turn)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="answering-saved"):
        st.button(
            "undo", key="answering.undo", shortcut=keys.UNDO, on_click=turn_back, args=(answering, "undo"),
            disabled=not undoable, help="Takes back what you did last: an answer, a note, several at once",
        )  # fmt: skip
        st.button(
            "redo", key="answering.redo", shortcut=keys.REDO, on_click=turn_back, args=(answering, "redo"),
            disabled=not redoable,
        )  # fmt: skip
        st.button(
            "take back", key="answering.none", shortcut=keys.TAKE_BACK, on_click=give,
            args=(answering, turn, None), disabled=mine is None, help="No answer for this turn",
        )  # fmt: skip
        if turn is not None and turn in answering.history and not answering.settling:
            _draw_later(answering, turn, later)
    saved = st.session_state.get(SAVED)
    action, told = st.session_state.get(ELSEWHERE, (None, ""))
    if saved is not None and told and saved.action == action:
        st.warning(literal(told), icon=":material/tab:")
    if words := saved_words(answering, turn, saved):
        st.caption(words)


def draw_prefill(answering: Answering) -> None:
    """The button that takes what the policy decides for every turn without an answer; never done unasked.

    Nothing when no such turn is left.
    """
    open_turns = [turn for turn in answering.ask if turn not in answering.silent]
    if not open_turns:
        return
    st.button(
        f"Take its choice for all {len(open_turns):,} without an answer", key="answering.prefill",
        type="tertiary", icon=":material/auto_fix_high:", on_click=prefill, args=(answering,),
        disabled=answering.by is None,
        help="Kept turns become relevant, dropped ones not relevant; correct what is wrong. One undo takes"
        " all of them back.",
    )  # fmt: skip


def _draw_later(answering: Answering, turn: int, later: Later | None) -> None:
    later = later or Later(
        partial(leave_for_later, answering, turn),
        "Puts this turn off: it is asked about again after all others of the message",
        disabled=turn in answering.mine or len(answering.ask) < 2,
    )
    st.button(
        "later", key="answering.later", shortcut=keys.LATER, help=later.help, on_click=later.act,
        disabled=later.disabled,
    )  # fmt: skip


def _draw_scope(answering: Answering) -> Scope:
    """What the next answer is for."""
    state.remembered(SCOPE, SCOPES[0])
    offered = [one for one in SCOPES if one != "topic" or answering.topic is not None]
    scope = chosen_scope(answering)
    if scope not in offered:
        st.session_state[SCOPE] = scope = SCOPES[0]
    following = offered[(offered.index(scope) + 1) % len(offered)]
    with st.container(
        horizontal=True, gap="xsmall", vertical_alignment="bottom", wrap=False, key="answering-scope"
    ):
        st.selectbox(
            # The count is not in the options: a browser goes on sending the words that it was shown first.
            "An answer is for", offered, key=SCOPE, format_func=CALLED_SCOPES.__getitem__,
            disabled=answering.by is None,
            help="Several at once: only turns without an answer of yours get one. They are marked in the"
            " list, and one undo takes all of them back. Afterwards an answer is for a single turn again.",
        )  # fmt: skip
        st.button(
            f"or {CALLED_SCOPES[following]}", key="answering.next_scope", shortcut=keys.SCOPE,
            disabled=answering.by is None, on_click=_next_scope, args=(offered, scope), wrap=True,
        )  # fmt: skip
    return scope


def _next_scope(offered: Sequence[Scope], scope: Scope) -> None:
    st.session_state[SCOPE] = offered[(offered.index(scope) + 1) % len(offered)]
