"""Labelled turns that a gate scored once, to try any rule on them at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.filling import use_per_token
from convgate.evaluation.bootstrap import Draws, draw
from convgate.evaluation.curves import CurveSums, ThresholdCurve, candidate_thresholds
from convgate.evaluation.duplicates import Overlap, conversation_names, remove_duplicates
from convgate.evaluation.judged_cases import EvaluationProgress, count_tokens, join_columns, judge, silent
from convgate.evaluation.metrics import METRICS, Bools, Terms, case_terms
from convgate.evaluation.results import Summary, summarise
from convgate.evaluation.sending import Sending, SentTurns
from convgate.gate.rule import Rule, TurnLimits
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy
from convgate.versions.card import Metric

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
    needed: Bools  # (m,) without which the answer is wrong
    sent: SentTurns | None = None  # what is sent beside what a rule keeps; None: nothing

    def kept(self, kept: Bools) -> Bools:
        """Return (m,) whether each judged turn is sent where a rule keeps those of (n,)."""
        return (self.sent.of(kept) if self.sent else kept)[self.rows]

    def reach(self, reach: Floats) -> Floats:
        """Return (m,) up to which value of a rule's parameter each judged turn is sent; reach: (n,)."""
        return (self.sent.reach(reach) if self.sent else reach)[self.rows]


@dataclass(frozen=True)
class Figures:
    """What a rule does on the labelled turns; shares with their 95% intervals."""

    turns: int  # that are judged, as are the others
    kept: int
    asked: int  # cases that need a turn
    tokens: int
    tokens_kept: int
    answerable: Metric  # cases whose needed turns are all kept, of those that need one
    missed: Metric  # needed turns that are dropped, the mean over those cases
    precision: Metric
    recall: Metric

    @property
    def answered(self) -> int:
        """Cases whose needed turns are all kept."""
        return round((self.answerable.value or 0.0) * self.asked)

    @property
    def kept_token_share(self) -> float:
        """Tokens kept, of all, 0…1."""
        return self.tokens_kept / max(1, self.tokens)


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
        return np.repeat(np.arange(len(self.cases)), [len(case.rows) for case in self.cases])

    @cached_property
    def turn(self) -> Integers:
        """(n,) each judged turn's index in its conversation."""
        return join_columns([case.rows + case.start for case in self.cases], np.int64)

    @cached_property
    def relevant(self) -> Bools:
        """(n,) whether the turn is relevant."""
        return join_columns([case.relevant for case in self.cases], np.bool_)

    @cached_property
    def scores(self) -> Floats:
        """(n,) the gate's scores."""
        return join_columns([case.scores[case.rows] for case in self.cases], np.float64)

    @cached_property
    def tokens(self) -> Integers:
        """(n,) tokens of each turn."""
        return join_columns([case.tokens[case.rows] for case in self.cases], np.int64)

    def curve(self, rule: Rule) -> ThresholdCurve | None:
        """Return the metrics at each value of the rule's parameter, without limits; None without a sweep."""
        return None if rule.sweep is None else self.curve_sums(rule).curve()

    def curve_sums(self, rule: Rule) -> CurveSums:
        """Return what each conversation adds to the curve of a rule that has a sweep."""
        sweep = rule.sweep
        assert sweep is not None
        reached = join_columns(
            [
                case.reach(rule.reach(case.scores, learned=self.learned, tokens=case.tokens))
                for case in self.cases
            ],
            np.float64,
        )
        inside = (reached >= sweep.low) & (reached <= sweep.high)
        thresholds = candidate_thresholds(self.relevant[inside], reached[inside])
        return CurveSums.of(
            self.relevant,
            reached,
            thresholds=np.unique([*thresholds, sweep.low, sweep.high]),
            tokens=self.tokens,
            clusters=self.clusters[self.case],
            count=self.conversations,
        )

    def kept(self, rule: Rule, limits: TurnLimits = NO_LIMITS) -> Bools:
        """Return (n,) what the gate keeps with that rule, or what is sent with it."""
        return join_columns([case.kept(self._keep(case, rule, limits)) for case in self.cases], np.bool_)

    def figures(self, kept: Bools) -> Figures:
        """Return what keeping those turns does, with intervals over conversations."""
        summary = summarise(self.terms(kept, ranking=False), self.clusters, self.draws)
        return Figures(
            turns=len(kept),
            kept=int(kept.sum()),
            asked=sum(bool(case.needed.any()) for case in self.cases),
            tokens=int(self.tokens.sum()),
            tokens_kept=int(self.tokens[kept].sum()),
            answerable=summary["answerable"],
            missed=summary["missed"],
            precision=summary["precision"],
            recall=summary["recall"],
        )

    def terms(self, kept: Bools, *, ranking: bool) -> Terms:
        """Return (cases, 2, len(METRICS)) what each case adds to each metric; to ranking metrics if asked."""
        terms = [
            case_terms(
                case.relevant,
                of_case,
                case.scores[case.rows] if ranking else None,
                case.tokens[case.rows],
                needed=case.needed,
                values=use_per_token(case.scores, case.tokens)[case.rows] if ranking else None,
            )
            for case, of_case in zip(self.cases, self.split(kept), strict=True)
        ]
        return np.array(terms).reshape(-1, 2, len(METRICS))

    def split(self, column: Bools) -> list[Bools]:
        """Return the part of each case of a column of (n,) judged turns."""
        bounds = np.cumsum([0, *(len(case.rows) for case in self.cases)])
        return [column[start:stop] for start, stop in pairwise(bounds)]

    def summaries(self, kept: Bools) -> dict[str, tuple[int, Summary]]:
        """Return by set how many conversations have cases, and the metrics that `evaluate` gives on it."""
        terms = self.terms(kept, ranking=True)
        summaries = {}
        for name in dict.fromkeys(case.set for case in self.cases):
            mask = np.array([case.set == name for case in self.cases])
            _, clusters = np.unique(self.clusters[mask], return_inverse=True)
            count = int(clusters.max()) + 1
            summaries[name] = (count, summarise(terms[mask], clusters, draw(count)))
        return summaries

    @cached_property
    def draws(self) -> Draws:
        """(resamples, conversations) of the bootstrap."""
        return draw(self.conversations)

    def _keep(self, case: ScoredCase, rule: Rule, limits: TurnLimits) -> Bools:
        """Return (turns of the case's history,) what the rule keeps within the limits."""
        kept = rule.cut(case.scores, learned=self.learned, tokens=case.tokens).kept.copy()
        for row in limits.changes(case.scores, kept):
            kept[row] = not kept[row]
        return kept


