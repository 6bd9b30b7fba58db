"""How a new version does compared with its parent, on conversations that were held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from convgate.core.text import format_share, format_signed, pluralize
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.comparison import count_outcomes
from convgate.evaluation.metrics import (
    ANSWER_METRICS,
    METRICS,
    Bools,
    Terms,
    case_terms,
    describe_misses,
    ratios,
)
from convgate.training.split import MIN_COMPARED
from convgate.versions.card import Metric, MetricSet

MEASURED = (*ANSWER_METRICS, "f1")
MAX_CHANGES = 5_000  # decisions that a run keeps
_COLUMNS = [METRICS.index(name) for name in MEASURED]
MIN_FOR_INTERVAL = 5  # conversations; with fewer, chance alone often puts all on one side


@dataclass(frozen=True, eq=False, slots=True)
class CaseDecisions:
    """What both versions decide about the n judged turns of one held-out case."""

    id: str
    conversation: str
    group: str  # shared by all conversations that count as one
    digest: str  # of what was said in the conversation, hexadecimal
    message: int | None  # 0-based; None: a question after the last turn
    turns: NDArray[np.int64]  # (n,) 0-based index in the conversation
    tokens: NDArray[np.int64]  # (n,)
    relevant: Bools  # (n,)
    needed: Bools  # (n,) without which the answer is wrong
    parent_kept: Bools  # (n,)
    child_kept: Bools  # (n,)
    parent_reach: Terms  # (n,) as `Rule.reach`; of a rule without a sweep, whether it is kept
    child_reach: Terms


@dataclass(frozen=True, slots=True)
class DecisionChange:
    """A held-out decision of the child that is not the parent's."""

    conversation: str
    message: int | None  # 0-based; None: a question after the last turn
    turn: int  # 0-based
    kept: bool  # by the child
    relevant: bool


@dataclass(frozen=True, slots=True)
class Misses:
    """How many messages and needed turns are missed, and for how much, before and after."""

    messages: int  # that need a turn
    before: int  # of them, those that miss one with the parent
    after: int
    missed_before: float  # share of a message's needed turns, the mean, 0…1; 0 where none needs a turn
    missed_after: float
    tokens_before: float  # kept, 0…1
    tokens_after: float

    @property
    def sentence(self) -> str:
        """The figures in words."""
        return (
            f"{describe_misses(self.after, self.messages)} (before: {self.before:,}),"
            f" {format_share(self.missed_after)} of the needed turns (before:"
            f" {format_share(self.missed_before)}), with {format_share(self.tokens_after)} of the tokens"
            f" (before: {format_share(self.tokens_before)})"
        )


@dataclass(frozen=True, slots=True)
class TrainingVerdict:
    """Both gates on the held-out cases.

    The tokens decide that it takes, in the order in which a gate's rule adds turns, until all that a message
    needs is sent: no threshold, and so no luck with one, has a part in it.
    """

    cases: int
    conversations: int  # those of one group count once
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round
    misses: Misses  # by their rules
    takes_before: float  # of a message's tokens, the mean, 0…1; 0 where none needs a turn
    takes_after: float
    gain_low: float | None = None  # 95% interval of the difference, over conversations
    gain_high: float | None = None  # None with fewer than five
    folds: int = 0  # of a cross-validation; 0 when one part of the conversations was held out

    @property
    def gain(self) -> Metric:
        """How much less the child takes, -1…1."""
        return Metric(self.takes_before - self.takes_after, self.gain_low, self.gain_high)

    @property
    def better(self) -> bool:
        """Whether the child takes less."""
        return (self.gain.value or 0.0) > 0

    @property
    def activates(self) -> bool:
        """Whether the new version may be activated without asking a person."""
        enough_data = self.conversations >= MIN_COMPARED and not self.folds
        return self.better and self.gain.excludes_0 and self.broken <= self.fixed and enough_data

    def headline(self, parent: str) -> str:
        """Return the verdict and what decided, in a few words."""
        if not self.gain.excludes_0:
            count = pluralize(self.conversations, "conversation")
            if self.conversations >= MIN_COMPARED:
                return f"No difference to be seen on {count}"
            return f"No difference yet: {count} {'is' if self.conversations == 1 else 'are'} too few to tell"
        return f"{'Helped' if self.better else 'Did not help'}: {self._takes(parent)}"

    def _takes(self, parent: str) -> str:
        return (
            f"sending all that a message needs takes {format_share(self.takes_after)} of the tokens"
            f" (with {parent}: {format_share(self.takes_before)})"
        )

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        held_out = "held-out conversation"
        method = "On"
        if self.folds:
            held_out, method = "conversation", f"In a {self.folds}-fold cross-validation on"
        takes = "" if self.gain.excludes_0 else f"; {self._takes('its parent')}"
        return (
            f"{self.headline('its parent')}. {method} {pluralize(self.cases, 'message')} of"
            f" {pluralize(self.conversations, held_out)}: {pluralize(self.fixed, 'turn')} fixed,"
            f" {self.broken:,} broken; {self.misses.sentence}{takes}. {self._certainty}"
        )

    @property
    def _certainty(self) -> str:
        if self.gain_low is None or self.gain_high is None:
            return "Not enough data for an interval."
        bounds = (
            f"{format_signed(-100 * self.gain_high, 1)} to {format_signed(-100 * self.gain_low, 1)} points"
        )
        chance = "" if self.gain.excludes_0 else ", so it may be chance"
        return f"95% interval of the difference in these tokens: {bounds}{chance}."


