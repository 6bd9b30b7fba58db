"""What each column decides about the turns before a message, and how far two of them are alike."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.decisions import Floats, TurnDecisions
from convgate.errors import ConvgateError
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.exchange import Exchange
from convgate.labels.agreement import kappa
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy, ScoredHistory
from convgate.policies.gatekeeper import GatekeeperPolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.written import Written
from convgate.selector import Selection, Selector
from convgate.ui import scoring
from convgate.ui.changes import Changes, changes
from convgate.ui.compare.columns import choice_of, chooser_of, is_gate
from convgate.ui.frame import App
from convgate.ui.judging import digest
from convgate.ui.scoring import Moment, encode_ahead
from convgate.ui.turn_labels import moves


@dataclass(frozen=True, eq=False)
class Made:
    """What one column decides, after it was made a valid list of messages."""

    column: Written
    number: int  # from 1, left to right
    label: str
    selection: Selection
    seconds: float  # that deciding took when it was done, with the texts encoded already
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
class Compared:
    """All columns on one message; the reference is one of them."""

    moment: Moment
    columns: tuple[Made, ...]
    against: Made

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


def policy_of_column(app: App, column: Written) -> Policy:
    """The policy with what the column sets of it; errors as in `scoring.policy`."""
    if not is_gate(column):
        return scoring.policy(app, chooser_of(column), **column.parameters)
    gate, choice = scoring.gate_policy(app, chooser_of(column)), choice_of(column)
    return gate if choice is None else gate.with_rule(choice.rule, choice.limits)


def decide_all(
    app: App, columns: Sequence[Written], against: Written, labels: dict[str, str], moment: Moment
) -> tuple[Compared | None, dict[str, ConvgateError]]:
    """What each column decides, and why some cannot, by their labels; None when no column can.

    Another column takes the place of a reference that cannot.
    """
    made: list[Made] = []
    failed: dict[str, ConvgateError] = {}
    for number, column in enumerate(columns, start=1):
        label = labels[column.to_text()]
        try:
            policy = policy_of_column(app, column)
            if encoder := getattr(policy, "encoder", None):
                encode_ahead(moment, encoder)
            made.append(Made(column, number, label, *_decided(policy, moment)))
        except ConvgateError as error:
            failed[label] = error
    if not made:
        return None, failed
    first = next((one for one in made if one.column == against), made[0])
    beside = [
        one if one is first else replace(one, unlike=changes(one.decisions, first.decisions)) for one in made
    ]
    return Compared(moment, tuple(beside), first), failed


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


def kappa_words(value: float) -> str:
    """What a kappa means.

    >>> [kappa_words(value) for value in (0.05, 0.5, 0.95, float("nan"))]
    ['hardly more than chance', 'moderate', 'almost the same', 'not defined']
    """
    if np.isnan(value):
        return "not defined"
    for least, words in _WORDS:
        if value >= least:
            return words
    return "less than chance"


_WORDS = (
    (0.8, "almost the same"),
    (0.6, "much"),
    (0.4, "moderate"),
    (0.2, "some"),
    (0.0, "hardly more than chance"),
)


def _decided(policy: Policy, moment: Moment) -> tuple[Selection, float]:
    return _selection(moment.place, f"{digest(policy)} {moves(moment.conversation)}", policy, moment)


@st.cache_resource(max_entries=128, show_spinner=False)
def _selection(
    place: tuple[str, int | None, str], policy: str, _policy: Policy, _moment: Moment
) -> tuple[Selection, float]:
    """What a policy sends, and the seconds that deciding took, without making it a valid list."""
    spent = 0.0
    if isinstance(_policy, GatePolicy):
        # A rule that is moved decides on the scores that are there; how long they took belongs to it.
        fingerprint, identity = _policy.gate.fingerprint, repr(_policy.encoder.identity)
        scored, spent = _scored(place, fingerprint, identity, _policy, _moment)
        start = time.perf_counter()
        decisions = _policy.decide_scored(scored)
    else:
        if isinstance(_policy, GatekeeperPolicy | Pipeline):
            _read_patterns()
        start = time.perf_counter()
        decisions = _policy.decide(_moment.situation, _moment.history)
    spent += time.perf_counter() - start
    selection = Selector(_policy).valid(_moment.situation, _moment.history, decisions, pair_answers=False)
    return selection, spent


@functools.cache
def _read_patterns() -> None:
    """Have the gatekeeper's patterns and languages read, once: seconds that no decision takes after it."""
    check(Exchange("Fix it", "Done."))


@st.cache_resource(max_entries=64, show_spinner=False)
def _scored(
    place: tuple[str, int | None, str], fingerprint: str, identity: str, _gate: GatePolicy, _moment: Moment
) -> tuple[ScoredHistory, float]:
    start = time.perf_counter()
    return _gate.score(_moment.situation, _moment.history), time.perf_counter() - start
