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
from convgate.gate.promise import expected_missed, promise_of, read_levels
from convgate.gate.thresholds import (
    ROUNDING,
    Absolute,
    Anchored,
    Blended,
    Calibrated,
    Expected,
    MaxMissed,
    Relative,
    Rule,
    Stricter,
    max_strictness,
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The parameter of a rule that a curve is drawn over."""

    parameter: str
    label: str
    low: float
    high: float


def sweep_of(rule: Rule) -> Sweep | None:
    """Return the rule's sweep; None for rules that fill a number of turns or tokens.

    >>> sweep_of(Stricter()).parameter
    'deviations'
    """
    name = _parameter(rule)
    if name is None:
        return None
    meta = next(item for item in fields(rule) if item.name == name).metadata
    return Sweep(name, meta["label"], meta["low"], meta["high"])


def value_of(rule: Rule, *, learned: float) -> float | None:
    """Return the rule's value on its sweep, the learned threshold if none is set; None without a sweep."""
    name = _parameter(rule)
    if name is None:
        return None
    value: float | None = getattr(rule, name)
    return learned if value is None else value


def at_value(rule: Rule, value: float) -> Rule:
    """Return the rule with that value of its sweep's parameter, without what it was fitted for.

    >>> at_value(Calibrated(0.4, goal="recall 0.90"), 0.5)
    Calibrated(threshold=0.5, goal='', fitted_on='')
    """
    name = _parameter(rule)
    if name is None:
        raise EvaluationError(f"{rule.name} has no threshold to move")
    is_fitted = not isinstance(rule, MaxMissed)  # a promise is fitted for every value
    unset: dict[str, Any] = {item: "" for item in ("goal", "fitted_on") if is_fitted and hasattr(rule, item)}
    return replace(rule, **{name: value}, **unset)


def reach(
    rule: Rule, scores: Floats, *, learned: float = 0.5, tokens: NDArray[np.int64] | None = None
) -> Floats:
    """Return (n,) the highest value of the parameter at which the rule keeps each turn of one history.

    −inf for a turn that it never keeps, inf for one that it always does. scores: (n,), 0…1, of all the turns
    that are decided about together; tokens: (n,). Raises EvaluationError for a rule without a sweep.
    """
    if isinstance(rule, Absolute | Calibrated):
        return scores
    if isinstance(rule, Expected):
        return max_strictness(scores) if len(scores) else scores
    if isinstance(rule, MaxMissed):
        return promise_of(read_levels(rule.levels), expected_missed(scores, tokens))
    if isinstance(rule, Anchored):
        return np.where(scores.max(initial=0) >= rule.anchor - ROUNDING, scores, -np.inf)
    if isinstance(rule, Relative):
        return _deviations(scores, scores)
    if isinstance(rule, Stricter):
        return np.where(scores >= learned - ROUNDING, _deviations(scores, scores), -np.inf)
    if isinstance(rule, Blended):
        wanted = scores - (1 - rule.weight) * learned
        if rule.weight == 0:
            return np.where(wanted >= -ROUNDING, np.inf, -np.inf)
        return _deviations(wanted / rule.weight, scores)
    raise EvaluationError(f"{rule.name} has no threshold to move")


def _parameter(rule: Rule) -> str | None:
    if isinstance(rule, Absolute | Calibrated | Anchored):
        return "threshold"
    if isinstance(rule, Expected):
        return "strictness"
    if isinstance(rule, MaxMissed):
        return "max_missed"
    return "deviations" if isinstance(rule, Relative | Stricter | Blended) else None


def _deviations(limits: Floats, scores: Floats) -> Floats:
    """Return (n,) the max deviations at which mean + deviations · std, clipped to 0…1, is ≤ `limits`."""
    if not len(scores):
        return scores
    margins, spread = limits - scores.mean(), scores.std()
    is_equal = spread < ROUNDING / 10  # but for rounding errors: the number of deviations does not matter
    reached = np.where(margins >= -ROUNDING, np.inf, -np.inf) if is_equal else margins / spread
    return np.where(limits >= 1 - ROUNDING, np.inf, np.where(limits < -ROUNDING, -np.inf, reached))
