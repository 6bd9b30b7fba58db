"""The report of an experiment: figures of each arm, comparisons with verdicts, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from convgate.experiments.arms import Experiment, TokenLimit
from convgate.experiments.judge import JudgeStatus, active_judge
from convgate.experiments.outcomes import ERROR_KINDS, TrialOutcome, adjudicate, needs_rater
from convgate.experiments.signals import Signals, measure_signals
from convgate.experiments.verdict import Comparison, TrialColumns, compare
from convgate.store import Store
from convgate.store.experiments import Experiments


@dataclass(frozen=True, slots=True)
class TrialFigures:
    """The trials of one arm. Rates and means are None without any."""

    arm: str
    limit: TokenLimit
    sessions: int  # assigned
    trials: int
    rated: int  # with a test or a rating
    completion_rate: float | None
    error_rate: float | None  # share of answers with an error of any kind
    errors: Mapping[str, float | None]  # share by kind
    focus: float | None  # mean, 1…5
    latency_p50_seconds: float | None
    latency_p95_seconds: float | None
    tokens: float | None  # mean


@dataclass(frozen=True, slots=True)
class ExperimentReport:
    """An experiment as far as it is rated."""

    experiment: str
    arms: tuple[TrialFigures, ...]  # the control first
    comparisons: tuple[Comparison, ...]  # of each other arm
    rated: int  # trials of all arms
    planned: int  # trials of all arms at the last look
    unrated: int  # trials with a stored answer for which a person is needed
    judge: JudgeStatus | None  # None while no language model judged
    signals: tuple[Signals, ...]  # of each arm

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain JSON."""
        judge = self.judge
        state = judge and {"disagreement": judge.disagreement, "is_paused": judge.is_paused, **asdict(judge)}
        return asdict(self) | {"judge": state}


def report(store: Store, experiment: Experiment) -> ExperimentReport:
    """Return the report of what is stored."""
    experiments = Experiments(store)
    trials, ratings = experiments.trials(experiment.name), experiments.ratings(experiment.name)
    judge, status = active_judge(trials, ratings)
    outcomes = [adjudicate(trial, ratings.get(trial.number, ()), judge) for trial in trials]
    columns = to_columns(outcomes, experiment)
    n_sessions = experiments.sessions(experiment.name)
    return ExperimentReport(
        experiment=experiment.name,
        arms=tuple(
            _figures(arm.name, arm.limit, n_sessions.get(arm.name, 0), outcomes) for arm in experiment.arms
        ),
        comparisons=compare(columns, experiment),
        rated=len(columns.arm),
        planned=experiment.planned * len(experiment.arms),
        unrated=sum(
            bool(trial.answer) and needs_rater(outcome, ratings.get(trial.number, ()))
            for trial, outcome in zip(trials, outcomes, strict=True)
        ),
        judge=status,
        signals=tuple(measure_signals(trials, outcomes, [arm.name for arm in experiment.arms])),
    )


def to_columns(outcomes: Sequence[TrialOutcome], experiment: Experiment) -> TrialColumns:
    """Return the rated outcomes as arrays, in the order of their first rating."""
    rated = [outcome for outcome in outcomes if outcome.rated_at is not None]
    rated.sort(key=lambda outcome: outcome.rated_at or experiment.started)
    places = {arm.name: place for place, arm in enumerate(experiment.arms)}
    sessions = [outcome.session_id for outcome in rated]
    return TrialColumns(
        arm=np.array([places[experiment.arm(outcome.arm).name] for outcome in rated], dtype=np.int64),
        sessions=np.unique(np.array(sessions, dtype=str), return_inverse=True)[1],
        tokens=np.array([outcome.tokens for outcome in rated], dtype=np.float64),
        outcomes={
            "completion": np.array([outcome.completed for outcome in rated], dtype=np.float64),
            "errors": np.array([outcome.has_error for outcome in rated], dtype=np.float64),
        },
    )


def _figures(name: str, limit: TokenLimit, sessions: int, outcomes: Sequence[TrialOutcome]) -> TrialFigures:
    own = [outcome for outcome in outcomes if outcome.arm == name]
    errors = [outcome.errors for outcome in own if outcome.errors is not None]
    latencies = [outcome.latency_seconds for outcome in own]

    def mean(get: Callable[[TrialOutcome], float | None]) -> float | None:
        values = [value for outcome in own if (value := get(outcome)) is not None]
        return float(np.mean(values)) if values else None

    return TrialFigures(
        arm=name,
        limit=limit,
        sessions=sessions,
        trials=len(own),
        rated=sum(outcome.rated_at is not None for outcome in own),
        completion_rate=mean(lambda outcome: outcome.completed),
        error_rate=mean(lambda outcome: outcome.has_error),
        errors={kind: float(np.mean([e[kind] for e in errors])) if errors else None for kind in ERROR_KINDS},
        focus=mean(lambda outcome: outcome.focus),
        latency_p50_seconds=float(np.median(latencies)) if own else None,
        latency_p95_seconds=float(np.quantile(latencies, 0.95)) if own else None,
        tokens=mean(lambda outcome: outcome.tokens),
    )
