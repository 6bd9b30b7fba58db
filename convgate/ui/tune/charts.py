"""Metrics by threshold and precision over recall; a click on either sets the threshold."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.evaluation.sweeps import at_value
from convgate.figures.curves import CurveMarks, precision_recall_figure, threshold_curve_figure
from convgate.figures.layout import CONFIG
from convgate.policies.scored import NO_LIMITS
from convgate.transcripts.characters import writable
from convgate.ui.choice import Choice
from convgate.ui.state import selected_points
from convgate.ui.theme import current_palette
from convgate.ui.tune import state
from convgate.ui.tune.numbers import words
from convgate.ui.tune.rules import rule_controls
from convgate.ui.tune.trial import Trial

CURVE, TRADEOFF = "tune.curve", "tune.tradeoff"


def draw_charts(trial: Trial) -> None:
    """Both, side by side; for a rule without a threshold, why there are none."""
    curve = trial.curve
    if curve is None or not len(curve):
        st.caption(
            "This rule fills a number of turns or tokens and has no threshold, so there are no curves and"
            " nothing to find: move its sliders, or choose another rule."
        )
        return
    own, best = trial.own.figures, trial.found.row if trial.found else None
    others = {}
    if own.recall.value is not None and own.precision.value is not None:
        others["the version's own rule"] = (own.recall.value, own.precision.value)
    marks = CurveMarks(
        current=trial.value, current_name="tried", beta=trial.beta, best=best, parameter=trial.parameter,
        picks=True,
    )  # fmt: skip
    left, right = st.columns([1.25, 1], gap="medium")
    with left:
        st.plotly_chart(
            threshold_curve_figure(curve, marks, palette=current_palette()), theme=None, config=CONFIG,
            key=CURVE, on_select=partial(_clicked, CURVE, trial),
            selection_mode="points", alt=_told(trial),
        )  # fmt: skip
    with right:
        st.plotly_chart(
            precision_recall_figure(curve, marks, palette=current_palette(), others=others), theme=None,
            config=CONFIG, key=TRADEOFF, on_select=partial(_clicked, TRADEOFF, trial),
            selection_mode="points", alt=_told(trial),
        )  # fmt: skip
    limits = (
        " Limits on the number of turns are left aside here."
        if trial.chosen.choice.limits != NO_LIMITS
        else ""
    )
    st.caption(f"Click on a line to try that {trial.parameter}. The star is the best for the goal.{limits}")


def _told(trial: Trial) -> str:
    found = trial.found.told if trial.found else ""
    return writable(
        f"Precision, recall and what is kept by {trial.parameter}. {words(trial).replace('**', '')} {found}"
    )


def _clicked(key: str, trial: Trial) -> None:
    # Copied at once: the chart forgets its selection whenever it is drawn anew.
    points = selected_points(key)
    state.touched()
    if points and trial.curve is not None:
        point = points[-1]
        pick(trial, int(point[0] if isinstance(point, list) else point))


def pick(trial: Trial, row: int) -> None:
    """Try the rule at that row of the curve; for callbacks."""
    assert trial.curve is not None
    if 0 <= row < len(trial.curve):
        choice = trial.chosen.choice
        rule = at_value(choice.rule, float(trial.curve.thresholds[row]))
        rule_controls(trial.own.choice).choose(Choice(rule, choice.limits))
