"""The choice of a control and the arms that are compared with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.policies.window import Everything
from convgate.ui.shared.frame import App
from convgate.ui.shared.policy_options import option_label, option_labels

_LABELS = {"none": "No turns", "random": "Random turns"}
_OPTIONS = ("alone:gate", "last_k(k=3)", "last_k(k=1)", "none")


def arm_label(text: str) -> str:
    """Return the label of an arm; the text itself when it is the path of a settings file.

    >>> arm_label("last_k(k=3)"), arm_label("alone:gate@mine"), arm_label("short.toml")
    ('Last k turns (k=3)', 'Gate mine alone', 'short.toml')
    """
    if text in _LABELS:
        return _LABELS[text]
    kind, _, rest = text.partition(":")
    try:
        return f"{option_label(rest)} alone" if kind == "alone" else option_label(text)
    except (ConvgateError, KeyError):
        return text


def draw_arms(
    app: App, control: dict[str, Any], arms: dict[str, Any], *, sources: str, further: Sequence[str] = ()
) -> None:
    """Draw both choices. control, arms: the arguments that bind them. sources: what may be typed."""
    values = st.session_state
    # The browser sends the label back of what it was sent as a value, so typed arms have to be options.
    typed = [values.get(control["key"], Everything.name), *values.get(arms["key"], ())]
    options = list(dict.fromkeys([*_OPTIONS, *further, *option_labels(app.settings.home), *typed]))
    st.caption("An arm is one way to choose the turns that a model sees. The control is what you use today.")
    st.selectbox("Control", options, format_func=arm_label, accept_new_options=True, help=sources, **control)
    st.multiselect(
        "Arms to compare with it", options, format_func=arm_label, accept_new_options=True, help=sources,
        placeholder="Choose or type", **arms,
    )  # fmt: skip
