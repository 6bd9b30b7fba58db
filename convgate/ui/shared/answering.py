"""Answers for the earlier turns of a message: buttons, keys and undo, on Label and Explore.

Each answer is stored at once. The transcript in the browser sends an answer again until it is stored;
`take_answers` stores each once, by its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import streamlit as st

from convgate.core.errors import StoreError
from convgate.core.text import pluralize
from convgate.labels.weekly_agreement import calibration
from convgate.store import ADJUDICATED, ActionRecord, Answer, CurrentKey, CurrentLabels, Labels
from convgate.ui.shared import keys
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.explore_state import go, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import UNTIL_LEFT
from convgate.ui.shared.transcript import read_new_answers
from convgate.ui.shared.transcript_rows import Labelling, current_name

Scope = Literal["turn", "rest"]  # what an answer is for: one turn, or all turns without an answer
MARKS: dict[str, str] = {"relevant": "✓", "not_relevant": "✕", "unsure": "?"}
NAMES: dict[str, str] = {"relevant": "relevant", "not_relevant": "not relevant", "unsure": "unsure"}
SAVED, _WHERE = "answering.saved", "answering.where"
_SCOPE = f"{UNTIL_LEFT}answering.scope"
_SHOWN = "answering.shown"  # the message that was drawn last
_STORED = "answering.stored"  # the browser's list that sent answers last, and the number of the last one
_STYLE = Path(__file__).with_name("answering.css")
_KEYS = {"relevant": keys.RELEVANT, "not_relevant": keys.NOT_RELEVANT, "unsure": keys.UNSURE}


@dataclass(frozen=True, eq=False)
class Work:
    """What is asked about a message; by default, all turns before it."""

    reasons: Mapping[int, str] = field(default_factory=dict)  # by turn to ask about first, in order
    adjudicating: bool = False  # answers adjudicate disagreements, on the turns of `reasons` alone
    calibrating: bool = False  # a calibration, which goes on while labelling pauses
    finished: bool = False  # nothing is left to ask about, of any message
    next_message: Callable[[], bool] | None = None  # goes on when no turn is left; whether there is any
    skip: Callable[[], None] | None = None  # moves the message to the end of the queue


@dataclass(frozen=True, eq=False)
class Answering:
    """A message whose earlier turns an annotator answers for."""

    labels: Labels
    message: OpenMessage
    held: CurrentLabels
    by: str
    version: str | None  # of the gate that decides
    work: Work
    paused: str = ""  # why labelling pauses, if it does

    @property
    def history(self) -> range:
        """Return the turns before the message."""
        return range(self.message.history.start, self.message.history.stop)

    @cached_property
    def mine(self) -> dict[int, str]:
        """Return the annotator's answers, or the adjudicated ones when adjudicating, by turn."""
        return self.held.of(ADJUDICATED if self.work.adjudicating else self.by)

    @cached_property
    def askable(self) -> list[int]:
        """Return the turns that are asked about, in order: those of the work, then the newest."""
        others = () if self.work.adjudicating else reversed(turns_to_ask(self.message))
        return list(dict.fromkeys((*self.work.reasons, *others)))

    @cached_property
    def ask(self) -> list[int]:
        """Return the turns without an answer, in the order of asking."""
        return [turn for turn in self.askable if turn not in self.mine]

    def can_answer(self, turn: int) -> bool:
        """Return whether a turn can be answered for; when adjudicating, only turns with a disagreement."""
        turns = self.work.reasons if self.work.adjudicating else self.history
        return not self.work.finished and not self.paused and turn in turns

    @property
    def is_complete(self) -> bool:
        """Return whether every turn that is asked about has an answer, so that a further key is a slip."""
        return not self.ask and bool(self.mine)

    def following(self, turn: int) -> int | None:
        """Return the turn to ask about after this one; None when all have an answer."""
        ask = [other for other in self.ask if other != turn]
        if not ask or {ask[0], turn} & self.work.reasons.keys():
            return ask[0] if ask else None
        return next((other for other in ask if other < turn), ask[0])

    def targets(self, turn: int, scope: Scope) -> list[int]:
        """Return the turns that an answer is for; "rest": all that are asked about and have none."""
        return [turn] if scope == "turn" else sorted(self.ask)

    def reloaded(self) -> Answering:
        """Return the message with the answers that are stored now."""
        return replace(self, held=self.labels.of(self.message.labelled))

    def others(self) -> dict[int, list[tuple[str, str]]]:
        """Return the answers of others by turn, as (annotator, answer).

        Before this annotator has answered a turn, the others' answers would bias theirs.
        """
        return {
            turn: [
                ("adjudicated" if who == ADJUDICATED else who, answer)
                for who, answer in answers.items()
                if who != (ADJUDICATED if self.work.adjudicating else self.by)
            ]
            for turn, answers in self.held.answers.items()
            if turn in self.mine or self.work.adjudicating
        }


