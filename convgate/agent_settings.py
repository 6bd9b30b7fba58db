"""What the app or `convgate calibrate` found right, for a program: a settings file, and the lines to read it.

`convgate.load_gate(settings="convgate-agent.toml")` decides as these settings say, turn by turn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import tomli_w

from convgate.embedding.base import Encoder
from convgate.embedding.precision import DTYPES
from convgate.gate.thresholds import Limits, Rule
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import policy_settings
from convgate.policies.scored import NO_LIMITS
from convgate.settings import Settings
from convgate.transcripts.characters import writable
from convgate.versions.catalog import Versions
from convgate.versions.names import SHIPPED, UNTRAINED

FILE_NAME = "convgate-agent.toml"


@dataclass(frozen=True)
class AgentSettings:
    """How an agent's turns are chosen; the rule, the limits and the version are the gate's."""

    encoder: str  # a sentence-transformers model or its folder
    encoder_dtype: str | None = None  # what it computed in; None leaves it to the agent's machine
    policy: str = GatePolicy.name
    policy_parameters: Mapping[str, int | float | str] = field(default_factory=dict)
    version: str | None = None  # of the gate, by name; None: the active one
    rule: Rule | None = None  # None: the version's own
    limits: Limits = NO_LIMITS
    pair_answers: bool = False

    @classmethod
    def of(cls, policy: Policy, settings: Settings, *, pair_answers: bool = False) -> AgentSettings:
        """The settings with which another program chooses as this policy does."""
        encoder: Encoder | None = getattr(policy, "encoder", None)
        dtype = encoder.identity.dtype if encoder is not None else None
        if isinstance(policy, GatePolicy):
            return cls(
                encoder=settings.encoder,
                encoder_dtype=dtype if dtype in DTYPES else None,
                version=policy.version if _is_version(policy.version, settings) else None,
                rule=policy.rule,
                limits=policy.limits,
                pair_answers=pair_answers,
            )
        return cls(
            encoder=settings.encoder,
            encoder_dtype=dtype if dtype in DTYPES else None,
            policy=policy.name,
            policy_parameters={name: getattr(policy, name) for name in policy_settings(policy.name)},
            pair_answers=pair_answers,
        )

    def to_toml(self) -> str:
        """The settings file; what is not set stands in no line."""
        values: dict[str, Any] = {
            "encoder": self.encoder,
            "encoder_dtype": self.encoder_dtype,
            "policy": self.policy,
            "version": self.version,
            "pair_answers": self.pair_answers or None,
            "threshold_rule": None if self.rule is None else self.rule.name,
            "min_turns": self.limits.min_turns or None,
            "max_turns": self.limits.max_turns,
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
        name = self.version
        if name in (None, SHIPPED, UNTRAINED):
            return []
        return [
            f"the version {name}: `convgate versions export {name}` here,"
            f" `convgate versions import {name}.zip` there."
        ]


def _is_version(name: str, settings: Settings) -> bool:
    """Whether a settings file can name it; a folder of weights has none."""
    return name == UNTRAINED or name in Versions(settings.home).names()


def _parameters(rule: Rule) -> dict[str, Any]:
    """Every parameter of the rule that is set."""
    values = {item.name: getattr(rule, item.name) for item in fields(rule) if item.metadata}  # type: ignore[arg-type]
    return {name: value for name, value in values.items() if value not in (None, "")}


def _plain(value: Any) -> Any:
    """The value with text that can be written as UTF-8."""
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    return writable(value) if isinstance(value, str) else value
