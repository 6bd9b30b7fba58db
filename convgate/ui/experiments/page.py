"""Experiments: the list and a new one, or the report of one, or its queue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import streamlit as st

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
from convgate.policies.window import LastK
from convgate.store.experiments import Experiments
from convgate.ui.experiments.rating import draw_rating
from convgate.ui.experiments.replay import draw_replay
from convgate.ui.experiments.report import draw_report, result_sentences
from convgate.ui.experiments.state import draw_arms, page
from convgate.ui.shared.actions import draw_problem, draw_result, reporting_problems
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import LABELS, sources
from convgate.ui.shared.navigation import COMPARE, OWN_CHATS
from convgate.ui.shared.text import literal

NAME, CONTROL, ARMS = "experiments.name", "experiments.control", "experiments.arms"
LIMITS, LOOKS, SHARED = "experiments.limits", "experiments.looks", "experiments.shared"
PLANNED = "experiments.planned"
_LIMITS: dict[TokenLimit, str] = {"matched": "As many as the control", "free": "Free"}
_LOOKS = {(1.0,): "at the end", (0.5, 1.0): "at half and the end", (0.25, 0.5, 0.75, 1.0): "at each quarter"}
_PLACES = {"experiments": "Experiments", "replay": "Replay"}
_SOURCES = "A policy, the path of a settings file, or a policy after `alone:`, by its ranking alone."
_STYLE = Path(__file__).with_name("experiments.css")


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    names = Experiments(app.store).names()
    state = page.begin(experiment=names)
    if state.experiment is None:
        page.draw_choice("on", "Show", _PLACES)
    draw_result(page)
    if state.experiment is not None:
        draw = draw_rating if state.rate else draw_report
        draw(app, load_experiment(app.store, state.experiment, app.settings))
    elif state.on == "replay":
        draw_replay(app, state)
    else:
        _draw_list(app, names)
        if not names:
            _draw_start(app)
        with st.expander("New experiment", icon=":material/add:"):
            _draw_new(app)


def _draw_start(app: App) -> None:
    """Draw the button of a first visit: replay the labels, else compare on the library, else the samples."""
    st.markdown("Which policy sends what answers need? Find out on conversations that you have:")
    has_chats = bool(app.conversations.keys())
    replayed = {"on": "replay", "data": LABELS if sources(app)[LABELS].judged else None, "measure": True}
    is_replay = bool(replayed["data"]) or not has_chats
    pressed = st.button(
        "Replay on my chats" if has_chats else "Replay the samples", key="experiments.start", type="primary",
        icon=":material/play_arrow:", on_click=page.change if is_replay else None, kwargs=replayed,
    )  # fmt: skip
    if pressed and not is_replay:
        st.switch_page(COMPARE, query_params=OWN_CHATS)


def _draw_list(app: App, names: Sequence[str]) -> None:
    for name in names:
        experiment = load_experiment(app.store, name, app.settings)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"**{literal(name)}** :small[started {format_age(experiment.started)}]")
                for sentence in result_sentences(report(app.store, experiment)):
                    st.markdown(literal(sentence, limit=300))
            st.button(
                "Open", key=f"experiments.open.{name}", on_click=page.change, kwargs={"experiment": name}
            )


def _draw_new(app: App) -> None:
    """Draw the fields and the button."""
    st.text_input("Name", key=NAME, max_chars=60)
    st.session_state.setdefault(CONTROL, LastK.name)
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
            planned=values[PLANNED] or PowerPlan(BASELINE, TARGET).per_arm,
            looks=values[LOOKS],
            shared_raters=values[SHARED],
        )
        create_experiment(app.store, experiment)
        page.change(experiment=experiment.name)


def _arm_name(text: str) -> str:
    """Return a name for an arm from its text.

    >>> _arm_name("last_k(k=3)"), _arm_name("alone:configs/short.toml")
    ('last_k k 3', 'alone short.toml')
    """
    without_folders = re.sub(r"[^:]*[/\\]", "", text)
    return " ".join(re.findall(r"\w[\w.-]*", without_folders))[:50]
