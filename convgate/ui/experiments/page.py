"""Experiments: the list, a new one, a replay, or the report of one, or its queue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.settings import Settings
from convgate.core.text import format_age
from convgate.experiments.arms import (
    Experiment,
    TokenLimit,
    create_experiment,
    load_experiment,
    read_arm,
)
from convgate.experiments.power import BASELINE, TARGET, PowerPlan
from convgate.experiments.report import report
from convgate.policies.gate import GatePolicy
from convgate.policies.window import LastK
from convgate.store.experiments import Experiments
from convgate.ui.experiments.rating import draw_rating
from convgate.ui.experiments.replay import draw_replay
from convgate.ui.experiments.report import draw_example, draw_report, result_sentences
from convgate.ui.experiments.state import arm_label, draw_arms, draw_back, page
from convgate.ui.shared.actions import draw_problem, draw_result, reporting_problems
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import COMPARE
from convgate.ui.shared.text import literal

NAME, CONTROL, ARMS = "experiments.name", "experiments.control", "experiments.arms"
LIMITS, LOOKS, SHARED = "experiments.limits", "experiments.looks", "experiments.shared"
PLANNED = "experiments.planned"
_LIMITS: dict[TokenLimit, str] = {"matched": "As many as the control", "free": "Free"}
_LOOKS = {(1.0,): "at the end", (0.5, 1.0): "at half and the end", (0.25, 0.5, 0.75, 1.0): "at each quarter"}
_SOURCES = "A policy, the path of a settings file, or a policy after `alone:`, by its ranking alone."
_STYLE = Path(__file__).with_name("experiments.css")


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    names = Experiments(app.store).names()
    state = page.begin(experiment=names)
    draw_result(page)
    if state.experiment is not None:
        draw = draw_rating if state.rate else draw_report
        draw(app, load_experiment(app.store, state.experiment, app.settings))
    elif state.on == "replay":
        draw_back()
        draw_replay(app, state)
    elif state.on == "new":
        draw_back()
        _draw_new(app, names)
    else:
        listed = _draw_list(app, names)
        _draw_start()
        if not names:
            draw_example(app.settings)
        for experiment, place in listed:  # last, for computing the results takes a while
            sentences = result_sentences(report(app.store, experiment))
            place.markdown("  \n".join(literal(sentence, limit=300) for sentence in sentences))


def _draw_start() -> None:
    """Draw what an experiment takes, the button of a new one, and what there is to see without a model."""
    st.markdown(
        "**To run one you need** an agent that calls a model, where convgate selects the turns, and about a"
        " thousand rated answers for each of two selections. A new one shows the lines to add to your agent;"
        " you rate the answers it records, here, and the verdict appears once enough are rated."
    )
    st.button(
        "New experiment", key="experiments.new", type="primary", icon=":material/add:", on_click=page.change,
        kwargs={"on": "new"},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("No model at hand?", width="content")
        st.page_link(
            COMPARE, label="See what each policy sends of your chats", icon=":material/compare_arrows:"
        )
        st.button(
            "Replay labelled messages: needed turns sent within equal tokens", key="experiments.start",
            type="tertiary", icon=":material/replay:", on_click=page.change, kwargs={"on": "replay"},
        )  # fmt: skip


def _draw_list(app: App, names: Sequence[str]) -> list[tuple[Experiment, DeltaGenerator]]:
    """Draw the experiments; return each with the place for its results."""
    listed = []
    for name in names:
        experiment = load_experiment(app.store, name, app.settings)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{literal(name)}** :small[started {format_age(experiment.started)}]")
                listed.append((experiment, st.empty()))
            st.button(
                "Open", key=f"experiments.open.{name}", on_click=page.change, kwargs={"experiment": name}
            )
    return listed


def _draw_new(app: App, names: Sequence[str]) -> None:
    """Draw the fields and the button; names: of the experiments that there are."""
    free = next(name for name in map("Experiment {}".format, count(1)) if name not in names)
    for key, value in {NAME: free, CONTROL: LastK.name, ARMS: [GatePolicy.name]}.items():
        st.session_state.setdefault(key, value)
    st.text_input("Name", key=NAME, max_chars=60)
    draw_arms(app, {"key": CONTROL}, {"key": ARMS}, sources=_SOURCES)
    with st.popover("Options", icon=":material/tune:"):
        st.segmented_control(
            "Tokens of the variants", list(_LIMITS), key=LIMITS, selection_mode="multi", default=["matched"],
            format_func=_LIMITS.__getitem__,
            help="Only with as many tokens as the control used can a variant succeed.",
        )  # fmt: skip
        st.number_input(
            "Rated trials of each variant", 1, 10_000_000, None, key=PLANNED, placeholder="Computed",
            help=f"Computed: as many as find a rise from {BASELINE:.0%} to {TARGET:.1%} of completed requests"
            " with probability 0.8. A trial is one request with its answer.",
        )  # fmt: skip
        st.selectbox(
            "Read the verdict", list(_LOOKS), key=LOOKS, format_func=_LOOKS.__getitem__,
            help="An early look can end it sooner. Looks share alpha, so each costs a little power.",
        )  # fmt: skip
        st.toggle(
            "Raters see the answers of every variant", key=SHARED,
            help="Otherwise each rater belongs to one variant. With few raters, turn it on.",
        )  # fmt: skip
    st.button("Create experiment", key="experiments.create", type="primary", on_click=_create, args=(app,))
    draw_problem()


def _create(app: App) -> None:
    """Store the experiment of the fields, and open it."""
    values = st.session_state
    with reporting_problems():
        control = values[CONTROL]
        arms = [read_arm(_arm_name(control, app.settings), control, "free", app.settings)]
        for text in values[ARMS]:
            for limit in values[LIMITS]:
                suffix = f" {limit}" if len(values[LIMITS]) > 1 else ""
                name = _arm_name(text, app.settings) + suffix
                arms.append(read_arm(name, text, limit, app.settings))
        experiment = Experiment(
            name=values[NAME].strip(),
            arms=tuple(arms),
            seed=0,
            started=datetime.now(UTC),
            planned=values[PLANNED] or PowerPlan(BASELINE, TARGET).per_arm,
            looks=values[LOOKS],
            shared_raters=values[SHARED],
        )
        create_experiment(app.store, experiment)
        page.change(experiment=experiment.name, on="experiments")


def _arm_name(text: str, settings: Settings) -> str:
    """Return a name for an arm from its text.

    >>> _arm_name("last_k(k=3)", Settings()), _arm_name("alone:configs/short.toml", Settings())
    ('Last 3 turns', 'alone short.toml')
    """
    without_folders = re.sub(r"[^:]*[/\\]", "", arm_label(text, settings))
    return " ".join(re.findall(r"\w[\w.-]*", without_folders))[:50]
