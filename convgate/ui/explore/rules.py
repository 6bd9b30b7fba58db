"""How turns are chosen: the policy, the gate's threshold rule with its sliders, what to compare with."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.ui.choice import Choice, Extent
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.rule_controls import RuleControls
from convgate.ui.wording import counted

POLICY, COMPARE, PAIRS = "explore.policy", "explore.compare", "explore.pairs"
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
    controls = RuleControls("explore", own, _choice, _choose)
    controls.draw(extent)
    _draw_flips(view, outcome, choice, controls)


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


def _draw_flips(view: View, outcome: Outcome, choice: Choice, controls: RuleControls) -> None:
    flips, own = outcome.flips, controls.own
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
        controls.draw_reset()
        pinned = view.baseline is not None and view.baseline == choice
        st.button(
            "Unpin" if pinned else "Pin", key="explore.pin", icon=":material/push_pin:",
            on_click=_pin, args=(None if pinned else choice,),
            disabled=not pinned and choice == (view.baseline or own),
            help="Count flips against these settings from now on",
        )  # fmt: skip


def _choice() -> Choice | None:
    view = state.page.now()
    return view.choice


def _choose(choice: Choice | None) -> None:
    state.change(choice=choice)


def _changed_policy() -> None:
    name = st.session_state[POLICY]
    view = state.page.now()
    state.change(policy=name, compare=None if view.compare == name else view.compare)


def _changed_compare() -> None:
    name = st.session_state[COMPARE]
    state.change(compare=None if name == _NOTHING else name)


def _changed_pairs() -> None:
    state.change(pairs=bool(st.session_state[PAIRS]))


def _pin(choice: Choice | None) -> None:
    state.change(baseline=choice)
