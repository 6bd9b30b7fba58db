"""The comparison of checkpoint periods as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from convgate.evaluation.results import Summary
from convgate.versions.card import Metric

PRUNING = 0  # in place of a base window: what is stored is pruned
SHOWN = ("recall", "precision", "f1", "kept_token_share")


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """What one period did in one way with one kind of confidence."""

    base_window: int  # characters; PRUNING for what stays of a stored conversation
    confidence: str
    period: int
    summary: Summary
    gain: Metric  # F1 less that of period 0, with its interval
    checkpoints: float  # share of turns that stay at a checkpoint alone

    @property
    def way(self) -> str:
        """In a few words."""
        return f"window {self.base_window:,}" if self.base_window else "pruning"

    def same(self, other: Row) -> bool:
        """Whether both keep the same, as far as it is measured."""
        return all(self.summary[name] == other.summary[name] for name in SHOWN)

    def to_json(self) -> dict[str, Any]:
        """The row as plain JSON values."""
        measures = {name: asdict(self.summary[name]) for name in SHOWN}
        key = {"base_window": self.base_window or None, "confidence": self.confidence, "period": self.period}
        return key | measures | {"f1_gain": asdict(self.gain), "checkpoints": self.checkpoints}


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What else to know about a set."""

    dataset: str
    conversations: int
    cases: int
    relevant: float  # share of turns, 0…1
    whole: dict[int, float]  # by base window: share of the cases whose history fits into it
    correlations: dict[str, float]  # by kind of confidence: between what the policy sees and relevance


def by_period(results: Sequence[tuple[SetFacts, Sequence[Row]]]) -> Iterator[str]:
    """F1 without checkpoints, and what each period adds to it, a line for each kind of confidence."""
    periods = sorted({row.period for _, rows in results for row in rows if row.period})
    headings = ["set", "way", "confidence", "F1, period 0", *(f"period {period}" for period in periods)]
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for facts, rows in results:
        for (way, confidence), group in groupby(rows, key=lambda row: (row.way, row.confidence)):
            off, *on = group
            gains = ["same" if row.same(off) else figure(row.gain, sign="+") for row in on]
            yield f"| {' | '.join([facts.dataset, way, confidence, figure(off.summary['f1']), *gains])} |"
    yield ""


def whole_table(facts: SetFacts, rows: Sequence[Row]) -> Iterator[str]:
    """Every measure of one set; a period that changes nothing has no row."""
    correlations = ", ".join(
        f"{name}: {value:.2f}" for name, value in facts.correlations.items() if value == value
    )
    fit = ", ".join(f"{share:.0%} into {base:,} characters" for base, share in facts.whole.items())
    yield f"### {facts.dataset}"
    yield ""
    yield (
        f"{facts.cases:,} cases of {facts.conversations:,} conversations; {facts.relevant:.1%} of the turns"
        f" are relevant; whole histories that fit: {fit}. Correlation of confidence, as the policy sees it,"
        f" with relevance: {correlations or 'none'}."
    )
    yield ""
    yield "| way | confidence | period | recall | precision | F1 | tokens kept | at checkpoints |"
    yield "|---|---|---|---|---|---|---|---|"
    for (way, confidence), group in groupby(rows, key=lambda row: (row.way, row.confidence)):
        off, *on = group
        for row in [off, *(row for row in on if not row.same(off))]:
            measures = [figure(row.summary[name]) for name in SHOWN]
            cells = [way, confidence, str(row.period), *measures, f"{row.checkpoints:.1%}"]
            yield f"| {' | '.join(cells)} |"
    yield ""


def figure(measure: Metric, sign: str = "") -> str:
    """A measure with its interval.

    >>> figure(Metric(0.5, 0.25, 0.75)), figure(Metric(None))
    ('.500 [.250, .750]', '–')
    """
    if measure.value is None:
        return "–"
    bounds = [] if measure.low is None or measure.high is None else [measure.low, measure.high]
    value, *interval = [f"{number:{sign}.3f}".replace("0.", ".", 1) for number in (measure.value, *bounds)]
    return f"{value} [{', '.join(interval)}]" if interval else value