def turns_to_ask(message: OpenMessage) -> list[int]:
    """Return the turns before a message but instructions, which are always sent, and empty ones."""
    turns = enumerate(message.history, message.history.start)
    return [turn for turn, each in turns if not each.is_instruction and each.scored_text.strip()]


def read_answers(app: App, message: OpenMessage, version: str | None, work: Work) -> Answering:
    """Return the annotator's answers for a message; version: of the gate that decides."""
    labels, paused = Labels(app.store), ""
    if not work.adjudicating and not work.calibrating:
        state = calibration(app.store)
        paused = state.summary if state.state == "paused" else ""
    return Answering(labels, message, labels.of(message.labelled), annotator(), version, work, paused)


def draw_answers(answering: Answering, turn: int, more: Callable[[], None] | None = None) -> None:
    """Draw the answers for one turn, and the actions below them; more: draws further ones in their line."""
    st.html(_STYLE)
    mine, scope = answering.mine.get(turn), _scope(answering)
    several = "" if scope == "turn" else f" · {pluralize(len(answering.targets(turn, scope)), 'turn')}"
    with st.container(key="answering-bar", gap="xsmall"):
        with st.container(horizontal=True, gap="xsmall", key="answering-choices"):
            for value, name in NAMES.items():
                st.button(
                    f"{MARKS[value]} {name}{several}", key=f"answering.{value}", shortcut=_KEYS[value],
                    disabled=answering.is_complete or not answering.can_answer(turn),
                    type="primary" if value == mine else "secondary",
                    on_click=_answer, args=(answering, turn, value, scope), wrap=True,
                )  # fmt: skip
        draw_actions(answering, turn, more)


def draw_actions(
    answering: Answering, turn: int | None = None, more: Callable[[], None] | None = None
) -> None:
    """Draw undo, redo, clear and later, and what was stored last, or why it was not."""
    draw_problem()
    if answering.paused:
        st.warning(answering.paused, icon=":material/pause:")
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
            )  # fmt: skip
        if turn is not None and answering.work.skip is not None:
            st.button(
                "later", key="answering.later", shortcut=keys.LATER, on_click=answering.work.skip,
            )  # fmt: skip
        if turn is not None and not answering.work.adjudicating and answering.ask:
            st.button(
                f"one answer for all {len(answering.ask):,} left", key="answering.scope_rest",
                type="primary" if _scope(answering) == "rest" else "secondary",
                shortcut=keys.SCOPE, on_click=_switch_scope, args=(answering,),
            )  # fmt: skip
        if more is not None:
            more()
        if words := _describe_saved(st.session_state.get(SAVED)):
            st.caption(f"{words}{st.session_state.get(_WHERE, '')}", width="content")


def keep_saved(saved: ActionRecord | None, where: str = "") -> None:
    """Have the page show what became of an action; where: what follows its turn."""
    st.session_state[SAVED] = saved
    st.session_state[_WHERE] = where


