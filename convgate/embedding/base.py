"""What an encoder is: the real one, the cache in front of it and the tests' fake share this shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Embeddings = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """Everything besides the text that changes a vector; the cache key and a gate's checkpoint hold it."""

    model: str
    revision: str  # a hash of the weights, or the revision that a hub gave
    dtype: str
    chunking: str  # how text longer than the model reads is split, such as "mean of 256-piece chunks"
    prefix: str  # text put in front of every input
    dimension: int

    def __str__(self) -> str:
        return f"{self.model}@{self.revision[:12]} ({self.dimension} dimensions)"


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> EncoderIdentity:
        """What this encoder is, for cache keys and checkpoints."""
        ...

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """(len(texts), d) float32, rows L2-normalised, in the order given; blank text gives a zero row.

        Raises EncoderError when a vector is NaN or infinite.
        """
        ...

    def is_truncated(self, text: str) -> bool:
        """Whether the text is longer than the model reads at once, so that it is embedded in chunks."""
        ...


class Progress(Protocol):
    """Called as texts are encoded: how many are done, of how many."""

    def __call__(self, done: int, total: int, /) -> Any:
        """Report progress."""
        ...
