"""Tune: data, rule, goal, metrics by threshold, flipped decisions, saving."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.policies.agent_settings import AgentSettings
from convgate.policies.gate import GatePolicy
from convgate.policies.spec import read_policy
from convgate.ui.shared import scoring
from convgate.ui.shared.files import draw_agent, draw_download
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import (
    describe_source,
    draw_sources,
    draw_too_few,
    draw_trained_on,
    read_labelled,
    sources,
    usable,
)
from convgate.ui.shared.navigation import LABEL
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.policy_options import option_labels, version_option
from convgate.ui.shared.text import literal
from convgate.ui.shared.threshold_settings import Extent, RuleControls, ThresholdSettings
from convgate.ui.tune.flips import draw_flips
from convgate.ui.tune.results import TuneResults, compute_results, draw_metrics
from convgate.ui.tune.saving import NewSettings, draw_saving
from convgate.ui.tune.state import TuneState, page
from convgate.ui.tune.threshold import draw_curve, draw_goal
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("tune.css")


def tune(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    options = option_labels(app.settings.home)
    labels = {option: options[option] for option in options if read_policy(option).name == GatePolicy.name}
    known = sources(app)
    state, problems = page.current()
    state, missing = state.drop_unknown_names(version=labels, data=known)
    page.keep(state)
    draw_problems([*problems, *missing])
    available = usable(known)
    names = available[:1] if state.data is None else [name for name in state.data if name in available]
    with st.sidebar:
        _draw_version(app, state, labels)
        draw_sources(page, known, names)
        sliders = st.container()
    policy = scoring.load_gate(app, state.version)
    labelled = [read_labelled(app, name) for name in names]
    results = compute_results(labelled, policy, state) if labelled else None
    own = ThresholdSettings(policy.rule, policy.limits)
    with sliders:
        controls = RuleControls(page, own)
        controls.draw(_extent(results, policy))
        controls.draw_reset()
    if results is None:
        st.info("Label some turns, or choose a relevance set on the left.", icon=":material/label:")
        st.page_link(LABEL, label="Label turns", icon=":material/label:")
    else:
        st.caption(" · ".join(describe_source(known[name]) for name in names))
        for overlap in results.scored.overlaps:
            st.caption(literal(overlap.sentence))
        draw_trained_on(app, [policy.version], names)
        draw_goal(state, results, enough_data=draw_too_few(results.scored.conversations))
        draw_metrics(results)
        draw_curve(results)
        untrained = policy.version == UNTRAINED
        draw_flips(app, state, results, GatePolicy.name if untrained else version_option(policy.version))
    settings = NewSettings(app, policy, state.choice or own, [known[name] for name in names], results)
    draw_saving(settings)
    st.subheader("Use in my agent", anchor=False)
    agent = AgentSettings.of(policy.with_rule(settings.rule, settings.choice.limits), app.settings)
    draw_download(agent, page="tune")
    draw_agent(agent)


def _draw_version(app: App, state: TuneState, labels: dict[str, str]) -> None:
    st.selectbox(
        "Version", list(labels), **page.control("version", state.version, choice=None),
        # The browser sends a label back: one with the active version's name would be stale after a change.
        format_func=lambda name: "The active version" if name == GatePolicy.name else labels[name],
        help="The gate whose threshold is tuned.",
    )  # fmt: skip
    if state.version == GatePolicy.name:
        active = app.settings.version or Versions(app.settings.home).active
        st.caption(f"Active: {literal(active or UNTRAINED)}")


def _extent(results: TuneResults | None, policy: GatePolicy) -> Extent:
    cases = results.scored.cases if results else ()
    turns = max((len(case.scores) for case in cases), default=100)
    tokens = max((int(case.tokens.sum()) for case in cases), default=10_000)
    return Extent(turns, tokens, policy.gate.learned_threshold)
