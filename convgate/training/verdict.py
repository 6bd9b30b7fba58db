"""Whether a version does better than its parent on conversations that neither was trained on now."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from convgate.evaluation.results import Measure
from convgate.training.certainty import FEWEST, LABELLED, span
from convgate.training.report import ItemReport
from convgate.versions.card import Measured, Metric


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both gates on the held-out cases, each with its learned threshold, by one rule."""

    cases: int
    conversations: int
    parent_f1: float  # micro over all turns of the cases, 0…1
    child_f1: float
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round
    gain_low: float | None = None  # 95% interval of the child's F1 less the parent's, over conversations
    gain_high: float | None = None  # None from too few

    @property
    def sure(self) -> bool:
        """Whether other conversations would hardly turn the difference in F1 round."""
        if self.gain_low is None or self.gain_high is None:
            return False
        return self.gain_low > 0 or self.gain_high < 0

    @property
    def better(self) -> bool:
        """Whether the child's F1 is higher, and it breaks no more turns than it mends."""
        return self.child_f1 > self.parent_f1 and self.fixed >= self.broken

    def headline(self, parent: str) -> str:
        """The verdict in a few words."""
        if not self.better:
            return f"No better than {parent}"
        return f"Better than {parent}" if self.sure else f"Perhaps better than {parent}"

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        how = "better than" if self.better else "no better than"
        where = f"{_counted(self.cases, 'message')} of {_counted(self.conversations, 'conversation')}"
        return (
            f"On {where} that it did not learn from it is {how} its parent: F1 {self.child_f1:.3f} against"
            f" {self.parent_f1:.3f}, {_counted(self.fixed, 'turn')} fixed, {self.broken:,} broken."
            f" {self.doubt}"
        )

    @property
    def doubt(self) -> str:
        """How sure the difference in F1 is, in a sentence."""
        if self.gain_low is None or self.gain_high is None:
            return f"Too few to be sure: with about {LABELLED} labelled conversations, {FEWEST} are held out."
        if self.gain_low == self.gain_high == 0:
            return "No conversation shows a difference in F1."
        chance = "" if self.sure else ", so it may be chance"
        return f"The difference in F1 is {span(self.gain_low, self.gain_high)}{chance}."


def read_verdict(told: object) -> Verdict | None:
    """The verdict in an outcome; None when there is none or it is damaged."""
    try:
        return _KIND.validate_python(told)
    except ValidationError:
        return None


def verdict_of(report: ItemReport) -> Verdict:
    """What the turns of a report come to."""
    (before, after), gain = report.f1, report.gain
    assert before.value is not None
    assert after.value is not None
    return Verdict(
        cases=len(report.cases),
        conversations=report.conversations,
        parent_f1=before.value,
        child_f1=after.value,
        fixed=report.count("fixed"),
        broken=report.count("broken"),
        gain_low=gain.low,
        gain_high=gain.high,
    )


def measured(report: ItemReport) -> Measured:
    """What the card of the child says: F1 of both on the very same cases."""
    before, after = report.f1
    return Measured(
        len(report.cases),
        report.conversations,
        {"f1": _metric(after)},
        sha256=report.sha256,
        parent={"f1": _metric(before)},
        gain={"f1": _metric(report.gain)},
    )


_KIND = TypeAdapter(Verdict)


def _metric(measure: Measure) -> Metric:
    return Metric(measure.value, measure.low, measure.high)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing if number == 1 else thing + 's'}"
