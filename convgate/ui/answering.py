"""Answers about earlier turns: by key, by click, or several at once; stored at once, taken back one by one.

The same controls and keys on every page that shows a message with its earlier turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from convgate.decisions import TurnDecisions
from convgate.errors import StoreError
from convgate.labels.scopes import SCOPES, Scope, turns_of
from convgate.store import ADJUDICATED, Answer, Labels, Saved, SituationKey, SituationLabels
from convgate.ui import keys, state
from convgate.ui.frame import show_problem
from convgate.ui.scoring import Moment
from convgate.ui.text import literal
from convgate.ui.transcript import Labelling, given, situation_name
from convgate.ui.wording import ago, counted

SCOPE, SAVED, PROBLEM = "answering.scope", "answering.saved", "answering.problem"
_SHOWN, _HANDLED = "answering.shown", "answering.handled"
_SHOWN_AT_MOST = 20  # messages whose answers may still be on their way

MARKS: dict[str, str] = {"relevant": "✓", "not_relevant": "✕", "unsure": "?"}
CALLED: dict[str, str] = {"relevant": "relevant", "not_relevant": "not relevant", "unsure": "unsure"}
_KEYS = {"relevant": keys.RELEVANT, "not_relevant": keys.NOT_RELEVANT, "unsure": keys.UNSURE}

_SCOPES: dict[Scope, str] = {
    "turn": "this turn",
    "before": "all before it",
    "topic": "its topic",
    "above": "above the threshold",
    "rest": "all without an answer",
}

Go = Callable[[SituationKey, int | None], None]
"""Shows a message with one of its earlier turns selected."""


@dataclass(frozen=True, eq=False)
class Answering:
    """A message whose earlier turns can be answered for, by somebody, on a page."""

    labels: Labels
    moment: Moment
    decisions: TurnDecisions
    held: SituationLabels
    by: str | None  # None while nobody has chosen a name
    go: Go
    version: str | None = None  # of the gate that is shown
    asked: Sequence[int] = ()  # turns to be answered first, in this order
    topic: Callable[[int], range] | None = None  # the topic segment of a turn
    settling: bool = False  # answers settle what others disagree on
    paused: str = ""  # why this person does not answer at present
    onward: Callable[[], bool] | None = None  # goes to what comes when no turn is left; whether there was any

    @property
    def situation(self) -> SituationKey:
        """The message, as labels name it."""
        return self.moment.labelled

    @property
    def history(self) -> range:
        """The turns that can be answered for."""
        return range(self.moment.history.start, self.moment.history.stop)

    @property
    def mine(self) -> dict[int, str]:
        """What this person says, or what was settled when that is what they do."""
        whose = ADJUDICATED if self.settling else self.by
        return self.held.of(whose) if whose else {}

    @property
    def silent(self) -> set[int]:
        """Turns that answers for several leave out: instructions, which are always sent, and empty ones."""
        history = self.moment.history
        return {
            index
            for index, turn in enumerate(history, history.start)
            if turn.is_instruction or not turn.scored_text.strip()
        }

    @property
    def ask(self) -> list[int]:
        """The turns that are not answered yet: those asked for, then all others, the newest first."""
        mine = self.mine
        first = [turn for turn in self.asked if turn not in mine]
        if self.settling:
            return first
        return first + [turn for turn in reversed(self.history) if turn not in mine and turn not in first]

    def refreshed(self) -> Answering:
        """With what holds now."""
        return replace(self, held=self.labels.of(self.situation))

    def following(self, turn: int) -> int | None:
        """The turn to ask about after this one; None when all are answered. As transcript.js does."""
        ask = [other for other in self.ask if other != turn]
        if not ask or any(other in self.asked for other in ask):
            return ask[0] if ask else None
        return next((other for other in ask if other < turn), ask[0])

    def theirs(self) -> dict[int, list[tuple[str, str]]]:
        """What others say, of the turns that this person answered: before, it would sway them.

        Who settles a turn sees everybody's answer, their own among them.
        """
        mine, own = self.mine, ADJUDICATED if self.settling else self.by
        return {
            turn: [
                ("settled" if who == ADJUDICATED else who, one.value)
                for who, one in said.items()
                if who != own
            ]
            for turn, said in self.held.answers.items()
            if turn in mine or self.settling or self.by is None
        }


def labelling(answering: Answering) -> Labelling:
    """What the transcript shows and takes of it."""
    shown: dict[str, Answering] = st.session_state.setdefault(_SHOWN, {})
    name = situation_name(answering.moment.key, answering.moment.situation)
    shown.pop(name, None)
    shown[name] = answering
    for old in list(shown)[:-_SHOWN_AT_MOST]:
        del shown[old]
    client, stored = st.session_state.get(_HANDLED, ("", 0))
    return Labelling(
        mine=answering.mine,
        theirs=answering.theirs(),
        enabled=answering.by is not None,
        scope=_scope(answering),
        client=client,
        stored=stored,
    )


def take_answers(key: str) -> None:
    """Store what came from the transcript `key`, each answer once; its callback."""
    client, answers, unreadable = given(key)
    if unreadable:
        _refuse("Something came from the list of turns that is no answer; it was not stored.")
    known, stored = st.session_state.get(_HANDLED, ("", 0))
    if client != known:
        stored = 0
    shown: dict[str, Answering] = st.session_state.get(_SHOWN, {})
    for answer in answers:
        if answer.number <= stored:
            continue
        stored = answer.number
        st.session_state[_HANDLED] = (client, stored)
        if (answering := shown.get(answer.situation)) is None:
            _refuse(
                "An answer came for a message that is no longer shown, and was not stored. Give it again."
            )
        elif answer.scope not in SCOPES or answer.turn not in answering.history:
            _refuse("An answer came for turns that there are not before the message; it was not stored.")
        elif answering.by is None:
            _refuse("An answer was not stored: nobody can answer here now. Choose a name first.")
        else:
            if answer.situation != list(shown)[-1]:
                answering = replace(answering, go=_stay, onward=None)
            _store(answering, answer.turn, answer.value, answer.scope)


def draw_answers(answering: Answering, turn: int) -> None:
    """The answers for one turn with their keys, what they are for, undo, and what was stored when."""
    mine, idle = answering.mine.get(turn), answering.by is None
    with st.container(horizontal=True, gap="xsmall", key="answering-choices"):
        for value, called in CALLED.items():
            st.button(
                f"{MARKS[value]} {called}", key=f"answering.{value}", shortcut=_KEYS[value], disabled=idle,
                type="primary" if value == mine else "secondary", on_click=_given,
                args=(answering, turn, value),
            )  # fmt: skip
    if not answering.settling:
        _draw_scope(answering, turn)
    draw_saved(answering, turn)


def draw_saved(answering: Answering, turn: int | None) -> None:
    """Undo and redo, and what was stored last, or why something was not."""
    if (problem := st.session_state.pop(PROBLEM, None)) is not None:
        show_problem(problem)
    if answering.by is None:
        return
    undoable, redoable = answering.labels.can_undo(answering.by)
    mine = None if turn is None else answering.mine.get(turn)
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="center", key="answering-saved"):
        st.button(
            "undo", key="answering.undo", shortcut=keys.UNDO, on_click=_turn_back, args=(answering, "undo"),
            disabled=not undoable, help="Takes back what you did last: an answer, a note, several at once",
        )  # fmt: skip
        st.button(
            "redo", key="answering.redo", shortcut=keys.REDO, on_click=_turn_back, args=(answering, "redo"),
            disabled=not redoable,
        )  # fmt: skip
        st.button(
            "take back", key="answering.none", shortcut=keys.TAKE_BACK, on_click=_given,
            args=(answering, turn, None), disabled=mine is None, help="No answer for this turn",
        )  # fmt: skip
    if words := _saved_words(answering, turn):
        st.caption(words)


def _draw_scope(answering: Answering, turn: int) -> None:
    """What the next answer is for, with the number of turns; counted for the chosen one alone, for topics
    take seconds in a long conversation."""
    scope: Scope = state.remembered(SCOPE, SCOPES[0])
    offered = [one for one in SCOPES if one != "topic" or answering.topic is not None]
    if scope not in offered:
        st.session_state[SCOPE] = scope = SCOPES[0]
    count = "" if scope == "turn" else f" {counted(len(_targets(answering, turn, scope)), 'turn')}"
    with st.container(
        horizontal=True, gap="xsmall", vertical_alignment="bottom", wrap=False, key="answering-scope"
    ):
        st.selectbox(
            # The count is not in the options: a browser goes on sending the words that it was shown first.
            f"An answer is for{count}", offered, key=SCOPE, format_func=_SCOPES.__getitem__,
            disabled=answering.by is None,
            help="Several at once: only turns without an answer of yours get one, and one undo takes all of"
            " them back. Afterwards an answer is for a single turn again.",
        )  # fmt: skip
        st.button(
            "next", key="answering.next_scope", shortcut=keys.SCOPE, disabled=answering.by is None,
            on_click=_next_scope, args=(offered, scope),
        )  # fmt: skip


def _targets(answering: Answering, turn: int, scope: Scope) -> list[int]:
    decisions = answering.decisions
    anyway = {index for index, override in decisions.overrides.items() if override.kept}
    above = [int(index) for index in decisions.indices[decisions.kept] if int(index) not in anyway]
    topic = (
        answering.topic(turn) if scope == "topic" and answering.topic and turn in answering.history else None
    )
    answered = {*answering.mine, *answering.silent}
    return turns_of(scope, turn, answering.history, topic=topic, above=above, answered=answered)


def _given(answering: Answering, turn: int, value: Answer | None) -> None:
    _store(answering, turn, value, _scope(answering))


def _scope(answering: Answering) -> Scope:
    """What the next answer is for; turns are settled one by one."""
    scope: Scope = st.session_state.get(SCOPE, SCOPES[0])
    return scope if scope in SCOPES and not answering.settling else SCOPES[0]


def _store(answering: Answering, turn: int, value: Answer | None, scope: Scope) -> None:
    """Answer, or take back the one answer, and go on; what goes wrong is said."""
    if (by := answering.by) is None:
        return
    try:
        answering = answering.refreshed()
        answers = dict.fromkeys([turn] if value is None else _targets(answering, turn, scope), value)
        if answering.settling:
            saved = answering.labels.adjudicate(answering.situation, answers, by=by)
        else:
            saved = answering.labels.answer(
                answering.situation, answers, by=by, version=answering.version,
                kind="answer" if value is None or scope == "turn" else "bulk", again=turn in answering.asked,
            )  # fmt: skip
        st.session_state[SAVED] = saved
        st.session_state[SCOPE] = SCOPES[0]
        if value is None:
            answering.go(answering.situation, turn)
        else:
            _go_on(answering.refreshed(), turn)
    except StoreError as error:
        st.session_state[PROBLEM] = error


def _go_on(answering: Answering, turn: int) -> None:
    """Show the turn to ask about after this one."""
    following, asked = answering.following(turn), answering.asked
    is_left = following is not None and (not asked or following in asked or answering.onward is None)
    if is_left or answering.onward is None or not answering.onward():
        answering.go(answering.situation, turn if following is None else following)


def _refuse(why: str) -> None:
    st.session_state[PROBLEM] = StoreError(why)


def _stay(situation: SituationKey, turn: int | None) -> None:
    """An answer for a message that was left meanwhile leads nowhere."""


def _turn_back(answering: Answering, which: str) -> None:
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
    st.session_state[SAVED] = saved
    if saved.situation is not None:
        answering.go(saved.situation, saved.turn if saved.turn >= 0 else None)


def _next_scope(offered: Sequence[Scope], scope: Scope) -> None:
    st.session_state[SCOPE] = offered[(offered.index(scope) + 1) % len(offered)]


def _saved_words(answering: Answering, turn: int | None) -> str:
    saved: Saved | None = st.session_state.get(SAVED)
    if saved is not None and saved.action is None:
        return ":material/check: Nothing to change: it was stored already"
    if saved is not None:
        local = saved.at.astimezone()
        what = {"undo": "Taken back", "redo": "Done again"}.get(saved.kind, "Saved")
        several = f", {counted(saved.changed, 'answer')}" if saved.changed != 1 else _turn_words(saved)
        left = f"; {saved.left:,} changed since and left as they are" if saved.left else ""
        return f":material/check: {what} {local:%H:%M:%S}{several}{left}"
    if turn is not None and answering.by is not None:
        said = answering.held.answers.get(turn, {}).get(answering.by)
        if said is not None:
            return f":material/check: Saved {ago(said.at)}"
    return "Nothing answered here yet" if not answering.mine else ""


def _turn_words(saved: Saved) -> str:
    return f", turn {saved.turn + 1:,}" if saved.turn >= 0 else ""


def draw_prefill(answering: Answering) -> None:
    """The button that takes what the policy decides for every turn without an answer; never done unasked."""
    open_turns = [turn for turn in answering.ask if turn not in answering.silent]
    st.button(
        f"Take its choice for all {len(open_turns):,} without an answer", key="answering.prefill",
        type="tertiary", icon=":material/auto_fix_high:", on_click=_prefill, args=(answering,),
        disabled=answering.by is None or not open_turns,
        help="Kept turns become relevant, dropped ones not relevant; correct what is wrong. One undo takes"
        " all of them back.",
    )  # fmt: skip


def _prefill(answering: Answering) -> None:
    if answering.by is None:
        return
    by = answering.by
    try:
        answering = answering.refreshed()
        chosen: dict[int, Answer | None] = {
            turn: "relevant" if answering.decisions.of(turn).kept else "not_relevant"
            for turn in answering.ask
            if turn not in answering.silent
        }
        st.session_state[SAVED] = answering.labels.answer(
            answering.situation, chosen, by=by, version=answering.version, kind="bulk"
        )
    except StoreError as error:
        st.session_state[PROBLEM] = error


def said_words(answering: Answering, turn: int) -> str:
    """What others say of a turn, as Markdown; empty when nothing, or not yet to be seen."""
    said = answering.theirs().get(turn, [])
    return " · ".join(f"{literal(who)}: {MARKS[value]} {CALLED[value]}" for who, value in said)
