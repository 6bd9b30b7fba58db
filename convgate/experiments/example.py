"""A finished experiment with simulated answers, as an example."""

from __future__ import annotations

import random
from datetime import UTC, datetime

from convgate.core.settings import Settings
from convgate.experiments.arms import Experiment, create_experiment, read_arm
from convgate.experiments.power import BASELINE, TARGET, PowerPlan
from convgate.experiments.trials import record_trials
from convgate.store import Store
from convgate.store.experiments import NewTrial

_COMPLETED = {"Last 10 turns": BASELINE, "Gate": BASELINE + 1.5 * (TARGET - BASELINE)}


def record_example(store: Store, settings: Settings) -> Experiment:
    """Store and return an experiment whose variant completes more requests with the control's tokens."""
    control, variant = _COMPLETED
    arms = (read_arm(control, "last_k", "free", settings), read_arm(variant, "gate", "matched", settings))
    planned = PowerPlan(BASELINE, TARGET).per_arm
    experiment = Experiment("Example", arms, seed=0, started=datetime.now(UTC), planned=planned)
    create_experiment(store, experiment)
    draw = random.Random(6)
    trials = [
        NewTrial(
            request_id=f"{arm} {number}", session_id=f"{arm} {number // 5}", arm=arm,
            latency_seconds=draw.lognormvariate(0.8, 0.4), tokens=round(draw.lognormvariate(7.6, 0.3)),
            answer_test="pass" if draw.random() < completed else "fail",
        )
        for arm, completed in _COMPLETED.items()
        for number in range(planned)
    ]  # fmt: skip
    record_trials(store, experiment, trials)
    return experiment
