"""Threshold rules: which turns to keep by their scores; each may keep none.

    >>> rule = Stricter()
    >>> cut = rule.cut(np.array([0.9, 0.2, 0.1]), learned=0.5)
    >>> cut.kept.tolist(), round(cut.threshold, 2)
    ([True, False, False], 0.58)

A rule is a frozen dataclass. The metadata of its fields hold range and label, from which the app, the
settings file and the command line offer its parameters: a new rule is a class here, and its place in RULES.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import PolicyError
from convgate.core.filling import fill, use_per_token
from convgate.core.parameters import ParameterSet, check_parameters, setting, text
from convgate.core.text import format_percent
from convgate.gate.promise import expected_missed, level_of, probability_of_none, promise_of, read_levels
from convgate.gate.rule import ROUNDING, Cut, Rule, Tokens, best_first

_DEVIATIONS = setting(
    0.5, "standard deviations above the mean", low=-2.0, high=3.0, step=0.05,
    help="How far a score must stand out from the other turns of this conversation.",
)  # fmt: skip

_NOTHING = "Nothing is kept: that no turn is needed has a probability of {:.2f}."

_THRESHOLD = setting(
    None, "threshold", low=0.0, high=1.0, step=0.01, help="Empty means the threshold that training found."
)


@dataclass(frozen=True, slots=True)
class Absolute(Rule):
    """Keep what scores at least a fixed threshold: the learned one unless another is set."""

    name: ClassVar[str] = "absolute"
    label: ClassVar[str] = "Absolute: one fixed threshold"
    swept: ClassVar[str | None] = "threshold"
    threshold: float | None = _THRESHOLD

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = the set value, else the learned one."""
        threshold = learned if self.threshold is None else self.threshold
        return _cut_at(scores, threshold, f"{_describe(threshold, is_set=self.threshold is not None)}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the scores themselves."""
        return scores


@dataclass(frozen=True, slots=True)
class Anchored(Rule):
    """Keep what scores at least the learned threshold, provided that one turn reaches the anchor.

    Hysteresis thresholding: a low threshold, which is right where much is relevant, keeps nothing where no
    turn is surely relevant.
    """

    name: ClassVar[str] = "anchored"
    label: ClassVar[str] = "Anchored: if one turn is sure"
    swept: ClassVar[str | None] = "threshold"
    anchor: float = setting(
        0.5, "score of an anchor", low=0.0, high=1.0, step=0.01,
        help="Nothing is kept unless one turn reaches it. 0.5 is as likely relevant as not.",
    )  # fmt: skip
    threshold: float | None = _THRESHOLD
    goal: str = text("")  # what the threshold was fitted for, if it was
    fitted_on: str = text("")  # which labels

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = the set value, else the learned one; the anchor when no turn reaches it."""
        low = learned if self.threshold is None else self.threshold
        origin = _describe(low, is_set=self.threshold is not None, goal=self.goal, fitted_on=self.fitted_on)
        if self.anchor <= low:
            return _cut_at(scores, low, f"{origin}.")
        if (scores >= self.anchor - ROUNDING).any():
            return _cut_at(scores, low, f"{origin}, and a turn reaches the anchor {self.anchor:.2f}.")
        because = f"{origin}, but no turn reaches the anchor {self.anchor:.2f}, so nothing is kept."
        return _cut_at(scores, self.anchor, because)

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the scores, −inf when none reaches the anchor."""
        return np.where(scores.max(initial=0) >= self.anchor - ROUNDING, scores, -np.inf)


@dataclass(frozen=True, slots=True)
class MaxMissed(Rule):
    """Lose at most a share of the needed turns, on average over conversations, for the fewest tokens.

    The formula and its source: `convgate.gate.promise`.
    """

    name: ClassVar[str] = "max_missed"
    label: ClassVar[str] = "Promise: lose at most a share of what is needed"
    swept: ClassVar[str | None] = "max_missed"
    needs_tokens: ClassVar[bool] = True
    max_missed: float = setting(
        0.02, "needed turns lost at most", low=0.0, high=0.5, step=0.005,
        help="On average over conversations like those that it was calibrated on. 0: all turns are kept.",
    )  # fmt: skip
    levels: str = text("", decides=True)  # as `write_levels` makes them; empty: a level of the promise itself
    fitted_on: str = text("", decides=True)  # which labels; goes with the levels

    def __post_init__(self) -> None:
        ParameterSet.__post_init__(self)
        read_levels(self.levels)

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Keep the turns whose `expected_missed` is above the level; `learned` is not read."""
        missed, level = expected_missed(scores, tokens), level_of(read_levels(self.levels), self.max_missed)
        kept = missed >= level - ROUNDING
        if not kept.any():
            because = _NOTHING.format(probability_of_none(scores))
            return Cut(kept, None, because, why_dropped="{score}.")
        promise = format_percent(self.max_missed)
        because = f"Kept are the turns without which more than {promise} of what is needed could be lost."
        return Cut(kept, None, because, "{score}.", "{score}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the promise that keeping each turn takes."""
        return promise_of(read_levels(self.levels), expected_missed(scores, tokens))


@dataclass(frozen=True, slots=True)
class Expected(Rule):
    """Keep as many of the best turns as have the highest expected F-beta, or nothing.

    With scores p, best first, the expected F-beta of the first k is (1 + β²) Σᵢ≤ₖ pᵢ / (k + β² Σ pᵢ), as in
    Lewis, "Evaluating and optimizing autonomous text classification systems" (1995); β = 1 / strictness.
    Nothing is kept when the probability that nothing is relevant is above the best F1 / strictness. Relevant
    turns come together, so that probability is taken to be Π (1 − pᵢ)^0.7; 0.7 was fitted.
    """

    name: ClassVar[str] = "expected"
    label: ClassVar[str] = "Expected: the best balance of missed and extra turns"
    swept: ClassVar[str | None] = "strictness"
    strictness: float = setting(
        1.0, "threshold for extra turns", low=0.0, high=4.0, step=0.05,
        help="How bad an extra turn is compared with a missed one. 1: equally bad; 0: all turns are kept.",
    )  # fmt: skip

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Keep the turns whose `max_strictness` is at least the strictness; `learned` is not read."""
        kept = max_strictness(scores) >= self.strictness - ROUNDING
        if not kept.any():
            because = _NOTHING.format(probability_of_none(scores))
            return Cut(kept, None, because, why_dropped="{score}.")
        threshold = float(scores[kept].min())
        because = (
            f"Kept are the turns that score {threshold:.2f} or more: fewer would miss too much, more would"
        )
        return Cut(kept, threshold, f"{because} add too much that is not needed.", "{score}.", "{score}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the highest strictness."""
        return max_strictness(scores) if len(scores) else scores


def max_strictness(scores: Floats) -> Floats:
    """Return (n,) the highest strictness at which the rule `expected` keeps each turn; scores: (n,), 0…1.

    Adding the next best turn j to the turns before it raises the expected F-beta while
    pⱼ (j + β² Σ p) > Σᵢ<ⱼ pᵢ, so a turn is kept from β² = (Σᵢ<ⱼ pᵢ / pⱼ − j) / Σ p on.
    """
    order = best_first(scores)
    ordered = np.clip(scores[order], 1e-12, 1.0)
    total, places = ordered.sum(), np.arange(len(ordered))
    before = np.cumsum(ordered) - ordered
    needed = np.maximum(before / ordered - places, 0.0)
    with np.errstate(divide="ignore"):
        f1 = (2 * (before + ordered) / (places + 1 + total)).max(initial=0.0)
        highest = np.minimum(np.sqrt(total / needed), f1 / np.float64(probability_of_none(scores)))
    strictness = np.empty(len(scores))
    strictness[order] = highest
    return strictness


@dataclass(frozen=True, slots=True)
class Relative(Rule):
    """Keep what stands out from the other turns: mean + deviations · std of the scores."""

    name: ClassVar[str] = "relative"
    label: ClassVar[str] = "Relative: what stands out here"
    swept: ClassVar[str | None] = "deviations"
    deviations: float = _DEVIATIONS

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = mean + deviations · std, between 0 and 1."""
        relative, average = _relative_threshold(scores, self.deviations)
        return _cut_at(scores, relative, f"The scores here average {average:.2f}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the deviations of each score from the mean."""
        return _max_deviations(scores, scores)


@dataclass(frozen=True, slots=True)
class Stricter(Rule):
    """The reference rule: the stricter of the learned threshold and mean + deviations · std.

    When every turn is relevant, the relative part still drops about two thirds of them.
    """

    name: ClassVar[str] = "stricter"
    label: ClassVar[str] = "Stricter of learned and relative"
    swept: ClassVar[str | None] = "deviations"
    deviations: float = _DEVIATIONS

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = max(learned, mean + deviations · std)."""
        relative, average = _relative_threshold(scores, self.deviations)
        because = f"The learned threshold is {learned:.2f}; the scores here average {average:.2f}"
        if relative > learned:
            return _cut_at(scores, relative, f"{because}, so the relative rule asks for {relative:.2f}.")
        return _cut_at(scores, learned, f"{because}, and the relative rule asks for less ({relative:.2f}).")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the deviations, −inf below the learned threshold."""
        return np.where(scores >= learned - ROUNDING, _max_deviations(scores, scores), -np.inf)


@dataclass(frozen=True, slots=True)
class Blended(Rule):
    """Between the two: (1 − weight) · learned + weight · (mean + deviations · std)."""

    name: ClassVar[str] = "blended"
    label: ClassVar[str] = "Blended: between learned and relative"
    swept: ClassVar[str | None] = "deviations"
    weight: float = setting(
        0.5, "weight of the relative threshold", low=0.0, high=1.0, step=0.05,
        help="0: absolute, 1: relative.",
    )  # fmt: skip
    deviations: float = _DEVIATIONS

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = (1 − weight) · learned + weight · relative."""
        relative, _ = _relative_threshold(scores, self.deviations)
        threshold = (1 - self.weight) * learned + self.weight * relative
        shares = f"{1 - self.weight:.0%} of the learned threshold {learned:.2f} and {self.weight:.0%} of the"
        return _cut_at(scores, threshold, f"That is {shares} relative one {relative:.2f}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the deviations at which the relative threshold leaves room for each score."""
        room = scores - (1 - self.weight) * learned
        if self.weight == 0:
            return np.where(room >= -ROUNDING, np.inf, -np.inf)
        return _max_deviations(room / self.weight, scores)


@dataclass(frozen=True, slots=True)
class Calibrated(Rule):
    """A threshold fitted on labelled cases; see `convgate.evaluation.goals`."""

    name: ClassVar[str] = "calibrated"
    label: ClassVar[str] = "Calibrated on labelled cases"
    swept: ClassVar[str | None] = "threshold"
    threshold: float = setting(0.5, "threshold", low=0.0, high=1.0, step=0.01, help="Where the fit put it.")
    goal: str = text("")  # what it was fitted for, such as "precision 0.90"
    fitted_on: str = text("")  # which labels

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Threshold = the fitted one."""
        if not self.goal:
            return _cut_at(scores, self.threshold, "It has not been fitted to any labels yet.")
        origin = _describe(self.threshold, is_set=True, goal=self.goal, fitted_on=self.fitted_on)
        return _cut_at(scores, self.threshold, f"{origin}.")

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the scores themselves."""
        return scores


@dataclass(frozen=True, slots=True)
class TopK(Rule):
    """Keep the k highest scores; among equal scores the newer turn wins."""

    name: ClassVar[str] = "top_k"
    label: ClassVar[str] = "Top k: the highest scores"
    k: int = setting(10, "turns", low=0, high=10_000, step=1, slider="turns", help="How many turns are kept.")
    # On the scale of the scores, which for some policies is not 0…1; the default drops nothing.
    above: float = setting(
        -1e9,
        "score above",
        low=-1e9,
        high=1e9,
        step=0.01,
        slider=1,
        help="What is kept must score higher than this.",
    )

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Keep the k best of those above the floor."""
        order = best_first(scores)
        order = order[scores[order] > self.above][: self.k]
        floor = f" above {self.above:.2f}" if self.above > -1e9 else ""
        return _cut_rows(scores, order, f"among the {self.k} highest scores{floor}")


@dataclass(frozen=True, slots=True)
class TokenBudget(Rule):
    """Keep the turns of the highest expected use per token that fit a budget; longer ones are passed over."""

    name: ClassVar[str] = "token_budget"
    label: ClassVar[str] = "Token budget: the best that fits"
    needs_tokens: ClassVar[bool] = True
    budget: int = setting(
        2_000, "tokens", low=0, high=1_000_000, step=100, slider="tokens", help="Tokens of all kept turns."
    )

    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Fill the budget, the highest use per token first. Raises PolicyError without token counts."""
        if tokens is None:
            raise PolicyError("token_budget: the tokens of each turn are needed, and were not counted")
        rows = np.flatnonzero(fill(use_per_token(scores, tokens), tokens, self.budget))
        cut = _cut_rows(scores, rows, f"within the budget of {self.budget:,} tokens, by use per token")
        return replace(cut, threshold=None)  # a long turn may score higher than a kept one


Fittable = Calibrated | Anchored
"""Rules that know what their threshold was fitted for."""

RULES: Mapping[str, type[Rule]] = {
    rule.name: rule
    for rule in (
        MaxMissed,
        Expected,
        Stricter,
        Anchored,
        Absolute,
        Relative,
        Blended,
        Calibrated,
        TopK,
        TokenBudget,
    )
}


def make_rule(name: str, **parameters: Any) -> Rule:
    """Return the rule of that name; PolicyError lists the names, or the parameters that it has.

    >>> make_rule("top_k", k=3)
    TopK(k=3, above=-1000000000.0)
    """
    if name not in RULES:
        raise PolicyError(f"there is no threshold rule {name!r}; there are {', '.join(RULES)}")
    check_parameters(RULES[name], name, parameters)
    return RULES[name](**parameters)


def _describe(threshold: float, *, is_set: bool, goal: str = "", fitted_on: str = "") -> str:
    """Return how the threshold came about, without the full stop."""
    if not is_set:
        return f"The learned threshold is {threshold:.2f}"
    if not goal:
        return f"The threshold was set to {threshold:.2f}"
    return f"The threshold {threshold:.2f} was fitted for {goal}{f' on {fitted_on}' if fitted_on else ''}"


def _cut_at(scores: Floats, threshold: float, because: str) -> Cut:
    return Cut(scores >= threshold - ROUNDING, threshold, because)


def _cut_rows(scores: Floats, rows: NDArray[np.int64], what: str) -> Cut:
    kept = np.zeros(len(scores), dtype=bool)
    kept[rows] = True
    lowest = float(scores[kept].min()) if kept.any() else None
    return Cut(kept, lowest, "", f"{{score}}, {what}.", f"{{score}}, not {what}.")


def _relative_threshold(scores: Floats, deviations: float) -> tuple[float, float]:
    """Return the threshold within 0…1, and the mean; 0 for both without scores."""
    if len(scores) == 0:
        return 0.0, 0.0
    mean = float(np.mean(scores))
    return float(np.clip(mean + deviations * float(np.std(scores)), 0.0, 1.0)), mean


def _max_deviations(limits: Floats, scores: Floats) -> Floats:
    """Return (n,) the max deviations at which mean + deviations · std, clipped to 0…1, is ≤ `limits`."""
    if not len(scores):
        return scores
    margins, spread = limits - scores.mean(), scores.std()
    is_equal = spread < ROUNDING / 10  # but for rounding errors: the number of deviations does not matter
    reached = np.where(margins >= -ROUNDING, np.inf, -np.inf) if is_equal else margins / spread
    return np.where(limits >= 1 - ROUNDING, np.inf, np.where(limits < -ROUNDING, -np.inf, reached))
