"""How a new version does compared with its parent, on conversations that were held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from convgate.core.text import format_share, pluralize
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.comparison import count_outcomes
from convgate.evaluation.metrics import ANSWER_METRICS, METRICS, Bools, Terms, case_terms, ratios
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


@dataclass(frozen=True, slots=True)
class DecisionChange:
    """A held-out decision of the child that is not the parent's."""

    conversation: str
    message: int | None  # 0-based; None: a question after the last turn
    turn: int  # 0-based
    kept: bool  # by the child
    relevant: bool


@dataclass(frozen=True, slots=True)
class Answered:
    """Who gets all they need, and for how much, before and after."""

    messages: int  # that need a turn
    before: int  # of them, those that get all they need from the parent
    after: int
    tokens_before: float  # kept, 0…1
    tokens_after: float

    @property
    def sentence(self) -> str:
        """The figures in words."""
        return (
            f"{self.after:,} of {pluralize(self.messages, 'message')} get every turn they need"
            f" (before: {self.before:,}), with {format_share(self.tokens_after)} of the tokens"
            f" (before: {format_share(self.tokens_before)})"
        )


@dataclass(frozen=True, slots=True)
class TrainingVerdict:
    """Both gates on the held-out cases, each with its learned threshold, by one rule."""

    cases: int
    conversations: int  # those of one group count once
    parent_f1: float  # micro over all turns of the cases, 0…1; 1 when nothing is relevant and nothing kept
    child_f1: float
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round
    gain_low: float | None = None  # 95% interval of the child's F1 less the parent's, over conversations
    gain_high: float | None = None  # None with fewer than five
    folds: int = 0  # of a cross-validation; 0 when one part of the conversations was held out
    answered: Answered | None = None  # None in results of earlier releases

    @property
    def better(self) -> bool:
        """Whether the child's F1 is higher, and it breaks no more turns than it fixes."""
        return self.child_f1 > self.parent_f1 and self.fixed >= self.broken

    @property
    def gain(self) -> Metric:
        """The child's F1 less the parent's, -1…1."""
        return Metric(self.child_f1 - self.parent_f1, self.gain_low, self.gain_high)

    @property
    def activates(self) -> bool:
        """Whether the new version may be activated without asking a person."""
        enough_data = self.conversations >= MIN_COMPARED and not self.folds
        return self.better and self.gain.excludes_0 and enough_data

    def headline(self, parent: str) -> str:
        """Return the verdict in a few words."""
        if not self.better:
            return f"Not better than {parent}"
        return f"{'Better' if self.gain.excludes_0 else 'Possibly better'} than {parent}"

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        held_out = "held-out conversation"
        method = "On"
        if self.folds:
            held_out, method = "conversation", f"In a {self.folds}-fold cross-validation on"
        answered = f" {self.answered.sentence}." if self.answered else ""
        return (
            f"{method} {pluralize(self.cases, 'message')} of {pluralize(self.conversations, held_out)}"
            f" it is {'better' if self.better else 'not better'} than its parent:"
            f" {pluralize(self.fixed, 'turn')} fixed, {self.broken:,} broken.{answered}"
            f" F1 {self.child_f1:.3f} vs. {self.parent_f1:.3f}. {self._certainty}"
        )

    @property
    def _certainty(self) -> str:
        if self.gain_low is None or self.gain_high is None:
            return "Not enough data for an interval."
        bounds = f"{self.gain_low:+.2f} to {self.gain_high:+.2f}".replace("-", "\N{MINUS SIGN}")
        chance = "" if self.gain.excludes_0 else ", so it may be chance"
        return f"95% interval of the difference: {bounds}{chance}."


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
    if len(groups) < MIN_FOR_INTERVAL:
        spread = np.full_like(spread, np.nan)
    parent, child, gains = (
        {name: Metric.of(*numbers) for name, *numbers in zip(MEASURED, row, *limits.T, strict=True)}
        for row, limits in zip([*values, values[1] - values[0]], [*bounds, spread], strict=True)
    )
    turns = count_outcomes(relevant, parent_kept, child_kept)
    asked = after[:, 1, 0].sum()
    verdict = TrainingVerdict(
        cases=len(cases),
        conversations=len(groups),
        parent_f1=float(values[0][-1]),
        child_f1=float(values[1][-1]),
        fixed=turns["fixed"],
        broken=turns["broken"],
        gain_low=gains["f1"].low,
        gain_high=gains["f1"].high,
        folds=folds,
        answered=Answered(
            messages=int(asked),
            before=int(before[:, 0, 0].sum()),
            after=int(after[:, 0, 0].sum()),
            tokens_before=float(values[0][2]),
            tokens_after=float(values[1][2]),
        ),
    )
    measured = MetricSet(
        len(cases),
        len(groups),
        child,
        sha256=_digest(cases),
        parent=parent,
        gain=gains,
    )
    return verdict, measured


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
