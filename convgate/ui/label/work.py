"""What an annotator works through: the turns of a conversation, a queue, or disagreements to adjudicate."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

import streamlit as st

from convgate.core.errors import LabellingPausedError
from convgate.core.text import isolate, pluralize, writable
from convgate.labels.queue import NamedPolicy, make_queue
from convgate.labels.weekly_agreement import is_calibration
from convgate.policies.spec import read_policy
from convgate.store import CurrentKey, Labels
from convgate.store.labels import Disagreement
from convgate.store.queues import Queues
from convgate.ui.shared import scoring
from convgate.ui.shared.actions import reporting_problems
from convgate.ui.shared.annotator import annotator, draw_annotator, name_words
from convgate.ui.shared.answering import MARKS, Work, keep_saved, turns_to_ask
from convgate.ui.shared.explore_state import ExploreState, go, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.policy_options import option_labels
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal

WORK, QUEUE, DISAGREEMENT = "label.work", "label.queue", "label.disagreement"
_MAKE = "label.queue.make"  # whether this run makes a queue
_QUEUE_SIZE = 50  # turns
_MAX_LISTED = 200  # disagreements in the menu
_MODES = {
    "conversation": "Conversation", "queue": "Suggested turns", "adjudicate": "Disagreements",
}  # fmt: skip
_REASONS = {
    "threshold": "the gate nearly decided otherwise",
    "versions": "two versions of the gate disagree about it",
    "policies": "the gate and a search disagree about it",
    "annotators": "annotators disagree about it",
    "audit": "it is drawn at random, to find what all overlook",
}


def resume(app: App, state: ExploreState) -> ExploreState:
    """Return where the annotator stopped; of a queue or disagreements, the next turn to answer."""
    if state.queue is None and not state.adjudicate:
        if last := Labels(app.store).last_current(annotator()):
            return _at(state, last, None)
        state = replace(state, queue=_unfinished_queue(app))
    place = _next_place(app, state)
    return _at(state, *place) if place else state


def draw_work(app: App, state: ExploreState, message: OpenMessage, unlabelled: Iterable[str]) -> Work:
    """Draw the choice of a queue or disagreement and who labels, and return the work.

    unlabelled: keys of conversations to go on with, when the one that is shown is done.
    """
    if st.session_state.pop(_MAKE, False) and _make_queue(app):
        _open_queue(app)
        st.rerun()
    draw_annotator(app, lambda name: "{:,} of {:,}".format(*_count_answers(app, state, message, name)))
    if state.adjudicate:
        return _draw_disagreements(app, state, message)
    if state.queue is None:
        return Work(next_message=partial(_open_first, [key for key in unlabelled if key != message.key]))
    return _draw_queue(app, state, state.queue, message)


def draw_modes(app: App, state: ExploreState, message: OpenMessage) -> None:
    """Draw the choice of what is worked on, and how much of it is answered."""
    n_disagreements = len(Labels(app.store).disagreements())
    put(WORK, "adjudicate" if state.adjudicate else "queue" if state.queue is not None else "conversation")
    with st.container(horizontal=True, vertical_alignment="center", key="label-work"):
        # Without counts: a browser goes on sending the words that it was shown first.
        st.segmented_control(
            "Work on", list(_MODES), key=WORK, format_func=_MODES.__getitem__, required=True,
            on_change=_choose_mode, args=(app,), label_visibility="collapsed",
            help="Suggested turns are those that teach most, from all conversations.",
        )  # fmt: skip
        if n_disagreements:
            st.caption(f"{pluralize(n_disagreements, 'disagreement')} to adjudicate", width="content")
        if not state.adjudicate:
            by = annotator()
            done, total = _count_answers(app, state, message, by)
            name = f"{literal(name_words(by))}, " if name_words(by) else ""
            words = f"{name}{done:,} of {pluralize(total, 'turn')}"
            st.progress(done / max(total, 1), text=words, width="stretch")


def _draw_queue(app: App, state: ExploreState, number: int, message: OpenMessage) -> Work:
    """Draw the choice of a queue, and return what it asks about a message."""
    queues = Queues(app.store)
    stored = queues.names()
    names = {number: f"{number}. {isolate(name)}" for number, name in stored.items()}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if number in names:
            put(QUEUE, number)
            st.selectbox(
                "Suggestions of", list(names), key=QUEUE,
                format_func=lambda number: names.get(number, str(number)),
                on_change=lambda: _open_queue(app, st.session_state[QUEUE]),
            )  # fmt: skip
        st.button("New suggestions", key="label.queue.new", on_click=_ask_for_queue, icon=":material/add:")
    if number not in names:
        st.error(f"There are no suggestions {number}.")
        return Work(finished=True)
    is_finished = not queues.progress(number, annotator()).left
    here = message.labelled
    return Work(
        {item.turn: _REASONS.get(item.kind, item.kind) for item in queues.items_about(number, here)},
        calibrating=is_calibration(stored[number]),
        finished=is_finished,
        next_message=partial(_go_on, app, state, here),
        skip=None if is_finished else partial(_skip, app, state, here),
    )


def _make_queue(app: App) -> bool:
    """Make a queue out of the whole library; return whether there is anything to ask about."""
    by = annotator()
    seed = secrets.randbelow(2**31)
    gate, names = scoring.load_gate(app), option_labels(app.settings)
    versions = [name for name in names if read_policy(name).version not in (None, gate.version)]
    other = versions[-1] if versions else "hybrid"
    compared = NamedPolicy(
        names[other], scoring.load_policy(app, other), "versions" if versions else "policies"
    )
    with st.spinner("Scoring messages …"):
        try:
            items = make_queue(
                app.store, NamedPolicy(gate.version, gate), compared, size=_QUEUE_SIZE, seed=seed, by=by
            )
        except LabellingPausedError:
            return False  # the page says why
        if items:
            Queues(app.store).add(f"{datetime.now().astimezone():%A, %d %B}", items, by=by, seed=seed)
    if not items:
        st.info("No turns are left to ask about.")
    return bool(items)


def _draw_disagreements(app: App, state: ExploreState, message: OpenMessage) -> Work:
    """Draw the choice of a disagreement, and return those of the message that is shown."""
    counts, here = Labels(app.store), message.labelled
    listed = counts.disagreements()
    st.selectbox(
        f"{pluralize(len(listed), 'disagreement')}", listed[:_MAX_LISTED], key=DISAGREEMENT, index=None,
        format_func=_format_disagreement, on_change=_choose_disagreement, placeholder="Choose one",
    )  # fmt: skip
    rows = counts.disagreements(here, adjudicated=True)
    return Work(
        {row.turn: _REASONS["annotators"] for row in reversed(rows)},
        adjudicating=True,
        finished=not listed,
        next_message=partial(_go_on, app, state, here),
    )


def _format_disagreement(row: Disagreement) -> str:
    message = "question" if row.current.turn is None else f"message {row.current.turn + 1:,}"
    answers = ", ".join(f"{isolate(who)} {MARKS[answer]}" for who, answer in row.answers.items())
    return writable(f"{isolate(row.title)} · {message} · turn {row.turn + 1:,}: {answers}")


def _choose_mode(app: App) -> None:
    mode = st.session_state[WORK]
    if mode == "queue":
        _open_queue(app)
        return
    page.change(queue=None, adjudicate=mode == "adjudicate")
    _go_on(app, page.now())


def _choose_disagreement() -> None:
    if (row := st.session_state[DISAGREEMENT]) is not None:
        go(row.current, row.turn)


def _ask_for_queue() -> None:
    st.session_state[_MAKE] = True


def _open_queue(app: App, number: int | None = None) -> None:
    """Show a queue, by default the newest unfinished one; where there is none, have the run make one."""
    if number is None:
        number = _unfinished_queue(app) or next(iter(Queues(app.store).names()), None)
    st.session_state[_MAKE] = number is None
    page.change(queue=number, adjudicate=False)
    _go_on(app, page.now())


def _unfinished_queue(app: App) -> int | None:
    """Return the newest queue with turns left to answer."""
    queues = Queues(app.store)
    return next((number for number in queues.names() if queues.progress(number, annotator()).left), None)


def _skip(app: App, state: ExploreState, here: CurrentKey) -> None:
    with reporting_problems():
        keep_saved(Labels(app.store).skip(here, by=annotator()))
        _go_on(app, state, here)


def _open_first(keys: Sequence[str]) -> bool:
    """Open the first of these conversations; return whether there is any."""
    if keys:
        go(CurrentKey(keys[0], None), None)
    return bool(keys)


def _go_on(app: App, state: ExploreState, here: CurrentKey | None = None) -> bool:
    """Show what is asked about next, after the message `here`; return whether there is anything."""
    if (place := _next_place(app, state, here)) is not None:
        go(*place)
    return place is not None


def _next_place(
    app: App, state: ExploreState, here: CurrentKey | None = None
) -> tuple[CurrentKey, int] | None:
    if state.queue is not None:
        queues = Queues(app.store)
        items = queues.items_about(state.queue, here) if here else []
        item = queues.next_item(state.queue, annotator(), after=items[-1].place if items else None)
        return (item.current, item.turn) if item else None
    rows = Labels(app.store).disagreements() if state.adjudicate else []
    return next(((row.current, row.turn) for row in rows if row.current != here), None)


def _count_answers(app: App, state: ExploreState, message: OpenMessage, name: str) -> tuple[int, int]:
    """Return how many turns of the queue or message an annotator has answered, of how many."""
    if state.queue is not None:
        progress = Queues(app.store).progress(state.queue, name)
        return progress.answered, progress.items
    turns, answers = turns_to_ask(message), Labels(app.store).of(message.labelled).of(name)
    return len(answers.keys() & turns), len(turns)


def _at(state: ExploreState, current: CurrentKey, selected: int | None) -> ExploreState:
    key, turn, question = current.conversation, current.turn, current.question
    return replace(state, conversation=key, turn=turn, question=question, selected=selected)
