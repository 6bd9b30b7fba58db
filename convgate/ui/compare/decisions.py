"""What each column decides about the turns before a message, and how much two of them agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.conversation import Conversation
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.errors import ConvgateError
from convgate.figures.hover import on_screen
from convgate.figures.timeline import Event
from convgate.labels.agreement import kappa
from convgate.policies.base import Policy
from convgate.policies.selector import Selection
from convgate.policies.sessions import BoundaryRules, segment
from convgate.policies.sessions.boundaries import workflow_state_of
from convgate.policies.spec import PolicySpec
from convgate.ui import scoring
from convgate.ui.changes import Changes, changes
from convgate.ui.compare.columns import choice_of, chooser_of, is_gate
from convgate.ui.frame import App
from convgate.ui.scoring import Moment, encode_ahead
from convgate.ui.turn import moves


@dataclass(frozen=True, eq=False)
class ColumnDecisions:
    """What one column decides, after it was made a valid list of messages."""

    column: PolicySpec
    number: int  # from 1, left to right
    label: str
    selection: Selection
    unlike: Changes | None = None  # against the reference; None of the reference itself

    @property
    def decisions(self) -> TurnDecisions:
        """What is sent and what is not, forced turns included."""
        return self.selection.decisions

    @property
    def name(self) -> str:
        """What it is called beside others: the number tells it where the label is cut off."""
        return f"{self.number} {self.label}"


@dataclass(frozen=True, eq=False)
class Comparison:
    """All columns on one message; the reference is one of them."""

    moment: Moment
    columns: tuple[ColumnDecisions, ...]
    against: ColumnDecisions

    @property
    def indices(self) -> NDArray[np.int64]:
        """(n,) the turns that all decide about."""
        return self.against.decisions.indices

    @property
    def kept(self) -> NDArray[np.bool_]:
        """(columns, n) what each keeps."""
        return np.stack([made.decisions.kept for made in self.columns])

    @property
    def differ(self) -> NDArray[np.int64]:
        """The turns that not all decide alike, in order."""
        kept = self.kept
        return np.asarray(self.indices[kept.any(axis=0) & ~kept.all(axis=0)])

    def unlike(self, column: str) -> NDArray[np.int64]:
        """The turns that the column of that text decides unlike the reference, in order; none of its own."""
        made = next((one for one in self.columns if one.column.to_text() == column), self.against)
        return np.zeros(0, dtype=np.int64) if made.unlike is None else made.unlike.indices


@dataclass(frozen=True, slots=True)
class Agreement:
    """How alike each two columns decide; both (columns, columns), symmetric."""

    alike: Floats  # 0…1, the share of turns
    kappa: Floats  # at most 1; NaN where both always decide the same one thing


def policy_of_column(app: App, column: PolicySpec) -> Policy:
    """The policy with what the column sets of it; errors as in `scoring.policy`."""
    if not is_gate(column):
        return scoring.policy(app, chooser_of(column), **column.parameters)
    gate, choice = scoring.gate_policy(app, chooser_of(column)), choice_of(column)
    return gate if choice is None else gate.with_rule(choice.rule, choice.limits)


def decide_all(
    app: App, columns: Sequence[PolicySpec], against: PolicySpec, labels: dict[str, str], moment: Moment
) -> tuple[Comparison | None, dict[str, ConvgateError]]:
    """What each column decides, and why some cannot, by their labels; None when no column can.

    Another column takes the place of a reference that cannot.
    """
    made: list[ColumnDecisions] = []
    failed: dict[str, ConvgateError] = {}
    for number, column in enumerate(columns, start=1):
        label = labels[column.to_text()]
        try:
            policy = policy_of_column(app, column)
            if encoder := getattr(policy, "encoder", None):
                encode_ahead(moment, encoder)
            made.append(ColumnDecisions(column, number, label, scoring.selected(policy, moment)))
        except ConvgateError as error:
            failed[label] = error
    if not made:
        return None, failed
    first = next((one for one in made if one.column == against), made[0])
    beside = [
        one if one is first else replace(one, unlike=changes(one.decisions, first.decisions)) for one in made
    ]
    return Comparison(moment, tuple(beside), first), failed


def agreement(kept: NDArray[np.bool_]) -> Agreement:
    """How alike columns decide, of (columns, n) what each keeps.

    >>> found = agreement(np.array([[True, True, False, False], [True, False, False, False]]))
    >>> float(found.alike[0, 1]), float(found.kappa[0, 1])
    (0.75, 0.5)
    """
    mine, theirs = kept[:, None, :], kept[None, :, :]
    cells = np.stack([(mine & theirs), (mine & ~theirs), (~mine & theirs), (~mine & ~theirs)], axis=-1).sum(
        axis=2
    )
    alike = (cells[..., 0] + cells[..., 3]) / max(1, kept.shape[1])
    return Agreement(alike, kappa(cells.astype(np.float64)))


_BEGUN = {"session": "A session begins", "conversation": "A conversation begins"}


def events_of(app: App, moment: Moment) -> list[Event]:
    """The events up to the current message, in order. The first message begins everything and is none.

    Raises SessionError for settings that cannot be.
    """
    end = len(moment.conversation) if moment.situation.index is None else moment.situation.index + 1
    found = _events(
        moment.key + moves(moment.conversation), BoundaryRules.of(app.settings), moment.conversation
    )
    return [event for event in found if event.turn < end]


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs={BoundaryRules: repr})
def _events(key: str, rules: BoundaryRules, _conversation: Conversation) -> list[Event]:
    begun = [
        Event(boundary.item, kind, f"{_BEGUN[kind]}: {on_screen(boundary.reason)}")
        for boundary in segment(_conversation.turns, rules).records
        if boundary.item and (kind := boundary.kind) != "none"
    ]
    states = [
        Event(index, "state", f"The workflow is {reached.lower()}.")
        for index, turn in enumerate(_conversation.turns)
        if (reached := workflow_state_of(turn)) is not None
    ]
    return sorted([*begun, *states], key=lambda event: event.turn)
