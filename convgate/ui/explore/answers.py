"""The answers of an annotator for the message of a view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import streamlit as st

from convgate.labels.agreement import Pause, labelling_pause
from convgate.labels.gold import labels_digest
from convgate.store import Labels, Store
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
    moment, gate, by = outcome.moment, outcome.gate, annotator()
    paused = ""
    if not adjudicating and by is not None:
        today = datetime.now(UTC).date()
        pause = _pause(app.store, str(app.store.path), labels_digest(app.store), today)
        paused = pause.reason if pause and by in pause.annotators else ""
    return Answering(
        store=app.store,
        moment=moment,
        held=Labels(app.store).of(moment.labelled),
        by=None if paused else by,
        go=state.go,
        version=gate.version if gate else None,
        asked=asked,
        adjudicating=adjudicating,
        finished=finished,
        paused=paused,
        next_message=next_message,
    )


@st.cache_resource(max_entries=4, show_spinner=False)
def _pause(_store: Store, path: str, digest: str, day: date) -> Pause | None:
    """Return who cannot label at present; computed again when a label changes and every day."""
    return labelling_pause(_store, datetime.now(UTC))