def score_cases(
    sets: Sequence[RelevanceSet],
    policy: GatePolicy,
    *,
    sending: Sending | None = None,
    progress: EvaluationProgress = silent,
) -> ScoredCases:
    """Return the cases of the sets with the gate's scores; what several sets judge counts once.

    sending: what is sent beside what a rule keeps; None: nothing.
    Raises PolicyError for scores that are unusable.
    """
    cases: list[ScoredCase] = []
    sets, overlaps = remove_duplicates(sets)
    for relevance_set in sets:
        tokens = count_tokens(relevance_set, progress=progress)
        for judged in judge(relevance_set, policy, tokens=tokens, sending=sending, progress=progress):
            decisions = judged.decisions
            start = int(decisions.indices[0]) if len(decisions) else 0
            assert decisions.scores is not None
            counts = tokens[judged.case.conversation][start : start + len(decisions)]
            cases.append(
                ScoredCase(
                    relevance_set.name,
                    judged.case,
                    start,
                    np.asarray(decisions.scores, dtype=np.float64),
                    counts,
                    judged.indices - start,
                    judged.relevant,
                    judged.needed,
                    judged.sent,
                )
            )
    names = conversation_names(sets)
    conversations = [names[each.set, each.case.conversation] for each in cases]
    numbers = {id: number for number, id in enumerate(dict.fromkeys(conversations))}
    clusters = np.array([numbers[id] for id in conversations], dtype=np.int64)
    learned = policy.gate.learned_threshold
    return ScoredCases(tuple(cases), clusters, len(numbers), learned, tuple(overlaps))
