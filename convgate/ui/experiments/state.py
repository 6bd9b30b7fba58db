"""What Experiments shows, between reruns, and the arms of a replay.

?experiment=pilot, ?experiment=pilot&rate=1, ?on=replay&data=@labels&control=everything&arms=gate; alone:gate
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.experiments.replay import RandomOrder
from convgate.policies.registry import check_spec
from convgate.policies.spec import read_policy
from convgate.policies.window import Everything
from convgate.ui.shared import codecs
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.policy_options import option_label, option_labels

BudgetName = Literal["matched", "free", "share"]
_LABELS = {"none": "No turns", "random": "Random turns"}
_OPTIONS = ("alone:gate", "last_k(k=3)", "last_k(k=1)", "none")


def _read_arm(text: str) -> str:
    """Return an arm of a replay; no path of a settings file, for a link must not open files."""
    arm = text.strip()
    policy = arm.removeprefix("alone:")
    if arm not in ("none", RandomOrder.name):
        check_spec(read_policy(policy))
    return arm


ARM = codecs.Codec(str, _read_arm)
ARMS = codecs.Codec("; ".join, lambda text: tuple(dict.fromkeys(map(_read_arm, text.split(";")))))


@dataclass(frozen=True)
class ExperimentsState(StandaloneState):
    """All experiments, the report of one, its queue, or a replay."""

    on: Literal["experiments", "new", "replay"] = "experiments"
    experiment: str | None = None
    rate: bool = False
    data: str | None = None  # replayed; None: the first that has labelled turns
    control: str = param("last_k", ARM)
    arms: tuple[str, ...] = param(("gate",), ARMS)
    budgets: tuple[BudgetName, ...] = ("matched",)
    share: float = param(0.35, codecs.share(0.05, 1.0))  # of the history's tokens
    measure: bool = True  # until a person stops the replay


page = Address("experiments", ExperimentsState, bare=True)


def arm_label(text: str, settings: Settings | None = None) -> str:
    """Return the label of an arm; the text itself when it is the path of a settings file.

    >>> arm_label("last_k(k=3)"), arm_label("alone:gate@mine"), arm_label("short.toml")
    ('Last 3 turns', 'Gate mine (alone)', 'short.toml')
    """
    if text in _LABELS:
        return _LABELS[text]
    kind, _, rest = text.partition(":")
    try:
        label = option_label(rest if kind == "alone" else text, settings)
        return f"{label} (alone)" if kind == "alone" else label
    except (ConvgateError, KeyError):
        return text


def draw_back() -> None:
    """Draw the button to the list."""
    st.button(
        "All experiments", key="experiments.back", type="tertiary", icon=":material/arrow_back:",
        on_click=page.change, kwargs={"on": "experiments", "experiment": None, "rate": False},
    )  # fmt: skip


def draw_arms(
    app: App, control: dict[str, Any], arms: dict[str, Any], *, sources: str, further: Sequence[str] = ()
) -> None:
    """Draw both choices. control, arms: the arguments that bind them. sources: what may be typed."""
    values = st.session_state
    # The browser sends the label back of what it was sent as a value, so typed arms have to be options.
    typed = [values.get(control["key"], Everything.name), *values.get(arms["key"], ())]
    options = list(dict.fromkeys([*_OPTIONS, *further, *option_labels(app.settings), *typed]))
    st.caption("Each is one way to choose the turns that a model sees. The control is what you use today.")
    label = partial(arm_label, settings=app.settings)
    st.selectbox("Control", options, format_func=label, accept_new_options=True, help=sources, **control)
    st.multiselect(
        "Variants to compare with it", options, format_func=label, accept_new_options=True, help=sources,
        placeholder="Choose or type", **arms,
    )  # fmt: skip
