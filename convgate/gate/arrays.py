"""Arrays by what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]
Logits = NDArray[np.float64]


def logistic(logits: NDArray[Any] | float) -> Logits:
    """Return 1 / (1 + exp(−x)) in float64.

    >>> logistic(np.array([-1e4, 0, 1e4])).tolist()
    [0.0, 0.5, 1.0]
    """
    with np.errstate(over="ignore"):  # exp of a large number is infinite, and 1 / ∞ is 0
        return np.asarray(1 / (1 + np.exp(-np.asarray(logits, dtype=np.float64))))
