"""Fits a policy's threshold on relevance sets, and lays the found rule beside the one in use.

    fitted = fit_threshold([read_relevance_set("mix.train.jsonl")], gate, WantedPrecision(0.9))
    fitted.rule, fitted.threshold.interval

With a rule that has an anchor, what is fitted is the threshold beside it: what decides later decides here.
The threshold's interval comes from fitting it again on resampled conversations; those of precision, recall
and the others are of the found threshold. All are of the cases that it was fitted on: what it does on others
is for `convgate.evaluation.evaluate` to measure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.core.parameters import parameter_names
from convgate.core.text import join_words, pluralize
from convgate.evaluation.bootstrap import LEVEL, Draws
from convgate.evaluation.calibration import Fittable, Goal, best_row, calibrate
from convgate.evaluation.counted_once import counted_once
from convgate.evaluation.curves import CurveSums, ThresholdCurve
from convgate.evaluation.judge import EvaluationProgress, silent
from convgate.evaluation.metrics import SELECTION_METRICS, Bools, case_terms
from convgate.evaluation.pooling import Pool, Pooled, label, scores_of
from convgate.evaluation.results import Measure, PolicyResult, SetResult, summarise
from convgate.gate.thresholds import Absolute, Anchored, Calibrated, Rule
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy
from convgate.transcripts.characters import printable

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet

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
    _check(sets)
    own: Rule | None = getattr(policy, "rule", None)
    fitted = rule or (own if isinstance(own, Anchored) else Calibrated())
    together, overlaps = counted_once(sets)
    labelled = [
        label(one, policy, rule=fitted, token_counter=token_counter, progress=progress)
        for one in together
        if one.cases or len(sets) == 1
    ]
    pooled = Pooled.of(labelled, pool)
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
        result=_side_by_side(pooled, found.threshold, draws),
        notes=notes,
    )


def _check(sets: Sequence[RelevanceSet]) -> None:
    if not sets:
        raise EvaluationError("a threshold is fitted on relevance sets, and none was given")
    names = [one.name for one in sets]
    if twice := [name for name in names if names.count(name) > 1]:
        raise EvaluationError(f"two relevance sets are named {twice[0]!r}; rename one of the files")


def _labels(pooled: Pooled, pool: Pool, scored_by: str) -> str:
    """Which labels, in words, for the reason that the rule gives."""
    cases = pluralize(len(pooled.clusters), "case")
    alike = ", each set weighing alike" if pool == "sets" and len(pooled.sets) > 1 else ""
    names = printable(join_words(one.name for one in pooled.sets))
    return f"{cases} of {names}{alike}" + (f", {scored_by}" if scored_by else "")


def _refitted(
    pooled: Pooled, sums: CurveSums, draws: Draws, goal: Goal
) -> tuple[tuple[float, float] | tuple[()], tuple[str, ...]]:
    """The percentile interval of thresholds fitted on resampled conversations, and what to know of it."""
    if len(pooled.weights) == 1:
        return (), ("One conversation cannot show how much conversations differ: there are no intervals.",)
    pairs = zip(pooled.clusters, pooled.cases, strict=True)
    if len({cluster for cluster, case in pairs if case.relevant.any()}) == 1:
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


def _side_by_side(pooled: Pooled, threshold: float, draws: Draws) -> SetResult:
    """What the found rule and the policy's own keep of the same cases."""
    cases, clusters = pooled.cases, pooled.clusters
    weights = pooled.weights[clusters][:, None, None]
    amounts = [(int(case.relevant.sum()), len(case.relevant)) for case in cases]
    tags = {
        NOTHING: np.array([found == 0 < turns for found, turns in amounts]),
        EVERYTHING: np.array([found == turns > 0 for found, turns in amounts]),
    }
    tags = {tag: has for tag, has in tags.items() if has.any()}

    def measure(name: str, kept: Iterable[Bools]) -> PolicyResult:
        pairs = zip(cases, kept, strict=True)
        terms = weights * np.array([case_terms(one.relevant, own, None, one.tokens) for one, own in pairs])
        by_tag = {tag: summarise(terms[has], clusters[has], draws) for tag, has in tags.items()}
        return PolicyResult(name, summarise(terms, clusters, draws), by_tag, terms)

    found = (Absolute().cut(scores_of(case), learned=threshold).kept for case in cases)
    return SetResult(
        name=" + ".join(one.name for one in pooled.sets),
        case_ids=tuple(id for one in pooled.sets for id in one.ids),
        clusters=clusters,
        tags=tags,
        policies={FOUND: measure(FOUND, found), NOW: measure(NOW, (case.kept for case in cases))},
    )


def _selection(printed: Mapping[str, Any]) -> dict[str, Any]:
    """The metrics of what is kept alone, in the form that `convgate evaluate` prints."""

    def of(summary: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: summary[name] for name in SELECTION_METRICS}
        return values | {"ci": {name: summary["ci"][name] for name in SELECTION_METRICS}}

    tags = {tag: {"cases": summary["cases"], **of(summary)} for tag, summary in printed["by_tag"].items()}
    return of(printed) | {"by_tag": tags}
