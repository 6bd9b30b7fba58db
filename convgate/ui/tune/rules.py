"""The rule that is tried: its kind, a slider for each of its parameters, its limits."""

from __future__ import annotations

import streamlit as st

from convgate.gate.thresholds import RULES
from convgate.ui.choice import Choice, Extent, sliders, with_limits, with_value
from convgate.ui.tune import state
from convgate.ui.tune.view import View

RULE, LIMITS = "tune.rule", "tune.limits"


def draw_rule(view: View, own: Choice, extent: Extent) -> None:
    """The controls, as they stand for the view."""
    choice = view.choice or own
    state.put(RULE, choice.rule.name)
    st.selectbox(
        "Threshold rule", list(RULES), key=RULE, format_func=lambda name: RULES[name].label,
        on_change=_changed_rule, args=(own,),
        help=(type(choice.rule).__doc__ or "").partition("\n\n")[0],
    )  # fmt: skip
    for slider in sliders(choice.rule, extent):
        key = f"tune.{choice.rule.name}.{slider.name}"
        kind = int if isinstance(slider.step, int) else float
        state.put(key, kind(slider.value))
        st.slider(
            slider.label, kind(slider.low), kind(slider.high), step=kind(slider.step), key=key,
            on_change=_moved, args=(own, slider.name, key), help=slider.help or None,
        )  # fmt: skip
    turns = max(1, extent.turns)
    most = turns if choice.limits.max_turns is None else min(choice.limits.max_turns, turns)
    state.put(LIMITS, (min(choice.limits.min_turns, most), most))
    st.slider(
        "At least and at most this many turns", 0, turns, key=LIMITS, on_change=_moved_limits,
        args=(own, turns), help="0 lets the gate choose nothing; all of the turns is no limit.",
    )  # fmt: skip
    st.button(
        "Reset", key="tune.reset", icon=":material/undo:", on_click=state.change, kwargs={"choice": None},
        disabled=view.choice is None or choice == own, help="Back to the version's own rule",
    )  # fmt: skip


def _choice(own: Choice) -> Choice:
    view: View = st.session_state[state.VIEW]
    return view.choice or own


def _changed_rule(own: Choice) -> None:
    name = st.session_state[RULE]
    rule = own.rule if name == own.rule.name else RULES[name]()
    choose(Choice(rule, _choice(own).limits), own)


def _moved(own: Choice, name: str, key: str) -> None:
    choose(with_value(_choice(own), name, st.session_state[key]), own)


def _moved_limits(own: Choice, turns: int) -> None:
    least, most = st.session_state[LIMITS]
    choose(with_limits(_choice(own), least, most, turns=turns), own)


def choose(choice: Choice, own: Choice) -> None:
    """Try that from now on; for callbacks."""
    state.change(choice=None if choice == own else choice)
