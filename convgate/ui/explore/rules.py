"""How turns are chosen: the policy, the gate's threshold rule with its sliders, what to compare with."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.gate.thresholds import RULES, Rule
from convgate.ui.choice import Choice, Extent, sliders, with_limits, with_value
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.view import View
from convgate.ui.wording import counted

POLICY, COMPARE, PAIRS = "explore.policy", "explore.compare", "explore.pairs"
RULE, LIMITS = "explore.rule", "explore.limits"
_NOTHING = "nothing"


def draw_policy(view: View, labels: Mapping[str, str]) -> None:
    """Which policy is put beside, which one decides, and whether answers go with their questions.

    labels: of the choosers that there are.
    """
    others = [_NOTHING, *(name for name in labels if name != view.policy)]
    state.put(COMPARE, view.compare if view.compare in others else _NOTHING)
    st.selectbox(
        "Compare with", others, key=COMPARE, format_func=lambda name: labels.get(name, "Nothing"),
        on_change=_changed_compare, help="Shows beside each turn what another policy decides.",
    )  # fmt: skip
    state.put(POLICY, view.policy)
    st.selectbox(
        "Policy", list(labels), key=POLICY, format_func=lambda name: labels[name],
        on_change=_changed_policy,
        help="What chooses the turns. “Gate” is the version in use; only gates can be trained.",
    )  # fmt: skip
    state.put(PAIRS, view.pairs)
    st.toggle(
        "Question with its answer", key=PAIRS, on_change=_changed_pairs,
        help="When one of the two is kept, so is the other; it is then shown as kept anyway.",
    )  # fmt: skip


def draw_rule(view: View, outcome: Outcome, extent: Extent) -> None:
    """The rule of the gate, a slider for each of its parameters, and what moving them changed."""
    choice, own = outcome.choice, outcome.own
    if choice is None or own is None:
        return
    state.put(RULE, choice.rule.name)
    st.selectbox(
        "Threshold rule", list(RULES), key=RULE, format_func=lambda name: RULES[name].label,
        on_change=_changed_rule, args=(own,), help=_summary(choice.rule),
    )  # fmt: skip
    for slider in sliders(choice.rule, extent):
        key = f"explore.{choice.rule.name}.{slider.name}"
        whole = isinstance(slider.step, int)
        state.put(key, int(slider.value) if whole else float(slider.value))
        kind = int if whole else float
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
    _draw_flips(view, outcome, choice, own)


def baseline_words(view: View, own: Choice) -> str:
    """What flips are counted against, for people."""
    if view.baseline is None or view.baseline == own:
        return f"the gate's own rule ({own.told()})"
    return f"your baseline ({view.baseline.told()})"


def flips_words(outcome: Outcome) -> str:
    """How many turns flip, with arrows; "no flips" when there are none."""
    flips = outcome.flips
    if flips is None or not len(flips):
        return "no flips"
    arrows = [f"↑{len(flips.up)}"] * bool(len(flips.up)) + [f"↓{len(flips.down)}"] * bool(len(flips.down))
    return f"{counted(len(flips), 'flip')} {' '.join(arrows)}"


def _draw_flips(view: View, outcome: Outcome, choice: Choice, own: Choice) -> None:
    flips = outcome.flips
    against = baseline_words(view, own)
    if flips is None or not len(flips):
        st.caption(f"No turn flips against {against}.")
    else:
        verb = "turn flips" if len(flips) == 1 else "turns flip"
        st.caption(
            f"**{len(flips):,} {verb}** against {against}:"
            f" ↑\u00a0{len(flips.up):,} kept, ↓\u00a0{len(flips.down):,} dropped."
        )
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Reset", key="explore.reset", icon=":material/undo:", on_click=_reset, args=(None,),
            disabled=view.choice is None or choice == own, help="Back to the gate's own rule",
        )  # fmt: skip
        pinned = view.baseline is not None and view.baseline == choice
        st.button(
            "Unpin" if pinned else "Pin", key="explore.pin", icon=":material/push_pin:",
            on_click=_pin, args=(None if pinned else choice,),
            disabled=not pinned and choice == (view.baseline or own),
            help="Count flips against these settings from now on",
        )  # fmt: skip


def _summary(rule: Rule) -> str:
    return (type(rule).__doc__ or "").partition("\n\n")[0]


def _choice(own: Choice) -> Choice:
    view: View = st.session_state[state.VIEW]
    return view.choice or own


def _changed_policy() -> None:
    name = st.session_state[POLICY]
    view: View = st.session_state[state.VIEW]
    state.change(policy=name, compare=None if view.compare == name else view.compare)


def _changed_compare() -> None:
    name = st.session_state[COMPARE]
    state.change(compare=None if name == _NOTHING else name)


def _changed_rule(own: Choice) -> None:
    name = st.session_state[RULE]
    rule = own.rule if name == own.rule.name else RULES[name]()
    state.change(choice=_unless_own(Choice(rule, _choice(own).limits), own))


def _moved(own: Choice, name: str, key: str) -> None:
    state.change(choice=_unless_own(with_value(_choice(own), name, st.session_state[key]), own))


def _moved_limits(own: Choice, turns: int) -> None:
    least, most = st.session_state[LIMITS]
    state.change(choice=_unless_own(with_limits(_choice(own), least, most, turns=turns), own))


def _changed_pairs() -> None:
    state.change(pairs=bool(st.session_state[PAIRS]))


def _reset(choice: None) -> None:
    state.change(choice=choice)


def _pin(choice: Choice | None) -> None:
    state.change(baseline=choice)


def _unless_own(choice: Choice, own: Choice) -> Choice | None:
    return None if choice == own else choice
