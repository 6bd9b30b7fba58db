"""Experiments for tests: two arms, trials and ratings in few words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from convgate.core.settings import Settings
from convgate.experiments.arms import Arm, Experiment, create_experiment
from convgate.experiments.trials import record_trials
from convgate.store import Store
from convgate.store.experiments import Experiments, NewTrial, Rating, Trial

CONTROL, GATE = "everything", "gate"


def new_experiment(store: Store | None = None, **changes: Any) -> Experiment:
    """Return an experiment with a control and an arm at matched tokens, stored where a store is given."""
    arms = (Arm(CONTROL, Settings(policy="everything")), Arm(GATE, Settings(), "matched"))
    values: dict[str, Any] = {"planned": 40, "seed": 3, "shared_raters": True, **changes}
    experiment = Experiment("pilot", arms, started=datetime(2026, 3, 5, tzinfo=UTC), **values)
    if store is not None:
        create_experiment(store, experiment)
    return experiment


def add_trials(store: Store, experiment: Experiment, arm: str, count: int, **values: Any) -> list[Trial]:
    """Record trials of an arm, two to a session; return them as they are stored."""
    known = len(Experiments(store).trials(experiment.name))
    new = [
        NewTrial(
            **{
                "request_id": f"{arm}-{known + i}",
                "session_id": f"{arm}-session-{(known + i) // 2}",
                "arm": arm,
                "latency_seconds": 1.0,
                "tokens": 100 + i % 7,
                "messages": ({"role": "user", "content": "How many oases?"},),
                "answer": "Four.",
                **values,
            }
        )
        for i in range(count)
    ]
    record_trials(store, experiment, new)
    return Experiments(store).trials(experiment.name)[-count:]


def new_success(store: Store) -> Experiment:
    """Return an experiment whose arm completes all requests, the control half of them, at varying tokens."""
    experiment = new_experiment(store, planned=60)
    for arm, result in ((CONTROL, "fail"), (CONTROL, "pass"), (GATE, "pass"), (GATE, "pass")):
        add_trials(store, experiment, arm, 30, answer_test=result)
    return experiment


def rating(
    trial: Trial | int, rater: str, completed: bool | None = True, *errors: str, **values: Any
) -> Rating:
    """Return a rating."""
    number = trial if isinstance(trial, int) else trial.number
    return Rating(number, rater, completed, errors, values.pop("focus", None), **values)
