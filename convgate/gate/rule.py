"""What a threshold rule is: it cuts scores, and may be swept along one parameter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import PolicyError
from convgate.core.parameters import ParameterSet, setting

Tokens: TypeAlias = NDArray[np.int64] | None
"""(n,) tokens of the turns."""

ROUNDING = 1e-9  # scores equal to the mean of equal scores must not miss it by a rounding error
_KEPT = "{score}, above the threshold {threshold} by {margin}."
_DROPPED = "{score}, below the threshold {threshold} by {margin}."


@dataclass(frozen=True, eq=False, slots=True)
class Cut:
    """The turns that a rule keeps, and templates of its reasons over score, threshold and margin."""

    kept: NDArray[np.bool_]  # (n,)
    threshold: float | None  # the lowest score that is kept, on the scale of the scores
    because: str = ""  # how the threshold came about
    why_kept: str = _KEPT
    why_dropped: str = _DROPPED


@dataclass(frozen=True, slots=True)
class Sweep:
    """The parameter of a rule that a curve is drawn over."""

    label: str
    low: float
    high: float


@dataclass(frozen=True)
class Rule(ParameterSet, ABC):
    """Chooses turns by their scores; a dataclass of its parameters.

    A rule that keeps less as one of its parameters rises names it in `swept` and implements `reach`, so that
    one curve answers for all values of the parameter, whatever else the rule asks for.
    """

    label: ClassVar[str]  # one line for a menu
    swept: ClassVar[str | None] = None  # None for rules that fill a number of turns or tokens
    needs_tokens: ClassVar[bool] = False

    @abstractmethod
    def cut(self, scores: Floats, *, learned: float, tokens: Tokens = None) -> Cut:
        """Choose among (n,) scores. `learned` is the policy's own threshold on the scale of the scores."""

    def reach(self, scores: Floats, *, learned: float = 0.5, tokens: Tokens = None) -> Floats:
        """Return (n,) the highest value of the parameter at which the rule keeps each turn of one history.

        −inf for a turn that it never keeps, inf for one that it always does. scores: (n,), 0…1, of all the
        turns that are decided about together; tokens: (n,). Raises PolicyError for a rule without a sweep.
        """
        raise PolicyError(f"{self.name} has no threshold to move")

    @property
    def sweep(self) -> Sweep | None:
        """The rule's sweep, if it has one."""
        for item in fields(self):
            if item.name == self.swept:
                return Sweep(item.metadata["label"], item.metadata["low"], item.metadata["high"])
        return None

    def value(self, *, learned: float) -> float | None:
        """Return the value on the sweep, the learned threshold if none is set; None without a sweep."""
        if self.swept is None:
            return None
        value: float | None = getattr(self, self.swept)
        return learned if value is None else value

    def at(self, value: float) -> Self:
        """Return the rule with that value of the sweep's parameter, without what it was fitted for.

        Raises PolicyError for a rule without a sweep.
        """
        if self.swept is None:
            raise PolicyError(f"{self.name} has no threshold to move")
        texts = (item.name for item in fields(self) if item.metadata.get("decides") is False)
        unset: dict[str, Any] = dict.fromkeys(texts, "")
        return replace(self, **{self.swept: value}, **unset)


@dataclass(frozen=True, slots=True)
class TurnLimits(ParameterSet):
    """The min and max number of turns that any rule may keep; applied after it."""

    name: ClassVar[str] = "limits"
    min_turns: int = setting(
        0, "at least", low=0, high=10_000, step=1, help="0 lets the gate choose nothing."
    )
    max_turns: int | None = setting(None, "at most", low=0, high=10_000, step=1, help="Empty means no limit.")

    def __post_init__(self) -> None:
        ParameterSet.__post_init__(self)
        if self.max_turns is not None and self.max_turns < self.min_turns:
            raise PolicyError(
                f"limits: max_turns ({self.max_turns}) must not be below min_turns ({self.min_turns})"
            )

    def changes(self, scores: Floats, kept: NDArray[np.bool_]) -> dict[int, str]:
        """Return the rows whose decision the limits change, each with the reason."""
        if not self.min_turns and self.max_turns is None:
            return {}
        order = best_first(scores)
        best_kept, best_dropped = order[kept[order]], order[~kept[order]]
        missing = max(0, self.min_turns - len(best_kept))
        below = f"not chosen by the rule, but at least {self.min_turns} turns are kept."
        above = f"chosen by the rule, but at most {self.max_turns} turns are kept."
        changes = dict.fromkeys(best_dropped[:missing].tolist(), below)
        if self.max_turns is not None:
            changes |= dict.fromkeys(best_kept[self.max_turns :].tolist(), above)
        return changes


def best_first(scores: Floats) -> NDArray[np.int64]:
    """Return the rows by score, best first; among equal scores the newer turn comes first."""
    return len(scores) - 1 - np.argsort(-scores[::-1], kind="stable")