def transcript_labelling(answering: Answering, selected: int | None) -> Labelling:
    """Return what the list of turns shows of the answers, and have it take new ones."""
    st.session_state[_SHOWN] = answering
    client, number = st.session_state.get(_STORED, ("", 0))
    scope = _scope(answering)
    targets = answering.targets(selected or 0, scope) if scope == "rest" else []
    return Labelling(
        mine=answering.mine,
        theirs=answering.others(),
        enabled=True,
        open=frozenset(turn for turn in answering.history if answering.can_answer(turn)),
        scope=scope,
        targets=frozenset(targets),
        client=client,
        stored=number,
        message=_name_of(answering),
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
            and answer.current == _name_of(answering)
            and answering.can_answer(answer.turn)
        ):
            _answer(answering, answer.turn, answer.value, answer.scope)
        else:
            n_failed += 1
    if n_failed:
        with reporting_problems():
            raise StoreError(f"{pluralize(n_failed, 'answer')} not stored. Repeat it for this message.")


def _scope(answering: Answering) -> Scope:
    """Return what an answer is for: the rest until it is given, or another message or page opens."""
    if answering.work.adjudicating or st.session_state.get(_SCOPE) != _name_of(answering):
        st.session_state.pop(_SCOPE, None)
        return "turn"
    return "rest"


def _switch_scope(answering: Answering) -> None:
    st.session_state[_SCOPE] = None if _scope(answering) == "rest" else _name_of(answering)


def _name_of(answering: Answering) -> str:
    return current_name(answering.message.key, answering.message.current)


def _answer(answering: Answering, turn: int, value: Answer | None, scope: Scope) -> None:
    """Store an answer, or clear the one answer, and go on."""
    by = answering.by
    with reporting_problems():
        now = answering.reloaded()
        if value is not None and now.is_complete:
            raise StoreError(
                "every turn of this message has an answer; undo (Z) or clear (0) one to change it"
            )
        answers = dict.fromkeys([turn] if value is None else now.targets(turn, scope), value)
        labels, current, work = now.labels, now.message.labelled, now.work
        if work.adjudicating:
            saved = labels.adjudicate(current, answers, by=by)
        else:
            again = turn in work.reasons
            saved = labels.answer(current, answers, by=by, version=now.version, again=again)
        keep_saved(saved)
        st.session_state.pop(_SCOPE, None)
        if value is None or scope == "rest":  # what became of many is looked at before what comes next
            page.select(turn)
        else:
            _go_on(now.reloaded(), turn)


def _go_on(answering: Answering, turn: int) -> None:
    """Show the turn to ask about after this one."""
    following, work = answering.following(turn), answering.work
    stays = following is not None and (not work.reasons or following in work.reasons)
    if stays or work.next_message is None or not work.next_message():
        page.select(turn if following is None else following)
        return
    after, here = page.now(), answering.message.labelled
    if CurrentKey(after.conversation or "", after.turn, after.question) == here:
        return
    place = "the last message" if after.turn is None else f"message {after.turn + 1:,}"
    if after.conversation != here.conversation:
        place += " of another conversation"
    st.session_state[_WHERE] = f"; next: {place}"


def _undo_or_redo(answering: Answering, action: str) -> None:
    """Undo the annotator's last action and show where it was; or redo it, and go on as after an answer."""
    labels, here = answering.labels, answering.message.labelled
    with reporting_problems():
        saved = labels.undo(answering.by) if action == "undo" else labels.redo(answering.by)
        if saved is None:
            return
        is_elsewhere = saved.current is not None and saved.current.conversation != here.conversation
        keep_saved(saved, " of another conversation, which is shown now" if is_elsewhere else "")
        if saved.current == here and saved.turn >= 0 and action == "redo":
            _go_on(answering.reloaded(), saved.turn)
        elif saved.current is not None:
            go(saved.current, saved.turn if saved.turn >= 0 and action == "undo" else None)


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
