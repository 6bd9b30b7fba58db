"""Experiments: the list and a new one, or the report of one, or its queue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.text import format_age, format_number, join_words
from convgate.experiments.arms import (
    ALPHA,
    HYPOTHESES,
    Experiment,
    Limit,
    create_experiment,
    load_experiment,
    read_arm,
)
from convgate.experiments.example import EXAMPLE, add_example
from convgate.experiments.power import BASELINE, TARGET, PowerPlan
from convgate.policies.registry import policy_names
from convgate.store.experiments import Experiments
from convgate.ui.actions import ActionResult, draw_result, run_action
from convgate.ui.experiments.rating import draw_rating
from convgate.ui.experiments.report import draw_report
from convgate.ui.experiments.state import page
from convgate.ui.frame import App
from convgate.ui.page_state import draw_problems
from convgate.ui.text import literal

NAME, CONTROL, ARMS = "experiments.name", "experiments.control", "experiments.arms"
LIMITS, LOOKS, SHARED = "experiments.limits", "experiments.looks", "experiments.shared"
PLANNED = "experiments.planned"
_LIMITS: dict[Limit, str] = {"matched": "As many as the control", "free": "Free"}
_LOOKS = {(1.0,): "at the end", (0.5, 1.0): "at half and the end", (0.25, 0.5, 0.75, 1.0): "at each quarter"}
_SOURCES = "A policy, the path of a settings file, or one of them after `context:`."
_STYLE = Path(__file__).with_name("experiments.css")


def experiments(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = page.current()
    names = Experiments(app.store).names()
    view, missing = view.drop_unknown_names(experiment=names)
    page.keep(view)
    draw_problems([*problems, *missing])
    draw_result(page)
    if view.experiment is None:
        _draw_list(app, names)
        with st.expander("New experiment", icon=":material/add:", expanded=not names):
            _draw_new(app)
    elif view.rate:
        draw_rating(app, load_experiment(app.store, view.experiment, app.settings))
    else:
        draw_report(app, load_experiment(app.store, view.experiment, app.settings))


def _draw_list(app: App, names: Sequence[str]) -> None:
    for name in names:
        experiment = load_experiment(app.store, name, app.settings)
        arms = join_words(arm.name for arm in experiment.arms)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{literal(name)}** · {literal(arms, limit=120)}")
                st.caption(
                    f"{experiment.planned:,} rated trials of each arm planned · started"
                    f" {format_age(experiment.started)}"
                )
            st.button(
                "Open", key=f"experiments.open.{name}", on_click=page.change, kwargs={"experiment": name}
            )
    if EXAMPLE not in names:
        if not names:
            st.info("No experiments yet. Create one, or add an example.", icon=":material/experiment:")
        st.button(
            "Add an example", key="experiments.example", icon=":material/science:", on_click=run_action,
            args=(page, partial(_add_example, app)), help="A simulated experiment of the size that the power"
            " calculation asks for, and answers to rate.",
        )  # fmt: skip


def _add_example(app: App) -> ActionResult:
    page.change(experiment=add_example(app.store).name)
    return ActionResult("Added. Its trials and ratings are simulated.")


def _draw_new(app: App) -> None:
    """Draw the fields, the size, and the button."""
    options = ["none", "last_k(k=1)", "last_k(k=3)", "context", *policy_names()]
    left, right = st.columns(2, gap="large")
    with left:
        st.text_input("Name", key=NAME, max_chars=60)
        st.selectbox(
            "Control", options, options.index("everything"), key=CONTROL, accept_new_options=True,
            help=_SOURCES,
        )  # fmt: skip
        st.multiselect(
            "Arms to compare with it", options, key=ARMS, accept_new_options=True, help=_SOURCES,
            placeholder="Choose or type",
        )  # fmt: skip
        st.segmented_control(
            "Tokens of these arms", list(_LIMITS), key=LIMITS, selection_mode="multi", default=["matched"],
            format_func=_LIMITS.__getitem__,
            help="Only with as many tokens as the control used can an arm succeed.",
        )  # fmt: skip
    with right:
        planned = _draw_size()
        st.selectbox("Compare", list(_LOOKS), key=LOOKS, format_func=_LOOKS.__getitem__)
        st.toggle(
            "Raters see the answers of every arm", key=SHARED,
            help="Otherwise each rater belongs to one arm. With few raters, turn it on.",
        )  # fmt: skip
    st.button(
        "Create experiment", key="experiments.create", type="primary", on_click=run_action,
        args=(page, partial(_create, app, planned)),
    )  # fmt: skip


def _draw_size() -> int:
    """Draw the rates to tell apart and the trials that this needs; return the trials of each arm.

    Raises ExperimentError for equal rates.
    """
    with st.container(horizontal=True):
        rates = [
            st.number_input(label, 1.0, 99.0, 100 * rate, 0.5, "%.1f", key=f"experiments.{label}", width=170)
            for label, rate in (("Completed by control, %", BASELINE), ("Completed by arm, %", TARGET))
        ]
    plan = PowerPlan(rates[0] / 100, rates[1] / 100, alpha=ALPHA)
    shared = replace(plan, alpha=ALPHA / len(HYPOTHESES)).per_arm
    planned = st.number_input(
        "Rated trials of each arm", 1, 10_000_000, None, key=PLANNED, placeholder=f"{plan.per_arm:,}"
    )
    power = format_number(plan.power_at(planned or plan.per_arm))
    st.caption(
        f"Power {format_number(plan.power)} needs {plan.per_arm:,}, or {shared:,} where completion and errors"
        f" share alpha. Power of this size: {power}."
    )
    return planned or plan.per_arm


def _create(app: App, planned: int) -> ActionResult:
    values = st.session_state
    arms = [read_arm(_arm_name(values[CONTROL]), values[CONTROL], "free", app.settings)]
    for text in values[ARMS]:
        for limit in values[LIMITS]:
            suffix = f" {limit}" if len(values[LIMITS]) > 1 else ""
            arms.append(read_arm(_arm_name(text) + suffix, text, limit, app.settings))
    experiment = Experiment(
        name=values[NAME].strip(),
        arms=tuple(arms),
        seed=0,
        started=datetime.now(UTC),
        planned=planned,
        looks=values[LOOKS],
        shared_raters=values[SHARED],
    )
    create_experiment(app.store, experiment)
    page.change(experiment=experiment.name)
    return ActionResult(f"Created **{literal(experiment.name)}**.")


def _arm_name(text: str) -> str:
    """Return a name for an arm from its text.

    >>> _arm_name("last_k(k=3)"), _arm_name("context:configs/short.toml")
    ('last_k k 3', 'context short.toml')
    """
    without_folders = re.sub(r"[^:]*[/\\]", "", text)
    return " ".join(re.findall(r"\w[\w.-]*", without_folders))[:50]
