"""What threshold settings do on labelled turns: today's, and new ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from convgate.core.text import format_share
from convgate.evaluation.answer_curve import AnswerCurve, answer_curve, fit_rule
from convgate.evaluation.metrics import Bools, describe_misses
from convgate.evaluation.tuning import Figures, ScoredCases, score_cases
from convgate.gate.thresholds import MaxMissed
from convgate.policies.gate import GatePolicy
from convgate.training.split import MIN_CONVERSATIONS
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.results_cache import Measured, compute_once
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.threshold_settings import ThresholdSettings


@dataclass(frozen=True, eq=False)
class RuleResult:
    """Threshold settings on the labelled turns."""

    choice: ThresholdSettings
    kept: Bools  # (n,) of the judged turns
    figures: Figures

    @property
    def sentence(self) -> str:
        """How many messages and needed turns are missed, and for how much."""
        figures = self.figures
        share = format_share(figures.kept_token_share)
        if not figures.asked:
            return f"no message here needs a turn; {share} of the tokens are sent"
        return (
            f"{describe_misses(figures.asked - figures.answered, figures.asked)}"
            f" ({format_share(figures.missed.value or 0)} of the needed turns), with {share} of the tokens"
        )


@dataclass(frozen=True, eq=False)
class TuneResults:
    """All that the page shows of labelled data."""

    sets: Sequence[RelevanceSet]
    scored: ScoredCases
    today: RuleResult  # of the version
    new: RuleResult  # as chosen on the page, else as suggested, else today's
    suggested: ThresholdSettings | None  # what keeps the promise on these labels; None without one
    curve: AnswerCurve | None  # None for a rule without a threshold

    def at(self, row: int) -> ThresholdSettings:
        """The new settings with the threshold of that row of the curve."""
        assert self.curve is not None
        rule = self.new.choice.rule.at(float(self.curve.values[row]))
        return ThresholdSettings(rule, self.new.choice.limits)


def compute_results(
    labelled: Sequence[Measured],
    policy: GatePolicy,
    choice: ThresholdSettings | None,
    promise: float,
    *,
    fitted_on: str,
) -> TuneResults:
    """Score the sets once, then apply both rules.

    choice: None for what is suggested. promise: the share of the needed turns that may be lost.
    """
    sets = [each.set for each in labelled]
    key = f"{[each.digest for each in labelled]} {policy.gate.fingerprint} {policy.encoder.identity!r}"
    score = partial(score_cases, sets, policy, sending=labelled[0].sending)  # the same of all
    scored = compute_once(f"scores {key}", lambda progress: score(progress=progress))
    own = ThresholdSettings(policy.rule, policy.limits)
    settings = choice or own
    sweep = settings.rule.sweep
    # A rule's curve is the same wherever its own threshold is.
    curve = _curve(key, repr(settings.rule.at(sweep.low)), scored, settings) if sweep else None
    suggested = None
    # Of fewer, one turn would decide; a promise needs none.
    if scored.conversations >= MIN_CONVERSATIONS or isinstance(settings.rule, MaxMissed):
        rule = fit_rule(scored, settings.rule, promise, fitted_on=fitted_on, curve=curve)
        suggested = ThresholdSettings(rule, settings.limits) if rule else None
    new = choice or suggested or own
    if suggested is not None and suggested.same(own):
        suggested = own
        new = choice or own
    return TuneResults(
        sets,
        scored,
        _apply(key, repr(own), scored, own),
        _apply(key, repr(new), scored, new),
        suggested,
        curve,
    )


@st.cache_resource(max_entries=32, show_spinner=False)
def _curve(key: str, rule: str, _scored: ScoredCases, _choice: ThresholdSettings) -> AnswerCurve | None:
    return answer_curve(_scored, _choice.rule)


@st.cache_resource(max_entries=64, show_spinner=False)
def _apply(key: str, choice: str, _scored: ScoredCases, _choice: ThresholdSettings) -> RuleResult:
    kept = _scored.kept(_choice.rule, _choice.limits)
    return RuleResult(_choice, kept, _scored.figures(kept))


def draw_metrics(results: TuneResults) -> None:
    """Draw a table of today's settings and the new ones."""
    columns = {"Today": results.today, "New": results.new}
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
        "Messages with all they need": interval_cell(figures.answerable),
        "Needed turns missed": interval_cell(figures.missed),
        "Tokens sent": f"{figures.tokens_kept:,} of {figures.tokens:,}",
        "Turns sent": f"{figures.kept:,} of {figures.turns:,}",
        "Precision": interval_cell(figures.precision),
        "Recall": interval_cell(figures.recall),
    }
