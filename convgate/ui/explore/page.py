"""Explore in three zones: the message above, the conversation on the left, the selected turn on the right."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import streamlit as st

from convgate.core.bundled_encoder import BUNDLED_SHA256
from convgate.core.errors import ConvgateError
from convgate.core.text import format_percent, format_threshold
from convgate.gate.arrays import logistic
from convgate.gate.thresholds import Absolute, MaxMissed, TopK
from convgate.messages import turn_tokens
from convgate.policies.window import LastK
from convgate.ui.explore.alternatives import PROMISES, draw_alternatives
from convgate.ui.explore.encoding import read_all, show_newest_first
from convgate.ui.explore.inspector import draw_inspector
from convgate.ui.explore.message import draw_message
from convgate.ui.explore.strip import draw_strip
from convgate.ui.explore.summary import (
    describe_mode,
    draw_answer,
    draw_chart,
    draw_selection_problems,
)
from convgate.ui.explore.tour import draw_tour
from convgate.ui.shared import scoring
from convgate.ui.shared.answering import Work, read_answers
from convgate.ui.shared.explore_state import MAX_BUDGET, ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.modes import draw_mode
from convgate.ui.shared.outcome import PolicyOutcome, compute_outcome
from convgate.ui.shared.picker import open_message, pick_conversation
from convgate.ui.shared.policy_options import option_label, option_labels
from convgate.ui.shared.samples import draw_sample_note
from convgate.ui.shared.session_state import has_arrived, put
from convgate.ui.shared.threshold_settings import Extent, RuleControls, ThresholdSettings

_STYLE = Path(__file__).with_name("explore.css")
_COLUMNS = (1.62, 1)
_FIRST = "explore.first"  # the turn that is selected first, and of which message
THRESHOLD, PROMISE = "explore.threshold", "explore.promise"
_STEPS = (0.001, 0.002, 0.005, *(step / 100 for step in range(101)), 0.995, 0.999)
_LOGIT_STEPS = tuple(float(step) for step in logistic(np.linspace(-7, 7, 57)))
_TOP = 5  # turns that are shown although none reaches the threshold


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    labels = option_labels(app.settings)
    picked = pick_conversation(page, app, *page.current(), policy=labels)
    if picked is None:
        return
    state, key, conversation = picked
    message = open_message(state, key, conversation)
    with st.sidebar:
        ways = st.expander("How turns are chosen", key="explore-ways")
    with ways:
        draw_policy(state, labels)
        draw_budget(app.settings.budget.tokens)
    policy = scoring.load_policy(app, state.policy)
    compared = None
    with suppress(ConvgateError):  # these policies need no gate
        compared = scoring.load_gate(app) if isinstance(policy, LastK) else None
    budget = app.settings.budget.tokens if state.budget is None else state.budget
    summary = app.conversations.summary(key)
    # What is there for some messages only has a place of its own: the strip, moved, would be drawn anew.
    with st.container(key="explore-note"):
        if not draw_tour(app, state, summary.origin):
            draw_sample_note(summary.origin, message.current.index)
    problem_place, encoding_place = st.container(), st.container()
    left, right = st.columns(_COLUMNS, gap="medium")
    with left:
        mode_place = draw_message(summary.title, message)
    with encoding_place:
        if budget is None:
            message = show_newest_first(page, message, compared or policy)
        elif not read_all(page, message, *scoring.encoding(app, compared or policy)):
            return
    result = compute_outcome(app, state, message, policy, budget, compared)
    with ways:
        draw_rule(result)
    answers = read_answers(app, result.message, result.gate.version if result.gate else None, Work())
    selected = _first_selected(result) if state.selected is None else state.selected
    with problem_place:
        draw_selection_problems(result.selection)
    with left, st.container(gap="xsmall", key="explore-strip"):
        with st.container(gap="xsmall"):
            if len(result.decisions):
                draw_answer(result)
                draw_alternatives(app, state, result)
                draw_nothing_kept(result)
                if state.chart:
                    draw_chart(result, selected, is_logit=state.logit)
            else:
                st.info("Nothing to decide: this is the first turn. Choose a later message.")
        further = draw_strip(app, state, result, selected, answers)
    with right:
        if len(result.decisions):
            draw_slider(result, state)
        draw_inspector(app, state, result, selected, answers)
    # Last, because the classifier of modes takes seconds to load. Without a budget, policies that do without
    # its encoder do without it.
    encoder, spent = getattr(result.policy, "encoder", None), result.selection.budgeted
    if spent is not None or (encoder is not None and encoder.identity.revision == BUNDLED_SHA256):
        with further if spent is None else mode_place:
            draw_mode(
                app, page, key, conversation, message.current.index, describe_mode(spent) if spent else None
            )


def _first_selected(result: PolicyOutcome) -> int | None:
    """Return the turn to explain before a person selects one; it stays when the rule is another."""
    name = f"{result.label} {result.message.labelled}"
    if has_arrived() or st.session_state.get(_FIRST, ("", None))[0] != name:
        st.session_state[_FIRST] = name, result.first_selected()
    selected: int | None = st.session_state[_FIRST][1]
    return selected


def draw_policy(state: ExploreState, labels: Iterable[str]) -> None:
    """Draw the choice of the policy, and whether answers go with their questions; labels: by option."""
    st.selectbox(
        "Policy", list(dict.fromkeys((*labels, state.policy))), format_func=option_label,
        **page.control("policy"),
        help="What chooses the turns. “Gate” is the active version; only gates can be trained.",
    )  # fmt: skip
    st.toggle(
        "Keep question and answer together", **page.control("pairs"),
        help="When one of the two is kept, so is the other: the reason names the other.",
    )  # fmt: skip


def draw_budget(default: int | None) -> None:
    """Draw the control of the budget; default: that of the settings."""
    st.number_input(
        "Budget (tokens)", value=None, min_value=0, max_value=MAX_BUDGET, step=1_000,
        **page.control("budget"),
        placeholder="No limit" if default is None else f"{default:,}, as in the settings",
        help="Of everything that is sent. The mode of the message divides it into sections. Invariants,"
        " instructions and the current message are never cut.",
    )  # fmt: skip


def draw_rule(outcome: PolicyOutcome) -> None:
    """Draw the rule of the gate, its parameters and its limits."""
    if outcome.own is None or outcome.gate is None:
        return
    history = outcome.message.history
    tokens = int(turn_tokens(history.turns).sum()) if len(history) else 0
    _controls(outcome.own).draw(Extent(len(history), tokens, outcome.gate.gate.learned_threshold))


def draw_slider(outcome: PolicyOutcome, state: ExploreState) -> None:
    """Draw the slider of the promise where that decides, else of the threshold that decided."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="explore-slider"):
        if outcome.promise is not None:
            shown = format_percent(outcome.promise)
            _draw_values(
                outcome, PROMISE, f"Lose at most{_name_own(outcome)}", shown, map(format_percent, PROMISES),
                "Of the turns that are needed, on average over conversations. Less means more tokens.",
            )  # fmt: skip
        elif outcome.choice is not None and outcome.threshold is not None:
            steps = _LOGIT_STEPS if state.logit else _STEPS
            _draw_values(
                outcome, THRESHOLD, f"Threshold{_name_own(outcome)}", format_threshold(outcome.threshold),
                map(format_threshold, steps),
                "Turns that score at least this are kept. Moving it replaces the rule.",
            )  # fmt: skip
        if outcome.own is not None and state.choice is not None:
            _controls(outcome.own).draw_reset()


