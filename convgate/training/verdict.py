"""Whether a version does better than its parent on conversations that neither was trained on now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from convgate.gate.model import Gate
from convgate.training.episodes import Episode, batches


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both gates on the held-out cases, each with its learned threshold."""

    cases: int
    parent_f1: float  # micro over all turns of the cases, 0…1
    child_f1: float
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round

    @property
    def better(self) -> bool:
        """Whether the child's F1 is higher."""
        return self.child_f1 > self.parent_f1

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        how = "better than" if self.better else "no better than"
        return (
            f"On {self.cases} cases held out it is {how} its parent: F1 {self.child_f1:.3f} against"
            f" {self.parent_f1:.3f}, {self.fixed} turns fixed, {self.broken} broken."
        )


@torch.no_grad()
def compare(parent: Gate, child: Gate, sets: Mapping[str, Sequence[Episode]]) -> Verdict | None:
    """Both on the cases of these episodes; None when there is no case."""
    cases = fixed = broken = 0
    found, kept, relevant = [0.0, 0.0], [0.0, 0.0], 0.0
    episodes = [episode for some in sets.values() for episode in some]
    for known in (together for episode in episodes for together in batches(child, episode)):
        right = []
        for place, gate in enumerate((parent, child)):
            output = gate(known.turns, known.messages, known.mask)
            keep = (torch.sigmoid(output.logit) >= gate.learned_threshold) & known.mask
            found[place] += float((keep * known.relevant).sum())
            kept[place] += float(keep.sum())
            right.append((keep == (known.relevant > 0)) & known.mask)
        cases += len(known.mask)
        relevant += float(known.relevant.sum())
        fixed += int((right[1] & ~right[0]).sum())
        broken += int((right[0] & ~right[1]).sum())
    if not cases:
        return None
    scores = [2 * f / (k + relevant) if k + relevant else 1.0 for f, k in zip(found, kept, strict=True)]
    return Verdict(cases, scores[0], scores[1], fixed, broken)
