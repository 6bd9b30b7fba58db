"""The rule that a conversation has of its own: it is opened with it, and it can be taken off."""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from convgate.errors import ConvgateError, PolicyError
from convgate.policies.gate import GatePolicy
from convgate.store.conversation_rules import ConversationRule, ConversationRules
from convgate.ui.choice import Choice
from convgate.ui.choosers import chooser_label
from convgate.ui.explore import state
from convgate.ui.explore.state import View
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.wording import ago

_OPENED, _PROBLEM = "explore.own_rule", "explore.own_rule_problem"


@dataclass(frozen=True)
class _Opened:
    """The conversation that is open, and what it was opened with when it has a rule of its own."""

    conversation: str | None
    policy: str | None = None
    choice: Choice | None = None


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
    choice = _choice(own) if own else None
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
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(problem)
    own = ConversationRules(app.store).get(view.conversation or "")
    choice = _choice(own) if own else None
    if own is None or view.conversation is None:
        return
    told = f"{chooser_label(own.policy)}, {choice.told() if choice else 'a rule that there is no more'}"
    note = f"{own.note}, " if own.note else ""
    decides = (view.policy, view.choice) == (own.policy, choice)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="explore-own-rule"):
        st.markdown(
            f":material/tune: **This conversation has its own rule:** {literal(told)}"
            f" ({literal(note)}{' ' if note else ''}{ago(own.chosen)})."
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


def _choice(own: ConversationRule) -> Choice | None:
    try:
        return Choice.from_query(own.choice)
    except PolicyError:  # of a rule that a later convgate knows
        return None


def _take_off(app: App, key: str, *, decides: bool) -> None:
    try:
        ConversationRules(app.store).remove(key)
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error
    else:
        st.session_state[_OPENED] = _Opened(key)
        if decides:
            state.change(policy=GatePolicy.name, choice=None)
    state.touched()
