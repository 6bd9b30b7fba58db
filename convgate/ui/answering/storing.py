"""What answering does: each answer is stored at once, leads on, and can be taken back."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from convgate.errors import StoreError
from convgate.labels.scopes import SCOPES, Scope
from convgate.store import Answer, Saved
from convgate.store.labels import Labels, Said
from convgate.ui.answering.message import Answering
from convgate.ui.answering.words import elsewhere_words

SCOPE, SAVED, PROBLEM = "answering.scope", "answering.saved", "answering.problem"
ELSEWHERE = "answering.elsewhere"
"""The number of an action, and what it found that was said in another window."""
_OWN = "answering.own"  # when this window stored something, the newest last
_REMEMBERED = 50  # of these


def keep_saved(saved: Saved | None) -> None:
    """Have the page say what became of an action."""
    st.session_state[SAVED] = saved
    if saved is not None:
        own: list[datetime] = st.session_state.setdefault(_OWN, [])
        st.session_state[_OWN] = [*own[1 - _REMEMBERED :], saved.at]


def chosen_scope(answering: Answering) -> Scope:
    """What the next answer is for; turns are settled one by one."""
    scope: Scope = st.session_state.get(SCOPE, SCOPES[0])
    return scope if scope in SCOPES and not answering.settling else SCOPES[0]


def give(answering: Answering, turn: int, value: Answer | None) -> None:
    """Answer as the controls are set; a callback."""
    store_answer(answering, turn, value, chosen_scope(answering))


def store_answer(answering: Answering, turn: int, value: Answer | None, scope: Scope) -> None:
    """Answer, or take back the one answer, and go on; what goes wrong is said."""
    if (by := answering.by) is None:
        return
    try:
        now = answering.refreshed()
        answers = dict.fromkeys([turn] if value is None else now.targets(turn, scope), value)
        if now.settling:
            saved = now.labels.adjudicate(now.situation, answers, by=by)
        else:
            saved = now.labels.answer(
                now.situation, answers, by=by, version=now.version,
                kind="answer" if value is None or scope == "turn" else "bulk", again=turn in now.asked,
            )  # fmt: skip
        if (other := _said_elsewhere(answering, now, turn)) is not None and other.value != value:
            told = elsewhere_words(turn, other, settling=now.settling)
            st.session_state[ELSEWHERE] = (saved.action, told)
        keep_saved(saved)
        st.session_state[SCOPE] = SCOPES[0]
        if value is None:
            now.go(now.situation, turn)
        else:
            _go_on(now.refreshed(), turn)
    except StoreError as error:
        st.session_state[PROBLEM] = error


def leave_for_later(answering: Answering, turn: int) -> None:
    """Go on, and come back to the turn after all others; a callback."""
    if (by := answering.by) is None:
        return
    try:
        keep_saved(Labels(answering.store).put_off(answering.situation, turn, by=by))
        _go_on(answering.refreshed(), turn)
    except StoreError as error:
        st.session_state[PROBLEM] = error


def turn_back(answering: Answering, which: str) -> None:
    """Undo, or redo, the last thing that this person did, and show where it was; a callback."""
    if answering.by is None:
        return
    labels = answering.labels
    try:
        saved = labels.undo(answering.by) if which == "undo" else labels.redo(answering.by)
    except StoreError as error:
        st.session_state[PROBLEM] = error
        return
    if saved is None:
        return
    keep_saved(saved)
    if saved.situation is not None:
        answering.go(saved.situation, saved.turn if saved.turn >= 0 else None)


def prefill(answering: Answering) -> None:
    """Answer what the policy decides for every turn without an answer; a callback."""
    if answering.by is None:
        return
    try:
        now = answering.refreshed()
        chosen: dict[int, Answer | None] = {
            turn: "relevant" if now.decisions.of(turn).kept else "not_relevant"
            for turn in now.ask
            if turn not in now.silent
        }
        keep_saved(
            now.labels.answer(now.situation, chosen, by=answering.by, version=now.version, kind="bulk")
        )
    except StoreError as error:
        st.session_state[PROBLEM] = error


def refuse(why: str) -> None:
    """Have the page say why an answer was not stored."""
    st.session_state[PROBLEM] = StoreError(why)


def _said_elsewhere(shown: Answering, now: Answering, turn: int) -> Said | None:
    """What was said of the turn, under the same name, since this window showed it, and not here."""
    said = now.held.answers.get(turn, {}).get(now.whose or "")
    if said is None or said.at <= shown.read_at or said.at in st.session_state.get(_OWN, ()):
        return None
    return said


def _go_on(answering: Answering, turn: int) -> None:
    """Show the turn to ask about after this one."""
    following, asked = answering.following(turn), answering.asked
    is_left = following is not None and (not asked or following in asked or answering.onward is None)
    if is_left or answering.onward is None or not answering.onward():
        answering.go(answering.situation, turn if following is None else following)
