"""Tune: version and data, the goal, the numbers, the curves, the changed decisions, what to keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from convgate.policies.agent_settings import AgentSettings
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui import scoring
from convgate.ui.agent import draw_agent, draw_download
from convgate.ui.choice import Choice, Extent
from convgate.ui.choosers import chooser_labels, policy_of
from convgate.ui.frame import App
from convgate.ui.label_sources import Source, draw_sources, read_labelled, sources, usable
from convgate.ui.page_state import draw_problems
from convgate.ui.text import literal
from convgate.ui.tune import state
from convgate.ui.tune.apply import RuleChange, chooser_of, draw_apply
from convgate.ui.tune.charts import draw_charts, draw_goal, rule_controls
from convgate.ui.tune.flips import FlipList, draw_flips, listed_labels
from convgate.ui.tune.goals import goal_words
from convgate.ui.tune.state import View
from convgate.ui.tune.trial import Trial, draw_numbers, scored_turns, try_rules
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions


def chosen_of(view: View, known: dict[str, Source]) -> tuple[str, ...]:
    """What the view asks for, else the labels if there are any, else the first set."""
    if view.data is not None:
        return view.data
    return tuple(usable(known)[:1])


def read_data(app: App, names: Sequence[str]) -> tuple[list[RelevanceSet], str]:
    """The data, and a text that stands for their content.

    Raises TranscriptError when a set is not there or cannot be read.
    """
    found = [read_labelled(app, name) for name in names]
    return [one for one, _ in found], "\n".join(told for _, told in found)


LABEL = "pages/2_Label.py"
_STYLE = Path(__file__).with_name("tune.css")


def tune(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    labels = {name: label for name, label in chooser_labels(app.settings.home).items() if _is_gate(name)}
    known = sources(app)
    view, problems = state.current_view()
    view, missing = view.among(version=labels, data=known)
    state.keep(view)
    draw_problems([*problems, *missing])
    with st.sidebar:
        _draw_version(app, view, labels)
        draw_sources(state.page, known, [name for name in chosen_of(view, known) if name in usable(known)])
        rule = st.container()
    policy = scoring.gate_policy(app, view.version)
    own = Choice(policy.rule, policy.limits)
    names = [name for name in chosen_of(view, known) if known[name].judged]
    trial = listed = None
    if names:
        sets, told = read_data(app, names)
        scored = scored_turns(sets, told, policy)
        trial = try_rules(scored, told, policy, view)
        listed = listed_labels(scored, sets, trial.own.kept, trial.chosen.kept)
    with rule:
        controls = rule_controls(own)
        controls.draw(_extent(trial, policy))
        controls.draw_reset()
    used = [known[name] for name in names]
    _draw_labelled(app, view, policy, trial, used)
    _draw_rest(app, view, policy, own, trial, listed, used)


def _draw_labelled(
    app: App, view: View, policy: GatePolicy, trial: Trial | None, used: Sequence[Source]
) -> None:
    if trial is None:
        st.info(
            "No labelled turns are chosen, so it cannot be told what a threshold costs. Label some turns, or"
            " choose a set on the left. Which turns of your library flip can be seen below.",
            icon=":material/label:",
        )
        if (Path(__file__).parents[3] / LABEL).exists():
            st.page_link(LABEL, label="Label turns", icon=":material/label:")
        return
    st.caption(" · ".join(source.told for source in used))
    for overlap in trial.scored.overlaps:
        st.caption(literal(overlap.sentence))
    draw_goal(view, trial)
    draw_numbers(trial)
    draw_charts(trial)


def _draw_rest(
    app: App,
    view: View,
    policy: GatePolicy,
    own: Choice,
    trial: Trial | None,
    listed: FlipList | None,
    used: Sequence[Source],
) -> None:
    choice = view.choice or own
    draw_flips(app, view, policy, own, listed, chooser_of(policy))
    at_best = trial is not None and trial.best is not None and trial.best.choice == choice
    goal = goal_words(view.goal, view.aim) if at_best else ""
    applied = RuleChange(app, policy, choice, goal, used, trial)
    draw_apply(applied)
    st.subheader("Use in my agent", anchor=False)
    agent = AgentSettings.of(policy.with_rule(applied.rule, choice.limits), app.settings)
    draw_download(agent, page="tune")
    draw_agent(agent)


def _draw_version(app: App, view: View, labels: dict[str, str]) -> None:
    used = app.settings.version or Versions(app.settings.home).active
    st.selectbox(
        "Version", list(labels), **state.page.control("version", view.version, choice=None),
        # Not by its name: the browser sends a label back, and would send the old one when another is in use.
        format_func=lambda name: "The version in use" if name == GatePolicy.name else labels[name],
        help="The gate whose threshold is tuned.",
    )  # fmt: skip
    if view.version == GatePolicy.name:
        st.caption(f"In use: {literal(used or UNTRAINED)}")


def _extent(trial: Trial | None, policy: GatePolicy) -> Extent:
    learned = policy.gate.learned_threshold
    if trial is None or not trial.scored.cases:
        return Extent(turns=100, tokens=10_000, learned=learned)
    cases = trial.scored.cases
    turns = max(len(one.scores) for one in cases)
    return Extent(turns=turns, tokens=max(int(one.tokens.sum()) for one in cases), learned=learned)


def _is_gate(chooser: str) -> bool:
    return policy_of(chooser) == GatePolicy.name
