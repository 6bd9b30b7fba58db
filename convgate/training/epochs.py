"""How a gate is trained, and what an epoch came to; needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from convgate.core.parameters import Checked, setting


@dataclass(frozen=True, slots=True)
class TrainingSettings(Checked):
    """How a gate is trained."""

    name: ClassVar[str] = "training"
    epochs: int = setting(10, "epochs", low=1, high=1_000, step=1, help="Passes over the data, at most.")
    learning_rate: float = setting(
        0.003, "", low=1e-6, high=0.1, step=0.0001, help="Largest step size; it rises at first, then falls."
    )
    weight_decay: float = setting(0.02, "", low=0.0, high=1.0, step=0.01, help="Pull of the weights to 0.")
    episodes: int = setting(
        300, "a set and epoch", low=1, high=100_000, step=10,
        help="Every set gives this many conversations an epoch; a small one repeats up to six times.",
    )  # fmt: skip
    cases: int = setting(30, "a conversation", low=1, high=1_000, step=1, help="Cases drawn from it at most.")
    together: int = setting(4, "conversations", low=1, high=64, step=1, help="For one step of the optimiser.")
    averaging: float = setting(
        0.003,
        "",
        low=1e-5,
        high=1.0,
        step=0.001,
        help="Share of each step in the running mean of the weights.",
    )
    dropped_parts: float = setting(
        0.08, "", low=0.0, high=0.9, step=0.01,
        help="Chance that a part of the features is at its usual value all through a conversation.",
    )  # fmt: skip
    noise: float = setting(
        0.3, "spreads", low=0.0, high=2.0, step=0.05, help="Random change of each feature, in its own spread."
    )
    overlap: float = setting(
        0.5, "", low=0.0, high=10.0, step=0.1, help="Weight of the selection's F1 beside the cross-entropy."
    )
    patience: int = setting(
        8, "epochs", low=1, high=1_000, step=1, help="Without a better validation loss, before it stops."
    )
    seed: int = setting(0, "", low=0, high=2**31 - 1, step=1, help="Fixes everything that is drawn.")


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
