"""Fits a policy's threshold on relevance sets, and compares the fitted rule with the policy's own.

    fitted = fit_threshold([read_relevance_set("mix.train.jsonl")], gate, WantedPrecision(0.9))
    fitted.rule, fitted.threshold.interval

With a rule that has an anchor, what is fitted is the threshold beside it: what decides later decides here.
The threshold's interval comes from fitting it again on resampled conversations; those of precision, recall
and the others are of the found threshold. All are of the cases that it was fitted on: what it does on others
is for `convgate.evaluation.evaluate` to measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.errors import EvaluationError
from convgate.core.parameters import parameter_names
from convgate.core.text import join_words, pluralize
from convgate.evaluation.bootstrap import LEVEL, Draws, draw
from convgate.evaluation.calibration import Fittable, Goal, best_row, calibrate
from convgate.evaluation.curves import CurveSums, ThresholdCurve, candidate_thresholds
from convgate.evaluation.duplicates import remove_duplicates
from convgate.evaluation.judged_cases import EvaluationProgress, JudgedSet, count_tokens, judge_set, silent
from convgate.evaluation.metrics import SELECTION_METRICS, Terms
from convgate.evaluation.results import Measure, PolicyResult, SetResult, summarise
from convgate.evaluation.sweeps import keeps
from convgate.gate.thresholds import Anchored, Calibrated, Rule
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy
from convgate.transcripts.characters import printable

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet

Pool = Literal["cases", "sets"]
POOLS: tuple[Pool, ...] = ("cases", "sets")
FOUND, NOW = "found", "now"
NOTHING, EVERYTHING = "nothing relevant", "everything relevant"


@dataclass(frozen=True, eq=False)
class FittedThreshold:
    """The rule that was found, what it does on the labelled cases, and how sure that is."""

    rule: Fittable
    threshold: Measure  # 0…1
    curve: ThresholdCurve
    row: int  # of the curve, where the found threshold stands
    pool: Pool
    rule_now: str  # the policy's own
    result: SetResult
    """The policy with the found rule (FOUND) and with its own (NOW); tagged are the cases with a history in
    which NOTHING or EVERYTHING is relevant. Ranking is not measured here: it is the same with both."""
    notes: tuple[str, ...]  # sentences: what to know before relying on it

    def to_json(self) -> dict[str, Any]:
        """The object that `convgate calibrate --json` prints; null where undefined."""
        found, now = (_selection(self.result.policies[name].to_json()) for name in (FOUND, NOW))
        return {
            **settings_of(self.rule),
            "ci": self.threshold.interval,
            "cases": len(self.result.case_ids),
            "conversations": self.result.conversations,
            "pool": self.pool,
            FOUND: {"rule": self.rule.name, **found},
            NOW: {"rule": self.rule_now, **now},
            "curve": self.curve.to_json(),
            "notes": list(self.notes),
        }


def settings_of(rule: Fittable) -> dict[str, Any]:
    """The settings with which the gate decides by the rule."""
    parameters = {name: getattr(rule, name) for name in parameter_names(type(rule))}
    return {"threshold_rule": rule.name, "threshold_parameters": parameters}


def fit_threshold(
    sets: Sequence[RelevanceSet],
    policy: Policy,
    goal: Goal,
    *,
    rule: Fittable | None = None,
    pool: Pool = "cases",
    scored_by: str = "",
    token_counter: TokenCounter | None = None,
    progress: EvaluationProgress = silent,
    seed: int = 0,
) -> FittedThreshold:
    """The threshold on the policy's scores, which are 0…1, that serves the goal best on these cases.

    rule: whose threshold is fitted; `calibrated` unless another is given, or the policy's own has an anchor.
    pool: with "cases" the turns of all cases count alike, so that a large set weighs more; with "sets" the
    turns of each set count alike in sum. scored_by: where the scores come from, such as "gate v2", for the
    rule to tell. seed: of the bootstrap.

    Raises EvaluationError without sets or when two share a name, when the policy gives no scores, when
    nothing is relevant, or when no threshold reaches the goal; PolicyError when scores are not 0…1.
    """
    _check(sets, policy)
    own: Rule | None = getattr(policy, "rule", None)
    fitted = rule or (own if isinstance(own, Anchored) else Calibrated())
    unique_sets, overlaps = remove_duplicates(sets)
    labelled = []
    for one in unique_sets:
        if one.cases or len(sets) == 1:
            tokens = count_tokens(one, token_counter, progress=progress)
            labelled.append(judge_set(one, policy, tokens=tokens, rule=fitted, progress=progress))
    pooled = PooledSets.of(labelled, pool)
    sums = pooled.sums()
    curve = sums.curve(pooled.weights)
    found = calibrate(curve, goal, fitted_on=_labels(pooled, pool, scored_by), rule=fitted)
    assert found.threshold is not None
    row = int(np.searchsorted(curve.thresholds, found.threshold))

    draws = pooled.draws(seed)
    interval, notes = _refitted(pooled, sums, draws, goal)
    notes = (*(overlap.sentence for overlap in overlaps), *notes)
    if not curve.kept_share[row]:
        notes = ("Keeping nothing costs least here.", *notes)
    return FittedThreshold(
        rule=found,
        threshold=Measure(found.threshold, *interval),
        curve=curve,
        row=row,
        pool=pool,
        rule_now=next((one.rule for one in labelled if one.rule), ""),
        result=_compare_rules(pooled, found.threshold, draws),
        notes=notes,
    )


@dataclass(frozen=True, eq=False)
class PooledSets:
    """The cases of several sets, one after the other; conversations are numbered over all of them."""

    sets: tuple[JudgedSet, ...]  # at least one, each with how far the fitted rule reaches as scores
    weights: Terms  # (conversations,) of each turn of a conversation; 1 on average over all turns

    @classmethod
    def of(cls, sets: Sequence[JudgedSet], pool: Pool) -> PooledSets:
        """Pool sets with their turns weighted alike ("cases"), or so that each set weighs alike ("sets")."""
        turns = np.array([max(len(one.relevant), 1) for one in sets])
        by_set: Terms = turns.mean() / turns if pool == "sets" else np.ones(len(sets))
        return cls(tuple(sets), np.repeat(by_set, [one.conversations for one in sets]))

    @property
    def clusters(self) -> NDArray[np.int64]:
        """(cases,) number of each case's conversation, from 0 over all sets."""
        starts = np.cumsum([0, *(one.conversations for one in self.sets[:-1])])
        return np.concatenate([one.clusters + start for one, start in zip(self.sets, starts, strict=True)])

    @property
    def amounts(self) -> NDArray[np.int64]:
        """(cases, 2) relevant turns and turns of each case."""
        counts = [
            [np.bincount(one.case, weights, len(one.cases)) for weights in (one.relevant, None)]
            for one in self.sets
        ]
        return np.hstack(counts).T.astype(np.int64)

    def draws(self, seed: int) -> Draws:
        """(resamples, conversations) how often each is drawn; every set keeps its number of conversations."""
        return np.hstack([draw(one.conversations, seed=seed + place) for place, one in enumerate(self.sets)])

    def sums(self) -> CurveSums:
        """Return what each conversation adds to the curve; thresholds up to 1, which keeps nothing."""
        relevant = np.concatenate([one.relevant for one in self.sets])
        scores = np.concatenate([_scores(one) for one in self.sets])
        is_finite = np.isfinite(scores)  # what no threshold keeps has no place for one
        thresholds = candidate_thresholds(relevant[is_finite], scores[is_finite])
        if len(scores) and not (len(thresholds) and thresholds[-1] >= 1):
            thresholds = np.append(thresholds, 1.0)  # keeping nothing can be best, too
        return CurveSums.of(
            relevant,
            scores,
            thresholds=thresholds,
            tokens=np.concatenate([one.tokens for one in self.sets]),
            clusters=np.repeat(self.clusters, self.amounts[:, 1]),
            count=len(self.weights),
        )


