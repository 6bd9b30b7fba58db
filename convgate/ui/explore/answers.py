"""Answering for turns of what a view shows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import streamlit as st

from convgate.labels.agreement import labelling_pause
from convgate.labels.segments import segment_of, segments
from convgate.policies.gate import GatePolicy
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
    settling: bool = False,
    onward: Callable[[], bool] | None = None,
) -> Answering:
    """The answers for the message that is looked at; arguments as in `Answering`."""
    moment, gate = outcome.moment, outcome.gate
    labels, by = Labels(app.store), annotator()
    pause = None if settling or by is None else labelling_pause(app.store, datetime.now(UTC))
    paused = pause.reason if pause and by in pause.annotators else ""
    return Answering(
        labels=labels,
        moment=moment,
        decisions=outcome.decisions,
        held=labels.of(moment.labelled),
        by=None if paused else by,
        go=go,
        version=gate.version if gate else None,
        asked=asked,
        topic=_topics(gate, outcome) if gate else None,
        settling=settling,
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
