"""The goal with the threshold that serves it, and the metrics by threshold; a click on a line sets it."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import streamlit as st

from convgate.core.text import join_words, pluralize, writable
from convgate.evaluation.risk_control import Losses, calibrate_promise, min_conversations
from convgate.figures.curves import threshold_curve_figure
from convgate.figures.layout import CONFIG
from convgate.gate.thresholds import Anchored, MaxMissed
from convgate.policies.base import NO_LIMITS
from convgate.ui.shared.session_state import clicked
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.threshold_settings import RuleControls
from convgate.ui.tune.results import TuneResults
from convgate.ui.tune.state import TuneState, page

_GOALS = {"f1": "Best F1", "recall": "Min recall"}
_CHART = "tune.curve"


def draw_goal(state: TuneState, results: TuneResults, *, enough_data: bool) -> None:
    """Draw the goal, and the threshold that serves it best with a button."""
    if isinstance(rule := results.new.choice.rule, MaxMissed):
        _draw_promise(rule, results)
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Goal", list(_GOALS), format_func=_GOALS.__getitem__, required=True,
            **page.control("goal", state.goal),
        )  # fmt: skip
        if state.goal == "recall":
            st.slider(
                "Keep at least this share of the relevant turns", 0.05, 1.0, step=0.01, width=360,
                **page.control("recall", state.recall),
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
    st.plotly_chart(
        figure, theme=None, config=CONFIG, key=_CHART, on_select=partial(_click, results),
        selection_mode="points",
        alt=writable(f"Precision, recall, F1 and tokens kept by {_parameter(results)}. {summary}"),
    )  # fmt: skip
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
