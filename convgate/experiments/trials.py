"""Trials: assign sessions to arms, record answered requests, rate answers.

Sessions are assigned in permuted blocks within each stratum, at the first turn, once and for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator

from convgate.core.errors import ExperimentError
from convgate.core.text import pluralize
from convgate.core.validation import Count
from convgate.experiments.arms import Arm, Experiment
from convgate.experiments.judge import active_judge, is_checked
from convgate.experiments.outcomes import PANEL, adjudicate, check_rating, needs_rater
from convgate.store import Store
from convgate.store.experiments import AnswerTest, Experiments, NewTrial, Rating, Stratum, Trial
from convgate.transcripts.problems import Problems
from convgate.transcripts.relevance_sets import read_fields
from convgate.transcripts.source import Source


def assign_session(
    store: Store, experiment: Experiment, session_id: str, stratum: Stratum | None = None
) -> Arm:
    """Return the arm of a session, which the first call stores; later calls ignore the stratum.

    Raises ExperimentError for an empty id.
    """
    if not session_id:
        raise ExperimentError("The session has an empty id.")
    experiments = Experiments(store)
    name = experiments.arm_of(experiment.name, session_id)
    if name is None:
        name = _assign(store, experiment, session_id, stratum or Stratum())
    return experiment.arm(name)


def arm_at(experiment: Experiment, stratum: Stratum, place: int) -> str:
    """Return the arm at a place of a stratum, from 0: each block has every arm once, in a hashed order."""
    block, position = divmod(place, len(experiment.arms))
    names = sorted(
        (arm.name for arm in experiment.arms), key=lambda name: _hash(experiment, stratum, block, name)
    )
    return names[position]


def record_trials(store: Store, experiment: Experiment, trials: Sequence[NewTrial]) -> None:
    """Store trials, all or none; one with an empty arm is of the arm of its session.

    Raises ExperimentError for a session without an arm or of another arm, an unknown arm, and a request that
    is stored already.
    """
    experiments = Experiments(store)
    complete = []
    arms: dict[str, str] = {}  # by session
    for trial in trials:
        assigned = arms.get(trial.session_id) or experiments.arm_of(experiment.name, trial.session_id)
        arm = trial.arm or assigned
        if arm is None:
            raise ExperimentError(
                f"The session {trial.session_id!r} of the request {trial.request_id!r} has no arm;"
                " assign it first."
            )
        complete.append(replace(trial, arm=experiment.arm(arm).name))
        arms[trial.session_id] = assigned or arm
        if assigned not in (None, arm):
            raise ExperimentError(
                f"The session {trial.session_id!r} is in the arm {assigned}, not in {arm}: the request"
                f" {trial.request_id!r} is not recorded."
            )
    experiments.record(experiment.name, complete)


def read_trials(source: Source, *, skip_bad: bool = False) -> tuple[list[NewTrial], Problems]:
    """Return the trials of a file of JSON lines, and what was left out.

    Raises BadLinesError for bad lines unless `skip_bad`, and when there is no good one.
    """
    trials = []
    for value, place in source.need_json("trials, one JSON object a line").lines():
        with place.skip_bad_value():
            line = read_fields(_Line, value)
            lists = {name: tuple(value) for name, value in line if isinstance(value, list)}
            trials.append(NewTrial(**{**dict(line), **lists}))
    readable = pluralize(len(trials), "trial") if trials else None
    return trials, source.report.close(readable, skip_bad=skip_bad)


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
    with store.write():  # the trial is not deleted in between
        trial = experiments.trial(experiment.name, rating.trial)
        if trial.arm not in _arms_of(store, experiment, rating.rater):
            raise ExperimentError(f"Trial {trial.number} is for other raters of {experiment.name}.")
        experiments.rate(rating)


def _assign(store: Store, experiment: Experiment, session_id: str, stratum: Stratum) -> str:
    """Return the arm of a session that had none a moment ago."""
    experiments = Experiments(store)
    with store.write():  # the place is read and taken together
        name = experiments.arm_of(experiment.name, session_id)
        if name is None:
            place = experiments.next_place(experiment.name, stratum)
            name = arm_at(experiment, stratum, place)
            experiments.assign(experiment.name, session_id, name, stratum, place)
    return name


def _hash(experiment: Experiment, stratum: Stratum, block: int, arm: str) -> bytes:
    key = (experiment.seed, stratum.mode, stratum.difficulty, stratum.model, stratum.tenant, block, arm)
    return blake2b(repr(key).encode(errors="surrogatepass"), digest_size=16).digest()


def _arms_of(store: Store, experiment: Experiment, rater: str) -> list[str]:
    names = [arm.name for arm in experiment.arms]
    if experiment.shared_raters:
        return names
    return [Experiments(store).rater_arm(experiment.name, rater, names)]


class _Line(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)

    request_id: Annotated[str, Field(min_length=1, max_length=1_000)]
    session_id: Annotated[str, Field(min_length=1, max_length=1_000)]
    latency_seconds: Annotated[float, Field(ge=0, le=1e9)]
    tokens: Count
    arm: str = ""
    answer_test: AnswerTest | None = None
    messages: list[dict[str, Any]] = []
    answer: str = ""
    sent: list[Count] | None = None
    needed: list[Count] | None = None

    @field_validator("sent", "needed")
    @classmethod
    def _check_indices(cls, indices: list[int] | None, info: ValidationInfo) -> list[int] | None:
        count = len(info.data.get("messages", []))
        if indices and max(indices) >= count:
            raise ValueError(f"{max(indices)} is no index of the {count} messages")
        return indices
