"""Answering for turns of what a view shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import streamlit as st

from convgate.labels.agreement import Pause, labelling_pause
from convgate.labels.gold import labels_digest
from convgate.labels.segments import segment_of, segments
from convgate.policies.gate import GatePolicy
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
    settling: bool = False,
    finished: bool = False,
    onward: Callable[[], bool] | None = None,
) -> Answering:
    """The answers for the message that is looked at; arguments as in `Answering`."""
    moment, gate = outcome.moment, outcome.gate
    by = annotator()
    pause = None if settling or by is None else _pause(app)
    paused = pause.reason if pause and by in pause.annotators else ""
    return Answering(
        store=app.store,
        moment=moment,
        decisions=outcome.decisions,
        held=Labels(app.store).of(moment.labelled),
        by=None if paused else by,
        go=go,
        version=gate.version if gate else None,
        asked=asked,
        later=Labels(app.store).turns_put_off(moment.labelled, by) if by else (),
        topic=_topics(gate, outcome) if gate else None,
        settling=settling,
        finished=finished,
        paused=paused,
        onward=onward,
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
    """Counted again when a label changes, or a week may have ended; not whenever a slider moves."""
    return labelling_pause(_store, datetime.now(UTC))


def _topics(gate: GatePolicy, outcome: Outcome) -> Callable[[int], range]:
    moment = outcome.moment
    return lambda turn: segment_of(_segments(moment.key, repr(gate.encoder.identity), outcome), turn)


@st.cache_resource(max_entries=32, show_spinner=False)
def _segments(key: str, encoder: str, _outcome: Outcome) -> list[range]:
    """The topics of a conversation; its texts are encoded already."""
    gate = _outcome.gate
    assert gate is not None
    turns = _outcome.moment.conversation.turns
    return segments(gate.encoder.encode([turn.scored_text for turn in turns]))
