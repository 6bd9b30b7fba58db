"""Answers for the earlier turns of a message: buttons, keys and undo, on Label and Explore.

Each answer is stored at once. The transcript in the browser sends an answer again until it is stored;
`take_answers` stores each once, by its number.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.core.errors import StoreError
from convgate.core.text import pluralize
from convgate.store import ActionRecord, Answer
from convgate.ui.shared import keys
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.answers import Answering, Scope
from convgate.ui.shared.explore_state import go
from convgate.ui.shared.transcript import read_new_answers
from convgate.ui.shared.transcript_rows import Labelling, current_name

MARKS: dict[str, str] = {"relevant": "✓", "not_relevant": "✕", "unsure": "?"}
NAMES: dict[str, str] = {"relevant": "relevant", "not_relevant": "not relevant", "unsure": "unsure"}
SCOPE, SAVED = "answering.scope", "answering.saved"
_SHOWN = "answering.shown"  # the message that was drawn last
_STORED = "answering.stored"  # the browser's list that sent answers last, and the number of the last one
_STYLE = Path(__file__).with_name("answering.css")
_KEYS = {"relevant": keys.RELEVANT, "not_relevant": keys.NOT_RELEVANT, "unsure": keys.UNSURE}


def draw_answers(answering: Answering, turn: int) -> None:
    """Draw the answers for one turn, and the actions beside them."""
    st.html(_STYLE)
    mine, scope = answering.mine.get(turn), _scope(answering)
    several = "" if scope == "turn" else f" · {pluralize(len(answering.targets(turn, scope)), 'turn')}"
    with st.container(key="answering-bar", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="answering-choices"):
            for value, name in NAMES.items():
                st.button(
                    f"{MARKS[value]} {name}{several}", key=f"answering.{value}", shortcut=_KEYS[value],
                    disabled=answering.by is None or not answering.can_answer(turn),
                    type="primary" if value == mine else "secondary",
                    on_click=_answer, args=(answering, turn, value, scope), wrap=True,
                )  # fmt: skip
        draw_actions(answering, turn)


def draw_actions(answering: Answering, turn: int | None = None) -> None:
    """Draw undo, redo, clear and later, and what was stored last, or why it was not."""
    draw_problem()
    if answering.paused:
        st.warning(answering.paused, icon=":material/pause:")
    if answering.by is None:
        return
    can_undo, can_redo = answering.labels.can_undo(answering.by)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="answering-saved"):
        for action, key, enabled in (("undo", keys.UNDO, can_undo), ("redo", keys.REDO, can_redo)):
            st.button(
                action, key=f"answering.{action}", shortcut=key, on_click=_undo_or_redo,
                args=(answering, action), disabled=not enabled,
            )  # fmt: skip
        if turn is not None:
            st.button(
                "clear", key="answering.none", shortcut=keys.CLEAR, on_click=_answer,
                args=(answering, turn, None, "turn"),
                disabled=turn not in answering.mine or not answering.can_answer(turn),
                help="Remove the answer for this turn",
            )  # fmt: skip
        if turn is not None and answering.work.skip is not None:
            st.button(
                "later", key="answering.later", shortcut=keys.LATER, on_click=answering.work.skip,
                help="Move the rest of this message to the end of the queue",
            )  # fmt: skip
        if turn is not None and not answering.work.adjudicating:
            st.button(
                "all unanswered turns", key="answering.scope_rest", shortcut=keys.SCOPE,
                type="primary" if _scope(answering) == "rest" else "secondary", on_click=_switch_scope,
                help="The next answer is for all turns without one. One undo reverts all of them.",
            )  # fmt: skip
    if words := _describe_saved(st.session_state.get(SAVED)):
        st.caption(words)


def keep_saved(saved: ActionRecord | None) -> None:
    """Have the page show what became of an action."""
    st.session_state[SAVED] = saved


def transcript_labelling(answering: Answering, selected: int | None) -> Labelling:
    """Return what the list of turns shows of the answers, and have it take new ones."""
    st.session_state[_SHOWN] = answering
    client, number = st.session_state.get(_STORED, ("", 0))
    scope = _scope(answering)
    targets = answering.targets(selected or 0, scope) if scope == "rest" and answering.by else []
    return Labelling(
        mine=answering.mine,
        theirs=answering.others(),
        enabled=answering.by is not None,
        open=frozenset(turn for turn in answering.history if answering.can_answer(turn)),
        scope=scope,
        targets=frozenset(targets),
        client=client,
        stored=number,
        message=current_name(answering.message.key, answering.message.current),
    )


def take_answers(key: str) -> None:
    """Store the answers of the transcript `key`, each once; for its callback."""
    client, answers, n_unreadable = read_new_answers(key)
    n_failed = n_unreadable
    known, stored = st.session_state.get(_STORED, ("", 0))
    answering: Answering | None = st.session_state.get(_SHOWN)
    for answer in answers:
        if client == known and answer.number <= stored:
            continue
        known, stored = client, answer.number
        st.session_state[_STORED] = (client, stored)
        if (
            answering is not None
            and answering.by is not None
            and answer.current == current_name(answering.message.key, answering.message.current)
            and answering.can_answer(answer.turn)
        ):
            _answer(answering, answer.turn, answer.value, answer.scope)
        else:
            n_failed += 1
    if n_failed:
        with reporting_problems():
            raise StoreError(
                f"{pluralize(n_failed, 'answer')} not stored. Choose a name, then repeat it for this message."
            )


def _scope(answering: Answering) -> Scope:
    return "rest" if st.session_state.get(SCOPE) and not answering.work.adjudicating else "turn"


def _switch_scope() -> None:
    st.session_state[SCOPE] = not st.session_state.get(SCOPE)


def _answer(answering: Answering, turn: int, value: Answer | None, scope: Scope) -> None:
    """Store an answer, or clear the one answer, and go on."""
    if (by := answering.by) is None:
        return
    with reporting_problems():
        now = answering.reloaded()
        answers = dict.fromkeys([turn] if value is None else now.targets(turn, scope), value)
        labels, current, work = now.labels, now.message.labelled, now.work
        if work.adjudicating:
            saved = labels.adjudicate(current, answers, by=by)
        else:
            again = turn in work.reasons
            saved = labels.answer(current, answers, by=by, version=now.version, again=again)
        keep_saved(saved)
        st.session_state[SCOPE] = False
        if value is None:
            go(current, turn)
        else:
            _go_on(now.reloaded(), turn)


def _go_on(answering: Answering, turn: int) -> None:
    """Show the turn to ask about after this one."""
    following, work = answering.following(turn), answering.work
    stays = following is not None and (not work.reasons or following in work.reasons)
    if stays or work.next_message is None or not work.next_message():
        go(answering.message.labelled, turn if following is None else following)


def _undo_or_redo(answering: Answering, action: str) -> None:
    """Undo or redo the annotator's last action, and show where it was."""
    if answering.by is None:
        return
    labels = answering.labels
    with reporting_problems():
        saved = labels.undo(answering.by) if action == "undo" else labels.redo(answering.by)
        if saved is not None:
            keep_saved(saved)
            if saved.current is not None:
                go(saved.current, saved.turn if saved.turn >= 0 else None)


def _describe_saved(saved: ActionRecord | None) -> str:
    """Return what was stored last in this window, as Markdown."""
    if saved is None:
        return ""
    if saved.action is None:
        return ":material/check: No change"
    verb = {"undo": "Undone", "redo": "Redone"}.get(saved.kind, "Saved")
    parts = [f":material/check: {verb} {saved.at.astimezone():%H:%M:%S}"]
    if saved.changed > 1 or saved.left:
        parts.append(pluralize(saved.changed, "answer"))
    elif saved.turn >= 0:
        parts.append(f"turn {saved.turn + 1:,}")
    if saved.left:
        parts.append(f"{saved.left:,} changed since and left as they are")
    return ", ".join(parts)
