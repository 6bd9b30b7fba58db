"""Labelled turns that a gate scored once, to try any rule on them at once.

scored = score_cases(sets, gate)
kept = scored.kept(Anchored(threshold=0.3))
scored.figures(kept).recall.interval
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.evaluation.bootstrap import Draws, draw, interval
from convgate.evaluation.curves import CurveSums, ThresholdCurve, candidate_thresholds
from convgate.evaluation.duplicates import Overlap, conversation_names, remove_duplicates
from convgate.evaluation.judged_cases import EvaluationProgress, count_tokens, join_columns, judge, silent
from convgate.evaluation.metrics import METRICS, Bools, Terms, case_terms, ratios
from convgate.evaluation.results import Measure, Summary, summarise
from convgate.evaluation.sweeps import History, keeps, reach_of_many, sweep_of, value_of
from convgate.gate.thresholds import Limits, Rule, TokenBudget, TopK
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy

if TYPE_CHECKING:
    from convgate.transcripts import Case, RelevanceSet

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class ScoredCase:
    """One case: scores of its whole history, and which of its turns are judged."""

    set: str
    case: Case
    start: int  # index in the conversation of the first turn of the history
    scores: Floats  # (n,), 0…1
    tokens: Integers  # (n,)
    rows: Integers  # (m,) of the turns that are judged
    relevant: Bools  # (m,)


@dataclass(frozen=True)
class Figures:
    """What a rule does on the labelled turns; shares with their 95% intervals."""

    turns: int  # that are judged, as are the others
    relevant: int
    kept: int
    hits: int  # relevant and kept
    tokens: int
    tokens_kept: int
    precision: Measure
    recall: Measure
    f1: Measure

    @property
    def false_keeps(self) -> int:
        """Turns that are kept and not relevant."""
        return self.kept - self.hits

    @property
    def false_drops(self) -> int:
        """Relevant turns that are dropped."""
        return self.relevant - self.hits


@dataclass(frozen=True, eq=False)
class ScoredCases:
    """The cases of some sets with one gate's scores; row i of each column is about the i-th judged turn."""

    cases: tuple[ScoredCase, ...]
    clusters: Integers  # (cases,) number of each case's conversation, from 0; the same in all sets
    conversations: int
    learned: float  # the gate's own threshold
    overlaps: tuple[Overlap, ...] = ()  # what several sets judge, and counts once

    @cached_property
    def case(self) -> Integers:
        """(n,) the place of each judged turn's case."""
        return np.repeat(np.arange(len(self.cases)), [len(one.rows) for one in self.cases])

    @cached_property
    def turn(self) -> Integers:
        """(n,) each judged turn's index in its conversation."""
        return join_columns([one.rows + one.start for one in self.cases], np.int64)

    @cached_property
    def relevant(self) -> Bools:
        """(n,) whether the turn is relevant."""
        return join_columns([one.relevant for one in self.cases], np.bool_)

    @cached_property
    def scores(self) -> Floats:
        """(n,) the gate's scores."""
        return self._levels[self._judged]

    @cached_property
    def tokens(self) -> Integers:
        """(n,) tokens of each turn."""
        return join_columns([one.tokens[one.rows] for one in self.cases], np.int64)

    def curve(self, rule: Rule) -> ThresholdCurve | None:
        """The metrics wherever the rule's parameter may stand, without limits; None without a sweep."""
        sweep = sweep_of(rule)
        if sweep is None:
            return None
        reached = self._reach(rule)[self._judged]
        inside = (reached >= sweep.low) & (reached <= sweep.high)
        thresholds = candidate_thresholds(self.relevant[inside], reached[inside])
        thresholds = np.unique([*thresholds, sweep.low, sweep.high])
        sums = CurveSums.of(self.relevant, reached, thresholds=thresholds, tokens=self.tokens)
        return sums.curve(np.ones(1))

    def kept(self, rule: Rule, limits: Limits = NO_LIMITS) -> Bools:
        """(n,) what the gate keeps with that rule."""
        if isinstance(rule, TokenBudget):
            return join_columns([self._cut(one, rule, limits) for one in self.cases], np.bool_)
        if isinstance(rule, TopK):
            kept = (self._rank < rule.k) & (self._levels > rule.above)
        else:
            value = value_of(rule, learned=self.learned)
            assert value is not None
            kept = keeps(self._reach(rule), value)
        if limits != NO_LIMITS:
            # All these rules keep a case's best turns, so that limits only change how many.
            counts = np.bincount(self._history, kept, minlength=len(self.cases))
            kept = self._rank < np.clip(counts, limits.min_turns, limits.max_turns)[self._history]
        return kept[self._judged]

    def figures(self, kept: Bools) -> Figures:
        """What keeping those turns does, with intervals over conversations."""
        hits = kept & self.relevant
        columns = (
            (hits, kept),
            (hits, self.relevant),
            (2 * hits, kept.astype(np.int64) + self.relevant),
        )
        sums = np.zeros((self.conversations, 2, len(columns)))
        for place, parts in enumerate(columns):
            for part, amounts in enumerate(parts):
                sums[:, part, place] = np.bincount(self._cluster, amounts, minlength=self.conversations)
        values, bounds = ratios(sums.sum(axis=0)), interval(sums, self._draws)
        shares = [Measure.of(value, *bound) for value, bound in zip(values, bounds, strict=True)]
        return Figures(
            len(kept), int(self.relevant.sum()), int(kept.sum()), int(hits.sum()),
            int(self.tokens.sum()), int(self.tokens[kept].sum()), *shares,
        )  # fmt: skip

    def summaries(self, kept: Bools) -> dict[str, tuple[int, Summary]]:
        """By set: how many conversations it has cases of, and the metrics that `evaluate` gives on it."""
        bounds = np.cumsum([0, *(len(one.rows) for one in self.cases)])
        terms: Terms = np.array(
            [
                case_terms(one.relevant, kept[begin:end], one.scores[one.rows], one.tokens[one.rows])
                for one, begin, end in zip(self.cases, bounds[:-1], bounds[1:], strict=True)
            ]
        ).reshape(-1, 2, len(METRICS))
        found = {}
        for name in dict.fromkeys(one.set for one in self.cases):
            has = np.array([one.set == name for one in self.cases])
            _, clusters = np.unique(self.clusters[has], return_inverse=True)
            count = int(clusters.max()) + 1
            found[name] = (count, summarise(terms[has], clusters, draw(count)))
        return found

    @cached_property
    def _levels(self) -> Floats:
        return join_columns([one.scores for one in self.cases], np.float64)

    @cached_property
    def _history(self) -> Integers:
        """The case of each turn of each history, judged or not."""
        return np.repeat(np.arange(len(self.cases)), [len(one.scores) for one in self.cases])

    @cached_property
    def _judged(self) -> Integers:
        """Where the judged turns stand among those."""
        starts = np.cumsum([0, *(len(one.scores) for one in self.cases)])
        rows = [one.rows + start for one, start in zip(self.cases, starts[:-1], strict=True)]
        return join_columns(rows, np.int64)

    @cached_property
    def _rank(self) -> Integers:
        """The place of each turn in its history, from 0; of equal scores the newer turn comes first."""
        ranks = []
        for one in self.cases:
            rank = np.empty(len(one.scores), dtype=np.int64)
            rank[np.lexsort((-np.arange(len(one.scores)), -one.scores))] = np.arange(len(one.scores))
            ranks.append(rank)
        return join_columns(ranks, np.int64)

    @cached_property
    def _histories(self) -> History:
        numbers = [History.of(one.scores) for one in self.cases]
        counts = [len(one.scores) for one in self.cases]
        highest, mean, spread = (
            np.repeat([float(getattr(one, name)) for one in numbers], counts)
            for name in ("highest", "mean", "spread")
        )
        reached = join_columns([one.strictness for one in numbers], np.float64)
        return History(highest, mean, spread, reached)

    @cached_property
    def _cluster(self) -> Integers:
        return self.clusters[self.case]

    @cached_property
    def _draws(self) -> Draws:
        return draw(self.conversations)

    def _reach(self, rule: Rule) -> Floats:
        """How far the rule's parameter may rise before each turn of each history is dropped."""
        return reach_of_many(rule, self._levels, self._histories, learned=self.learned)

    def _cut(self, one: ScoredCase, rule: Rule, limits: Limits) -> Bools:
        kept = rule.cut(one.scores, learned=self.learned, tokens=one.tokens).kept.copy()
        for row in limits.changes(one.scores, kept):
            kept[row] = not kept[row]
        return kept[one.rows]


