"""What can be set of a column: a field for each parameter, from the ranges and words that it carries."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any

import streamlit as st

from convgate.parameters import parameter_names
from convgate.policies.registry import POLICIES
from convgate.policies.written import Value, Written
from convgate.ui import scoring
from convgate.ui.choice import Choice, Extent
from convgate.ui.compare import state
from convgate.ui.compare.columns import choice_of, chooser_of, is_gate, with_choice, with_parameters
from convgate.ui.frame import App
from convgate.ui.rule_controls import RuleControls

_REACH = Extent(turns=200, tokens=20_000, learned=0.5)  # of the sliders of a gate's rule

Change = Callable[[Written], None]


def has_parameters(column: Written) -> bool:
    """Whether anything can be set of it."""
    return is_gate(column) or bool(parameter_names(POLICIES[column.name]))


def draw_parameters(app: App, column: Written, key: str, change: Change) -> None:
    """The fields, as they stand; `key` begins the controls' keys, `change` hears of another column."""
    if is_gate(column):
        _draw_rule(app, column, key, change)
        return
    own = scoring.policy(app, chooser_of(column))
    for item in fields(POLICIES[column.name]):  # type: ignore[arg-type]  # every policy is a dataclass
        if item.metadata:
            _draw_field(column, item, getattr(own, item.name), f"{key}.{column.name}.{item.name}", change)


def _draw_rule(app: App, column: Written, key: str, change: Change) -> None:
    gate = scoring.gate_policy(app, chooser_of(column))
    own = Choice(gate.rule, gate.limits)
    controls = RuleControls(
        key, own, lambda: choice_of(column), lambda choice: change(with_choice(column, choice))
    )
    controls.draw(_REACH)


def _draw_field(column: Written, item: Field[Any], own: Any, key: str, change: Change) -> None:
    """A field for one parameter; `own` is what the settings have for it."""
    told = item.metadata
    label = str(told.get("label") or item.name.replace("_", " "))
    label, help = label[:1].upper() + label[1:], told.get("help") or None
    value = column.parameters.get(item.name, own)
    act: dict[str, Any] = {
        "on_change": _changed, "args": (column, item.name, own, key, change), "key": key, "help": help,
    }  # fmt: skip
    if "step" in told:
        kind = int if isinstance(told["step"], int) else float
        value = None if value is None else kind(value)
        act |= {"min_value": kind(told["low"]), "step": kind(told["step"])}
        act |= {} if math.isinf(told["high"]) else {"max_value": kind(told["high"])}
        act |= {"value": None, "placeholder": "As the settings have it"} if own is None else {}
    state.put(key, value)
    if "text" in told:
        st.text_input(label, max_chars=400, **act)
    elif "switch" in told:
        st.toggle(label, **act)
    elif "options" in told:
        st.selectbox(label, list(told["options"]), **act)
    else:
        st.number_input(label, **act)


def _changed(column: Written, name: str, own: Any, key: str, change: Change) -> None:
    value: Value | None = st.session_state.get(key)
    parameters = {other: set_to for other, set_to in column.parameters.items() if other != name}
    if value is not None and value != own:
        parameters[name] = value
    change(with_parameters(column, parameters))
