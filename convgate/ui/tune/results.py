"""What threshold settings do on labelled turns, compared with the version's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.goals import Goal, best_row
from convgate.evaluation.metrics import Bools
from convgate.evaluation.tuning import Figures, ScoredCases, score_cases
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.results_cache import compute_once
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.threshold_settings import ThresholdSettings


@dataclass(frozen=True, eq=False)
class RuleResult:
    """Threshold settings on the labelled turns."""

    choice: ThresholdSettings
    kept: Bools  # (n,) of the judged turns
    figures: Figures


@dataclass(frozen=True, eq=False)
class TuneResults:
    """All that the page shows of labelled data."""

    sets: Sequence[RelevanceSet]
    scored: ScoredCases
    own: RuleResult  # of the version
    new: RuleResult  # as chosen on the page
    goal: Goal
    curve: ThresholdCurve | None  # None for a rule without a threshold
    best: int | None  # row of the curve that serves the goal best; None when none reaches it

    @property
    def suggested(self) -> ThresholdSettings | None:
        """The settings at the best row."""
        return None if self.best is None else self.at(self.best)

    def at(self, row: int) -> ThresholdSettings:
        """The settings with the threshold of that row of the curve."""
        assert self.curve is not None
        rule = self.new.choice.rule.at(float(self.curve.thresholds[row]))
        return ThresholdSettings(rule, self.new.choice.limits)


def compute_results(
    labelled: Sequence[tuple[RelevanceSet, str]],
    policy: GatePolicy,
    choice: ThresholdSettings | None,
    goal: Goal,
) -> TuneResults:
    """Score the sets once, then apply both rules; each set comes with a digest of its content.

    choice: None for the policy's own settings.
    """
    sets = [relevance_set for relevance_set, _ in labelled]
    key = f"{[digest for _, digest in labelled]} {policy.gate.fingerprint} {policy.encoder.identity!r}"
    scored = compute_once(f"scores {key}", lambda progress: score_cases(sets, policy, progress=progress))
    own = ThresholdSettings(policy.rule, policy.limits)
    choice = choice or own
    curve = best = None
    sweep = choice.rule.sweep
    if sweep is not None:
        # A rule's curve is the same wherever its own threshold is.
        curve = _curve(key, repr(choice.rule.at(sweep.low)), scored, choice)
        best = best_row(curve, goal) if curve is not None else None
    own_result = _apply(key, repr(own), scored, own)
    new_result = _apply(key, repr(choice), scored, choice)
    return TuneResults(sets, scored, own_result, new_result, goal, curve, best)


@st.cache_resource(max_entries=32, show_spinner=False)
def _curve(key: str, rule: str, _scored: ScoredCases, _choice: ThresholdSettings) -> ThresholdCurve | None:
    return _scored.curve(_choice.rule)


@st.cache_resource(max_entries=64, show_spinner=False)
def _apply(key: str, choice: str, _scored: ScoredCases, _choice: ThresholdSettings) -> RuleResult:
    kept = _scored.kept(_choice.rule, _choice.limits)
    return RuleResult(_choice, kept, _scored.figures(kept))


def draw_metrics(results: TuneResults) -> None:
    """Draw a table of the version's own settings and the new ones."""
    columns = {"Version": results.own, "New": results.new}
    cells = [_cells(result, results.scored.learned) for result in columns.values()]
    rows = [(name, *(column[name] for column in cells)) for name in cells[0]]
    with st.container(key="tune-metrics"):
        st.markdown(markdown_table(("", *columns), rows, numbers=True))
    if results.scored.conversations < 2:
        st.caption("One conversation gives no intervals.")
    else:
        st.caption("Ranges are 95% intervals over conversations.")


def _cells(result: RuleResult, learned: float) -> dict[str, str]:
    figures = result.figures
    return {
        "Rule": result.choice.describe(learned=learned),
        "All needed sent": interval_cell(figures.answerable),
        "Needed turns missed": interval_cell(figures.missed),
        "Precision": interval_cell(figures.precision),
        "Recall": interval_cell(figures.recall),
        "F1": interval_cell(figures.f1),
        "Turns kept": f"{figures.kept:,} of {figures.turns:,}",
        "Tokens kept": f"{figures.tokens_kept:,} of {figures.tokens:,}",
        "Kept, not relevant": f"{figures.false_keeps:,}",
        "Dropped, relevant": f"{figures.false_drops:,}",
    }
