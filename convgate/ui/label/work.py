"""What an annotator works through: the turns of a conversation, a queue, or disagreements to adjudicate."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Literal

import streamlit as st

from convgate.core.text import format_age, pluralize
from convgate.labels.queue import Judge, make_queue
from convgate.policies.gate import GatePolicy
from convgate.store import Labels, SituationKey
from convgate.store.label_counts import Disagreement, LabelCounts
from convgate.store.queues import Queues
from convgate.transcripts.characters import isolate, writable
from convgate.ui import scoring
from convgate.ui.annotator import annotator, draw_annotator, is_asked
from convgate.ui.answering import MARKS, NAMES, keep_saved, reporting_problems
from convgate.ui.choosers import chooser_labels, policy_of
from convgate.ui.explore import state
from convgate.ui.explore.answers import go
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.state import selected_rows
from convgate.ui.text import literal

WORK, QUEUE, TABLE, ADJUDICATED = "label.work", "label.queue", "label.disagreements", "label.adjudicated"
SIZE, OTHER, WHERE = "label.queue.size", "label.queue.other", "label.queue.where"
_LISTED = "label.disagreements.listed"
_MAKING = "label.making"  # whether a new queue is being described
_SIZES = (10, 20, 50, 100, 200)
_MAX_LISTED = 200  # disagreements in the table
_MODES = {"conversation": "This conversation", "queue": "A queue", "adjudicate": "Disagreements"}
_REASONS = {
    "threshold": "near the threshold",
    "versions": "versions disagree",
    "policies": "policies disagree",
    "annotators": "annotators disagree",
    "audit": "random",
}


@dataclass(frozen=True, eq=False)
class Work:
    """What is asked about the message that is shown."""

    reasons: Mapping[int, str] = field(default_factory=dict)  # by turn to ask about, in order
    adjudicating: bool = False
    finished: bool = False  # nothing is left to ask about, of any message
    next_message: Callable[[], bool] | None = None  # goes on; whether there was anything
    skip: Callable[[], None] | None = None  # moves the message to the end of the queue


def draw_work(app: App, view: View, outcome: Outcome) -> Work | None:
    """Draw what can be worked on, and return the chosen work; None while a queue is being made.

    While it is made, nothing else is drawn, for a key would interrupt it.
    """
    n_disagreements = LabelCounts(app.store).disagreements(per_page=1).total
    mode = "queue" if view.queue is not None or st.session_state.get(_MAKING) else "conversation"
    state.put(WORK, "adjudicate" if view.settle else mode)
    with st.container(horizontal=True, vertical_alignment="center", key="label-work"):
        # Without counts: a browser goes on sending the words that it was shown first.
        st.segmented_control(
            "Work on", list(_MODES), key=WORK, format_func=_MODES.__getitem__, required=True,
            on_change=_choose_mode, args=(app,), label_visibility="collapsed",
            help="A queue asks about the turns that teach most, from all conversations.",
        )  # fmt: skip
        if n_disagreements and not view.settle:
            st.caption(f"{pluralize(n_disagreements, 'disagreement')} to adjudicate", width="content")
        if not is_asked():
            draw_annotator(app)
    if is_asked():
        draw_annotator(app, partial(_format_progress, app, view, outcome))
    if st.session_state.get(_MAKING):
        if _draw_form(app):
            open_newest_queue(app)
            st.rerun()
        return None
    if view.settle:
        return _draw_disagreements(app, outcome)
    if view.queue is not None:
        return _draw_queue(app, view.queue, outcome.moment.labelled)
    return Work()


def draw_progress(app: App, view: View, outcome: Outcome) -> None:
    """Draw how many turns of the queue or message the annotator has answered."""
    by = annotator()
    done, total = count_answers(app, view, outcome, by) if by else (0, 0)
    if by and total and not view.settle:
        st.progress(done / total, text=f"{literal(by)}, {done:,} of {total:,}")


def count_answers(app: App, view: View, outcome: Outcome, name: str) -> tuple[int, int]:
    """Return how many turns of the queue or message an annotator has answered, of how many."""
    if view.queue is not None:
        progress = Queues(app.store).progress(view.queue, name)
        return progress.answered, progress.items
    answers = Labels(app.store).of(outcome.moment.labelled).of(name)
    return len(answers), len(outcome.moment.history)


def resume(app: App, view: View) -> View:
    """Return the view at which the annotator stopped: the next item of a queue, or the last message."""
    if (by := annotator()) is None:
        return view
    queues = Queues(app.store)
    if view.queue is not None:
        item = queues.next_item(view.queue, by)
        return _at(view, item.situation, item.turn) if item else view
    if view.settle:
        for row in LabelCounts(app.store).disagreements(per_page=1).rows:
            return _at(view, row.situation, row.turn)
    if (here := Labels(app.store).last_situation(by)) is None:
        return view
    for queue in queues.all():
        items = queues.items_about(queue.number, here)
        if items and (item := queues.next_item(queue.number, by, after=items[0].place - 1)):
            return _at(replace(view, queue=queue.number), item.situation, item.turn)
    return _at(view, here, None)


def open_newest_queue(app: App) -> None:
    """Show the newest unfinished queue, else the newest, else the form to make one."""
    queues, by = Queues(app.store), annotator()
    numbers = [queue.number for queue in queues.all()]
    st.session_state[_MAKING] = not numbers or by is None
    if not numbers or by is None:
        state.change(queue=None, settle=False)
        return
    unfinished = (number for number in numbers if queues.progress(number, by).left)
    _open_queue(app, next(unfinished, numbers[0]))


def _open_queue(app: App, number: int) -> None:
    state.change(queue=number, settle=False)
    if (by := annotator()) and (item := Queues(app.store).next_item(number, by)) is not None:
        go(item.situation, item.turn)


def _draw_queue(app: App, number: int, here: SituationKey) -> Work:
    """Draw the choice of a queue, and return what it asks about a message."""
    queues, by = Queues(app.store), annotator()
    names = {one.number: f"{one.number}. {isolate(one.name)}" for one in queues.all()}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        if number in names:
            state.put(QUEUE, number)
            st.selectbox("Queue", list(names), key=QUEUE, on_change=_choose_queue, args=(app,),
                         format_func=lambda one: names.get(one, str(one)))  # fmt: skip
        st.button("New queue", key="label.queue.new", on_click=_open_form, icon=":material/add:")
        if number in names:
            st.button("Delete", key="label.queue.delete", on_click=_delete, args=(app, number),
                      type="tertiary", help="Labels stay.")  # fmt: skip
    if number not in names:
        st.error(f"There is no queue {number}.")
        return Work(finished=True)
    if by is None:
        return Work()
    is_finished = not queues.progress(number, by).left
    if is_finished:
        st.success("All turns of this queue have an answer of yours.", icon=":material/done_all:")
    items = queues.items_about(number, here)
    return Work(
        {item.turn: _REASONS.get(item.kind, item.kind) for item in items},
        finished=is_finished,
        next_message=partial(_next_of_queue, app, number, by, here),
        skip=None if is_finished else partial(_skip, app, number, by, here),
    )


def _next_of_queue(app: App, number: int, by: str, here: SituationKey) -> bool:
    queues = Queues(app.store)
    items = queues.items_about(number, here)
    item = queues.next_item(number, by, after=items[-1].place if items else None)
    if item is not None:
        go(item.situation, item.turn)
    return item is not None


def _skip(app: App, number: int, by: str, here: SituationKey) -> None:
    state.touched()
    with reporting_problems():
        keep_saved(Labels(app.store).set_status(here, "skipped", by=by))
        _next_of_queue(app, number, by, here)


def _draw_form(app: App) -> bool:
    """Draw the form; return whether a queue was made."""
    if annotator() is None:
        st.info("Choose a name above to make a queue.", icon=":material/person:")
        return False
    names = chooser_labels(app.settings.home)
    others = [name for name in names if name != GatePolicy.name]
    with st.form("label.queue.form", border=True):
        st.markdown("**New queue**: turns near the threshold, turns with a disagreement, and random turns.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.selectbox("Turns", _SIZES, index=1, key=SIZE)
            st.selectbox(
                "From", ["library", "this"], key=WHERE,
                format_func={"library": "All conversations", "this": "This conversation"}.__getitem__,
            )  # fmt: skip
            st.selectbox(
                "Compared with", others, index=others.index("hybrid"), key=OTHER,
                format_func=lambda name: names.get(name, name),
                help="Asks about turns that the active version keeps and this one drops, or vice versa",
            )  # fmt: skip
        is_submitted = st.form_submit_button("Make queue", type="primary", icon=":material/playlist_add:")
    return is_submitted and _make_queue(app, names)  # not in a callback, where no spinner can be shown


def _make_queue(app: App, names: dict[str, str]) -> bool:
    by, view, other = annotator(), st.session_state[state.VIEW], st.session_state[OTHER]
    assert by is not None
    gate, seed = scoring.gate_policy(app), secrets.randbelow(2**31)
    kind: Literal["versions", "policies"] = "versions" if policy_of(other) == GatePolicy.name else "policies"
    with st.spinner("Scoring messages …"):
        items = make_queue(
            app.store,
            Judge(gate.version, gate),
            Judge(names[other], scoring.policy(app, other), kind),
            size=int(st.session_state[SIZE]),
            seed=seed,
            by=by,
            conversations=[view.conversation] if st.session_state[WHERE] == "this" else None,
        )
    if items:
        Queues(app.store).add(f"{datetime.now().astimezone():%A, %d %B}", items, by=by, seed=seed)
    else:
        st.info("No turns are left to ask about.")
    return bool(items)


def _draw_disagreements(app: App, outcome: Outcome) -> Work:
    """Draw the disagreements, and return those of the message that is shown."""
    counts, here = LabelCounts(app.store), outcome.moment.labelled
    adjudicated = bool(st.session_state.get(ADJUDICATED, False))
    page = counts.disagreements(per_page=_MAX_LISTED, settled=adjudicated)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        what = "adjudicated" if adjudicated else "to adjudicate"
        st.markdown(f"**{pluralize(page.total, 'disagreement')} {what}.** All answers are kept.")
        st.toggle("Adjudicated", key=ADJUDICATED, on_change=state.touched, persist_state="session")
    if annotator() is None:
        st.caption("Choose a name above to adjudicate.")
    st.session_state[_LISTED] = [(row.situation, row.turn) for row in page.rows]
    if page.rows:
        st.dataframe(
            [_table_row(row) for row in page.rows], hide_index=True, key=TABLE, on_select=_select,
            selection_mode="single-row", height=220, alt="Disagreements",
        )  # fmt: skip
    if annotator() is None:
        return Work()
    rows = counts.disagreements(per_page=len(outcome.moment.history), settled=None, situation=here).rows
    return Work(
        {row.turn: "annotators disagree" for row in reversed(rows)},
        adjudicating=True,
        finished=not adjudicated and not page.total,
        next_message=partial(_next_disagreement, app, here),
    )


def _table_row(row: Disagreement) -> dict[str, object]:
    answers = [f"{isolate(who)} {MARKS[answer]} {NAMES[answer]}" for who, answer in row.answers.items()]
    return {
        "conversation": writable(row.title),
        "message": "question" if row.situation.turn is None else str(row.situation.turn + 1),
        "turn": row.turn + 1,
        "answers": writable(", ".join(answers)),
        "when": format_age(row.at),
        **({"adjudicated": NAMES[row.settled]} if row.settled else {}),
    }


def _next_disagreement(app: App, here: SituationKey) -> bool:
    for row in LabelCounts(app.store).disagreements(per_page=_MAX_LISTED).rows:
        if row.situation != here:
            go(row.situation, row.turn)
            return True
    return False


def _select() -> None:
    state.touched()
    rows, listed = selected_rows(TABLE), st.session_state.get(_LISTED, [])
    if rows and rows[0] < len(listed):
        go(*listed[rows[0]])


def _choose_mode(app: App) -> None:
    mode = st.session_state[WORK]
    st.session_state[_MAKING] = False
    if mode == "queue":
        open_newest_queue(app)
        return
    state.change(queue=None, settle=mode == "adjudicate")
    if mode == "adjudicate":
        for row in LabelCounts(app.store).disagreements(per_page=1).rows:
            go(row.situation, row.turn)


def _choose_queue(app: App) -> None:
    _open_queue(app, st.session_state[QUEUE])


def _open_form() -> None:
    st.session_state[_MAKING] = True
    state.touched()


def _delete(app: App, number: int) -> None:
    state.touched()
    with reporting_problems():
        Queues(app.store).delete(number)
        open_newest_queue(app)


def _format_progress(app: App, view: View, outcome: Outcome, name: str) -> str:
    done, total = count_answers(app, view, outcome, name)
    return f"{done:,} of {total:,}"


def _at(view: View, situation: SituationKey, selected: int | None) -> View:
    return replace(
        view,
        conversation=situation.conversation,
        turn=situation.turn,
        question=situation.question,
        selected=selected,
    )
