"""From one place to the next: the indices of a kind before and after the one that is looked at."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


def following(indices: Sequence[int] | Indices, here: int | None) -> int | None:
    """The first of the increasing `indices` after `here`; after the last comes the first again.

    >>> following([2, 5, 9], 5), following([2, 5, 9], 9), following([2, 5, 9], None), following([], 3)
    (9, 2, 2, None)
    """
    if len(indices) == 0:
        return None
    if here is None:
        return int(indices[0])
    place = int(np.searchsorted(indices, here, side="right"))
    return int(indices[place % len(indices)])


def preceding(indices: Sequence[int] | Indices, here: int | None) -> int | None:
    """The last of the increasing `indices` before `here`; before the first comes the last again.

    >>> preceding([2, 5, 9], 5), preceding([2, 5, 9], 2), preceding([], 3)
    (2, 9, None)
    """
    if len(indices) == 0:
        return None
    place = len(indices) if here is None else int(np.searchsorted(indices, here, side="left"))
    return int(indices[place - 1])
