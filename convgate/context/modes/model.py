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
Known = tuple[list[int], Floats]  # rows of runs, and their values

RUNS_LENGTH = 2.0
"""Length of the vector of a message's runs, whatever its own length."""

_SIGNS = 3  # that a person is shown
_LEAST = 0.5  # logits that a sign has to bring


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

    @cached_property
    def _cue_margins(self) -> Floats:
        return _margins(self.cues)

    @cached_property
    def _run_margins(self) -> Floats:
        return _margins(self.runs)

    def logits(self, surfaces: Sequence[Surface], vectors: Embeddings) -> Floats:
        """(n, modes)."""
        return self._logits(surfaces, vectors, [self._known(surface) for surface in surfaces])

    def decide(
        self, surfaces: Sequence[Surface], vectors: Embeddings
    ) -> tuple[Floats, list[tuple[str, ...]]]:
        """(n, modes) probabilities, whose rows sum to 1, and the signs of each message's likeliest mode."""
        known = [self._known(surface) for surface in surfaces]
        shares = probabilities(self._logits(surfaces, vectors, known), self.doubt)
        modes = shares.argmax(axis=1).tolist()
        return shares, [self._signs(*one) for one in zip(surfaces, known, modes, strict=True)]

    def _logits(self, surfaces: Sequence[Surface], vectors: Embeddings, known: Sequence[Known]) -> Floats:
        total = np.asarray(vectors @ self.vectors + self.bias, dtype=np.float32)
        for row, (surface, (runs, values)) in enumerate(zip(surfaces, known, strict=True)):
            if surface.cues:
                cues = [_CUE_ROWS[name] for name in surface.cues]
                total[row] += np.fromiter(surface.cues.values(), np.float32) @ self.cues[cues]
            if runs:
                total[row] += values @ self.runs[runs]
        return total

    def _known(self, surface: Surface) -> Known:
        """Rows and values of a message's runs, as far as the model has weights for them."""
        rows = self._rows
        at = [rows[run] for run in surface.runs if run in rows]
        values = np.array([value for run, value in surface.runs.items() if run in rows], dtype=np.float32)
        return at, scaled(values * self.rarity[at])

    def _signs(self, surface: Surface, known: Known, mode: int) -> tuple[str, ...]:
        """What speaks for a mode the most, against the others; strongest first."""
        found = [
            (value * float(self._cue_margins[row, mode]), CUES[row].says, surface.said[name])
            for name, value in surface.cues.items()
            if (row := _CUE_ROWS[name]) in _OWN[mode]  # "it laughs" would be a riddle as a sign of DEBUGGING
        ]
        if not any(weight >= _LEAST for weight, _, _ in found):  # single words tell little beside a cue
            runs, values = known
            weights = values * self._run_margins[runs, mode]
            found = [
                (float(weights[place]), "it has the words", run)
                for place in np.flatnonzero(weights >= _LEAST).tolist()
                if _is_told(run := self.names[runs[place]])
            ]
        signs: list[str] = []
        shown: list[str] = []
        for weight, says, words in sorted(found, key=lambda one: (-one[0], one[1], one[2])):
            if weight < _LEAST or len(signs) == _SIGNS:
                break
            plain = words.lower()
            if not any(plain in other or other in plain for other in shown):
                shown.append(plain)
                signs.append(f"{says} (“{_short(words)}”)")
        return tuple(signs)


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


def _margins(weights: Floats) -> Floats:
    """By how much each weight speaks for its mode rather than for the others on average."""
    count = len(MODES)
    return np.asarray((weights * count - weights.sum(axis=1, keepdims=True)) / (count - 1), dtype=np.float32)


def _is_told(run: str) -> bool:
    """Whether a run tells a person something: letters alone, and several words or a long one."""
    return run.replace(" ", "").replace("'", "").isalpha() and (" " in run or len(run) > 4)


def _short(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 40 else f"{words[:39].rstrip()}…"


_CUE_ROWS = {cue.name: row for row, cue in enumerate(CUES)}
_OWN = [frozenset(_CUE_ROWS[cue.name] for cue in CUES_OF[mode]) for mode in MODES]
