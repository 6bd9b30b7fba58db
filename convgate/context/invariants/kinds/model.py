"""What the model computes: for each kind a sum of weights, over the vector of a statement and its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from convgate.context.modes.model import Floats, probabilities, scaled
from convgate.embedding.base import Embeddings


@dataclass(frozen=True, eq=False)
class KindModel:
    """Weights in logits, in the order of `KINDS`."""

    statements: str  # SHA-256 of the labelled statements that it was fitted to
    names: tuple[str, ...]  # (runs,)
    vectors: Floats  # (d, kinds)
    runs: Floats  # (runs, kinds)
    rarity: Floats  # (runs,) the rarer a run among the statements, the more it counts
    bias: Floats  # (kinds,)

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def probabilities(self, runs: Sequence[Mapping[str, float]], vectors: Embeddings) -> Floats:
        """(n, kinds), rows sum to 1. runs: of each statement (`runs_of`); vectors: (n, d)."""
        total = np.asarray(vectors @ self.vectors + self.bias, dtype=np.float32)
        for row, shown in enumerate(runs):
            at = [self._rows[run] for run in shown if run in self._rows]
            if at:
                values = np.array([shown[self.names[one]] for one in at], dtype=np.float32)
                total[row] += scaled(values * self.rarity[at]) @ self.runs[at]
        return probabilities(total)
