"""A policy or a version of the gate with its parameters, as a column; and the controls of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields
from typing import Any

import streamlit as st

from convgate.core.errors import PolicyError
from convgate.core.parameters import parameter_names
from convgate.core.text import truncate
from convgate.policies.bm25 import BM25
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import POLICIES, check_spec, policy_names, policy_settings
from convgate.policies.spec import PolicySpec, Value
from convgate.policies.window import LastK
from convgate.ui import scoring
from convgate.ui.choosers import chooser_label, is_chooser, policy_of, version_of
from convgate.ui.frame import App
from convgate.ui.state import put
from convgate.ui.text import make_labels_unique
from convgate.ui.threshold_settings import Extent, RuleControls, ThresholdSettings

START = (PolicySpec(GatePolicy.name), PolicySpec(BM25.name), PolicySpec(LastK.name))
"""What a first visit compares."""

_TEXT = 40  # characters of a parameter that is text


def chooser_of(column: PolicySpec) -> str:
    """The chooser that decides, whatever is set of it.

    >>> chooser_of(PolicySpec("gate", version="mine")), chooser_of(PolicySpec("last_k", {"k": 5}))
    ('gate@mine', 'last_k')
    """
    return column.name if column.version is None else f"{column.name}@{column.version}"


def column_of(chooser: str) -> PolicySpec:
    """The column of a chooser of which nothing is set.

    >>> column_of("gate@mine").to_text()
    'gate@mine'
    """
    return PolicySpec(policy_of(chooser), version=version_of(chooser))


def is_gate(column: PolicySpec) -> bool:
    """Whether the gate decides, in whatever version."""
    return column.name == GatePolicy.name


def choice_of(column: PolicySpec) -> ThresholdSettings | None:
    """The rule that a column sets for its gate; None for the gate's own.

    Raises PolicyError for one that there is not, or that cannot be so.
    """
    return ThresholdSettings.from_query({name: str(value) for name, value in column.parameters.items()})


def with_choice(column: PolicySpec, choice: ThresholdSettings | None) -> PolicySpec:
    """The same version with another rule; None for its own.

    >>> from convgate.gate.thresholds import TopK
    >>> with_choice(PolicySpec("gate"), ThresholdSettings(TopK(5))).to_text()
    'gate(rule=top_k, k=5)'
    """
    query = choice.to_query() if choice else {}
    return with_parameters(column, {name: _number(value) for name, value in query.items()})


def with_parameters(column: PolicySpec, parameters: Mapping[str, Value]) -> PolicySpec:
    """The same policy with these parameters and no others."""
    return PolicySpec(column.name, dict(parameters), column.version)


def check_column(column: PolicySpec) -> None:
    """Raise PolicyError for a column that cannot be; its version may still not exist."""
    written = column.to_text()[:60]
    if not is_chooser(chooser_of(column)):
        raise PolicyError(f"{written} is not gate@VERSION or one of {', '.join(policy_names())}")
    if is_gate(column):
        if choice_of(column) is None and column.parameters:
            raise PolicyError(f"{written} sets a rule's parameters but names no rule")
        return
    known = policy_settings(column.name)
    if unknown := [name for name in column.parameters if name not in known]:
        told = ", ".join(known) or "none"
        raise PolicyError(f"{', '.join(unknown)[:60]} is no parameter of {column.name}; those are: {told}")
    check_spec(column)


def unlike(columns: Iterable[PolicySpec]) -> tuple[PolicySpec, ...]:
    """Each of them once, in their order.

    >>> len(unlike((PolicySpec("bm25"), PolicySpec("last_k", {"k": 5}), PolicySpec("bm25"))))
    2
    """
    return tuple({one.to_text(): one for one in columns}.values())


def column_label(column: PolicySpec) -> str:
    """What a column is called.

    >>> column_label(PolicySpec("last_k", {"k": 1000})), column_label(PolicySpec("gate", version="mine"))
    ('Last k turns, k 1,000', 'Gate mine')
    >>> column_label(PolicySpec("pipeline", {"stages": "gatekeeper > last_k(k=5)"}))
    'Pipeline: gatekeeper > last_k(k=5)'
    """
    label = chooser_label(chooser_of(column))
    if column.name == Pipeline.name and (stages := column.parameters.get("stages")) is not None:
        # What tells two pipelines apart comes first: labels are cut off at their end.
        return f"{label.partition(':')[0]}: {truncate(str(stages), _TEXT)}"
    if not column.parameters:
        return label
    if is_gate(column) and (choice := choice_of(column)) is not None:
        return f"{label}, {choice.describe()[:1].lower()}{choice.describe()[1:]}"
    told = [f"{name.replace('_', ' ')} {_shown(value)}" for name, value in column.parameters.items()]
    return ", ".join([label, *told])


def column_labels(columns: Iterable[PolicySpec]) -> dict[str, str]:
    """What each column is called, by its text, so that no two are called alike."""
    return make_labels_unique({one.to_text(): column_label(one) for one in columns})


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return truncate(value, _TEXT)
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


def _number(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_REACH = Extent(turns=200, tokens=20_000, learned=0.5)  # of the sliders of a gate's rule

Change = Callable[[PolicySpec], None]


def has_parameters(column: PolicySpec) -> bool:
    """Whether anything can be set of it."""
    return is_gate(column) or bool(parameter_names(POLICIES[column.name]))


def draw_parameters(app: App, column: PolicySpec, key: str, change: Change) -> None:
    """The fields, as they stand; `key` begins the controls' keys, `change` hears of another column."""
    if is_gate(column):
        _draw_rule(app, column, key, change)
        return
    own = scoring.policy(app, chooser_of(column))
    for item in fields(POLICIES[column.name]):  # type: ignore[arg-type]  # every policy is a dataclass
        if item.metadata:
            _draw_field(column, item, getattr(own, item.name), f"{key}.{column.name}.{item.name}", change)


def _draw_rule(app: App, column: PolicySpec, key: str, change: Change) -> None:
    gate = scoring.gate_policy(app, chooser_of(column))
    own = ThresholdSettings(gate.rule, gate.limits)
    controls = RuleControls(
        key, own, lambda: choice_of(column), lambda choice: change(with_choice(column, choice))
    )
    controls.draw(_REACH)


def _draw_field(column: PolicySpec, item: Field[Any], own: Any, key: str, change: Change) -> None:
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
    put(key, value)
    if "text" in told:
        st.text_input(label, max_chars=400, **act)
    elif "switch" in told:
        st.toggle(label, **act)
    elif "options" in told:
        st.selectbox(label, list(told["options"]), **act)
    else:
        st.number_input(label, **act)


def _changed(column: PolicySpec, name: str, own: Any, key: str, change: Change) -> None:
    value: Value | None = st.session_state.get(key)
    parameters = {other: set_to for other, set_to in column.parameters.items() if other != name}
    if value is not None and value != own:
        parameters[name] = value
    change(with_parameters(column, parameters))
