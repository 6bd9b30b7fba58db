"""Fits the gate's threshold on relevance sets, and compares the fitted rule with the gate's own.

The threshold's interval comes from fitting it again on resampled conversations; the other intervals are of
the fitted threshold, on the cases that it was fitted on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.core.parameters import parameter_values
from convgate.core.text import join_words, pluralize, printable
from convgate.evaluation.bootstrap import LEVEL
from convgate.evaluation.curves import CurveSums, ThresholdCurve
from convgate.evaluation.goals import Goal, best_row, calibrate
from convgate.evaluation.judged_cases import EvaluationProgress, silent
from convgate.evaluation.metrics import ANSWER_METRICS, SELECTION_METRICS, Bools
from convgate.evaluation.results import SetResult, pool_terms
from convgate.evaluation.risk_control import calibrate_promise
from convgate.evaluation.sending import Sending
from convgate.evaluation.tuning import ScoredCases, score_cases
from convgate.gate.promise import level_of, read_levels
from convgate.gate.thresholds import Anchored, Calibrated, Fittable, MaxMissed
from convgate.policies.gate import GatePolicy
from convgate.versions.card import Metric

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet

FOUND, NOW = "found", "now"
NOTHING, EVERYTHING = "nothing relevant", "everything relevant"


@dataclass(frozen=True, eq=False)
class FittedThreshold:
    """The fitted rule, what it does on the labelled cases, and how sure that is."""

    rule: Fittable | MaxMissed
    threshold: Metric  # 0…1; of a promise its level, without an interval
    curve: ThresholdCurve
    row: int  # of the curve, where the fitted threshold stands
    rule_now: str  # the gate's own
    result: SetResult
    """The gate with the fitted rule (FOUND) and with its own (NOW); tagged are the cases with a history in
    which NOTHING or EVERYTHING is relevant. Ranking is not measured: it is the same with both."""
    notes: tuple[str, ...]  # sentences: what to know before relying on it

    @property
    def headline(self) -> str:
        """The fitted threshold, or what is promised, in a sentence."""
        if isinstance(self.rule, MaxMissed):
            return f"Loses at most {self.rule.max_missed:.1%} of the needed turns, by {self.rule.fitted_on}."
        interval = self.threshold.interval
        between = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""
        return f"Threshold {self.rule.threshold:.3f}{between} for {self.rule.goal}, on {self.rule.fitted_on}."

    def to_json(self) -> dict[str, Any]:
        """Return the object that `convgate calibrate --json` prints; null where undefined."""
        found, now = (_selection(self.result.policies[name].to_json()) for name in (FOUND, NOW))
        return {
            "threshold_rule": self.rule.name,
            "threshold_parameters": parameter_values(self.rule),
            "ci": self.threshold.interval,
            "cases": len(self.result.case_ids),
            "conversations": self.result.conversations,
            FOUND: {"rule": self.rule.name, **found},
            NOW: {"rule": self.rule_now, **now},
            "curve": self.curve.to_json(),
            "notes": list(self.notes),
        }


def fit_threshold(
    sets: Sequence[RelevanceSet],
    policy: GatePolicy,
    goal: Goal,
    *,
    scored_by: str = "",
    sending: Sending | None = None,
    progress: EvaluationProgress = silent,
) -> FittedThreshold:
    """Return the threshold on the gate's scores that serves the goal best on these cases.

    The gate's own anchored rule keeps its anchor; any other rule is replaced by `calibrated`. The turns of
    all cases count alike. scored_by: where the scores come from, such as "gate v2", for the rule's reason.
    sending: what is sent beside what a rule keeps; None: nothing.

    Raises EvaluationError without sets or when two share a name, when nothing is relevant, or when no
    threshold reaches the goal; PolicyError when scores are unusable.
    """
    scored, labels = _score(sets, policy, scored_by, sending, progress)
    own = policy.rule
    template = own if isinstance(own, Anchored) else Calibrated()
    sums = scored.curve_sums(template)
    curve = sums.curve()
    rule = calibrate(curve, goal, fitted_on=labels, rule=template)
    assert rule.threshold is not None
    row = int(np.searchsorted(curve.thresholds, rule.threshold))
    interval, notes = _refit(scored, sums, goal)
    notes = (*(overlap.sentence for overlap in scored.overlaps), *notes)
    if not curve.kept_share[row]:
        notes = ("Keeping nothing costs least here.", *notes)
    return FittedThreshold(
        rule=rule,
        threshold=Metric(rule.threshold, *interval),
        curve=curve,
        row=row,
        rule_now=own.name,
        result=_measure(scored, {FOUND: scored.kept(rule), NOW: scored.kept(own)}),
        notes=notes,
    )


def fit_promise(
    sets: Sequence[RelevanceSet],
    policy: GatePolicy,
    max_missed: float,
    *,
    scored_by: str = "",
    sending: Sending | None = None,
    progress: EvaluationProgress = silent,
) -> FittedThreshold:
    """Return the rule that loses at most this share of the needed turns on conversations like these.

    Arguments as in `fit_threshold`.
    Raises EvaluationError without sets or when two share a name, and when the labelled conversations are too
    few for the promise; PolicyError when scores are unusable.
    """
    scored, labels = _score(sets, policy, scored_by, sending, progress)
    rule = calibrate_promise(scored, MaxMissed(max_missed), fitted_on=labels)
    curve = scored.curve(rule)
    assert curve is not None
    return FittedThreshold(
        rule=rule,
        threshold=Metric(level_of(read_levels(rule.levels), max_missed)),
        curve=curve,
        row=min(int(np.searchsorted(curve.thresholds, max_missed)), len(curve) - 1),
        rule_now=policy.rule.name,
        result=_measure(scored, {FOUND: scored.kept(rule), NOW: scored.kept(policy.rule)}),
        notes=tuple(overlap.sentence for overlap in scored.overlaps),
    )


def _score(
    sets: Sequence[RelevanceSet],
    policy: GatePolicy,
    scored_by: str,
    sending: Sending | None,
    progress: EvaluationProgress,
) -> tuple[ScoredCases, str]:
    """Return the scored cases, and in words what they are."""
    if not sets:
        raise EvaluationError("a threshold is fitted on relevance sets, and none was given")
    names = [each.name for each in sets]
    if twice := [name for name in names if names.count(name) > 1]:
        raise EvaluationError(f"two relevance sets are named {twice[0]!r}; rename one of the files")
    scored = score_cases(sets, policy, sending=sending, progress=progress)
    used = dict.fromkeys(case.set for case in scored.cases) or names
    labels = f"{pluralize(len(scored.cases), 'case')} of {printable(join_words(used))}"
    return scored, f"{labels}, {scored_by}" if scored_by else labels


def _refit(
    scored: ScoredCases, sums: CurveSums, goal: Goal
) -> tuple[tuple[float, float] | tuple[()], tuple[str, ...]]:
    """Return the percentile interval of thresholds fitted on resampled conversations, and its notes."""
    if scored.conversations == 1:
        return (), ("One conversation cannot show how much conversations differ: there are no intervals.",)
    if len(np.unique(scored.clusters[scored.case[scored.relevant]])) == 1:
        return (), ("One conversation alone has relevant turns: there is no interval of the threshold.",)
    rows = [best_row(curve, goal) for curve in sums.curves(scored.draws)]
    reached = [row for row in rows if row is not None]
    if not reached:
        return (), (f"No resample reaches {goal.label}: there is no interval of the threshold.",)
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(sums.thresholds[reached], [tail, 1 - tail])
    missed = 1 - len(reached) / len(rows)
    note = (
        f"In {missed:.1%} of the resamples no threshold reaches {goal.label}; the interval is of the others."
    )
    return (float(low), float(high)), (note,) if missed else ()


def _measure(scored: ScoredCases, kept: Mapping[str, Bools]) -> SetResult:
    """Return the selection metrics of what each rule keeps, by the rule's name."""
    turns = np.array([len(case.rows) for case in scored.cases])
    relevant = np.array([case.relevant.sum() for case in scored.cases])
    tags = {NOTHING: (relevant == 0) & (turns > 0), EVERYTHING: (relevant == turns) & (turns > 0)}
    return pool_terms(
        {rule: scored.terms(kept[rule], ranking=False) for rule in kept},
        name=" + ".join(dict.fromkeys(case.set for case in scored.cases)),
        case_ids=(case.case.id for case in scored.cases),
        clusters=scored.clusters,
        draws=scored.draws,
        tags={tag: mask for tag, mask in tags.items() if mask.any()},
    )


def _selection(printed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the metrics of what is kept alone, in the form that `convgate evaluate` prints."""

    def select(summary: Mapping[str, Any]) -> dict[str, Any]:
        names = (*ANSWER_METRICS, *SELECTION_METRICS)
        values = {name: summary[name] for name in names}
        return values | {"ci": {name: summary["ci"][name] for name in names}}

    tags = {tag: {"cases": summary["cases"], **select(summary)} for tag, summary in printed["by_tag"].items()}
    return select(printed) | {"by_tag": tags}
