"""What is worked on: a conversation, a queue, or what people disagree about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from convgate.labels.queue import turns_to_label
from convgate.store import Labels, SituationKey
from convgate.store.label_counts import LabelCounts
from convgate.store.queues import Queues
from convgate.ui.annotator import annotator, draw_annotator, is_asked
from convgate.ui.answering import Later
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.label import queueing, settling
from convgate.ui.label.queue_form import draw_form
from convgate.ui.state import remembered
from convgate.ui.wording import counted

WORK, WORTH = "label.work", "label.worth"
CONVERSATION, QUEUE, SETTLE = "conversation", "queue", "settle"


@dataclass(frozen=True, eq=False)
class Work:
    """What the present way of working asks about the message that is shown."""

    reasons: Mapping[int, str] = field(default_factory=dict)  # by turn: why it is asked about; in order
    settling: bool = False
    finished: bool = False  # nothing is asked any more, of no message
    onward: Callable[[], bool] | None = None
    later: Later | None = None

    @property
    def asked(self) -> Sequence[int]:
        """The turns, in the order in which they are asked about."""
        return list(self.reasons)


def draw_work(app: App, view: View, outcome: Outcome) -> bool:
    """The menu of ways of working, and what belongs to the one that is chosen; whether it can be worked now.

    While a queue is described and made nothing else is there, for a key would break off the making.
    """
    disagreements = LabelCounts(app.store).disagreements(per_page=1).total
    # Without numbers: a browser goes on sending the words that it was shown first.
    labels = {CONVERSATION: "This conversation", QUEUE: "A queue", SETTLE: "Disagreements"}
    if is_asked():
        draw_annotator(app)
    state.put(WORK, _of(view))
    with st.container(horizontal=True, vertical_alignment="center", key="label-work"):
        st.segmented_control(
            "Work on", list(labels), key=WORK, format_func=labels.__getitem__, required=True,
            on_change=_chosen, args=(app,), label_visibility="collapsed",
            help="A queue asks about the turns that teach most, from all conversations.",
        )  # fmt: skip
        if disagreements and not view.settle:
            st.caption(f"{counted(disagreements, 'disagreement')} to be settled", width="content")
        if _of(view) == CONVERSATION:
            remembered(WORTH, start=True)
            st.toggle(
                "First what is worth most", key=WORTH, on_change=state.touched,
                persist_state="session",
                help="Asks about ten turns first: those nearest to the threshold, then the highest scores,"
                " then some drawn by lot. After them about all others, the newest first.",
            )  # fmt: skip
        if not is_asked():
            draw_annotator(app)
    if _of(view) == QUEUE:
        queueing.draw_deleted(app)
    if st.session_state.get(queueing.MAKING):
        draw_form(app)
        return False
    if view.queue is not None:
        queueing.draw_queue(app, view.queue, outcome)
    elif view.settle:
        settling.draw_disagreements(app)
    return True


def resumed(app: App, view: View) -> View:
    """Where this person stopped: the message, and the queue that it was in when something is left of it.

    An address with a queue alone leads to what is next in it, one with disagreements to the newest.
    """
    if (by := annotator()) is None:
        return view
    queues = Queues(app.store)
    if view.queue is not None:
        item = queues.next_item(view.queue, by)
        return _at(view, item.situation, item.turn) if item else view
    if view.settle:
        for one in LabelCounts(app.store).disagreements(per_page=1).rows:
            return _at(view, one.situation, one.turn)
    if (here := Labels(app.store).last_situation(by)) is None:
        return view
    for queue in queues.all():
        items = queues.items_about(queue.number, here)
        if items and (item := queues.next_item(queue.number, by, after=items[0].place - 1)):
            view = replace(view, queue=queue.number)
            return _at(view, item.situation, item.turn)
    return _at(view, here, None)


def work_on(app: App, view: View, outcome: Outcome) -> Work:
    """What is asked about the message that is shown."""
    by = annotator()
    if view.queue is not None and by is not None:
        here = outcome.moment.labelled
        return Work(
            queueing.asked(app, view.queue, outcome),
            finished=not Queues(app.store).progress(view.queue, by).left,
            onward=queueing.onward(app, view.queue, by, here),
            later=queueing.later(app, view.queue, by, here),
        )
    if view.settle and by is not None:
        return Work(
            settling.asked(app, outcome),
            settling=True,
            finished=settling.finished(app),
            onward=settling.onward(app, outcome.moment.labelled),
        )
    if not st.session_state.get(WORTH, True):
        return Work()
    history = outcome.moment.history
    sent_anyway = [index for index, turn in enumerate(history, history.start) if turn.is_instruction]
    return Work({one.turn: one.reason for one in turns_to_label(outcome.decisions, sent_anyway)})


def _of(view: View) -> str:
    if view.queue is not None or st.session_state.get(queueing.MAKING):
        return QUEUE
    return SETTLE if view.settle else CONVERSATION


def _chosen(app: App) -> None:
    chosen = st.session_state[WORK]
    st.session_state[queueing.MAKING] = False
    if chosen == QUEUE:
        queueing.open_newest(app)
    else:
        state.change(queue=None, settle=chosen == SETTLE)
        if chosen == SETTLE:
            settling.open_newest(app)


def _at(view: View, situation: SituationKey, selected: int | None) -> View:
    return replace(
        view,
        conversation=situation.conversation,
        turn=situation.turn,
        question=situation.question,
        selected=selected,
    )