def _scores(judged: JudgedSet) -> Floats:
    assert judged.scores is not None  # `_check` refuses policies that do not rank
    return judged.scores


def _check(sets: Sequence[RelevanceSet], policy: Policy) -> None:
    if not sets:
        raise EvaluationError("a threshold is fitted on relevance sets, and none was given")
    names = [one.name for one in sets]
    if twice := [name for name in names if names.count(name) > 1]:
        raise EvaluationError(f"two relevance sets are named {twice[0]!r}; rename one of the files")
    if not policy.ranks:
        raise EvaluationError(f"{policy.name} does not score turns, so it has no threshold to fit")


def _labels(pooled: PooledSets, pool: Pool, scored_by: str) -> str:
    """Which labels, in words, for the reason that the rule gives."""
    cases = pluralize(len(pooled.clusters), "case")
    alike = ", each set weighing alike" if pool == "sets" and len(pooled.sets) > 1 else ""
    names = printable(join_words(one.name for one in pooled.sets))
    return f"{cases} of {names}{alike}" + (f", {scored_by}" if scored_by else "")


def _refitted(
    pooled: PooledSets, sums: CurveSums, draws: Draws, goal: Goal
) -> tuple[tuple[float, float] | tuple[()], tuple[str, ...]]:
    """The percentile interval of thresholds fitted on resampled conversations, and what to know of it."""
    if len(pooled.weights) == 1:
        return (), ("One conversation cannot show how much conversations differ: there are no intervals.",)
    if len(np.unique(pooled.clusters[pooled.amounts[:, 0] > 0])) == 1:
        return (), ("One conversation alone has relevant turns: there is no interval of the threshold.",)
    rows = [best_row(curve, goal) for curve in sums.curves(draws * pooled.weights)]
    reached = [row for row in rows if row is not None]
    if not reached:
        return (), (f"No resample reaches {goal.label}: there is no interval of the threshold.",)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(sums.thresholds[reached], [tail, 1 - tail])
    missed = 1 - len(reached) / len(rows)
    told = (
        f"In {missed:.1%} of the resamples no threshold reaches {goal.label}; the interval is of the others."
    )
    return (float(low), float(high)), (told,) if missed else ()


