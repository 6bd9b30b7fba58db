"""What raters do: take the next trial of their pool, without its arm, and rate it."""

from __future__ import annotations

from convgate.core.errors import ExperimentError
from convgate.experiments.arms import Experiment
from convgate.experiments.judge import active_judge, is_checked
from convgate.experiments.outcomes import PANEL, adjudicate, check_rating, needs_rater
from convgate.store import Store
from convgate.store.experiments import Experiments, Rating, Trial


def next_trial(store: Store, experiment: Experiment, rater: str) -> Trial | None:
    """Return a trial for a rater; None when there is none. Show neither its arm nor its number of tokens."""
    return next(iter(waiting_trials(store, experiment, rater)), None)


def waiting_trials(store: Store, experiment: Experiment, rater: str) -> list[Trial]:
    """Return the trials for a rater, all with a stored answer.

    Trials that need a rating come first, those with the fewest ratings before others; then trials that check
    the judge. Unless raters are shared, a rater sees the answers of one arm only.
    """
    experiments = Experiments(store)
    trials, ratings = experiments.trials(experiment.name), experiments.ratings(experiment.name)
    judge, _ = active_judge(trials, ratings)
    arms = _arms_of(store, experiment, rater)
    candidates = []
    for trial in trials:
        of_trial = ratings.get(trial.number, [])
        people = [rating.rater for rating in of_trial if not rating.is_judge]
        if not trial.answer or trial.arm not in arms or rater in people or len(people) >= PANEL:
            continue
        is_needed = needs_rater(adjudicate(trial, of_trial, judge), of_trial)
        if is_needed or (len(of_trial) > len(people) == 0 and is_checked(trial)):
            candidates.append(((not is_needed, len(people), trial.number), trial))
    return [trial for _, trial in sorted(candidates)]


def rate_trial(store: Store, experiment: Experiment, rating: Rating) -> None:
    """Store a person's rating, in place of an earlier one of theirs.

    Raises ExperimentError for values out of range, and for a trial of an arm that the rater does not see.
    """
    check_rating(rating.errors, rating.focus)
    experiments = Experiments(store)
    trial = experiments.trial(experiment.name, rating.trial)
    if trial.arm not in _arms_of(store, experiment, rating.rater):
        raise ExperimentError(f"Trial {trial.number} is for other raters of {experiment.name}.")
    experiments.rate(rating)


def _arms_of(store: Store, experiment: Experiment, rater: str) -> list[str]:
    names = [arm.name for arm in experiment.arms]
    if experiment.shared_raters:
        return names
    return [Experiments(store).rater_arm(experiment.name, rater, names)]
