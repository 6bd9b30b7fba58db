"""How many trials an experiment needs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from convgate.core.errors import ExperimentError
from convgate.core.extras import needs_extra

BASELINE, TARGET = 0.65, 0.715
"""Completed requests without and with the wanted improvement of 10%."""

ICC, SESSION_SIZE = 0.05, 5.0
STRATA_ALLOWANCE = 0.15
DESIGN_PER_ARM = 1_400
"""Trials of each arm in the design, which do not follow from its other figures."""


@dataclass(frozen=True, slots=True)
class PowerPlan:
    """The size of a two-sided test of two proportions."""

    baseline: float  # rate of the control, 0…1
    target: float  # rate of the arm
    power: float = 0.8
    alpha: float = 0.05
    icc: float = ICC  # correlation of two trials of one session
    session_size: float = SESSION_SIZE  # trials of a session
    strata_allowance: float = STRATA_ALLOWANCE  # further trials for incomplete strata, as a share

    def __post_init__(self) -> None:
        shares = {name: getattr(self, name) for name in ("baseline", "target", "power", "alpha")}
        for name, share in shares.items():
            if not 0 < share < 1:
                raise ExperimentError(f"{name} is above 0 and below 1; got {share}.")
        if self.baseline == self.target:
            raise ExperimentError("baseline and target are equal, so there is nothing to detect.")
        if not (0 <= self.icc < 1 and self.session_size >= 1 and self.strata_allowance >= 0):
            raise ExperimentError(
                "icc is 0 or more and below 1, session_size at least 1, strata_allowance at least 0; got"
                f" {self.icc}, {self.session_size}, {self.strata_allowance}."
            )

    @property
    def independent(self) -> int:
        """Return the trials of each arm if all were independent."""
        with needs_extra("train", "an experiment"):
            from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

        size = samplesize_proportions_2indep_onetail(
            abs(self.target - self.baseline), min(self.baseline, self.target), self.power, alpha=self.alpha
        )
        return math.ceil(float(size))

    @property
    def design_effect(self) -> float:
        """Return by what factor sessions multiply the variance.

        >>> PowerPlan(0.65, 0.715).design_effect
        1.2
        """
        return 1 + (self.session_size - 1) * self.icc

    @property
    def per_arm(self) -> int:
        """Return the trials of each arm, with both allowances."""
        return math.ceil(self.independent * (1 + self.strata_allowance) * self.design_effect)

    def power_at(self, per_arm: int) -> float:
        """Return the power of so many trials of each arm, in sessions of this size."""
        with needs_extra("train", "an experiment"):
            from statsmodels.stats.proportion import power_proportions_2indep

        result = power_proportions_2indep(
            self.target - self.baseline, self.baseline, per_arm / self.design_effect, alpha=self.alpha
        )
        return float(result.power)