def _compare_rules(pooled: PooledSets, threshold: float, draws: Draws) -> SetResult:
    """Return what the fitted rule and the policy's own keep of the same cases."""
    clusters = pooled.clusters
    weights = pooled.weights[clusters][:, None, None]
    relevant, turns = pooled.amounts.T
    tags = {NOTHING: (relevant == 0) & (turns > 0), EVERYTHING: (relevant == turns) & (turns > 0)}
    tags = {tag: has for tag, has in tags.items() if has.any()}
    kept = {
        FOUND: [keeps(_scores(one), threshold) for one in pooled.sets],
        NOW: [one.kept for one in pooled.sets],
    }

    def measure(name: str) -> PolicyResult:
        pairs = zip(pooled.sets, kept[name], strict=True)
        terms = weights * np.concatenate([one.selection_terms(own) for one, own in pairs])
        by_tag = {tag: summarise(terms[has], clusters[has], draws) for tag, has in tags.items()}
        return PolicyResult(name, summarise(terms, clusters, draws), by_tag, terms)

    return SetResult(
        name=" + ".join(one.name for one in pooled.sets),
        case_ids=tuple(case.id for one in pooled.sets for case in one.cases),
        clusters=clusters,
        tags=tags,
        policies={name: measure(name) for name in kept},
    )


def _selection(printed: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics of what is kept alone, in the form that `convgate evaluate` prints."""

    def of(summary: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: summary[name] for name in SELECTION_METRICS}
        return values | {"ci": {name: summary["ci"][name] for name in SELECTION_METRICS}}

    tags = {tag: {"cases": summary["cases"], **of(summary)} for tag, summary in printed["by_tag"].items()}
    return of(printed) | {"by_tag": tags}
