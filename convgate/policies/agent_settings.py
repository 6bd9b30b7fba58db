"""A settings file from the app or `convgate calibrate` for another program, and the code that loads it.

`convgate.load("convgate-agent.toml")` decides by these settings, turn by turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from convgate.core.parameters import parameter_values
from convgate.core.settings import SELECTING, Settings
from convgate.core.text import writable
from convgate.embedding.base import DTYPES
from convgate.gatekeeper.rules_file import RulesFile
from convgate.policies.base import Policy, encoder_of
from convgate.policies.gate import GatePolicy
from convgate.policies.gatekeeper import GatekeeperPolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import policy_settings
from convgate.versions import SHIPPED, UNTRAINED, Versions

FILE_NAME = "convgate-agent.toml"


@dataclass(frozen=True)
class AgentSettings:
    """The settings with which another program chooses turns as a policy does."""

    values: Mapping[str, Any]  # by the names of the settings; None: not set

    @classmethod
    def of(cls, policy: Policy, settings: Settings, *, pair_answers: bool | None = None) -> AgentSettings:
        """Return the settings with which another program chooses as this policy does.

        pair_answers: None as in the settings.
        """
        encoder = encoder_of(policy)
        dtype = None if encoder is None else encoder.identity.dtype
        stages = policy.policies if isinstance(policy, Pipeline) else (policy,)
        gate = next((stage for stage in stages if isinstance(stage, GatePolicy)), None)
        values: dict[str, Any] = settings.model_dump(include=dict(SELECTING), exclude_defaults=True)
        values |= {
            "encoder": settings.encoder,
            "encoder_dtype": dtype if dtype in DTYPES else None,
            "policy": policy.stages if isinstance(policy, Pipeline) else policy.name,
            "pair_answers": (settings.pair_answers if pair_answers is None else pair_answers) or None,
            "policy_parameters": {}
            if isinstance(policy, Pipeline)
            else {name: getattr(policy, name) for name in policy_settings(policy.name)},
        }
        gatekeeper = dict(values.get("gatekeeper", {}))
        for stage in stages:
            rules = stage.gatekeeper.rules if isinstance(stage, GatekeeperPolicy) else None
            if isinstance(rules, RulesFile) and rules.path.exists():
                values["gatekeeper"] = gatekeeper | {"rules": rules.path}
        if gate is None:
            for name in ("version", "threshold_rule", "threshold_parameters", "min_turns", "max_turns"):
                values.pop(name, None)
        else:
            is_version = gate.version == UNTRAINED or gate.version in Versions(settings.home).names()
            values |= {
                "version": gate.version if is_version else None,  # a folder of weights has no name
                "threshold_rule": gate.rule.name,
                "threshold_parameters": parameter_values(gate.rule),
                "min_turns": gate.limits.min_turns or None,
                "max_turns": gate.limits.max_turns,
            }
        return cls(values)

    @property
    def version(self) -> str | None:
        """The gate's version; None when there is no gate, or it is a folder."""
        return self.values.get("version")

    def to_toml(self) -> str:
        """Return the settings file; settings without a value have no line."""
        tables_last = sorted(self.values.items(), key=lambda item: isinstance(item[1], dict))
        return tomli_w.dumps(_plain(dict(tables_last)))

    def to_python(self, *, asks: bool = False, intent: str | None = None, file: str = FILE_NAME) -> str:
        """Return the Python code that selects messages so; `asks`: a question is put after the last turn."""
        intents = [] if intent is None else [f"intent={intent!r}"]
        arguments = ", ".join(["messages", *["question=question"] * asks, *intents])
        return "\n".join(
            [
                "import convgate",
                "",
                f'selector = convgate.load("{file}")',
                f"selection = selector.select({arguments})  # a list of OpenAI messages",
                "selection.messages  # what to send",
                "selection.decisions  # why",
            ]
        )

    def needs(self) -> list[str]:
        """Return what the agent's machine needs besides the file: Markdown to follow "it needs"."""
        needs = []
        if (name := self.version) not in (None, SHIPPED, UNTRAINED):
            needs.append(
                f"the version {name}: `convgate versions export {name}` here,"
                f" `convgate versions import {name}.zip` there."
            )
        if rules := self.values.get("gatekeeper", {}).get("rules"):
            needs.append(f"the gatekeeper's rules, `{rules}`, where `gatekeeper.rules` says.")
        return needs


def _plain(value: Any) -> Any:
    """Return the value without what is not set, and with text that can be written as UTF-8."""
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if item not in (None, "", {})}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return writable(str(value)) if isinstance(value, str | Path) else value
