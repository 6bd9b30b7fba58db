"""Chance, by a numpy Generator, over sequences of anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

_T = TypeVar("_T")


def pick(rng: np.random.Generator, items: Sequence[_T]) -> _T:
    """One of the items, each as likely; there has to be one."""
    return items[int(rng.integers(len(items)))]


def draw_distinct(rng: np.random.Generator, items: Sequence[_T], count: int) -> list[_T]:
    """So many of the items in any order, none twice; all of them when there are fewer."""
    places = rng.choice(len(items), size=min(count, len(items)), replace=False)
    return [items[place] for place in places]
