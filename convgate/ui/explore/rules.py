"""How turns are chosen: the policy, the gate's rule with its sliders, a conversation's own rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import streamlit as st

from convgate.core.errors import PolicyError
from convgate.core.text import format_age, pluralize
from convgate.policies.gate import GatePolicy
from convgate.store.edits import ConversationRule, ConversationRules
from convgate.ui.actions import ActionResult, draw_result, run_action
from convgate.ui.choosers import chooser_label
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.threshold_settings import Extent, RuleControls, ThresholdSettings

POLICY = "explore.policy"
_NOTHING = "nothing"


def draw_policy(view: View, labels: Mapping[str, str]) -> None:
    """Which policy is put beside, which one decides, and whether answers go with their questions.

    labels: of the choosers that there are.
    """
    others = [_NOTHING, *(name for name in labels if name != view.policy)]
    compared = view.compare if view.compare in others else None
    st.selectbox(
        "Compare with", others, format_func=lambda name: labels.get(name, "Nothing"),
        **state.page.control("compare", compared, none=_NOTHING),
        help="Shows what another policy decides about each turn.",
    )  # fmt: skip
    state.put(POLICY, view.policy)
    st.selectbox(
        "Policy", list(labels), key=POLICY, format_func=lambda name: labels[name],
        on_change=_changed_policy,
        help="What chooses the turns. “Gate” is the version in use; only gates can be trained.",
    )  # fmt: skip
    st.toggle(
        "Question with its answer", **state.page.control("pairs", view.pairs),
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


def baseline_words(view: View, own: ThresholdSettings) -> str:
    """What flips are counted against, for people."""
    if view.baseline is None or view.baseline == own:
        return f"the gate's own rule ({own.describe()})"
    return f"your baseline ({view.baseline.describe()})"


def flips_words(outcome: Outcome) -> str:
    """How many turns flip, with arrows; "no flips" when there are none."""
    flips = outcome.flips
    if flips is None or not len(flips):
        return "no flips"
    arrows = [f"↑{len(flips.up)}"] * bool(len(flips.up)) + [f"↓{len(flips.down)}"] * bool(len(flips.down))
    return f"{pluralize(len(flips), 'flip')} {' '.join(arrows)}"


def _draw_flips(view: View, outcome: Outcome, choice: ThresholdSettings, controls: RuleControls) -> None:
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


def _choice() -> ThresholdSettings | None:
    view = state.page.now()
    return view.choice


def _choose(choice: ThresholdSettings | None) -> None:
    state.change(choice=choice)


def _changed_policy() -> None:
    name = st.session_state[POLICY]
    view = state.page.now()
    state.change(policy=name, compare=None if view.compare == name else view.compare)


def _pin(choice: ThresholdSettings | None) -> None:
    state.change(baseline=choice)


_OPENED = "explore.own_rule"


@dataclass(frozen=True)
class _Opened:
    """The conversation that is open, and what it was opened with when it has a rule of its own."""

    conversation: str | None
    policy: str | None = None
    choice: ThresholdSettings | None = None


def with_own_rule(app: App, view: View) -> View:
    """The view with the conversation's own rule when it was opened just now.

    The rule goes when another conversation is opened. A link that names a rule itself has its way.
    """
    before: _Opened | None = st.session_state.get(_OPENED)
    if before is not None and before.conversation == view.conversation:
        return view
    if before is not None and before.choice and (view.policy, view.choice) == (before.policy, before.choice):
        view = replace(view, policy=GatePolicy.name, choice=None)
    opened = _Opened(view.conversation)
    own = ConversationRules(app.store).get(view.conversation or "")
    choice = _stored_choice(own) if own else None
    if own is not None and choice is not None:
        query = st.query_params
        named = query.get("conversation") == view.conversation and ("rule" in query or "policy" in query)
        opened = replace(opened, policy=own.policy, choice=choice)
        if not named:
            view = replace(view, policy=own.policy, choice=choice)
    st.session_state[_OPENED] = opened
    return view


def draw_own_rule(app: App, view: View) -> None:
    """That this conversation has a rule of its own, whether it decides now, and the way to be rid of it."""
    draw_result(state.page)
    own = ConversationRules(app.store).get(view.conversation or "")
    choice = _stored_choice(own) if own else None
    if own is None or view.conversation is None:
        return
    told = f"{chooser_label(own.policy)}, {choice.describe() if choice else 'a rule that there is no more'}"
    note = f"{own.note}, " if own.note else ""
    decides = (view.policy, view.choice) == (own.policy, choice)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="explore-own-rule"):
        st.markdown(
            f":material/tune: **This conversation has its own rule:** {literal(told)}"
            f" ({literal(note)}{' ' if note else ''}{format_age(own.chosen)})."
            f"{'' if decides else ' Another one decides at the moment.'}",
            width="stretch",
        )
        if choice is not None and not decides:
            st.button(
                "Use it", key="explore.use_own_rule", on_click=state.change,
                kwargs={"policy": own.policy, "choice": choice},
            )  # fmt: skip
        st.button(
            "Take it off", key="explore.take_off", icon=":material/undo:", on_click=_take_off,
            kwargs={"app": app, "key": view.conversation, "decides": decides},
        )  # fmt: skip


def _stored_choice(own: ConversationRule) -> ThresholdSettings | None:
    try:
        return ThresholdSettings.from_query(own.choice)
    except PolicyError:  # of a rule that a later convgate knows
        return None


def _take_off(app: App, key: str, *, decides: bool) -> None:
    def act() -> ActionResult:
        ConversationRules(app.store).remove(key)
        st.session_state[_OPENED] = _Opened(key)
        if decides:
            state.change(policy=GatePolicy.name, choice=None)
        return ActionResult("This conversation is decided as all others are.")

    run_action(state.page, act)
