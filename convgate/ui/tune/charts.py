"""The goal, and metrics by threshold and precision over recall; a click on either sets the threshold."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.evaluation.sweeps import at_value
from convgate.evaluation.ways import Way
from convgate.figures.curves import CurveMarks, precision_recall_figure, threshold_curve_figure
from convgate.figures.layout import CONFIG
from convgate.policies.base import NO_LIMITS
from convgate.transcripts.characters import writable
from convgate.ui.choice import Choice, RuleControls
from convgate.ui.state import selected_points
from convgate.ui.theme import current_palette
from convgate.ui.tune import state
from convgate.ui.tune.goals import GOALS, way_words
from convgate.ui.tune.state import View
from convgate.ui.tune.trial import Trial, words


def rule_controls(own: Choice) -> RuleControls:
    """The controls of this page; `own` is the version's rule."""
    return RuleControls("tune", own, _tried, _try)


def _tried() -> Choice | None:
    view = state.page.now()
    return view.choice


def _try(choice: Choice | None) -> None:
    state.change(choice=choice)


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


def draw_goal(view: View, trial: Trial) -> None:
    """The goal with its slider, and what reaches it."""
    st.markdown("**What the threshold should do**")
    st.segmented_control(
        "Goal", list(GOALS), format_func=lambda name: GOALS[name].label, required=True,
        label_visibility="collapsed", **state.page.control("goal", view.goal, wanted=None),
    )  # fmt: skip
    kind, key = GOALS[view.goal], f"tune.wanted.{view.goal}"
    state.put(key, view.aim)
    st.slider(
        kind.slider, kind.low, kind.high, step=kind.step, key=key, on_change=_moved_goal, args=(key,),
        help=kind.help,
    )  # fmt: skip
    if trial.found is None:
        st.markdown("This rule has no threshold that could be found.")
    elif trial.found.row is None:
        st.markdown(f":material/block: {trial.found.told}")
        for place, way in enumerate(trial.found.ways):
            _draw_way(trial, way, place)
    else:
        _draw_best(trial, trial.found.told)


def _draw_best(trial: Trial, told: str) -> None:
    at_best = trial.best is not None and trial.best.choice == trial.chosen.choice
    with st.container(horizontal=True, vertical_alignment="center", key="tune-found"):
        st.markdown(f":material/star: {told}", width="stretch")
        st.button(
            "Tried now" if at_best else f"Try this {trial.parameter}", key="tune.take",
            icon=":material/check:" if at_best else ":material/arrow_forward:", type="primary",
            disabled=at_best, on_click=_take, args=(trial,),
        )  # fmt: skip


def _draw_way(trial: Trial, way: Way, place: int) -> None:
    tried = Choice(way.rule, trial.chosen.choice.limits) == trial.chosen.choice
    with st.container(horizontal=True, vertical_alignment="center", key=f"tune-way-{place}"):
        st.markdown(way_words(way), width="stretch")
        st.button(
            "Tried now" if tried else "Try it", key=f"tune.way.{place}", disabled=tried,
            icon=":material/check:" if tried else ":material/arrow_forward:",
            type="primary" if way.reaches else "secondary", on_click=_go, args=(trial, way),
        )  # fmt: skip


def _take(trial: Trial) -> None:
    if trial.found is not None and trial.found.row is not None:
        pick(trial, trial.found.row)


def _go(trial: Trial, way: Way) -> None:
    choice = Choice(way.rule, trial.chosen.choice.limits)
    rule_controls(trial.own.choice).choose(choice)


def _moved_goal(key: str) -> None:
    state.change(wanted=float(st.session_state[key]))
