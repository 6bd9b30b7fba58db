"""How a new version does compared with its parent, on conversations that were held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from convgate.core.text import pluralize
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.comparison import count_outcomes
from convgate.evaluation.metrics import Bools, Terms, ratios
from convgate.training.split import MIN_COMPARED
from convgate.versions.card import Metric, MetricSet

MIN_FOR_INTERVAL = 5  # conversations; with fewer, chance alone often puts all on one side


@dataclass(frozen=True, eq=False, slots=True)
class CaseDecisions:
    """What both versions decide about the n judged turns of one held-out case."""

    id: str
    conversation: str
    group: str  # shared by all conversations that count as one
    digest: str  # of what was said in the conversation, hexadecimal
    turns: NDArray[np.int64]  # (n,) 0-based index in the conversation
    relevant: Bools  # (n,)
    parent_kept: Bools  # (n,)
    child_kept: Bools  # (n,)


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
        return (
            f"{method} {pluralize(self.cases, 'message')} of {pluralize(self.conversations, held_out)}"
            f" it is {'better' if self.better else 'not better'} than its parent:"
            f" F1 {self.child_f1:.3f} vs. {self.parent_f1:.3f},"
            f" {pluralize(self.fixed, 'turn')} fixed, {self.broken:,} broken. {self._certainty}"
        )

    @property
    def _certainty(self) -> str:
        if self.gain_low is None or self.gain_high is None:
            return "Not enough data for an interval."
        bounds = f"{self.gain_low:+.2f} to {self.gain_high:+.2f}".replace("-", "\N{MINUS SIGN}")
        chance = "" if self.gain.excludes_0 else ", so it may be chance"
        return f"95% interval of the difference: {bounds}{chance}."


_VERDICT = TypeAdapter(TrainingVerdict)


def read_verdict(value: object) -> TrainingVerdict | None:
    """Return the verdict in a run's result; None when there is none or it is damaged."""
    try:
        return _VERDICT.validate_python(value)
    except ValidationError:
        return None


def make_verdict(cases: Sequence[CaseDecisions], *, folds: int = 0) -> tuple[TrainingVerdict, MetricSet]:
    """Return the verdict of at least one case, and what the child's card says: F1 of both with intervals."""
    relevant, parent_kept, child_kept = (
        np.concatenate([getattr(case, name) for case in cases])
        for name in ("relevant", "parent_kept", "child_kept")
    )
    groups = {group: number for number, group in enumerate(sorted({case.group for case in cases}))}
    clusters = np.repeat([groups[case.group] for case in cases], [len(case.turns) for case in cases])

    def sum_terms(kept: Bools) -> Terms:
        """Return (groups, 2, 1) terms of F1: twice the relevant turns kept; the kept and the relevant."""
        terms: NDArray[Any] = np.stack([2 * (kept & relevant), kept.astype(int) + relevant], axis=1)
        return cluster_sums(terms[:, :, np.newaxis].astype(np.float64), clusters, len(groups))

    before, after = sum_terms(parent_kept), sum_terms(child_kept)
    draws = draw(len(groups))
    parent, child = (Metric.of(_f1(terms), *interval(terms, draws)[0]) for terms in (before, after))
    gain = Metric(_f1(after) - _f1(before))
    if len(groups) >= MIN_FOR_INTERVAL:
        gain = Metric.of(_f1(after) - _f1(before), *difference_interval(before, after, draws)[0])
    turns = count_outcomes(relevant, parent_kept, child_kept)
    verdict = TrainingVerdict(
        cases=len(cases),
        conversations=len(groups),
        parent_f1=_f1(before),
        child_f1=_f1(after),
        fixed=turns["fixed"],
        broken=turns["broken"],
        gain_low=gain.low,
        gain_high=gain.high,
        folds=folds,
    )
    measured = MetricSet(
        len(cases),
        len(groups),
        {"f1": child},
        sha256=_digest(cases),
        parent={"f1": parent},
        gain={"f1": gain},
    )
    return verdict, measured


def _digest(cases: Sequence[CaseDecisions]) -> str:
    """Return the SHA-256 of the cases and what is known about them."""
    rows = [
        (case.id, case.conversation, case.digest, case.turns.tolist(), case.relevant.tolist())
        for case in cases
    ]
    return hashlib.sha256(json.dumps(sorted(rows)).encode()).hexdigest()


def _f1(terms: Terms) -> float:
    value = float(ratios(terms.sum(axis=0))[0])
    return 1.0 if np.isnan(value) else value
