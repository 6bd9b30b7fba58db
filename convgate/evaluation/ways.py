"""Which rule reaches a wanted figure where the one that is tried cannot, whatever its threshold.

    for way in ways(scored, WantedRecall(0.9)):
        way.rule, way.recall, way.reaches

One fixed threshold, or one that an anchor guards: every pair of hundredths is looked at, at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.evaluation.calibration import Goal, WantedRecall, best_row, nearest_row
from convgate.evaluation.curves import ThresholdCurve, curve_of_sums
from convgate.evaluation.metrics import Bools, Terms
from convgate.evaluation.sweeps import ROUNDING, at_value
from convgate.evaluation.tuning import ScoredCases
from convgate.gate.thresholds import Absolute, Anchored, Rule

_STEPS = 100  # of anchors and of thresholds, from 0 to 1
_ANCHORS, _THRESHOLDS = (part.ravel() for part in np.mgrid[: _STEPS + 1, : _STEPS + 1] / _STEPS)
_FIXED: Bools = _ANCHORS == 0
_GUARDED: Bools = _ANCHORS > _THRESHOLDS  # below its threshold an anchor guards nothing


@dataclass(frozen=True, slots=True)
class Way:
    """A rule, and what it does on the labelled turns."""

    rule: Rule
    precision: float  # NaN when nothing is kept
    recall: float
    reaches: bool  # the goal

    @classmethod
    def at(cls, rule: Rule, curve: ThresholdCurve, row: int, *, reaches: bool) -> Way:
        """The rule at that row of its curve."""
        moved = at_value(rule, float(curve.thresholds[row]))
        return cls(moved, float(curve.precision[row]), float(curve.recall[row]), reaches)


def ways(scored: ScoredCases, goal: Goal) -> list[Way]:
    """The rules that reach the goal, the simple one first; else the one that comes nearest.

    An anchor is left out where it gains nothing over one fixed threshold. Empty when no turn is relevant.
    """
    grid = _grid(scored)
    if np.isnan(grid.recall).all():
        return []
    # A recall is served best by what keeps least: on a grid, the highest threshold need not.
    missed, worth = goal.missed(grid), goal.worth(grid)
    worth = -grid.kept_share if isinstance(goal, WantedRecall) else worth
    places = [_best(missed, worth, kind) for kind in (_FIXED, _GUARDED)]
    reaching = [place for place in places if missed[place] <= ROUNDING]
    if not reaching:
        nearest = min(places, key=lambda place: (missed[place], -worth[place]))
        return [_way(scored, goal, nearest, reaches=False)]
    if len(reaching) > 1 and worth[reaching[1]] <= worth[reaching[0]] + ROUNDING:
        reaching = reaching[:1]
    return [_way(scored, goal, place, reaches=True) for place in reaching]


def nearest_way(curve: ThresholdCurve, rule: Rule, goal: Goal) -> Way:
    """Where on its own curve, which does not reach the goal, a rule misses it by least."""
    return Way.at(rule, curve, nearest_row(curve, goal), reaches=False)


def _grid(scored: ScoredCases) -> ThresholdCurve:
    """The metrics of every pair of an anchor and a threshold, in the order of _ANCHORS."""
    place = _step(scored.highest) * (_STEPS + 1) + _step(scored.scores)

    def at_least(amounts: NDArray[Any]) -> Terms:
        sums = np.bincount(place, amounts, minlength=len(_ANCHORS)).reshape(_STEPS + 1, -1)
        kept = sums[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1].ravel()
        return np.concatenate([kept[:1], kept])  # with neither an anchor nor a threshold all is kept

    turns = np.ones(len(place))
    return curve_of_sums(_THRESHOLDS, at_least(scored.relevant), at_least(turns), at_least(scored.tokens))


def _step(scores: Floats) -> NDArray[np.int64]:
    """(n,) the highest hundredth that each score reaches."""
    steps: NDArray[np.int64] = np.clip((scores + ROUNDING) * _STEPS, 0, _STEPS).astype(np.int64)
    return steps


def _best(missed: Terms, worth: Terms, kind: Bools) -> int:
    """Of the pairs of a kind that miss the goal by least, what is worth most, the highest of equals."""
    near = np.flatnonzero(kind & (missed <= missed[kind].min() + ROUNDING))
    return int(near[np.flatnonzero(worth[near] >= worth[near].max() - ROUNDING)[-1]])


def _way(scored: ScoredCases, goal: Goal, place: int, *, reaches: bool) -> Way:
    """The rule of that pair, with the threshold that serves the goal best beside its anchor."""
    anchor = float(_ANCHORS[place])
    rule: Rule = Anchored(anchor=anchor) if anchor else Absolute()
    curve = scored.curve(rule)
    assert curve is not None
    row = best_row(curve, goal) if reaches else nearest_row(curve, goal)
    if row is None:  # of very many scores a curve has only some
        row = int(np.searchsorted(curve.thresholds, _THRESHOLDS[place]))
    return Way.at(rule, curve, row, reaches=reaches)
