"""Outcomes of trials, adjudicated from automatic tests and ratings.

| | decided by |
|---|---|
| completion | the automatic test; else one rater; else, where that one is unsure or two disagree, three |
| errors | a language model where nobody rated; else by kind as completion |
| focus | the median of the raters, rounded |
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Literal

from convgate.core.errors import ExperimentError
from convgate.store.experiments import AnswerTest, Rating, Trial

ErrorKind = Literal["contradiction", "forgotten_constraint", "wrong_reference", "hallucination"]

ERROR_KINDS: tuple[ErrorKind, ...] = (
    "contradiction",
    "forgotten_constraint",
    "wrong_reference",
    "hallucination",
)
PANEL = 3
"""Raters that decide together."""


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What is known of one trial."""

    request_id: str
    session_id: str
    arm: str
    completed: int | None  # 0 or 1; None: not decided
    errors: Mapping[str, bool] | None  # by kind; None: not decided
    focus: int | None  # 1…5
    latency_seconds: float
    tokens: int
    answer_test: AnswerTest | None
    rated_at: datetime | None  # when its test or its first rating was stored

    @property
    def has_error(self) -> bool | None:
        """Return whether the answer has an error of any kind; None while that is not decided."""
        return None if self.errors is None else any(self.errors.values())


def adjudicate(trial: Trial, ratings: Sequence[Rating], judge: str | None = None) -> TrialOutcome:
    """Return the outcome of a trial.

    judge: the language model whose ratings count for errors where nobody rated; None: none does.
    """
    people = [rating for rating in ratings if not rating.is_judge]
    judges = [rating for rating in ratings if rating.is_judge and rating.rater == judge]
    errors = {kind: _decide([_has(rating, kind) for rating in people or judges]) for kind in ERROR_KINDS}
    completed = _decide([rating.completed for rating in people])
    focus = [rating.focus for rating in people if rating.focus is not None]
    times = [rating.at for rating in (*people, *judges)] + [trial.at] * (trial.answer_test is not None)
    return TrialOutcome(
        request_id=trial.request_id,
        session_id=trial.session_id,
        arm=trial.arm,
        completed=completed if trial.answer_test is None else int(trial.answer_test == "pass"),
        errors=None if None in errors.values() else {kind: bool(value) for kind, value in errors.items()},
        focus=math.floor(median(focus) + 0.5) if focus else None,
        latency_seconds=trial.latency_seconds,
        tokens=trial.tokens,
        answer_test=trial.answer_test,
        rated_at=min(times, default=None),
    )


def needs_rater(outcome: TrialOutcome, ratings: Sequence[Rating]) -> bool:
    """Return whether another person should rate the trial."""
    people = sum(not rating.is_judge for rating in ratings)
    return people < PANEL and (outcome.completed is None or outcome.errors is None)


def check_rating(errors: Sequence[str] | None, focus: int | None) -> None:
    """Raise ExperimentError for an unknown kind of error, or a focus outside 1…5."""
    if unknown := sorted(set(errors or ()) - set(ERROR_KINDS)):
        raise ExperimentError(f"There is no error {unknown[0]!r}; there are {', '.join(ERROR_KINDS)}.")
    if focus is not None and not 1 <= focus <= 5:
        raise ExperimentError(f"Focus is 1 to 5; got {focus}.")


def _has(rating: Rating, kind: str) -> bool | None:
    return None if rating.errors is None else kind in rating.errors


def _decide(votes: Sequence[bool | None]) -> int | None:
    """Return what all raters say, or from a panel the rounded mean; None while they disagree or are unsure.

    >>> _decide([True]), _decide([True, False]), _decide([True, None]), _decide([True, False, True, None])
    (1, None, None, 1)
    """
    known = [vote for vote in votes if vote is not None]
    mean = sum(known) / len(known) if known else 0.5
    is_unanimous = bool(known) and len(set(votes)) == 1
    if is_unanimous or (len(votes) >= PANEL and mean != 0.5):
        return round(mean)
    return None
