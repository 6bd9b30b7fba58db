"""Do more labels still help? The same training on a quarter, a half, three quarters and all of them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

import numpy as np
from pydantic import TypeAdapter, ValidationError, with_config

from convgate.checked import STORED
from convgate.evaluation.metrics import Terms
from convgate.evaluation.results import Measure
from convgate.training import certainty
from convgate.training.certainty import f1_measure, gain, span
from convgate.training.progress import put

LEARNING_CURVE = "learning_curve.json"
SHARES = (0.25, 0.5, 0.75, 1.0)
FEWEST_TRAINED, FEWEST_COMPARED = 8, certainty.FEWEST  # conversations
_NOTICEABLE = 0.02  # of F1; a gain that is surely smaller is none


@with_config(STORED)
@dataclass(frozen=True)
class CurvePoint:
    """What came of a part of the labelled conversations."""

    share: float  # of those to learn from, 0…1
    conversations: int  # learned from
    f1: float  # on the conversations that are compared on
    low: float | None  # its 95% interval over them; None from a single one
    high: float | None
    terms: tuple[tuple[float, float], ...]
    """What each of them adds to F1, above and below the line; none in what an earlier version made."""

    @classmethod
    def of(cls, share: float, conversations: int, terms: Terms) -> Self:
        """The point of (compared, 2, 1) terms."""
        measure = f1_measure(terms)
        assert measure.value is not None
        stored = tuple((float(over), float(under)) for over, under in terms[:, :, 0])
        return cls(share, conversations, measure.value, measure.low, measure.high, stored)


@with_config(STORED)
@dataclass(frozen=True)
class LearningCurve:
    """Points by their share, all measured on the same conversations."""

    parent_f1: float
    conversations: int  # that are compared on
    points: tuple[CurvePoint, ...] = ()
    has_intervals: bool = True  # False when an earlier version made it, which did not look how sure it is

    @property
    def gain(self) -> Measure:
        """F1 with all conversations less F1 with half of them, -1…1; for a whole curve with intervals."""
        half, last = (np.array(point.terms)[:, :, np.newaxis] for point in (self.points[1], self.points[-1]))
        return gain(half, last)

    @property
    def sentence(self) -> str:
        """What it says about more labels, no more than its interval supports."""
        if len(self.points) < len(SHARES):
            return "The curve was stopped before it was whole, so it does not tell whether more labels help."
        trained = self.points[-1].conversations
        if trained < FEWEST_TRAINED or self.conversations < FEWEST_COMPARED:
            return (
                f"Too few conversations to tell: {trained} to learn from, {self.conversations} to compare on."
                f" With about {certainty.LABELLED} labelled ones this says something."
            )
        half, last = self.points[1].f1, self.points[-1].f1
        went = f"F1 is {half:.2f} with half of the conversations and {last:.2f} with all {trained}"
        if not self.has_intervals:
            return (
                f"An earlier version of convgate made this curve, without an interval. {went}, which may be"
                " chance; a new training tells more."
            )
        found = self.gain
        low, high = found.low or 0.0, found.high or 0.0
        went += f"; on the {self.conversations} compared on, the difference is {span(low, high)}."
        if low > 0:
            return f"More labels probably help. {went}"
        if high < 0:
            return f"No gain seen. {went} The newer labels may contradict the others: look at what broke."
        if high < _NOTICEABLE:
            return f"No gain seen. {went} Other kinds of conversations may help more than these."
        return f"Too few to tell. {went} Label more conversations to know."

    def write(self, folder: Path) -> None:
        """Put it into the run's folder. Raises OSError."""
        put(folder / LEARNING_CURVE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> LearningCurve | None:
        """The curve in a run's folder; None when there is none or it is damaged."""
        try:
            found = _KIND.validate_json((folder / LEARNING_CURVE).read_bytes())
        except (OSError, ValidationError):
            return None
        return found if isinstance(found, LearningCurve) else found.as_now()


@with_config(STORED)
@dataclass(frozen=True)
class _EarlierPoint:
    share: float
    conversations: int
    labels: int
    f1: float


@with_config(STORED)
@dataclass(frozen=True)
class _EarlierCurve:
    """What was written before there were intervals."""

    parent_f1: float
    cases: int
    conversations: int
    points: tuple[_EarlierPoint, ...] = ()

    def as_now(self) -> LearningCurve:
        points = (CurvePoint(one.share, one.conversations, one.f1, None, None, ()) for one in self.points)
        return LearningCurve(self.parent_f1, self.conversations, tuple(points), has_intervals=False)


_KIND: TypeAdapter[LearningCurve | _EarlierCurve] = TypeAdapter(LearningCurve | _EarlierCurve)


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
