"""How often experiments end in each verdict, with a known truth.

    python -m tools.experiment_figures --runs 1000

Each simulated session has its own probability of success, from a beta distribution around that of its
stratum. Strata and sessions together make two trials of a session correlate by `icc`.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from convgate.core.settings import Settings
from convgate.experiments.arms import HYPOTHESES, Arm, Experiment, Hypothesis
from convgate.experiments.power import BASELINE, DESIGN_PER_ARM, ICC, SESSION_SIZE, TARGET, PowerPlan
from convgate.experiments.statistics import Floats
from convgate.experiments.trials import arm_at
from convgate.experiments.verdict import TrialColumns, compare
from convgate.store.experiments import Stratum

STRATA = tuple(
    Stratum(mode, difficulty)
    for mode in ("TASK", "EXPLORATION", "DEBUGGING", "LEARNING")
    for difficulty in ("easy", "hard")
)
_EASIER = 0.05  # by how much easy sessions are above the mean, and hard ones below
_TOKENS = 2_000.0  # mean of a request


@dataclass(frozen=True, slots=True)
class Truth:
    """The rates of the simulated arms, between 0.05 and 0.95."""

    completion: tuple[float, float]  # of control and arm
    errors: tuple[float, float]
    token_ratio: float = 1.0  # tokens of the arm / tokens of the control
    gain_per_token: float = 0.0  # added to the completion rate for each token above the mean


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What simulated experiments found."""

    runs: int
    significant: dict[str, float]  # share of runs in which the hypothesis was rejected
    any_significant: float  # share of runs in which any hypothesis was rejected
    verdicts: dict[str, float]  # share of runs by verdict
    early: float  # share of runs in which a hypothesis was rejected before the last look


def simulate(
    experiment: Experiment,
    truth: Truth,
    *,
    runs: int,
    seed: int = 0,
    icc: float = ICC,
    session_size: int = int(SESSION_SIZE),
    hypotheses: Sequence[Hypothesis] = HYPOTHESES,
) -> SimulationResult:
    """Return how often experiments with two arms and this truth end in each verdict."""
    rng = np.random.default_rng(seed)
    rejections = dict.fromkeys(hypotheses, 0)
    verdicts = dict.fromkeys(("success", "failure", "inconclusive"), 0)
    n_any = n_early = 0
    for run in range(runs):
        columns = _draw(replace(experiment, seed=run), truth, rng, icc, session_size)
        tested = {name: columns.outcomes[name] for name in hypotheses}
        (comparison,) = compare(replace(columns, outcomes=tested), experiment)
        looks = [test.rejected_at for test in comparison.tests if test.rejected_at is not None]
        for test in comparison.tests:
            rejections[test.hypothesis] += test.rejected_at is not None
        verdicts[comparison.verdict.kind] += 1
        n_any += bool(looks)
        n_early += bool(looks) and min(looks) < len(experiment.looks) - 1
    return SimulationResult(
        runs=runs,
        significant={name: count / runs for name, count in rejections.items()},
        any_significant=n_any / runs,
        verdicts={name: count / runs for name, count in verdicts.items()},
        early=n_early / runs,
    )


def two_arms(per_arm: int, *, alpha: float = 0.05, looks: tuple[float, ...] = (1.0,)) -> Experiment:
    """Return an experiment with a control and an arm at matched tokens, to simulate."""
    settings = Settings.model_construct()
    arms = (Arm("control", settings), Arm("arm", settings, "matched"))
    return Experiment("simulated", arms, 0, datetime.now(UTC), per_arm, alpha, looks)


def _draw(
    experiment: Experiment, truth: Truth, rng: np.random.Generator, icc: float, session_size: int
) -> TrialColumns:
    """Return the trials of a simulated experiment, as many as are planned."""
    n_trials = experiment.planned * 2
    n_sessions = -(-n_trials // session_size)
    strata = rng.integers(len(STRATA), size=n_sessions)
    arms = np.zeros(n_sessions, dtype=np.int64)
    names = [arm.name for arm in experiment.arms]
    for index, stratum in enumerate(STRATA):
        members = np.flatnonzero(strata == index)
        arms[members] = [names.index(arm_at(experiment, stratum, place)) for place in range(len(members))]
    shift = np.where(strata % 2 == 0, _EASIER, -_EASIER)
    of_trial = np.repeat(np.arange(n_sessions), session_size)[:n_trials]
    arm = arms[of_trial]
    tokens = rng.lognormal(sigma=0.4, size=n_trials) * _TOKENS * np.where(arm == 1, truth.token_ratio, 1.0)
    completion = _draw_propensities(np.take(truth.completion, arms), shift, icc, rng)[of_trial]
    completion = completion + truth.gain_per_token * (tokens - _TOKENS)
    errors = _draw_propensities(np.take(truth.errors, arms), -shift, icc, rng)[of_trial]
    return TrialColumns(
        arm,
        of_trial,
        tokens,
        {
            "completion": (rng.random(n_trials) < completion).astype(np.float64),
            "errors": (rng.random(n_trials) < errors).astype(np.float64),
        },
    )


def _draw_propensities(means: Floats, shift: Floats, icc: float, rng: np.random.Generator) -> Floats:
    """Return a probability for each session, (sessions,), around its arm's mean and its stratum's shift.

    Their variance is icc·p·(1 − p); when the strata have more already, sessions of a stratum are alike.
    """
    shifted = means + shift
    within = icc * means * (1 - means) - shift**2
    concentration = shifted * (1 - shifted) / np.maximum(within, 1e-9) - 1
    return rng.beta(shifted * concentration, (1 - shifted) * concentration)


def main() -> None:
    """Print one line for each truth and size."""
    parser = argparse.ArgumentParser(description="Simulate experiments.")
    parser.add_argument("--runs", type=int, default=1_000)
    runs = parser.parse_args().runs
    plan, equal = PowerPlan(BASELINE, TARGET), Truth((BASELINE, BASELINE), (0.2, 0.2))
    for looks in ((1.0,), (0.25, 0.5, 0.75, 1.0)):
        result = simulate(two_arms(plan.per_arm, looks=looks), equal, runs=runs)
        print(f"equal arms, {len(looks)} looks: {result}", flush=True)
    for per_arm in (965, plan.per_arm, DESIGN_PER_ARM):
        truth = Truth((BASELINE, TARGET), (0.2, 0.2))
        result = simulate(two_arms(per_arm), truth, runs=runs, hypotheses=("completion",))
        print(f"{per_arm} trials of each arm, power {plan.power_at(per_arm):.3f}: {result}", flush=True)


if __name__ == "__main__":
    main()
