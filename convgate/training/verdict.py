"""Whether a version does better than its parent on conversations that neither was trained on now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, Rule
from convgate.training.episodes import Episode, batches


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both gates on the held-out cases, each with its learned threshold, by one rule."""

    cases: int
    conversations: int
    parent_f1: float  # micro over all turns of the cases, 0…1
    child_f1: float
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round

    @property
    def better(self) -> bool:
        """Whether the child's F1 is higher, and it breaks no more turns than it mends."""
        return self.child_f1 > self.parent_f1 and self.fixed >= self.broken

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        how = "better than" if self.better else "no better than"
        return (
            f"On {self.cases} cases held out it is {how} its parent: F1 {self.child_f1:.3f} against"
            f" {self.parent_f1:.3f}, {self.fixed} turns fixed, {self.broken} broken."
        )


@torch.no_grad()
def compare(
    parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]], *, rule: Rule | None = None
) -> Verdict | None:
    """Both on the cases of these episodes by one rule (the absolute unless given); None without any case."""
    rule = rule or Absolute()
    cases = fixed = broken = 0
    found, kept, relevant = [0.0, 0.0], [0.0, 0.0], 0.0
    episodes = [episode for some in sets.values() for episode in some]
    for known in (together for episode in episodes for together in batches(child, episode)):
        right = []
        for place, gate in enumerate((parent, child)):
            output = gate(known.turns, known.messages, known.mask)
            keep = _kept(rule, torch.sigmoid(output.logit), known.mask, gate.learned_threshold) & known.judged
            found[place] += float((keep * known.relevant).sum())
            kept[place] += float(keep.sum())
            right.append((keep == (known.relevant > 0)) & known.judged)
        cases += len(known.mask)
        relevant += float(known.relevant.sum())
        fixed += int((right[1] & ~right[0]).sum())
        broken += int((right[0] & ~right[1]).sum())
    if not cases:
        return None
    scores = [2 * f / (k + relevant) if k + relevant else 1.0 for f, k in zip(found, kept, strict=True)]
    conversations = len({episode.conversation for episode in episodes})
    return Verdict(cases, conversations, scores[0], scores[1], fixed, broken)


def _kept(rule: Rule, scores: Tensor, mask: Tensor, learned: float) -> Tensor:
    """(B, n) what the rule keeps in each case."""
    kept = torch.zeros_like(mask)
    for row, there in enumerate(mask):
        cut = rule.cut(scores[row][there].double().numpy(), learned=learned)
        kept[row, there] = torch.from_numpy(cut.kept)
    return kept
