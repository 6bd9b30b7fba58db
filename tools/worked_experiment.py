"""A simulated experiment of the planned size, with answers of a sample conversation to rate."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.experiments.arms import Experiment, create_experiment, read_arm
from convgate.experiments.outcomes import ERROR_KINDS
from convgate.experiments.power import BASELINE, SESSION_SIZE, TARGET, PowerPlan
from convgate.experiments.trials import assign_session, record_trials
from convgate.store import Store
from convgate.store.experiments import Experiments, NewTrial, Rating
from convgate.transcripts import read_conversations
from tools.experiment_figures import STRATA

_RATER = "simulation"
_COMPLETION = {"newest": 0.65, "gate": 0.75}  # of the simulated requests
_ERRORS = {"newest": 0.22, "gate": 0.17}
_SEED = 3
_TO_RATE = 6  # answers of the sample


def add_example(store: Store) -> Experiment:
    """Store the experiment and return it."""
    settings = load_settings()
    experiment = Experiment(
        name="Simulated example",
        arms=(
            read_arm("newest", "last_k(k=12)", "free", settings),
            read_arm("gate", "gate", "matched", settings),
        ),
        seed=_SEED,
        started=datetime.now(UTC),
        planned=PowerPlan(BASELINE, TARGET).per_arm,
        looks=(0.5, 1.0),
        shared_raters=True,
    )
    with store.write():
        create_experiment(store, experiment)
        _add_rated_trials(store, experiment)
        _add_answers(store, experiment)
    return experiment


def _add_rated_trials(store: Store, experiment: Experiment) -> None:
    """Store the planned trials: a test decides completion, a simulated rater errors and focus."""
    rng, experiments = np.random.default_rng(_SEED), Experiments(store)
    trials = []
    for session in range(experiment.stops[-1] // int(SESSION_SIZE)):
        stratum = STRATA[rng.integers(len(STRATA))]
        arm = assign_session(store, experiment, f"session-{session}", stratum).name
        completion = _COMPLETION[arm] + rng.normal(scale=0.1)  # trials of a session are alike
        trials += [
            NewTrial(
                f"request-{session}-{number}",
                f"session-{session}",
                arm,
                latency_seconds=float(rng.lognormal(0.3, 0.4)),
                tokens=int(rng.lognormal(7.5, 0.4)),
                answer_test="pass" if rng.random() < completion else "fail",
            )
            for number in range(int(SESSION_SIZE))
        ]
    record_trials(store, experiment, trials)
    for trial in experiments.trials(experiment.name):
        has_error = rng.random() < _ERRORS[trial.arm]
        errors = (str(rng.choice(ERROR_KINDS)),) if has_error else ()
        focus = int(rng.integers(2, 5) if has_error else rng.integers(3, 6))
        experiments.rate(Rating(trial.number, _RATER, None, errors, focus))


def _add_answers(store: Store, experiment: Experiment) -> None:
    """Store the last answers of a sample as trials without a rating, one to a session."""
    (sample,) = read_conversations(app_root() / "sample_conversations" / "login_jwt_ldap.json")
    messages = tuple({"role": turn.role, "content": turn.text} for turn in sample.turns)
    answers = [place for place, message in enumerate(messages) if message["role"] == "assistant"]
    for place in answers[-_TO_RATE:]:
        session = f"sample-{place}"
        arm = assign_session(store, experiment, session).name
        trial = NewTrial(f"{session}-request", session, arm, 1.5, 2_000)
        answered = replace(trial, messages=messages[:place], answer=messages[place]["content"])
        record_trials(store, experiment, [answered])
