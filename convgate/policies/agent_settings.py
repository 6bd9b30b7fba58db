"""What the app or `convgate calibrate` found right, for a program: a settings file, and the lines to read it.

`convgate.load_gate(settings="convgate-agent.toml")` decides as these settings say, turn by turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import tomli_w

from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.precision import DTYPES
from convgate.gate.thresholds import Limits, Rule
from convgate.gatekeeper.rules_file import RulesFile
from convgate.policies.base import NO_LIMITS, Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.gatekeeper import AS_SET, GatekeeperPolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import policy_settings
from convgate.policies.session_policy import SessionPolicy
from convgate.transcripts.characters import writable
from convgate.versions import SHIPPED, UNTRAINED
from convgate.versions.catalog import Versions

FILE_NAME = "convgate-agent.toml"

SESSION_SETTINGS = (
    "session_idle_gap",
    "session_continue_overrides_gap",
    "session_auto_close_on_workflow_complete",
    "session_new_commands",
    "session_continue_commands",
)
GATEKEEPER_SETTINGS = ("gatekeeper_greeting_length", "gatekeeper_short_user", "gatekeeper_short_assistant")
MODEL_SETTINGS = (
    "gatekeeper_mode",
    "gatekeeper_fail",
    "gatekeeper_model",
    "gatekeeper_base_url",
    "gatekeeper_timeout",
    "gatekeeper_retries",
)
"""What policies go by besides their own parameters, by the names of the settings."""

CONTEXT_SETTINGS = (
    "context_budget",
    "context_budgets",
    "context_filter",
    "context_intents",
    "context_hysteresis",
)
"""What contexts go by besides their policy, by the names of the settings."""


@dataclass(frozen=True)
class AgentSettings:
    """How an agent's turns are chosen; the rule, the limits and the version are the gate's."""

    encoder: str  # a sentence-transformers model or its folder
    encoder_dtype: str | None = None  # what it computed in; None leaves it to the agent's machine
    policy: str = GatePolicy.name
    policy_parameters: Mapping[str, bool | int | float | str] = field(default_factory=dict)
    version: str | None = None  # of the gate, by name; None: the active one
    rule: Rule | None = None  # None: the version's own
    limits: Limits = NO_LIMITS
    pair_answers: bool = False
    further: Mapping[str, Any] = field(default_factory=dict)  # others that the policy or a context goes by

    @classmethod
    def of(cls, policy: Policy, settings: Settings, *, pair_answers: bool = False) -> AgentSettings:
        """Return the settings with which another program chooses as this policy does."""
        encoder: Encoder | None = getattr(policy, "encoder", None)
        dtype = encoder.identity.dtype if encoder is not None else None
        stages = policy.policies if isinstance(policy, Pipeline) else (policy,)
        gate = next((one for one in stages if isinstance(one, GatePolicy)), None)
        names = [] if policy is gate else policy_settings(policy.name)
        parameters = {name: getattr(policy, name) for name in names}
        chosen = cls(
            encoder=settings.encoder,
            encoder_dtype=dtype if dtype in DTYPES else None,
            policy=policy.name,
            policy_parameters={name: value for name, value in parameters.items() if value is not None},
            pair_answers=pair_answers,
            further={
                **{name: value for one in stages for name, value in _changed(one, settings).items()},
                **_unusual({name: getattr(settings, name) for name in CONTEXT_SETTINGS}),
            },
        )
        if gate is None:
            return chosen
        version = gate.version if _is_version(gate.version, settings) else None
        return replace(chosen, version=version, rule=gate.rule, limits=gate.limits)

    def to_toml(self) -> str:
        """Return the settings file; what is not set stands in no line."""
        values: dict[str, Any] = {
            "encoder": self.encoder,
            "encoder_dtype": self.encoder_dtype,
            "policy": self.policy,
            "version": self.version,
            "pair_answers": self.pair_answers or None,
            "threshold_rule": None if self.rule is None else self.rule.name,
            "min_turns": self.limits.min_turns or None,
            "max_turns": self.limits.max_turns,
            **self.further,
            "policy_parameters": dict(self.policy_parameters) or None,
            "threshold_parameters": None if self.rule is None else _parameters(self.rule),
        }
        return tomli_w.dumps({name: _plain(value) for name, value in values.items() if value is not None})

    def to_python(self, *, asks: bool = False, file: str = FILE_NAME) -> str:
        """The lines of Python that select messages so; `asks` when a question is put after the last turn."""
        loads = "load_gate" if self.policy == GatePolicy.name else "load_policy"
        arguments = ", ".join(["messages"] + ["question=question"] * asks)
        return "\n".join(
            [
                "import convgate",
                "",
                f'selector = convgate.{loads}(settings="{file}")',
                f"selection = selector.select({arguments})  # a list of OpenAI messages",
                "selection.messages  # what to send",
                "selection.decisions  # why",
            ]
        )

    def needs(self) -> list[str]:
        """What has to be on the agent's machine besides the file: Markdown that goes on after "it needs"."""
        found, name = [], self.version
        if name not in (None, SHIPPED, UNTRAINED):
            found.append(
                f"the version {name}: `convgate versions export {name}` here,"
                f" `convgate versions import {name}.zip` there."
            )
        if rules := self.further.get("gatekeeper_rules"):
            found.append(f"the gatekeeper's rules, `{rules}`, where `gatekeeper_rules` says.")
        if self.further.get("gatekeeper_model"):
            found.append("the key of the language model as `OPENAI_API_KEY`, if it asks for one.")
        return found


def _changed(policy: Policy, settings: Settings) -> dict[str, Any]:
    """Return what the policy takes from settings, by their names, as far as it is not the default."""
    names: tuple[str, ...] = ()
    if isinstance(policy, SessionPolicy):
        names = SESSION_SETTINGS
    elif isinstance(policy, GatekeeperPolicy):
        names = GATEKEEPER_SETTINGS + (MODEL_SETTINGS if policy.mode == AS_SET else ())
    values = {name: getattr(settings, name) for name in names}
    if isinstance(policy, GatekeeperPolicy):
        rules = policy.gatekeeper.rules
        there = isinstance(rules, RulesFile) and rules.path.exists()
        values["gatekeeper_rules"] = rules.path if isinstance(rules, RulesFile) and there else None
    return _unusual(values)


def _unusual(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of these settings that are not the default."""
    fields = Settings.model_fields
    return {name: value for name, value in values.items() if value != fields[name].get_default()}


def _is_version(name: str, settings: Settings) -> bool:
    """Return whether a settings file can name it; a folder of weights has none."""
    return name == UNTRAINED or name in Versions(settings.home).names()


def _parameters(rule: Rule) -> dict[str, Any]:
    """Return every parameter of the rule that is set."""
    values = {item.name: getattr(rule, item.name) for item in fields(rule) if item.metadata}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if value not in (None, "")}


def _plain(value: Any) -> Any:
    """Return the value with text that can be written as UTF-8."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return writable(str(value)) if isinstance(value, str | Path) else value
