"""Answering for turns of what a view shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convgate.store import Labels, SituationKey
from convgate.ui.annotator import annotator
from convgate.ui.answering import Answering
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.frame import App


def answering(
    app: App,
    outcome: Outcome,
    *,
    asked: Sequence[int] = (),
    adjudicating: bool = False,
    finished: bool = False,
    next_message: Callable[[], bool] | None = None,
) -> Answering:
    """Return the answers for the message of a view; arguments as in `Answering`."""
    moment, gate = outcome.moment, outcome.gate
    return Answering(
        store=app.store,
        moment=moment,
        held=Labels(app.store).of(moment.labelled),
        by=annotator(),
        go=go,
        version=gate.version if gate else None,
        asked=asked,
        adjudicating=adjudicating,
        finished=finished,
        next_message=next_message,
    )


def go(situation: SituationKey, selected: int | None) -> None:
    """Show a message with one of its earlier turns selected; for callbacks."""
    state.change(
        conversation=situation.conversation,
        turn=situation.turn,
        question=situation.question,
        selected=selected,
    )
