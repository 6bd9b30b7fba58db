"""Linear models over the encoder's states that predict the part of a text in a conversation.

They read what a user wrote, by the bundled encoder's states after its fourth layer, which represents whether
a text leans on another better than the last. They are fitted on texts that come with convgate
(`tools/fit_cues.py`); the encoder of a gate may be another one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import NamedTuple

import numpy as np

from convgate.embedding.base import Embeddings
from convgate.gate.arrays import Floats


class Cues(NamedTuple):
    """Log odds by the text of a user's turn; 0 where they are not read."""

    needs: float = 0.0  # that, as a message, it needs something said before
    continues: float = 0.0  # that it needs the exchange just before
    returns: float = 0.0  # that it needs something said before that
    begins: float = 0.0  # that it begins a subject
    instruction: float = 0.0  # that it states a lasting instruction


NO_CUES = Cues()


@dataclass(frozen=True, eq=False, slots=True)
class CueModel:
    """One linear model for each of Cues."""

    weight: Floats  # (5, d)
    bias: Floats  # (5,)

    def read(self, states: Embeddings) -> list[Cues]:
        """Return the cues of texts by their (n, d) states."""
        return [Cues(*logits) for logits in (states @ self.weight.T + self.bias).tolist()]


@cache
def shipped_cues() -> CueModel:
    """Return the model that comes with convgate."""
    with resources.as_file(resources.files("convgate.gate").joinpath("cues.npz")) as file:
        arrays = np.load(file)
        return CueModel(arrays["weight"], arrays["bias"])
