"""Answering for turns of what a view shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import streamlit as st

from convgate.labels.agreement import Pause, labelling_pause
from convgate.labels.gold import labels_digest
from convgate.store import Labels, SituationKey, Store
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
    by = annotator()
    pause = None if adjudicating or by is None else _pause(app)
    paused = pause.reason if pause and by in pause.annotators else ""
    return Answering(
        store=app.store,
        moment=moment,
        held=Labels(app.store).of(moment.labelled),
        by=None if paused else by,
        go=go,
        version=gate.version if gate else None,
        asked=asked,
        adjudicating=adjudicating,
        finished=finished,
        paused=paused,
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


def _pause(app: App) -> Pause | None:
    return _pause_of(app.store, str(app.store.path), labels_digest(app.store), datetime.now(UTC).date())


@st.cache_resource(max_entries=4, show_spinner=False)
def _pause_of(_store: Store, path: str, digest: str, day: date) -> Pause | None:
    """Computed again when a label changes, or a week may have ended."""
    return labelling_pause(_store, datetime.now(UTC))
