"""The answers of an annotator for the message of a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from convgate.store import Labels
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
    """Return the answers for the message of an outcome; arguments as in `Answering`."""
    message, gate = outcome.message, outcome.gate
    return Answering(
        store=app.store,
        message=message,
        held=Labels(app.store).of(message.labelled),
        by=annotator(),
        go=state.go,
        version=gate.version if gate else None,
        asked=asked,
        adjudicating=adjudicating,
        finished=finished,
        next_message=next_message,
    )
