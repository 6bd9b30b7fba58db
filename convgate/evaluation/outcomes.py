"""Two ways of choosing turns on the cases of one set, turn by turn: what the second mends, what it spoils.

>>> relevant = np.array([True, True, False, False])
>>> a, b = np.array([False, True, True, False]), np.array([True, False, True, False])
>>> [OUTCOMES[code] for code in outcome_codes(relevant, a, b)]
['fixed', 'broken', 'both wrong', 'both right']
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.evaluation.bootstrap import draw
from convgate.evaluation.comparison import Comparison, compare
from convgate.evaluation.judge import EvaluationProgress, TokenCounts, cases_in_order, judge, silent
from convgate.evaluation.metrics import METRICS, Bools, Terms
from convgate.evaluation.results import PolicyResult, SetResult, Summary, summarise
from convgate.policies.base import Policy

if TYPE_CHECKING:
    from convgate.transcripts import Case, RelevanceSet

OUTCOMES = ("fixed", "broken", "both wrong", "both right")
FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = range(len(OUTCOMES))


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """What one policy decided about every judged turn of a set; row i of each column is about one turn."""

    name: str  # of the set
    cases: tuple[Case, ...]  # in the order of `cases_in_order`
    case: NDArray[np.int64]  # (n,) row of the turn's case in `cases`
    turns: NDArray[np.int64]  # (n,) index of the turn in its conversation
    relevant: Bools  # (n,)
    kept: Bools  # (n,)
    scores: Floats | None  # (n,); None from a policy that does not rank
    terms: Terms  # (cases, 2, len(METRICS)), what each case adds to each metric


@dataclass(frozen=True, eq=False)
class Sides:
    """Two policies on the same set, a and b."""

    a: JudgedSet
    b: JudgedSet
    summary_a: Summary
    summary_b: Summary
    comparison: Comparison  # b less a
    codes: NDArray[np.int8]  # (n,) the place in OUTCOMES of each judged turn

    @property
    def counts(self) -> dict[str, int]:
        """How many turns came out in each way, by the names in OUTCOMES."""
        found = np.bincount(self.codes, minlength=len(OUTCOMES))
        return dict(zip(OUTCOMES, found.tolist(), strict=True))

    def rows(self, outcome: str | None) -> NDArray[np.int64]:
        """The rows of the turns that came out so; without an outcome all, those that differ first."""
        if outcome is None:
            return np.argsort(self.codes, kind="stable").astype(np.int64)
        return np.flatnonzero(self.codes == OUTCOMES.index(outcome)).astype(np.int64)


def judge_set(
    relevance_set: RelevanceSet,
    policy: Policy,
    *,
    tokens: Mapping[str, TokenCounts],
    progress: EvaluationProgress = silent,
) -> JudgedSet:
    """The policy on every case; arguments and errors as in `judge`."""
    judged = list(judge(relevance_set, policy, tokens=tokens, progress=progress))
    turns = [one.turns for one in judged]
    ranks = policy.ranks and all(one.scores is not None for one in turns if len(one.relevant))
    scores = [one.scores for one in turns if one.scores is not None]
    return JudgedSet(
        name=relevance_set.name,
        cases=tuple(cases_in_order(relevance_set)),
        case=np.repeat(np.arange(len(turns)), [len(one.relevant) for one in turns]),
        turns=np.concatenate([one.indices for one in judged] or [np.zeros(0, dtype=np.int64)]),
        relevant=np.concatenate([one.relevant for one in turns] or [np.zeros(0, dtype=np.bool_)]),
        kept=np.concatenate([one.kept for one in turns] or [np.zeros(0, dtype=np.bool_)]),
        scores=np.concatenate(scores or [np.zeros(0)]) if ranks else None,
        terms=np.array([one.terms for one in turns]).reshape(-1, 2, len(METRICS)),
    )


def side_by_side(a: JudgedSet, b: JudgedSet, *, seed: int = 0) -> Sides:
    """Two policies that were judged on the same set: metrics, the paired difference, every turn's outcome."""
    _, clusters = np.unique([case.conversation for case in a.cases], return_inverse=True)
    draws = draw(int(clusters.max(initial=-1)) + 1, seed=seed)

    def result(name: str, judged: JudgedSet) -> PolicyResult:
        return PolicyResult(name, summarise(judged.terms, clusters, draws), {}, judged.terms)

    policies = {"a": result("a", a), "b": result("b", b)}
    found = SetResult(a.name, tuple(case.id for case in a.cases), clusters, {}, policies)
    return Sides(
        a=a,
        b=b,
        summary_a=policies["a"].overall,
        summary_b=policies["b"].overall,
        comparison=compare(found, baseline="a", policy="b", seed=seed),
        codes=outcome_codes(a.relevant, a.kept, b.kept),
    )


def outcome_codes(relevant: Bools, a: Bools, b: Bools) -> NDArray[np.int8]:
    """(n,) the place in OUTCOMES of each turn: whether it is relevant, and whether a and b keep it."""
    right_a, right_b = a == relevant, b == relevant
    codes = np.full(len(relevant), BOTH_WRONG, dtype=np.int8)
    codes[right_a & right_b] = BOTH_RIGHT
    codes[~right_a & right_b] = FIXED
    codes[right_a & ~right_b] = BROKEN
    return codes
