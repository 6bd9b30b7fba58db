"""The settings of this page for a program: a file, and the lines of Python that read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from convgate.gate.thresholds import Limits, Rule
from convgate.parameters import parameter_names
from convgate.policies.gate import GatePolicy
from convgate.transcripts.characters import writable
from convgate.ui import services
from convgate.ui.choice import Choice
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.view import View

SETTINGS_FILE = "convgate-agent.toml"


def draw_settings(outcome: Outcome) -> None:
    """The button for the file; none for a policy that has no rule to choose."""
    choice, encoder = outcome.choice, services.settings().encoder
    if choice is None:
        return
    st.download_button(
        "Download settings", lambda: settings_toml(choice, encoder), file_name=SETTINGS_FILE,
        mime="application/toml", on_click="ignore", icon=":material/settings:",
        key="explore.download_settings",
        help="The rule and its parameters as they are now; with this file a program decides the same",
    )  # fmt: skip


def draw_agent(view: View) -> None:
    """The lines that use them."""
    st.caption("Use in my agent:")
    st.code(agent_python(view), language="python")


def settings_toml(choice: Choice, encoder: str) -> str:
    """The settings file with which `convgate.load_gate` decides as the choice does."""
    rule, limits = choice.rule, choice.limits
    lines = [
        *_lines({"encoder": encoder, "threshold_rule": rule.name}),
        *_lines(_parameters(limits)),
        "",
        "[threshold_parameters]",
        *_lines(_parameters(rule)),
    ]
    return "\n".join(lines) + "\n"


def agent_python(view: View) -> str:
    """The lines that select messages as this page does."""
    if view.policy == GatePolicy.name:
        loaded = f'convgate.load_gate(settings="{SETTINGS_FILE}")'
    else:
        loaded = f'convgate.load_policy("{view.policy}")'
    arguments = ["messages"] + ["question=question"] * bool(view.question)
    arguments += ["pair_answers=True"] * view.pairs
    return "\n".join(
        [
            "import convgate",
            "",
            f"selector = {loaded}",
            f"selection = selector.select({', '.join(arguments)})  # a list of OpenAI messages",
            "selection.messages  # what to send",
            "selection.decisions  # why",
        ]
    )


def _parameters(part: Rule | Limits) -> dict[str, Any]:
    return {name: getattr(part, name) for name in parameter_names(type(part))}


def _lines(values: Mapping[str, Any]) -> list[str]:
    """Lines of TOML; what is not set has none."""
    return [f"{name} = {_toml(value)}" for name, value in values.items() if value is not None]


def _toml(value: str | float) -> str:
    if not isinstance(value, str):
        return repr(value)
    # TOML escapes text as JSON does, and one letter more.
    return json.dumps(writable(value), ensure_ascii=False).replace("\x7f", "\\u007f")
