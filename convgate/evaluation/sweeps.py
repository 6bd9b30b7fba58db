"""Rules along the one parameter that has them keep less as it rises: threshold, strictness or deviations.

>>> rule = Anchored(anchor=0.8)
>>> reach(rule, np.array([0.9, 0.4])).tolist(), reach(rule, np.array([0.7, 0.4])).tolist()
([0.9, 0.4], [-inf, -inf])

So one curve answers for all values of the parameter, whatever else the rule asks for.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import EvaluationError
from convgate.gate.thresholds import (
    Absolute,
    Anchored,
    Blended,
    Calibrated,
    Expected,
    Relative,
    Rule,
    Stricter,
    max_strictness,
)

ROUNDING = 1e-9  # as rules have it: a score that misses the threshold by this is kept


@dataclass(frozen=True, slots=True)
class Sweep:
    """The parameter of a rule that a curve is drawn over."""

    parameter: str
    label: str
    low: float
    high: float


@dataclass(frozen=True, eq=False, slots=True)
class History:
    """What rules ask of all the scores that are decided about together: scalars, or (n,) a turn each."""

    highest: Floats
    mean: Floats
    spread: Floats
    strictness: Floats  # (n,) always, as `max_strictness` gives it

    @classmethod
    def of(cls, scores: Floats) -> History:
        """Of one history; zeros when it has no turns."""
        if not len(scores):
            return cls(np.zeros(()), np.zeros(()), np.zeros(()), np.zeros(0))
        highest, mean, spread = (np.asarray(of(scores)) for of in (np.max, np.mean, np.std))
        return cls(highest, mean, spread, max_strictness(scores))


def sweep_of(rule: Rule) -> Sweep | None:
    """What the rule can be moved along; None for rules that fill a number of turns or tokens.

    >>> sweep_of(Stricter()).parameter
    'deviations'
    """
    name = _parameter(rule)
    if name is None:
        return None
    meta = next(item for item in fields(rule) if item.name == name).metadata  # type: ignore[arg-type]
    return Sweep(name, meta["label"], meta["low"], meta["high"])


def value_of(rule: Rule, *, learned: float) -> float | None:
    """Where the rule stands on its sweep; the learned threshold where none is set. None without a sweep."""
    name = _parameter(rule)
    if name is None:
        return None
    value: float | None = getattr(rule, name)
    return learned if value is None else value


def at_value(rule: Rule, value: float) -> Rule:
    """The rule with its sweep's parameter there; what it was fitted for is no longer said of it.

    >>> at_value(Calibrated(0.4, goal="recall 0.90"), 0.5)
    Calibrated(threshold=0.5, goal='', fitted_on='')
    """
    name = _parameter(rule)
    if name is None:
        raise EvaluationError(f"{rule.name} has no threshold to move")
    unset: dict[str, Any] = {item: "" for item in ("goal", "fitted_on") if hasattr(rule, item)}
    moved: Rule = replace(rule, **{name: value}, **unset)  # type: ignore[type-var]
    return moved


def reach(rule: Rule, scores: Floats, *, learned: float = 0.5) -> Floats:
    """(n,) the highest value of the parameter at which the rule keeps each turn of one history.

    −inf for a turn that it never keeps, inf for one that it always does. scores: (n,), 0…1, of all the turns
    that are decided about together. Raises EvaluationError for a rule without a sweep.
    """
    return reach_of_many(rule, scores, History.of(scores), learned=learned)


def reach_of_many(rule: Rule, scores: Floats, history: History, *, learned: float = 0.5) -> Floats:
    """(n,) the same for turns of many histories, each with the numbers of its own in `history`."""
    if isinstance(rule, Absolute | Calibrated):
        return scores
    if isinstance(rule, Expected):
        return history.strictness
    if isinstance(rule, Anchored):
        return np.where(history.highest >= rule.anchor - ROUNDING, scores, -np.inf)
    if isinstance(rule, Relative):
        return _deviations(scores, history)
    if isinstance(rule, Stricter):
        return np.where(scores >= learned - ROUNDING, _deviations(scores, history), -np.inf)
    if isinstance(rule, Blended):
        wanted = scores - (1 - rule.weight) * learned
        if rule.weight == 0:
            return np.where(wanted >= -ROUNDING, np.inf, -np.inf)
        return _deviations(wanted / rule.weight, history)
    raise EvaluationError(f"{rule.name} has no threshold to move")


def keeps(reached: Floats, value: float) -> NDArray[np.bool_]:
    """(n,) the turns that a rule keeps with its parameter there; reached: (n,) as `reach` gives it."""
    return reached >= value - ROUNDING


def _parameter(rule: Rule) -> str | None:
    if isinstance(rule, Absolute | Calibrated | Anchored):
        return "threshold"
    if isinstance(rule, Expected):
        return "strictness"
    return "deviations" if isinstance(rule, Relative | Stricter | Blended) else None


def _deviations(most: Floats, history: History) -> Floats:
    """(n,) the most deviations with which mean + deviations · std, between 0 and 1, is at most `most`."""
    equal = history.spread < ROUNDING / 10  # but for rounding errors, however many deviations
    over = most - history.mean
    reached = np.where(
        equal,
        np.where(over >= -ROUNDING, np.inf, -np.inf),
        np.divide(over, history.spread, out=np.zeros_like(over), where=~equal),
    )
    return np.where(most >= 1 - ROUNDING, np.inf, np.where(most < -ROUNDING, -np.inf, reached))
