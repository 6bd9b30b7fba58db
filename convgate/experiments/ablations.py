"""Ablations on labelled conversations: what fewer turns, the filter by mode and the length change.

| ablation | compared |
|---|---|
| turns | all turns, the last three, the last one, none |
| mode | turns at random in N tokens; sections, which filter by mode and take M < N; the same filled up to N |
| length | sections, their policy and the newest turns in N tokens, by the length of the conversation |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from convgate.core.settings import Settings
from convgate.evaluation.judged_cases import EvaluationProgress, silent
from convgate.evaluation.metrics import Bools
from convgate.experiments.judge import ChatModel
from convgate.experiments.replay import RECALL, AnswerCheck, Budget, load_arms, replay
from convgate.experiments.selection import ArmSelector
from convgate.policies.build import spec_of
from convgate.transcripts.cases import RelevanceSet
from convgate.versions.card import Metric

Ablation = Literal["turns", "mode", "length"]

ABLATIONS: tuple[Ablation, ...] = get_args(Ablation)
SHARE = 0.35
"""Of the history's tokens: N."""

N_LENGTHS = 3  # groups of conversations by length, of about the same number of cases


@dataclass(frozen=True, slots=True)
class AblationPoint:
    """The outcome of an arm on a group of cases."""

    ablation: Ablation
    arm: str
    group: str  # of cases; empty: all
    cases: int
    tokens: Metric  # mean of a request, without the message to answer
    outcome: Metric  # 0…1


@dataclass(frozen=True, slots=True)
class AblationResult:
    """The ablations of one set."""

    name: str  # of the set
    outcome: str  # which of the measures of a replay
    points: tuple[AblationPoint, ...]

    def to_json(self) -> dict[str, Any]:
        """Return all points with their intervals."""
        return {
            "set": self.name,
            "outcome": self.outcome,
            "points": [
                {"ablation": point.ablation, "arm": point.arm, "group": point.group, "cases": point.cases}
                | {"tokens": point.tokens.value, "tokens_ci": point.tokens.interval}
                | {"outcome": point.outcome.value, "outcome_ci": point.outcome.interval}
                for point in self.points
            ],
        }


def ablate(
    relevance_set: RelevanceSet,
    settings: Settings,
    ablations: Sequence[Ablation] = ABLATIONS,
    *,
    share: float = SHARE,
    model: ChatModel | None = None,
    check: AnswerCheck | None = None,
    progress: EvaluationProgress = silent,
) -> AblationResult:
    """Return the ablations of a set; the outcome is the recall of needed turns without a model's answers.

    share: of the history's tokens. Arguments and errors otherwise as in `replay`.
    """
    points: list[AblationPoint] = []
    outcome = RECALL
    for ablation in dict.fromkeys(ablations):
        budget: Budget = "free" if ablation == "turns" else share
        arms = _load_arms(ablation, settings)
        result = replay(relevance_set, arms, [budget], model=model, check=check, progress=progress)
        groups = _by_length(result.lengths) if ablation == "length" else {"": result.lengths >= 0}
        outcome = result.outcome
        for group, cases in groups.items():
            points += [
                AblationPoint(
                    ablation, row.arm, group, int(cases.sum()), row.measures["tokens"], row.measures[outcome]
                )
                for row in result.rows(cases)
            ]
    return AblationResult(relevance_set.name, outcome, tuple(points))


def _load_arms(ablation: Ablation, settings: Settings) -> list[ArmSelector]:
    policy = replace(spec_of(settings), version=settings.version).to_text()
    if ablation == "turns":
        windows = {f"last {k}": f"last_k(k={k})" for k in (3, 1)}
        return load_arms({"all turns": "everything", **windows, "none": "none"}, settings)
    if ablation == "mode":
        return load_arms({"random": "random", "mode": policy}, settings)
    return load_arms(
        {"sections": policy, settings.policy: f"alone:{policy}", "newest": "alone:everything"}, settings
    )


def _by_length(lengths: NDArray[np.int64]) -> dict[str, Bools]:
    """Return the cases of each group, (cases,), by the lengths of their histories in turns.

    >>> list(_by_length(np.array([2, 3, 9, 10, 30, 40])))
    ['2–3 turns', '9–10 turns', '30–40 turns']
    """
    ends = np.quantile(lengths, np.arange(1, N_LENGTHS) / N_LENGTHS)
    numbers = np.searchsorted(ends, lengths, side="left")
    masks = [numbers == number for number in np.unique(numbers)]
    return {f"{lengths[mask].min()}–{lengths[mask].max()} turns": mask for mask in masks}