def _name_own(outcome: PolicyOutcome) -> str:
    """Return what the version's own rule is, in brackets, when another one decides."""
    if outcome.own is None or outcome.choice == outcome.own:
        return ""
    rule = outcome.own.rule
    own = format_percent(rule.max_missed) if isinstance(rule, MaxMissed) else rule.label.partition(":")[0]
    return f" (not the version's own: {own})"


def _draw_values(
    outcome: PolicyOutcome, key: str, label: str, shown: str, steps: Iterable[str], help: str
) -> None:
    """Draw a slider over numbers in text, with the one that is shown among them."""
    # The browser may send a value that was shown before; an unknown one would become the first.
    seen: set[str] = st.session_state.setdefault(f"{key}.seen", set())
    seen.add(shown)
    put(key, shown)
    st.select_slider(
        label, sorted({*steps, *seen}, key=_number), key=key, on_change=_move, args=(outcome, key), help=help
    )  # fmt: skip


def _number(text: str) -> float:
    return float(text.removesuffix("%"))


def draw_nothing_kept(outcome: PolicyOutcome) -> None:
    """Show the best turn when no turn reaches the threshold, with buttons to keep it."""
    if outcome.keeps_by_score or (best := outcome.best()) is None:
        return
    turn, score = best
    threshold = outcome.decisions.threshold
    is_below = threshold is not None and score < threshold
    other = "other " if outcome.decisions.kept.any() else ""
    reason = (
        f"No {other}turn reaches {format_threshold(threshold or 0)}."
        if is_below
        else "No turn is kept by its score."
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-nothing"):
        st.markdown(f"{reason} Best: turn {turn + 1:,} with {format_threshold(score)}.", width="content")
        if outcome.gate is not None:
            st.button(
                f"Show top {_TOP} anyway", key="explore.show_top",
                on_click=page.change,
                kwargs={"choice": ThresholdSettings(TopK(_TOP)), "selected": turn},
            )  # fmt: skip
            st.button(
                f"Lower the threshold to {format_threshold(score)}", key="explore.lower",
                on_click=page.change,
                kwargs={"choice": ThresholdSettings(Absolute(score)), "selected": turn},
            )  # fmt: skip


def _move(outcome: PolicyOutcome, key: str) -> None:
    value, choice = _number(st.session_state[key]), outcome.choice
    assert choice is not None
    assert outcome.own is not None
    rule = choice.rule
    rule = replace(rule, max_missed=value / 100) if isinstance(rule, MaxMissed) else Absolute(value)
    _controls(outcome.own).choose(replace(choice, rule=rule))


def _controls(own: ThresholdSettings) -> RuleControls:
    return RuleControls(page, own, version=own)
