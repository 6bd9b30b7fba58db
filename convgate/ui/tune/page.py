"""Tune: data, rule, goal, metrics by threshold, flipped decisions, saving."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.core.errors import StoreError
from convgate.core.text import join_words, pluralize, writable
from convgate.evaluation.comparison import BROKEN, FIXED, outcome_codes
from convgate.evaluation.goals import Goal
from convgate.evaluation.risk_control import Losses, calibrate_promise, min_conversations
from convgate.figures.curves import threshold_curve_figure
from convgate.gate.thresholds import Anchored, MaxMissed
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy
from convgate.policies.spec import read_policy
from convgate.store import Conversations, Store
from convgate.store.conversations import title_of
from convgate.store.openings import PrefixIndex
from convgate.ui.shared import scoring
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.codecs import share
from convgate.ui.shared.explore_state import ExploreState
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
from convgate.ui.shared.navigation import EXPLORE, LABEL
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.policy_options import POLICY_OPTION, option_labels, version_option
from convgate.ui.shared.session_state import clicked
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.threshold_settings import THRESHOLD_SETTINGS, Extent, RuleControls, ThresholdSettings
from convgate.ui.tune.results import TuneResults, compute_results, draw_metrics
from convgate.ui.tune.saving import NewSettings, draw_saving
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("tune.css")
_GOALS = {"f1": "Best F1", "recall": "Min recall"}
_CHART = "tune.curve"
PER_PAGE = 10


@dataclass(frozen=True)
class TuneState(StandaloneState):
    """The gate, the labelled data, the goal, the threshold settings, and which flips are listed.

    ?version=gate@mine&data=@labels,talks&goal=recall&recall=0.9&rule=anchored,threshold=0.31
    """

    version: str = param(GatePolicy.name, POLICY_OPTION)  # a policy option that is a gate
    data: tuple[str, ...] | None = None  # None: what there is
    goal: Literal["f1", "recall"] = "f1"
    recall: float = param(0.9, share(0.05, 1.0))  # the min recall, of the goal "recall"
    choice: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS, name="rule")  # noqa: RUF009  # None: the version's own
    only: Literal["all", "fixed", "broken"] = "all"
    page: int = 1


page = Address("tune", TuneState)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    options = option_labels(app.settings.home)
    labels = {option: options[option] for option in options if read_policy(option).name == GatePolicy.name}
    known = sources(app)
    state = page.begin(version=labels, data=known)
    available = usable(known)
    names = available[:1] if state.data is None else [name for name in state.data if name in available]
    with st.sidebar:
        _draw_version(app, state, labels)
        draw_sources(page, known, names)
        sliders = st.container()
    policy = scoring.load_gate(app, state.version)
    labelled = [read_labelled(app, name) for name in names]
    goal: Goal = Goal.min_recall(state.recall) if state.goal == "recall" else Goal.best_f_beta()
    results = compute_results(labelled, policy, state.choice, goal) if labelled else None
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
    settings = NewSettings(app, page, policy, state.choice or own, [known[name] for name in names], results)
    draw_saving(settings)
    st.subheader("Use in my agent", anchor=False)
    agent = AgentSettings.of(policy.with_rule(settings.rule, settings.choice.limits), app.settings)
    draw_download(agent, page="tune")
    draw_agent(agent)


def _draw_version(app: App, state: TuneState, labels: dict[str, str]) -> None:
    st.selectbox(
        "Version", list(labels), **page.control("version", choice=None),
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


def draw_goal(state: TuneState, results: TuneResults, *, enough_data: bool) -> None:
    """Draw the goal, and the threshold that serves it best with a button."""
    if isinstance(rule := results.new.choice.rule, MaxMissed):
        _draw_promise(rule, results)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Goal", list(_GOALS), format_func=_GOALS.__getitem__, required=True,
            **page.control("goal"),
        )  # fmt: skip
        if state.goal == "recall":
            st.slider(
                "Keep at least this share of the relevant turns", 0.05, 1.0, step=0.01, width=360,
                **page.control("recall"),
            )  # fmt: skip
    suggested = results.suggested
    if suggested is None:
        st.markdown(f":material/block: {_why_none(results)}")
        return
    is_used = suggested == results.new.choice
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/star: {describe_best(results)}", width="stretch")
        st.button(
            f"Use this {_parameter(results)}", key="tune.use_best", icon=":material/check:",
            type="primary" if enough_data else "secondary", disabled=is_used,
            on_click=choose_row, args=(results, results.best),
        )  # fmt: skip


def _draw_promise(rule: MaxMissed, results: TuneResults) -> None:
    """Draw what the promise comes to on these labels, and the button that calibrates it on them."""
    conversations = Losses(results.scored).conversations
    wanted = min_conversations(rule.max_missed) if rule.max_missed else math.inf
    missed = results.new.figures.missed.value
    measured = "no message here needs a turn" if missed is None else f"{missed:.1%} here"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(
            f":material/handshake: Lose at most {rule.max_missed:.1%} of the needed turns: {measured}.",
            width="stretch",
        )
        st.button(
            "Calibrate on these labels", key="tune.calibrate", icon=":material/tune:",
            disabled=conversations < wanted, on_click=_calibrate, args=(rule, results),
            help=f"A promise of {rule.max_missed:.1%} takes {wanted:,} labelled conversations in which a"
            f" message needs a turn. Here are {conversations:,}."
            if rule.max_missed else "Nothing is lost when all turns are kept.",
        )  # fmt: skip


def _calibrate(rule: MaxMissed, results: TuneResults) -> None:
    names = join_words(each.name for each in results.sets)
    labels = writable(f"{pluralize(results.new.figures.turns, 'labelled turn')} of {names}")
    choice = replace(results.new.choice, rule=calibrate_promise(results.scored, rule, fitted_on=labels))
    RuleControls(page, results.own.choice).choose(choice)


def describe_best(results: TuneResults) -> str:
    """Return the best threshold for the goal, and what it does, in a sentence."""
    curve, row = results.curve, results.best
    assert curve is not None
    assert row is not None
    precision = curve.precision[row]
    return (
        f"For {results.goal.label}: {_parameter(results)} {curve.thresholds[row]:.2f},"
        f" with {'nothing kept' if precision != precision else f'precision {precision:.2f}'},"
        f" recall {curve.recall[row]:.2f} and {curve.kept_token_share[row]:.0%} of the tokens."
    )


def _why_none(results: TuneResults) -> str:
    rule = results.new.choice.rule
    if results.curve is None:
        return "This rule keeps a number of turns or tokens, so it has no threshold to suggest."
    if not results.scored.relevant.any():
        return "None of these turns is labelled relevant, so no threshold can be suggested yet."
    reason = f"No {_parameter(results)} of this rule reaches {results.goal.label} here."
    if isinstance(rule, Anchored):
        reason += f" It keeps nothing where no turn scores {rule.anchor:.2f}, its anchor: lower the anchor."
    return reason


def draw_curve(results: TuneResults) -> None:
    """Draw precision, recall, F1 and tokens by threshold; nothing for a rule without a threshold."""
    curve, choice = results.curve, results.new.choice
    if curve is None or not len(curve):
        return
    figure = threshold_curve_figure(
        curve, current=choice.rule.value(learned=results.scored.learned), best=results.best,
        parameter=_parameter(results), palette=current_palette(),
    )  # fmt: skip
    summary = describe_best(results) if results.best is not None else _why_none(results)
    words = f"Precision, recall, F1 and tokens kept by {_parameter(results)}. {summary}"
    draw_figure(figure, _CHART, words, on_click=partial(_click, results))
    limits = "" if choice.limits == NO_LIMITS else " It ignores the limits on the number of turns."
    st.caption(f"Click a line to set the {_parameter(results)}.{limits}")


def choose_row(results: TuneResults, row: int) -> None:
    """Set the threshold of that row of the curve; for callbacks."""
    RuleControls(page, results.own.choice).choose(results.at(row))


def _click(results: TuneResults) -> None:
    # Read at once: the chart forgets its selection whenever it is drawn again.
    row = clicked(_CHART)
    if row is not None:
        choose_row(results, row)


def _parameter(results: TuneResults) -> str:
    sweep = results.new.choice.rule.sweep
    return sweep.label if sweep else "threshold"


def draw_flips(app: App, state: TuneState, results: TuneResults, option: str) -> None:
    """Draw how many decisions flip, and the list with its filter and pages."""
    st.subheader("Flipped decisions", anchor=False)
    codes = outcome_codes(results.scored.relevant, results.own.kept, results.new.kept)
    broken, fixed = (np.flatnonzero(codes == code).tolist() for code in (BROKEN, FIXED))
    rows = {"all": broken + fixed, "broken": broken, "fixed": fixed}
    if not rows["all"]:
        st.caption("No decision flips: both keep the same turns.")
        return
    st.markdown(
        f"**{pluralize(len(rows['all']), 'decision')}** of {len(codes):,} flipped:"
        f" :material/check: **{len(fixed):,} fixed**,"
        f" :material/close: **{len(broken):,} broken** by the labels."
    )
    names = {"all": "All", "broken": "✕ Broken", "fixed": "✓ Fixed"}
    page.draw_choice(
        "only", "Flipped decisions", {name: f"{text} {len(rows[name]):,}" for name, text in names.items()}
    )
    listed = rows[state.only]
    number = min(state.page, max(1, -(-len(listed) // PER_PAGE)))
    _draw_turns(app, results, listed[(number - 1) * PER_PAGE : number * PER_PAGE], option)
    page.draw_pages(len(listed), PER_PAGE, number)


def _draw_turns(app: App, results: TuneResults, rows: Sequence[int], option: str) -> None:
    scored, sets = results.scored, {relevance_set.name: relevance_set for relevance_set in results.sets}
    for row in rows:
        scored_case = scored.cases[int(scored.case[row])]
        case, index = scored_case.case, int(scored.turn[row])
        conversation = sets[scored_case.set].conversations[case.conversation]
        key = library_key(app.store, conversation)
        title = title_of(conversation) if key is None else app.conversations.summary(key).title
        message = "a question" if case.turn is None else f"message {case.turn + 1:,}"
        label = f"**Turn {index + 1:,} for {message}** · {literal(title, limit=60)}"
        turn = conversation.turns[index]
        decision = "↑ kept" if results.new.kept[row] else "↓ dropped"
        relevance = "relevant" if scored.relevant[row] else "not relevant"
        right = results.new.kept[row] == scored.relevant[row]
        outcome = ":material/check: fixed" if right else ":material/close: broken"
        with st.container(border=True, gap=None):
            if key is None:
                st.markdown(label)
            else:
                question = case.query.text if case.query and case.turn is None else ""
                state = ExploreState(key, case.turn, question, index, option, results.new.choice)
                st.page_link(
                    EXPLORE, label=label, icon=":material/query_stats:", width="stretch",
                    query_params=state.to_query(),
                )  # fmt: skip
            score = f"score {scored.scores[row]:.2f}"
            st.markdown(f":small[**{decision} now** · {score} · labelled {relevance} · {outcome}]")
            st.caption(f"{literal(turn.speaker, limit=40)}: {literal(turn.scored_text, limit=240)}")


def library_key(store: Store, conversation: Conversation) -> str | None:
    """Return the Library's key of a conversation: by its key, present or former, else by equal turns."""
    try:
        return Conversations(store).summary(conversation.id).key
    except StoreError:
        with store.read() as db:
            return PrefixIndex(db).same(prefix_hashes(conversation.turns))
