"""How good modes are: precision, recall and F1 after the rule on confidence, and calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.context.classifier.model import Floats, probabilities
from convgate.context.mode import LEAST_CONFIDENCE, MODES, Mode
from convgate.evaluation.reliability import Bin, bins_of, calibration_error

FLOORS = {"precision": 0.85, "recall": 0.80, "f1": 0.82}
"""What a mode has to reach on messages that were held out; one that does not counts as GENERAL."""

_GENERAL = MODES.index("GENERAL")
_TEMPERATURES = (0.16, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
_HANDICAPS = (0.0, 0.4, 0.8, 1.2)  # logits before the temperature
_DOUBTS = (0.0, 0.02, 0.04, 0.06)
_MOST_ERROR = 0.025  # expected calibration error that all this may cost


@dataclass(frozen=True, slots=True)
class ModeQuality:
    """Of one mode, after the rule on confidence; shares 0…1."""

    precision: float
    recall: float
    f1: float

    @property
    def reaches_floors(self) -> bool:
        """Whether the mode is good enough to be given."""
        return all(getattr(self, name) >= least for name, least in FLOORS.items())


def weak_modes(info: Mapping[str, Any]) -> frozenset[str]:
    """Return the modes that fell short when a model was measured: they are given as GENERAL."""
    measured = info.get("qualities", {})
    return frozenset(mode for mode, one in measured.items() if not ModeQuality(**one).reaches_floors)


def given(shares: Floats) -> NDArray[np.int64]:
    """(n,) the modes that are given: the likeliest, or GENERAL where it is not likely enough."""
    return np.where(shares.max(axis=1) < LEAST_CONFIDENCE, _GENERAL, shares.argmax(axis=1))


def qualities(found: NDArray[np.int64], modes: NDArray[np.int64]) -> Mapping[Mode, ModeQuality]:
    """Of each mode; what nothing is found of has a precision of 0."""
    from sklearn.metrics import precision_recall_fscore_support

    figures = precision_recall_fscore_support(modes, found, labels=range(len(MODES)), zero_division=0)
    return {
        mode: ModeQuality(float(figures[0][at]), float(figures[1][at]), float(figures[2][at]))
        for at, mode in enumerate(MODES)
    }


def reliability(shares: Floats, modes: NDArray[np.int64]) -> list[Bin]:
    """Return the bins of the likeliest mode's share; shares: (n, modes), modes: (n,) the right ones."""
    return bins_of(shares.max(axis=1), shares.argmax(axis=1) == modes)


@dataclass(frozen=True, slots=True)
class Tuning:
    """What is done to fitted logits so that they become probabilities."""

    temperature: float = 1.0  # they are divided by it: below 1 makes surer
    handicap: float = 0.0  # taken from GENERAL's before that
    doubt: float = 0.0  # share that all modes have alike: however sure a model is, some messages mislead it

    def __call__(self, logits: Floats) -> Floats:
        """(n, modes), rows sum to 1."""
        return probabilities(self.logits(logits), self.doubt)

    def logits(self, logits: Floats) -> Floats:
        """The logits after handicap and temperature."""
        tuned = logits.copy()
        tuned[..., _GENERAL] -= self.handicap
        return np.asarray(tuned / self.temperature, dtype=np.float32)


def best_tuning(logits: Floats, modes: NDArray[np.int64]) -> Tuning:
    """The tuning under which the weakest figure clears its floor by most, while confidence stays honest.

    A model of many weights is too timid about what it has not seen, and all that it is not sure of falls to
    GENERAL, besides what belongs there; so of all tunings that keep the expected calibration error low, the
    one that does most for the mode that needs it most. The logits are of messages that were held out.
    """
    honest = [
        tuning
        for tuning in (Tuning(*values) for values in product(_TEMPERATURES, _HANDICAPS, _DOUBTS))
        if calibration_error(reliability(tuning(logits), modes)) <= _MOST_ERROR
    ]
    return max(honest or [Tuning()], key=lambda tuning: _clearance(tuning(logits), modes))


def _clearance(shares: Floats, modes: NDArray[np.int64]) -> float:
    """By how much the weakest figure of any mode is above its floor; negative below it."""
    return min(
        float(getattr(one, name)) - least
        for one in qualities(given(shares), modes).values()
        for name, least in FLOORS.items()
    )
