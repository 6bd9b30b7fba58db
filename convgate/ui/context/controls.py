"""What is tried in place of the settings: intent, budget, filter, hysteresis, policy; and the way back."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.context.mode import MODES, Mode
from convgate.context.modes import INTENTS, known_intents
from convgate.settings import Settings
from convgate.ui.context import state
from convgate.ui.context.state import LARGEST, View
from convgate.ui.text import literal
from convgate.ui.wording import counted

INTENT, BUDGET, PRESET = "context.intent", "context.budget", "context.preset"
FILTER, HYSTERESIS, POLICY = "context.filter", "context.hysteresis", "context.policy"
_FOUND = ""  # no intent: the mode is found by the message
_PRESETS = {4_000: "4k", 8_000: "8k", 16_000: "16k", 32_000: "32k", 128_000: "128k"}
_TABLE = 0  # the budget of the table


def draw_intent(view: View, settings: Settings) -> None:
    """The mode as the message has it, or as a caller says."""
    known = known_intents(settings)
    own = (word for word in known if word not in INTENTS and word.upper() not in MODES)
    words = dict.fromkeys([*INTENTS, *own, *([view.intent] if view.intent else [])])
    named = {word: known[word] for word in words}
    state.put(INTENT, view.intent or _FOUND)
    st.selectbox(
        "Mode", [_FOUND, *named], key=INTENT, on_change=_chose_intent,
        format_func=lambda word: _intent_label(word, named) if word else "Found by the message",
        help="A program that knows what a message is for says so: `build(…, intent=\"task\")`. Otherwise the"
        " mode is found by the message.",
    )  # fmt: skip


def draw_tried(view: View, settings: Settings, labels: Mapping[str, str], *, table: int) -> None:
    """Budget, filter, hysteresis and policy; `table` are the tokens of the mode's whole table."""
    usual = table if settings.context_budget is None else settings.context_budget
    budget = usual if view.budget is None else view.budget
    state.put(BUDGET, min(budget, LARGEST))
    st.number_input(
        "Budget in tokens", min_value=0, max_value=LARGEST, step=1_000, key=BUDGET, on_change=_typed_budget,
        help="Of the whole context. Less than the table of the mode has scales every section down; what must"
        " hold, the instructions and the message to answer stay whatever it is.",
    )  # fmt: skip
    presets = {**_PRESETS, _TABLE: "Table" if settings.context_budget is None else "As set"}
    state.put(PRESET, _TABLE if view.budget is None else budget if budget in _PRESETS else None)
    st.pills(
        "Usual budgets", list(presets), key=PRESET, format_func=presets.__getitem__, on_change=_chose_preset,
        label_visibility="collapsed",
    )  # fmt: skip
    state.put(FILTER, settings.context_filter if view.filter is None else view.filter)
    st.toggle(
        "Leave out what does not matter", key=FILTER, on_change=_switched_filter,
        help="Off: everything stands that fits, the newest first.",
    )  # fmt: skip
    state.put(HYSTERESIS, settings.context_hysteresis if view.hysteresis is None else view.hysteresis)
    st.slider(
        "Hysteresis", 0.0, 0.5, step=0.01, key=HYSTERESIS, on_change=_moved_hysteresis,
        help="A turn of the context before stays, and another waits, until its score is this far beyond the"
        " threshold. The front of the context changes less, so that a provider's cache is used more.",
    )  # fmt: skip
    chosen = settings.policy if view.policy is None else view.policy
    state.put(POLICY, chosen if chosen in labels else next(iter(labels)))
    st.selectbox(
        "Evidence by", list(labels), key=POLICY, format_func=lambda name: labels[name],
        on_change=_chose_policy, help="The policy that says which earlier turns serve the message.",
    )  # fmt: skip
    count = len(view.tried)
    st.button(
        "As the settings have it", key="context.reset", icon=":material/undo:", disabled=not count,
        on_click=_reset, help=f"{counted(count, 'thing')} tried here" if count else "Nothing is tried",
    )  # fmt: skip


def _intent_label(word: str, named: Mapping[str, Mode]) -> str:
    mode = named[word].capitalize()
    return mode if INTENTS.get(word) == named[word] else f"{mode} ({literal(word, limit=30)})"


def _chose_intent() -> None:
    state.change(intent=st.session_state[INTENT] or None)


def _typed_budget() -> None:
    state.change(budget=int(st.session_state[BUDGET]))


def _chose_preset() -> None:
    chosen = st.session_state[PRESET]
    if chosen is None:  # the one that was chosen was clicked
        state.touched()
    else:
        state.change(budget=chosen or None)


def _switched_filter() -> None:
    state.change(filter=bool(st.session_state[FILTER]))


def _moved_hysteresis() -> None:
    state.change(hysteresis=float(st.session_state[HYSTERESIS]))


def _chose_policy() -> None:
    state.change(policy=st.session_state[POLICY])


def _reset() -> None:
    state.change(budget=None, cells=(), filter=None, hysteresis=None, policy=None)
