"""Whether a version does better than its parent on conversations that neither was trained on now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from convgate.evaluation.results import Measure
from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, Rule
from convgate.training.certainty import span
from convgate.training.episodes import TOGETHER, Episode, batches
from convgate.training.report import ItemReport, ReportedCase, item_report
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
    gain_high: float | None = None  # None from a single one

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
            return "One conversation does not tell how sure that is."
        if self.gain_low == self.gain_high == 0:
            return "No conversation shows a difference in F1."
        chance = "" if self.sure else ", so it may be chance"
        return f"The difference in F1 is {span(self.gain_low, self.gain_high)}{chance}."


def compare(
    parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]], *, rule: Rule | None = None
) -> Verdict | None:
    """Both on the cases of these episodes by one rule (the absolute unless given); None without any case."""
    report = compare_items(parent, child, sets, rule=rule)
    return None if report is None else verdict_of(report)


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


@torch.no_grad()
def compare_items(
    parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]], *, rule: Rule | None = None
) -> ItemReport | None:
    """Both on each judged turn of the cases of these episodes; None without any case."""
    rule = rule or Absolute()
    cases: list[ReportedCase] = []
    rows: list[tuple[Any, ...]] = []
    for episode in (episode for some in sets.values() for episode in some):
        for first, known in zip(
            range(0, len(episode.questions), TOGETHER), batches(child, episode), strict=True
        ):
            logits = [gate(known.turns, known.messages, known.mask).logit for gate in (parent, child)]
            scores = [torch.sigmoid(logit) for logit in logits]
            kept = [
                _kept(rule, score, known.mask, gate.learned_threshold)
                for score, gate in zip(scores, (parent, child), strict=True)
            ]
            for row, judged in enumerate(known.judged):
                question = episode.questions[first + row]
                there = torch.nonzero(judged).flatten()
                columns = (known.relevant[row], scores[0][row], scores[1][row], kept[0][row], kept[1][row])
                values = zip(*(column[there].tolist() for column in columns), strict=True)
                rows += [
                    (len(cases), episode.start + turn, *value)
                    for turn, value in zip(there.tolist(), values, strict=True)
                ]
                message = None if question.typed else episode.start + question.stop
                cases.append(ReportedCase(question.case, episode.conversation, message))
    return item_report(cases, rows) if cases else None


def _metric(measure: Measure) -> Metric:
    return Metric(measure.value, measure.low, measure.high)


def _counted(number: int, thing: str) -> str:
    return f"{number:,} {thing if number == 1 else thing + 's'}"


def _kept(rule: Rule, scores: Tensor, mask: Tensor, learned: float) -> Tensor:
    """(B, n) what the rule keeps in each case."""
    kept = torch.zeros_like(mask)
    for row, there in enumerate(mask):
        cut = rule.cut(scores[row][there].double().numpy(), learned=learned)
        kept[row, there] = torch.from_numpy(cut.kept)
    return kept
