"""Queues: making one, working through it, and how far one is."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime

import streamlit as st

from convgate.errors import ConvgateError
from convgate.labels.candidates import Judge, Judges
from convgate.labels.queue import library_queue
from convgate.policies.gate import GatePolicy
from convgate.store import Labels, SituationKey
from convgate.store.queues import Queues, ReasonKind
from convgate.ui import keys, scoring
from convgate.ui.annotator import annotator
from convgate.ui.answering import SAVED
from convgate.ui.choosers import chooser_labels, policy_of
from convgate.ui.explore import state
from convgate.ui.explore.answers import go
from convgate.ui.explore.outcome import Outcome
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

MAKING = "label.making"  # whether a new queue is being described
CHOSEN, NAME, SIZE, OTHER, POLICY, WHERE = (
    f"label.queue.{name}" for name in ("chosen", "name", "size", "other", "policy", "where")
)
_PROBLEM = "label.queue.problem"
_NONE = "none"
_SIZES = (10, 20, 50, 100, 200)
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
    _open(app, next(unfinished, known[0]).number)


def draw_queue(app: App, number: int, outcome: Outcome) -> None:
    """Which queue, how far this person is in it, and what comes next."""
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(problem)
    if annotator() is None:
        st.caption("A queue is worked through by people with a name: choose yours on the left.")
        return
    try:
        _draw_progress(app, number, outcome.moment.labelled)
    except ConvgateError as error:
        show_problem(error)
        st.button("Make a queue", key="label.queue.new", on_click=_describe, icon=":material/add:")


def asked(app: App, number: int, outcome: Outcome) -> dict[int, str]:
    """The turns of the shown message that the queue asks about, in order, each with the reason."""
    items = Queues(app.store).items_about(number, outcome.moment.labelled)
    return {item.turn: item.reason for item in items}


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
            format_func=lambda one: f"{one}. {known[one].name} · {counted(known[one].items, 'turn')}",
        )  # fmt: skip
        st.button(
            "Later", key="label.later", shortcut=keys.LATER, on_click=_skip, args=(app, number, by, here),
            disabled=not progress.left,
            help="Leaves the rest of this message for the end of the queue",
        )  # fmt: skip
        st.button("New queue", key="label.queue.new", on_click=_describe, icon=":material/add:")
        st.button(
            "Delete", key="label.queue.delete", on_click=_delete, args=(app, number), type="tertiary",
            help="The answers that were given in it stay.",
        )  # fmt: skip
    skipped = f", {progress.skipped:,} for later" if progress.skipped else ""
    share = progress.answered / progress.items if progress.items else 1.0
    st.progress(share, text=f"{literal(by)}: {progress.answered:,} of {progress.items:,} answered{skipped}")
    others = [
        f"{literal(name)} {queues.progress(number, name).answered:,}"
        for name in Labels(app.store).people()
        if name != by
    ]
    reasons = [f"{_TOLD[kind]}: {count:,}" for kind, count in queues.reasons(number).items()]
    told = [f"Made by {literal(queue.made_by)} {ago(queue.made_at)}", *reasons]
    st.caption(" · ".join(told) + (f" · Others: {', '.join(others)}" if others else ""))
    if not progress.left:
        st.success("You have answered everything in this queue.", icon=":material/done_all:")


def draw_form(app: App) -> None:
    """What a new queue is to be made of."""
    if annotator() is None:
        st.info("A queue belongs to somebody: choose your name on the left.", icon=":material/person:")
        return
    labels = chooser_labels(app.settings.home)
    gates = [name for name in labels if policy_of(name) == GatePolicy.name and name != GatePolicy.name]
    policies = [name for name in labels if policy_of(name) != GatePolicy.name]
    with st.form("label.queue.form", border=True):
        st.markdown(
            "**A new queue** asks about the turns that teach most: near the threshold, or where versions,"
            " policies or people disagree; some are drawn by lot. The first thirty answers of a library are"
            " all drawn by lot."
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name", f"{datetime.now().astimezone():%A, %d %B}", key=NAME, max_chars=80)
            st.selectbox("Turns", _SIZES, index=1, key=SIZE)
            st.selectbox(
                "From", ["library", "this"], key=WHERE,
                format_func={"library": "All conversations", "this": "This conversation"}.__getitem__,
            )  # fmt: skip
            st.selectbox(
                "Against the version", [_NONE, *gates], key=OTHER,
                format_func=lambda one: labels.get(one, "None"),
                help="Turns that the version in use keeps and this one drops, or the other way round",
            )  # fmt: skip
            st.selectbox(
                "Against the policy", [_NONE, *policies], index=policies.index("hybrid") + 1, key=POLICY,
                format_func=lambda one: labels.get(one, "None"),
            )  # fmt: skip
        made = st.form_submit_button("Make the queue", type="primary", icon=":material/playlist_add:")
    if Queues(app.store).all():
        st.button("Not now", key="label.queue.cancel", on_click=_not_now, args=(app,), type="tertiary")
    if made:
        _make(app)


def _make(app: App) -> None:
    """Not in a callback, where no progress can be shown."""
    by, view = annotator(), st.session_state[state.VIEW]
    assert by is not None
    labels = chooser_labels(app.settings.home)

    def judge(chooser: str) -> Judge | None:
        if chooser == _NONE:
            return None
        return Judge(labels[chooser], scoring.policy(app, chooser))

    place = st.empty()

    def report(done: int, total: int, /) -> None:
        place.progress(done / max(total, 1), text=f"Looking at {counted(total, 'message')} …")

    gate = scoring.gate_policy(app)
    queues, seed = Queues(app.store), secrets.randbelow(2**31)
    items = library_queue(
        app.store,
        Judges(
            Judge(gate.version, gate),
            judge(st.session_state[OTHER]),
            judge(st.session_state[POLICY]),
        ),
        size=int(st.session_state[SIZE]),
        seed=seed,
        by=by,
        conversations=[view.conversation] if st.session_state[WHERE] == "this" else None,
        progress=report,
    )
    place.empty()
    if not items:
        st.info("There is nothing left to ask about: every turn that was looked at is settled.")
        return
    queue = queues.add(st.session_state[NAME] or "Queue", items, by=by, seed=seed)
    st.session_state[MAKING] = False
    _open(app, queue.number)
    st.rerun()


def _open(app: App, number: int) -> None:
    by = annotator()
    state.change(queue=number, settle=False)
    if by is not None and (item := Queues(app.store).next_item(number, by)) is not None:
        go(item.situation, item.turn)


def _skip(app: App, number: int, by: str, here: SituationKey) -> None:
    state.touched()
    try:
        st.session_state[SAVED] = Labels(app.store).set_status(here, "skipped", by=by)
        onward(app, number, by, here)()
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def _describe() -> None:
    st.session_state[MAKING] = True
    state.touched()


def _not_now(app: App) -> None:
    st.session_state[MAKING] = False
    open_newest(app)


def _delete(app: App, number: int) -> None:
    state.touched()
    try:
        Queues(app.store).delete(number)
        open_newest(app)
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def _chose(app: App) -> None:
    _open(app, st.session_state[CHOSEN])
