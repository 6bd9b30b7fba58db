"""What the classifier computes: for each mode a sum of weights, over the vector, the cues and the words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from convgate.context.mode import MODES
from convgate.context.modes.cues import CUES, CUES_OF
from convgate.context.modes.surface import Surface
from convgate.embedding.base import Embeddings, EncoderIdentity

Floats = NDArray[np.float32]

RUNS_LENGTH = 2.0
"""Length of the vector of a message's runs, whatever its own length."""

_SIGNS = 3  # that a person is shown
_LEAST = 0.25  # logits that a sign has to bring


@dataclass(frozen=True, eq=False)
class ModeModel:
    """Weights in logits, in the order of `MODES`."""

    encoder: EncoderIdentity  # of the vectors that it reads
    vectors: Floats  # (d, modes)
    cues: Floats  # (cues, modes), in the order of `CUES`
    runs: Floats  # (runs, modes)
    rarity: Floats  # (runs,) the rarer a run among the messages, the more it counts
    names: tuple[str, ...]  # (runs,)
    bias: Floats  # (modes,)
    doubt: float = 0.0  # see `Tuning`

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.names)}

    def logits(self, surfaces: Sequence[Surface], vectors: Embeddings) -> Floats:
        """(n, modes)."""
        total = vectors @ self.vectors + self.bias
        for row, surface in enumerate(surfaces):
            for name, value in surface.cues.items():
                total[row] += value * self.cues[_CUE_ROWS[name]]
            rows, values = self._known(surface)
            if len(rows):
                total[row] += values @ self.runs[rows]
        return np.asarray(total, dtype=np.float32)

    def probabilities(self, surfaces: Sequence[Surface], vectors: Embeddings) -> Floats:
        """(n, modes), rows sum to 1."""
        return probabilities(self.logits(surfaces, vectors), self.doubt)

    def signs(self, surface: Surface, mode: int) -> tuple[str, ...]:
        """What speaks for a mode (its place in `MODES`) the most, against the others; strongest first."""
        found: list[tuple[float, str, str]] = []
        own = {cue.name for cue in CUES_OF[MODES[mode]]}
        for name, value in surface.cues.items():
            if name not in own:  # "it laughs" would be a riddle as a sign of DEBUGGING
                continue
            weight = value * _margin(self.cues[_CUE_ROWS[name]], mode)
            found.append((weight, CUES[_CUE_ROWS[name]].says, surface.said[name]))
        rows, values = self._known(surface)
        for row, value in zip(rows, values, strict=True):
            run = self.names[row]
            if run.replace(" ", "").replace("'", "").isalpha() and len(run) > 2:
                found.append((value * _margin(self.runs[row], mode), "it has the words", run))
        signs: list[str] = []
        shown: list[str] = []
        for weight, says, words in sorted(found, key=lambda one: (-one[0], one[1])):
            plain = words.lower()
            if weight < _LEAST or len(signs) == _SIGNS:
                break
            if not any(plain in other or other in plain for other in shown):
                shown.append(plain)
                signs.append(f"{says} (“{_short(words)}”)")
        return tuple(signs)

    def _known(self, surface: Surface) -> tuple[list[int], Floats]:
        rows = [self._rows[run] for run in surface.runs if run in self._rows]
        values = np.array(
            [value for run, value in surface.runs.items() if run in self._rows], dtype=np.float32
        )
        return rows, scaled(values * self.rarity[rows])


def scaled(values: Floats) -> Floats:
    """Runs of one message, as long as `RUNS_LENGTH`; none stay none."""
    length = float(np.linalg.norm(values))
    return np.asarray(values * (RUNS_LENGTH / length if length else 0.0), dtype=np.float32)


def probabilities(logits: Floats, doubt: float = 0.0) -> Floats:
    """(n, modes), rows sum to 1; `doubt` of the whole is shared out evenly.

    >>> probabilities(np.zeros((1, 2), dtype=np.float32)).tolist()
    [[0.5, 0.5]]
    """
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares = (1 - doubt) * odds / odds.sum(axis=1, keepdims=True) + doubt / logits.shape[1]
    return np.asarray(shares, dtype=np.float32)


def _margin(weights: Floats, mode: int) -> float:
    """By how much a row of weights speaks for a mode rather than for the others on average."""
    return float(weights[mode] - (weights.sum() - weights[mode]) / (len(MODES) - 1))


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"


_CUE_ROWS = {cue.name: row for row, cue in enumerate(CUES)}
