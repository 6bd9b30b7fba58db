"""Two gates on the cases of the same episodes, turn by turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, Rule
from convgate.training.episodes import TOGETHER, Episode, batches
from convgate.training.holding_out import kept_together
from convgate.training.report import ItemReport, ReportedCase, item_report
from convgate.training.verdict import Verdict, verdict_of


def compare(
    parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]], *, rule: Rule | None = None
) -> Verdict | None:
    """Both on the cases of these episodes by one rule (the absolute unless given); None without any case."""
    report = compare_items(parent, child, sets, rule=rule)
    return None if report is None else verdict_of(report)


@torch.no_grad()
def compare_items(
    parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]], *, rule: Rule | None = None
) -> ItemReport | None:
    """Both on each judged turn of the cases of these episodes; None without any case."""
    rule = rule or Absolute()
    cases: list[ReportedCase] = []
    rows: list[tuple[Any, ...]] = []
    episodes = [episode for some in sets.values() for episode in some]
    for episode, together in zip(episodes, kept_together(episodes), strict=True):
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
                cases.append(ReportedCase(question.case, episode.conversation, message, together=together))
    return item_report(cases, rows) if cases else None


def _kept(rule: Rule, scores: Tensor, mask: Tensor, learned: float) -> Tensor:
    """(B, n) what the rule keeps in each case."""
    kept = torch.zeros_like(mask)
    for row, there in enumerate(mask):
        cut = rule.cut(scores[row][there].double().numpy(), learned=learned)
        kept[row, there] = torch.from_numpy(cut.kept)
    return kept
