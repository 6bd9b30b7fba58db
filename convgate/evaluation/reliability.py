"""Whether a probability is what it says: the share that is right, by probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.evaluation.metrics import Bools

_BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """What has about the same probability."""

    count: int
    confidence: float  # the mean probability, 0…1
    right: float  # share, 0…1


def bins_of(confidence: Floats | NDArray[np.float32], right: Bools) -> list[Bin]:
    """Return ten bins of equal width from 0 to 1, without empty ones; confidence: (n,), right: (n,)."""
    at = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    return [
        Bin(int(inside.sum()), float(confidence[inside].mean()), float(right[inside].mean()))
        for inside in (at == number for number in range(_BINS))
        if inside.any()
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected one: how far the bins' confidence is from the share that is right, by count."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.confidence - one.right) for one in bins) / total
