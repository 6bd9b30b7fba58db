"""A policy with its parameters as text: `last_k(k=5)`, `gate@mine`, `bm25`.

The stages of a pipeline, the columns of a comparison and their addresses are written in this form.

>>> read_policy("last_k( k = 5 )")
PolicySpec(name='last_k', parameters={'k': 5}, version=None)
>>> to_text(read_policies("gatekeeper>session(idle_gap_seconds=3600) > gate@mine"))
'gatekeeper > session(idle_gap_seconds=3600) > gate@mine'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from convgate.core.errors import PolicyError

Value = bool | int | float | str
Separator = Literal[">", ","]

PIPELINE = "pipeline"
"""The policy whose stages are policies, one after the other."""

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_STRING = r'"(?:[^"\\]|\\.)*"'
_POLICY = re.compile(
    rf"\s*(?P<name>{_NAME})\s*"
    r"(?:@\s*(?P<version>[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)\s*)?"  # a name and never a folder, such as ".."
    rf'(?:\((?P<parameters>(?:{_STRING}|[^()"])*)\)\s*)?'
)
_PARAMETER = re.compile(rf"\s*(?P<name>{_NAME})\s*=\s*(?P<value>{_STRING}|[\w.+-]+)\s*(?:,|$)")
_CONSTANTS = {"true": True, "false": False, "inf": float("inf"), "-inf": float("-inf")}


@dataclass(frozen=True)
class PolicySpec:
    """The name of a policy and its parameters; whether there is such a policy is checked elsewhere."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    version: str | None = None  # of a gate; None: the active one

    def to_text(self) -> str:
        """Return the text that `read_policy` reads as this.

        >>> PolicySpec("pipeline", {"stages": "bm25 > gate"}).to_text()
        'bm25 > gate'
        """
        stages = self.parameters.get("stages")
        return str(stages) if self.name == PIPELINE and stages else self.to_call()

    def to_call(self) -> str:
        """Return the text that `read_policies` reads as this among others.

        >>> PolicySpec("pipeline", {"stages": "bm25 > gate"}).to_call()
        'pipeline(stages="bm25 > gate")'
        """
        name = self.name if self.version is None else f"{self.name}@{self.version}"
        values = ", ".join(f"{key}={_write_value(value)}" for key, value in self.parameters.items())
        return f"{name}({values})" if values else name


def read_policy(text: str) -> PolicySpec:
    """Return the policy that the text names; several with > between them are the stages of one.

    Values are numbers, `true`, `false`, `inf`, single words, and other text in "quotes" as in JSON. Raises
    PolicyError for text that cannot be read, and for a parameter that is set twice.
    """
    specs = read_policies(text)
    return specs[0] if len(specs) == 1 else PolicySpec(PIPELINE, {"stages": to_text(specs)})


def read_policies(text: str, separator: Separator = ">") -> tuple[PolicySpec, ...]:
    """Return the policies of the text, at least one; PolicyError as for `read_policy`."""
    specs: list[PolicySpec] = []
    at = 0
    while match := _POLICY.match(text, at):
        specs.append(PolicySpec(match["name"], _read_parameters(match["parameters"] or ""), match["version"]))
        at = match.end()
        if at == len(text):
            return tuple(specs)
        if text[at] != separator:
            break
        at += 1
    raise PolicyError(f"{text!r}, character {at + 1}: a policy such as last_k(k=5) was expected")


def to_text(specs: Iterable[PolicySpec], separator: Separator = ">") -> str:
    """Return the text that `read_policies` reads as these."""
    return (", " if separator == "," else f" {separator} ").join(spec.to_call() for spec in specs)


def _read_parameters(text: str) -> dict[str, Value]:
    parameters: dict[str, Value] = {}
    at, end = 0, len(text.rstrip())
    while at < end:
        match = _PARAMETER.match(text, at)
        if match is None or match["name"] in parameters:
            problem = "expected NAME=VALUE" if match is None else f"{match['name']} is set twice"
            raise PolicyError(f"({text}), character {at + 1}: {problem}")
        parameters[match["name"]] = _read_value(match["value"])
        at = match.end()
    return parameters


def _read_value(text: str) -> Value:
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if re.fullmatch(_NAME, text):
        return text
    try:
        value: Value = json.loads(text)
    except ValueError as error:
        raise PolicyError(f"{text} is neither a number, a word nor text in quotes as in JSON") from error
    return value


def _write_value(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        is_word = re.fullmatch(_NAME, value) and value not in _CONSTANTS
        return value if is_word else json.dumps(value, ensure_ascii=False)
    return repr(value)