def score_cases(
    sets: Sequence[RelevanceSet], policy: GatePolicy, *, progress: EvaluationProgress = silent
) -> ScoredCases:
    """The cases of the sets with the gate's scores; what several sets judge counts once.

    Raises PolicyError for scores that are unusable.
    """
    cases: list[ScoredCase] = []
    sets, overlaps = remove_duplicates(sets)
    for one in sets:
        tokens = count_tokens(one, progress=progress)
        for judged in judge(one, policy, tokens=tokens, progress=progress):
            decisions = judged.decisions
            start = int(decisions.indices[0]) if len(decisions) else 0
            assert decisions.scores is not None
            counts = tokens[judged.case.conversation][start : start + len(decisions)]
            cases.append(
                ScoredCase(
                    one.name,
                    judged.case,
                    start,
                    np.asarray(decisions.scores, dtype=np.float64),
                    counts,
                    judged.indices - start,
                    judged.relevant,
                )
            )
    names = conversation_names(sets)
    talks = [names[one.set, one.case.conversation] for one in cases]
    numbers = {talk: number for number, talk in enumerate(dict.fromkeys(talks))}
    clusters = np.array([numbers[talk] for talk in talks], dtype=np.int64)
    learned = policy.gate.learned_threshold
    return ScoredCases(tuple(cases), clusters, len(numbers), learned, tuple(overlaps))
