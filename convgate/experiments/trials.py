"""Record trials: requests as they were answered, from a program or a file of JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from convgate.core.errors import ExperimentError, TranscriptError
from convgate.core.validation import Count, describe_problem
from convgate.experiments.arms import Experiment
from convgate.store import Store
from convgate.store.experiments import AnswerTest, Experiments, NewTrial
from convgate.transcripts.source import Source


def record_trials(store: Store, experiment: Experiment, trials: Sequence[NewTrial]) -> None:
    """Store trials, all or none; one with an empty arm is of the arm of its session.

    Raises ExperimentError for a session without an arm, an unknown arm, and a request that is stored already.
    """
    experiments = Experiments(store)
    complete = []
    for trial in trials:
        arm = trial.arm or experiments.arm_of(experiment.name, trial.session_id)
        if arm is None:
            raise ExperimentError(
                f"The session {trial.session_id!r} of the request {trial.request_id!r} has no arm;"
                " assign it first."
            )
        complete.append(replace(trial, arm=experiment.arm(arm).name))
    experiments.record(experiment.name, complete)


def read_trials(source: Source) -> list[NewTrial]:
    """Return the trials of a file of JSON lines; TranscriptError with the line of the first bad one."""
    trials = []
    for value, place in source.need_json().values():
        try:
            line = _Line.model_validate(value)
        except ValidationError as error:
            problem = describe_problem(error.errors(include_url=False, include_context=False)[0])
            raise TranscriptError(problem, file=source.report.file, line=place.line) from error
        lists = {name: tuple(value) for name, value in line if isinstance(value, list)}
        trials.append(NewTrial(**{**dict(line), **lists}))
    return trials


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