_VERDICT, _CHANGES = TypeAdapter(TrainingVerdict), TypeAdapter(tuple[DecisionChange, ...])


def read_verdict(value: object) -> TrainingVerdict | None:
    """Return the verdict in a run's result; None when there is none or it is damaged."""
    try:
        return _VERDICT.validate_python(value)
    except ValidationError:
        return None


def read_changes(value: object) -> tuple[DecisionChange, ...]:
    """Return the changed decisions in a run's result; none when there are none or they are damaged."""
    try:
        return _CHANGES.validate_python(value)
    except ValidationError:
        return ()


def make_verdict(cases: Sequence[CaseDecisions], *, folds: int = 0) -> tuple[TrainingVerdict, MetricSet]:
    """Return the verdict of at least one case, and what the child's card says: the metrics of both."""
    relevant, parent_kept, child_kept = (
        np.concatenate([getattr(case, name) for case in cases])
        for name in ("relevant", "parent_kept", "child_kept")
    )
    groups = {group: number for number, group in enumerate(sorted({case.group for case in cases}))}
    clusters = np.array([groups[case.group] for case in cases])

    def sum_terms(name: str) -> Terms:
        """Return (groups, 2, MEASURED) terms of the version that kept the turns of that column."""
        terms = [
            case_terms(case.relevant, getattr(case, name), None, case.tokens, needed=case.needed)
            for case in cases
        ]
        return cluster_sums(np.array(terms)[:, :, _COLUMNS], clusters, len(groups))

    before, after = sum_terms("parent_kept"), sum_terms("child_kept")
    draws = draw(len(groups))
    values, bounds = [], []
    for terms in (before, after):
        values.append(_values(terms))
        bounds.append(interval(terms, draws))
    spread = difference_interval(before, after, draws)
    taken, takes = (
        cluster_sums(np.array([_takes(case, reach) for case, reach in side]), clusters, len(groups))
        for side in (
            [(case, case.parent_reach) for case in cases],
            [(case, case.child_reach) for case in cases],
        )
    )
    ((low, high),) = difference_interval(taken, takes, draws)
    if len(groups) < MIN_FOR_INTERVAL:
        spread = np.full_like(spread, np.nan)
        low = high = np.nan
    takes_before, takes_after = (float(np.nan_to_num(ratios(each.sum(axis=0)))[0]) for each in (taken, takes))
    parent, child, gains = (
        {name: Metric.of(*numbers) for name, *numbers in zip(MEASURED, row, *limits.T, strict=True)}
        for row, limits in zip([*values, values[1] - values[0]], [*bounds, spread], strict=True)
    )
    turns = count_outcomes(relevant, parent_kept, child_kept)
    asked = int(after[:, 1, 0].sum())
    misses = Misses(
        messages=asked,
        before=asked - int(before[:, 0, 0].sum()),
        after=asked - int(after[:, 0, 0].sum()),
        missed_before=parent["missed"].value or 0.0,
        missed_after=child["missed"].value or 0.0,
        tokens_before=parent["kept_token_share"].value or 0.0,
        tokens_after=child["kept_token_share"].value or 0.0,
    )
    gain = Metric.of(takes_before - takes_after, -high, -low)
    verdict = TrainingVerdict(
        len(cases), len(groups), turns["fixed"], turns["broken"], misses, takes_before, takes_after,
        gain.low, gain.high, folds,
    )  # fmt: skip
    measured = MetricSet(len(cases), len(groups), child, sha256=_digest(cases), parent=parent, gain=gains)
    return verdict, measured


def _takes(case: CaseDecisions, reach: NDArray[np.float64]) -> Terms:
    """Return (2, 1) the share of the tokens that is sent once all needed turns are, and 1; 0 without any.

    reach: (n,) as of `Rule.reach`: turns of a higher one are sent first.
    """
    if not case.needed.any():
        return np.zeros((2, 1))
    sent = reach >= reach[case.needed].min()
    return np.array([[case.tokens[sent].sum() / max(1, case.tokens.sum())], [1.0]])


def list_changes(cases: Sequence[CaseDecisions]) -> list[DecisionChange]:
    """Return the decisions that differ, at most MAX_CHANGES: what the child has wrong comes first."""
    changes = [
        DecisionChange(case.conversation, case.message, int(turn), bool(kept), bool(relevant))
        for case in cases
        for turn, kept, before, relevant in zip(
            case.turns, case.child_kept, case.parent_kept, case.relevant, strict=True
        )
        if kept != before
    ]
    return sorted(changes, key=lambda change: change.kept == change.relevant)[:MAX_CHANGES]


def _digest(cases: Sequence[CaseDecisions]) -> str:
    """Return the SHA-256 of the cases and what is known about them."""
    rows = [
        (case.id, case.conversation, case.digest, case.turns.tolist(), case.relevant.tolist())
        for case in cases
    ]
    return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()


def _values(terms: Terms) -> Terms:
    """Return the metrics of (groups, 2, MEASURED) terms; F1 is 1 when nothing is relevant or kept."""
    values = ratios(terms.sum(axis=0))
    values[-1] = 1.0 if np.isnan(values[-1]) else values[-1]
    return values
