"""What other ways to choose turns would send of the same message, each with the button that shows it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.core.decisions import IN_CASE, LIKELY
from convgate.core.text import format_percent, pluralize
from convgate.gate.facts import facts_of
from convgate.gate.subjects import names_subject
from convgate.gate.thresholds import MaxMissed
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.window import LastK
from convgate.ui.shared import scoring
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.policy_options import option_label
from convgate.ui.shared.threshold_settings import RuleControls

PROMISES = (0, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
"""Shares of the needed turns that may be lost: the steps of the slider."""

_MANY = 2 / 3  # of the turns: a share sent from which it is said why
_FEWER = (3 / 4, 1 / 2)  # of the turns: shares to which the promises that are offered come down


def draw_alternatives(app: App, state: ExploreState, outcome: PolicyOutcome) -> None:
    """Draw what a promise that sends fewer turns and the last turns alone would send, or the way back."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="explore-instead"):
        if outcome.compared is not None:
            sent = pluralize(int(outcome.compared.kept.sum()), "turn")
            _draw("gate", f"Back to the gate: {sent}", policy=GatePolicy.name)
        elif outcome.gate is not None:
            head = st.empty()
            draws = [
                *(_draw_promise(app, state, outcome, promise) for promise in _find_promises(outcome)),
                _draw_last(app, state, outcome),
            ]
            if any(draws):
                head.caption("Instead:", width="content")


def describe_in_case(outcome: PolicyOutcome) -> str:
    """Return why most turns are sent in case, as a sentence; empty where they are not, or by another rule."""
    if not is_mostly_in_case(outcome) or outcome.promise is None:
        return ""
    share = format_percent(outcome.promise)
    if names_subject(facts_of(outcome.message.current.turn).stems):
        return f"Most are sent in case, so that at most {share} of what is needed is lost."
    return (
        f"Most are sent in case: the message names no subject, and at most {share} of what is needed may be"
        " lost."
    )


def is_mostly_in_case(outcome: PolicyOutcome) -> bool:
    """Return whether nearly all turns are sent, most of them in case."""
    names = [decision.outcome_name for decision in outcome.decisions if decision.kept]
    return len(names) >= _MANY * len(outcome.decisions) and 2 * names.count(IN_CASE) > len(names)


def _find_promises(outcome: PolicyOutcome) -> list[float]:
    """Return the lowest promises by which three quarters and half of the turns are sent, or the highest.

    Empty where not most turns are sent in case, or no promise decides.
    """
    reach, promise = outcome.reach, outcome.promise
    if reach is None or promise is None or outcome.selection.budget or not is_mostly_in_case(outcome):
        return []
    higher = [each for each in PROMISES if each > promise]
    found = (
        next((each for each in higher if (reach > each).mean() <= share), higher[-1])
        for share in _FEWER
        if higher
    )
    return list(dict.fromkeys(found))


def _draw_promise(app: App, state: ExploreState, outcome: PolicyOutcome, promise: float) -> bool:
    choice = outcome.choice
    assert outcome.gate is not None
    assert outcome.own is not None
    assert choice is not None
    assert isinstance(choice.rule, MaxMissed)
    choice = replace(choice, rule=replace(choice.rule, max_missed=promise))
    n_sent = _count(app, state, outcome, outcome.gate.with_rule(choice.rule, choice.limits))[0]
    controls = RuleControls(page, outcome.own, version=outcome.own)
    is_less = n_sent < int(outcome.decisions.kept.sum())
    if is_less:
        label = f"≤ {format_percent(promise)} lost: {pluralize(n_sent, 'turn')}"
        st.button(
            label, key=f"explore.instead_{promise}", type="tertiary", on_click=controls.choose, args=(choice,)
        )
    return is_less


def _draw_last(app: App, state: ExploreState, outcome: PolicyOutcome) -> bool:
    policy = scoring.load_policy(app, LastK.name)
    assert isinstance(policy, LastK)
    if policy.k >= len(outcome.decisions):
        return False
    n_sent, n_missed = _count(app, state, outcome, policy)
    n_likely = len(outcome.likely_sent)
    missed = f", {n_missed} of {n_likely} likely needed missing" if n_missed else ""
    name, rules = option_label(LastK.name, app.settings).lower(), " and rules" if n_sent > policy.k else ""
    _draw(
        "last", f"{name}{rules}: {pluralize(n_sent, 'turn')}{missed}", policy=LastK.name,
        help=f"Likely needed: {format_percent(LIKELY)} or more, by the gate. Other turns than the last are"
        " sent by rule: instructions, what must hold, and what a valid list needs.",
    )  # fmt: skip
    return True


def _count(app: App, state: ExploreState, outcome: PolicyOutcome, policy: Policy) -> tuple[int, int]:
    """Return how many turns a policy sends, and how many of those that are likely needed it does not."""
    selection = scoring.select(
        app, policy, outcome.message, pair_answers=state.pairs, budget=outcome.selection.budget,
        intent=outcome.intent,
    )  # fmt: skip
    kept = selection.decisions.kept_indices
    return len(kept), len(outcome.likely_sent.difference(kept))


def _draw(name: str, label: str, *, help: str | None = None, **change: Any) -> None:
    st.button(
        label, key=f"explore.instead_{name}", type="tertiary", on_click=page.change, kwargs=change, help=help
    )
