"""Do more labels still help? The same training on a quarter, a half, three quarters and all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError, with_config

from convgate.training.progress import put
from convgate.versions.checked import STORED

LEARNING_CURVE = "learning_curve.json"
SHARES = (0.25, 0.5, 0.75, 1.0)
FEWEST_TRAINED, FEWEST_COMPARED = 8, 3  # conversations; a curve of fewer says nothing
_FOR_A_CURVE = 15
_NOTICEABLE = 0.01  # of F1


@with_config(STORED)
@dataclass(frozen=True)
class CurvePoint:
    """What came of a part of the labels."""

    share: float  # of the training conversations, 0…1
    conversations: int
    labels: int  # judged turns
    f1: float  # on the cases that were held out


@with_config(STORED)
@dataclass(frozen=True)
class LearningCurve:
    """Points by their share, all measured on the same cases."""

    parent_f1: float
    cases: int
    conversations: int  # that are compared on
    points: tuple[CurvePoint, ...] = ()

    @property
    def sentence(self) -> str:
        """How to read it."""
        trained = self.points[-1].conversations if self.points else 0
        if len(self.points) < len(SHARES) or trained < FEWEST_TRAINED or self.conversations < FEWEST_COMPARED:
            return (
                f"Too few conversations to say whether more labels help: {trained} to learn from,"
                f" {self.conversations} to compare on. About {_FOR_A_CURVE} labelled ones say something."
            )
        half, last = self.points[1].f1, self.points[-1].f1
        went = f"F1 is {half:.3f} with half of the conversations and {last:.3f} with all."
        if last - half >= _NOTICEABLE:
            return f"Still rising: {went} More labels are likely to help."
        if last - half <= -_NOTICEABLE:
            return f"Falling: {went} Look at the turns that broke: labels may contradict each other."
        return f"Flat: {went} More labels like these help little; other kinds of conversations may."

    def write(self, folder: Path) -> None:
        """Put it into the run's folder. Raises OSError."""
        put(folder / LEARNING_CURVE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> LearningCurve | None:
        """The curve in a run's folder; None when there is none or it is damaged."""
        try:
            return _KIND.validate_json((folder / LEARNING_CURVE).read_bytes())
        except (OSError, ValidationError):
            return None


_KIND = TypeAdapter(LearningCurve)


def nested(conversations: list[str], *, seed: int) -> list[list[str]]:
    """The conversations of each share, at least one; each part holds the one before.

    >>> [len(part) for part in nested([f"talk-{number}" for number in range(10)], seed=0)]
    [2, 5, 8, 10]
    """
    order = np.random.default_rng(seed).permutation(len(conversations))
    known = sorted(conversations)
    return [
        [known[place] for place in order[: max(1, round(share * len(known)))]]
        for share in SHARES
        if len(known)
    ]
