"""Queues: working through one, how far one is, and taking one away."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from convgate.errors import ConvgateError
from convgate.store import Labels, SituationKey
from convgate.store.queues import Queues, ReasonKind
from convgate.transcripts.characters import isolate
from convgate.ui.annotator import annotator
from convgate.ui.answering import Later, keep_saved
from convgate.ui.explore import state
from convgate.ui.explore.answers import go
from convgate.ui.explore.outcome import Outcome
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

MAKING = "label.making"  # whether a new queue is being described
CHOSEN = "label.queue.chosen"
_PROBLEM = "label.queue.problem"
_DELETED = "label.queue.deleted"  # number and name of the queue that was deleted last
_TOLD: dict[ReasonKind, str] = {
    "start": "drawn by lot to begin with",
    "threshold": "near the threshold",
    "versions": "versions disagree",
    "policies": "policies disagree",
    "annotators": "people disagree",
    "audit": "drawn by lot",
    "score": "high scores",
}


def open_newest(app: App) -> None:
    """Show the newest queue that this person has not finished, else the newest, else the way to make one."""
    queues, by = Queues(app.store), annotator()
    known = queues.all()
    if not known or by is None:
        st.session_state[MAKING] = True
        state.change(queue=None, settle=False)
        return
    unfinished = (queue for queue in known if queues.progress(queue.number, by).left)
    open_queue(app, next(unfinished, known[0]).number)


def open_queue(app: App, number: int) -> None:
    """Show what this person has to judge next in a queue."""
    by = annotator()
    state.change(queue=number, settle=False)
    if by is not None and (item := Queues(app.store).next_item(number, by)) is not None:
        go(item.situation, item.turn)


def draw_deleted(app: App) -> None:
    """The queue that was deleted last in this window, and the way to have it back."""
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(problem)
    if (deleted := st.session_state.get(_DELETED)) is None:
        return
    number, name = deleted
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(f"The queue {number}. {literal(name)} was deleted.", width="content")
        st.button(
            "Bring it back", key="label.queue.back", on_click=_bring_back, args=(app, number),
            icon=":material/undo:", type="tertiary",
        )  # fmt: skip


def draw_queue(app: App, number: int, outcome: Outcome) -> None:
    """Which queue, how far this person is in it, and what comes next."""
    if annotator() is None:
        st.caption("A queue is worked through by people with a name: choose yours above.")
        return
    try:
        _draw_progress(app, number, outcome.moment.labelled)
    except ConvgateError as error:
        show_problem(error)
        st.button("Make a queue", key="label.queue.new", on_click=_describe, icon=":material/add:")


def asked(app: App, number: int, outcome: Outcome) -> dict[int, str]:
    """The turns of the shown message that the queue asks about, in order, each with its own reason.

    What a whole kind of them has in common is told once, with the queue.
    """
    queues = Queues(app.store)
    common = queues.common_reasons(number)
    items = queues.items_about(number, outcome.moment.labelled)
    return {item.turn: _TOLD[item.kind] if item.kind in common else item.reason for item in items}


def onward(app: App, number: int, by: str, here: SituationKey) -> Callable[[], bool]:
    """Goes to what this person has to judge next, from a message; whether there is anything."""

    def go_on() -> bool:
        queues = Queues(app.store)
        items = queues.items_about(number, here)
        item = queues.next_item(number, by, after=items[-1].place if items else None)
        if item is None:
            return False
        go(item.situation, item.turn)
        return True

    return go_on


def later(app: App, number: int, by: str, here: SituationKey) -> Later:
    """Leaves a message for the end of the queue."""
    return Later(
        partial(_skip, app, number, by, here),
        "Puts off the rest of this message: it comes back at the end of the queue",
        disabled=not Queues(app.store).progress(number, by).left,
    )


def _draw_progress(app: App, number: int, here: SituationKey) -> None:
    queues, by = Queues(app.store), annotator()
    assert by is not None
    known = {queue.number: queue for queue in queues.all()}
    queue = queues.get(number)
    progress = queues.progress(number, by)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="label-queue"):
        state.put(CHOSEN, number)
        st.selectbox(
            "Queue", list(known), key=CHOSEN, on_change=_chose, args=(app,),
            # With the number, for queues of one day have one name.
            format_func=lambda one: (
                f"{one}. {isolate(known[one].name)} · {counted(known[one].items, 'turn')}"
            ),
        )  # fmt: skip
        st.button("New queue", key="label.queue.new", on_click=_describe, icon=":material/add:")
        st.button(
            "Delete", key="label.queue.delete", on_click=_delete, args=(app, number), type="tertiary",
            help="The answers that were given in it stay, and it can be brought back.",
        )  # fmt: skip
    put_off = f"{counted(progress.skipped, 'turn')} put off, to be asked about last"
    skipped = f" · {put_off}" if progress.skipped else ""
    share = progress.answered / progress.items if progress.items else 1.0
    st.progress(share, text=f"{literal(by)}: {progress.answered:,} of {progress.items:,} answered{skipped}")
    others = [
        f"{literal(name)} {queues.progress(number, name).answered:,}"
        for name in Labels(app.store).people()
        if name != by
    ]
    common = queues.common_reasons(number)
    reasons = [
        f"{literal(common.get(kind, _TOLD[kind]).rstrip('.'))}: {count:,}"
        for kind, count in queues.reasons(number).items()
    ]
    told = [f"Made by {literal(queue.made_by)} {ago(queue.made_at)}", *reasons]
    st.caption(" · ".join(told) + (f" · Others: {', '.join(others)}" if others else ""))
    if not progress.left:
        st.success("You have answered everything in this queue.", icon=":material/done_all:")
        unfinished = (one for one in known if one != number and queues.progress(one, by).left)
        _draw_ways_on(app, next(unfinished, None))


def _draw_ways_on(app: App, other: int | None) -> None:
    """What to go on with after a queue: the conversation that is shown, or another queue with open turns."""
    with st.container(horizontal=True, gap="small", key="label-queue-done"):
        st.button(
            "Go on with this conversation", key="label.queue.leave", on_click=state.change,
            kwargs={"queue": None, "settle": False}, icon=":material/arrow_forward:",
        )  # fmt: skip
        if other is not None:
            st.button(
                f"Go on with queue {other}", key="label.queue.other", on_click=open_queue,
                args=(app, other), icon=":material/arrow_forward:",
            )  # fmt: skip


def _skip(app: App, number: int, by: str, here: SituationKey) -> None:
    state.touched()
    try:
        keep_saved(Labels(app.store).set_status(here, "skipped", by=by))
        onward(app, number, by, here)()
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def _describe() -> None:
    st.session_state[MAKING] = True
    state.touched()


def _delete(app: App, number: int) -> None:
    state.touched()
    try:
        name = Queues(app.store).get(number).name
        Queues(app.store).delete(number)
        st.session_state[_DELETED] = number, name
        open_newest(app)
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def _bring_back(app: App, number: int) -> None:
    state.touched()
    try:
        Queues(app.store).undelete(number)
        st.session_state.pop(_DELETED, None)
        st.session_state[MAKING] = False
        open_queue(app, number)
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def _chose(app: App) -> None:
    open_queue(app, st.session_state[CHOSEN])
