"""How a gate is trained, and what an epoch came to; needs no torch."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from convgate.core.errors import TrainingError

_REPEATS = 6
_MIN_REPLAY = 40  # conversations an epoch, of all sets that are replayed
_BOUNDS: dict[str, tuple[float, float]] = {
    "epochs": (1, 1_000),
    "learning_rate": (1e-6, 0.1),
    "weight_decay": (0, 1),
    "episodes": (1, 100_000),
    "cases": (1, 1_000),
    "together": (1, 64),
    "averaging": (1e-5, 1),
    "dropped_parts": (0, 0.9),
    "noise": (0, 2),
    "ranking": (0, 10),
    "patience": (1, 1_000),
    "seed": (0, 2**31 - 1),
}


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a gate is trained; TrainingError for a value out of its bounds."""

    epochs: int = 8  # max passes over the data
    learning_rate: float = 0.003  # max step size; it rises at first, then falls
    weight_decay: float = 0.02  # pull of the weights to 0
    episodes: int = 300  # conversations that each set gives per epoch; one comes at most six times
    cases: int = 30  # max cases drawn from a conversation
    together: int = 4  # conversations for one step of the optimiser
    averaging: float = 0.003  # share of each step in the running mean of the weights
    dropped_parts: float = 0.08  # chance that a part of the features is at its usual value in a conversation
    noise: float = 0.15  # random change of each feature, in its own spread
    ranking: float = 0.3  # weight of ranking needed turns above all others, beside the cross-entropy
    patience: int = 8  # max epochs without a better validation loss
    seed: int = 0  # fixes everything that is drawn

    def draws(self, sizes: Mapping[str, int], replayed: Collection[str] = ()) -> dict[str, int]:
        """Return how many conversations each set gives an epoch.

        sizes: conversations to train on, of each set. replayed: those sets that together give as many as all
        others, or 40, but each conversation once; they are as others where there are no others.
        """
        replayed = [name for name in sizes if name in replayed]
        replayed = [] if len(replayed) == len(sizes) else replayed
        counts = {name: min(self.episodes, _REPEATS * size) for name, size in sizes.items()}
        own = sum(count for name, count in counts.items() if name not in replayed)
        each = math.ceil(max(own, _MIN_REPLAY) / max(1, len(replayed)))
        return counts | {name: min(sizes[name], each) for name in replayed}

    def __post_init__(self) -> None:
        for name, (low, high) in _BOUNDS.items():
            if not low <= (value := getattr(self, name)) <= high:
                raise TrainingError(f"{name} must be from {low:g} to {high:g}; got {value!r}")


FURTHER = TrainingSettings(epochs=8, learning_rate=0.0005, averaging=0.02, patience=4)
"""For a gate that was trained before: small steps, few epochs."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch came to; validation figures are those of the averaged weights."""

    number: int  # from 1
    loss: float  # of training, the mean of its batches
    validation_loss: float  # the mean over the sets
    precision: float  # of what scores ½ and more, over all validation cases
    recall: float
    activation: float  # of the residual gate, 0…1
    best: bool  # whether no epoch before had a smaller validation loss
