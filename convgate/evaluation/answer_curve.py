"""Who gets every turn they need, and for how many tokens, at every value of a rule's parameter.

A rule decides, so its curve is a step function: between two rows nothing changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from convgate.core.decisions import Floats
from convgate.evaluation.curves import candidate_thresholds
from convgate.evaluation.metrics import Terms, share
from convgate.evaluation.risk_control import Losses, calibrate_promise
from convgate.evaluation.tuning import ScoredCases
from convgate.gate.promise import min_conversations
from convgate.gate.rule import ROUNDING, Rule
from convgate.gate.thresholds import Fittable, MaxMissed

_DIGITS = 3  # of a parameter between two steps


@dataclass(frozen=True, eq=False)
class AnswerCurve:
    """What each value of a rule's parameter sends, without limits; one row a value, increasing.

    NaN where no case needs a turn.
    """

    values: Floats  # (t,) of the parameter
    answerable: Terms  # (t,) cases whose needed turns are all kept, of those that need one, 0…1
    missed: Terms  # (t,) needed turns that are dropped, the mean over those cases, 0…1
    kept_token_share: Terms  # (t,) of the tokens of the judged turns, 0…1

    def row_for(self, max_missed: float) -> int | None:
        """Return the row with the fewest tokens that loses at most that share; None when none does."""
        rows = np.flatnonzero(self.missed <= max_missed + ROUNDING)
        return int(rows[-1]) if len(rows) else None

    def between(self, row: int) -> float:
        """Return a value in the middle of the step that ends at a row, where a small change flips nothing."""
        high = float(self.values[row])
        low = float(self.values[row - 1]) if row else high
        middle = (low + high) / 2
        rounded = round(middle, _DIGITS)
        return rounded if low < rounded <= high else middle


def answer_curve(scored: ScoredCases, rule: Rule) -> AnswerCurve | None:
    """Return the curve of a rule on labelled cases; None for a rule without a sweep, or without cases."""
    sweep = rule.sweep
    if sweep is None or not scored.cases:
        return None
    reached = [
        case.reach(rule.reach(case.scores, learned=scored.learned, tokens=case.tokens))
        for case in scored.cases
    ]
    needed = np.concatenate([case.needed for case in scored.cases])
    reach = np.concatenate(reached)
    inside = (reach >= sweep.low) & (reach <= sweep.high)
    values = candidate_thresholds(needed[inside], reach[inside])
    values = np.unique([*values, sweep.low, sweep.high])
    asked = [reaches[case.needed] for reaches, case in zip(reached, scored.cases, strict=True)]
    asked = [reaches for reaches in asked if len(reaches)]
    weights = [np.full(len(reaches), 1 / len(reaches)) for reaches in asked]
    n_asked = np.array(float(len(asked)))
    lowest = np.array([reaches.min() for reaches in asked])
    lost = n_asked - _sum_from(values, _join(asked), _join(weights))
    tokens = scored.tokens.astype(np.float64)
    return AnswerCurve(
        values,
        share(_sum_from(values, lowest, np.ones(len(lowest))), n_asked),
        share(lost, n_asked),
        share(_sum_from(values, reach, tokens), np.array(tokens.sum())),
    )


def fit_rule(
    scored: ScoredCases, rule: Rule, max_missed: float, *, fitted_on: str, curve: AnswerCurve | None
) -> Rule | None:
    """Return the rule with the fewest tokens that loses at most `max_missed` of what the cases need.

    A promise is calibrated where there are enough conversations, and else takes its own levels. curve: that
    of the rule. None when no case needs a turn, except of a promise, or no value of the rule loses so little.
    """
    n_asked = Losses(scored).conversations
    if isinstance(rule, MaxMissed):
        rule = replace(rule, max_missed=max_missed)
        enough = max_missed > 0 and n_asked >= min_conversations(max_missed)
        return calibrate_promise(scored, rule, fitted_on=fitted_on) if enough else rule
    row = curve.row_for(max_missed) if curve is not None and n_asked else None
    if curve is None or row is None:
        return None
    fitted = rule.at(curve.between(row))
    if isinstance(fitted, Fittable):
        return replace(fitted, goal=f"at most {max_missed:.1%} missed", fitted_on=fitted_on)
    return fitted


def _join(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([*parts, np.zeros(0)])


def _sum_from(values: Floats, reach: Floats, amounts: Floats) -> Terms:
    """Return (t,) the sum of the amounts that reach each value."""
    order = np.argsort(reach)
    sums = np.concatenate([[0.0], np.cumsum(amounts[order])])
    return np.asarray(sums[-1] - sums[np.searchsorted(reach[order], values - ROUNDING)])
