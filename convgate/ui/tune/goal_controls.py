"""What the threshold is chosen for, where the best one is, and what else there is when none will do."""

from __future__ import annotations

import streamlit as st

from convgate.evaluation.ways import Way
from convgate.ui.choice import Choice
from convgate.ui.tune import state
from convgate.ui.tune.charts import pick
from convgate.ui.tune.goals import GOALS, way_words
from convgate.ui.tune.rules import rule_controls
from convgate.ui.tune.state import View
from convgate.ui.tune.trial import Trial

GOAL = "tune.goal"


def draw_goal(view: View, trial: Trial) -> None:
    """The goal with its slider, and what reaches it."""
    st.markdown("**What the threshold should do**")
    state.put(GOAL, view.goal)
    st.segmented_control(
        "Goal", list(GOALS), key=GOAL, format_func=lambda name: GOALS[name].label, required=True,
        on_change=_chose_goal, label_visibility="collapsed",
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


def _chose_goal() -> None:
    name = st.session_state[GOAL]
    state.change(goal=name, wanted=None)


def _moved_goal(key: str) -> None:
    state.change(wanted=float(st.session_state[key]))
