"""The labelled turns of several sets with one policy's scores, laid together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import Draws, draw
from convgate.evaluation.curves import CurveSums, candidate_thresholds
from convgate.evaluation.judge import EvaluationProgress, JudgedTurns, cases_in_order, count_tokens, judge
from convgate.evaluation.metrics import Terms
from convgate.evaluation.sweeps import reach
from convgate.gate.thresholds import Rule
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet

Pool = Literal["cases", "sets"]
POOLS: tuple[Pool, ...] = ("cases", "sets")


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """One set's cases with a policy's scores; row i of every column is about case `ids[i]`."""

    name: str
    ids: tuple[str, ...]
    cases: tuple[JudgedTurns, ...]  # each with scores
    clusters: NDArray[np.int64]  # (cases,) number of the case's conversation, from 0
    conversations: int
    rule: str  # of the policy; empty without cases

    @property
    def turns(self) -> int:
        """How many turns the histories of the cases have together."""
        return sum(len(case.relevant) for case in self.cases)


def label(
    relevance_set: RelevanceSet,
    policy: Policy,
    *,
    rule: Rule | None = None,
    token_counter: TokenCounter | None = None,
    progress: EvaluationProgress,
) -> LabelledSet:
    """The set's cases with the policy's scores; EvaluationError from a policy that gives none.

    With a rule, with how far its threshold may rise before each turn is dropped (see `sweeps.reach`) instead.
    """
    if not policy.ranks:
        raise EvaluationError(f"{policy.name} does not score turns, so it has no threshold to fit")
    in_order = cases_in_order(relevance_set)
    names, clusters = np.unique([case.conversation for case in in_order], return_inverse=True)
    tokens = count_tokens(relevance_set, token_counter, progress=progress)
    cases, named = [], ""
    for judged in judge(relevance_set, policy, tokens=tokens, progress=progress):
        turns, scores = judged.turns, judged.decisions.scores
        if rule is not None and scores is not None:
            rows = judged.indices - (judged.decisions.indices[0] if len(scores) else 0)
            turns = replace(turns, scores=reach(rule, scores)[rows])
        cases.append(turns)
        named = judged.decisions.rule
    ids = tuple(case.id for case in in_order)
    return LabelledSet(relevance_set.name, ids, tuple(cases), clusters.astype(np.int64), len(names), named)


@dataclass(frozen=True, eq=False)
class Pooled:
    """The cases of several sets; conversations are numbered over all of them."""

    sets: tuple[LabelledSet, ...]  # at least one
    weights: Terms  # (conversations,) what each turn of a conversation counts; 1 on average over all turns

    @classmethod
    def of(cls, sets: Sequence[LabelledSet], pool: Pool) -> Pooled:
        """The sets with their turns counted alike ("cases"), or so that each set counts alike ("sets")."""
        turns = np.array([max(one.turns, 1) for one in sets])
        by_set = turns.mean() / turns if pool == "sets" else np.ones(len(sets))
        return cls(tuple(sets), np.repeat(by_set, [one.conversations for one in sets]))

    @property
    def cases(self) -> tuple[JudgedTurns, ...]:
        """The cases, set by set."""
        return tuple(case for one in self.sets for case in one.cases)

    @property
    def clusters(self) -> NDArray[np.int64]:
        """(cases,) number of each case's conversation, from 0 over all sets."""
        before = np.cumsum([0, *(one.conversations for one in self.sets[:-1])])
        return np.concatenate([one.clusters + start for one, start in zip(self.sets, before, strict=True)])

    def draws(self, seed: int) -> Draws:
        """(resamples, conversations) how often each is drawn; every set keeps its number of conversations."""
        return np.hstack([draw(one.conversations, seed=seed + place) for place, one in enumerate(self.sets)])

    def sums(self) -> CurveSums:
        """What each conversation adds to the curve, unweighted; thresholds up to 1, which keeps nothing."""
        cases = self.cases
        relevant = np.concatenate([case.relevant for case in cases] or [np.zeros(0, dtype=np.bool_)])
        scores = np.concatenate([scores_of(case) for case in cases] or [np.zeros(0)])
        reached = np.isfinite(scores)  # what no threshold keeps has no place for one
        thresholds = candidate_thresholds(relevant[reached], scores[reached])
        if len(scores) and not (len(thresholds) and thresholds[-1] >= 1):
            thresholds = np.append(thresholds, 1.0)  # keeping nothing can be best, too
        return CurveSums.of(
            relevant,
            scores,
            thresholds=thresholds,
            tokens=np.concatenate([case.tokens for case in cases] or [np.zeros(0, dtype=np.int64)]),
            clusters=np.repeat(self.clusters, [len(case.relevant) for case in cases]),
            count=len(self.weights),
        )


def scores_of(case: JudgedTurns) -> Floats:
    """(n,) the case's scores; a policy that ranks gives none only for an empty history."""
    return np.zeros(0) if case.scores is None else case.scores
