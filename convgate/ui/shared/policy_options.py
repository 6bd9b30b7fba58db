"""Policy options: policies and versions of the gate, as text in addresses and menus.

`gate` is the active version, `gate@NAME` a certain version; every other policy may have parameters.
"""

from __future__ import annotations

from pathlib import Path

from convgate.core.text import truncate
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import check_spec, policy_labels, policy_names
from convgate.policies.spec import PIPELINE, PolicySpec, read_policy
from convgate.ui.shared.codecs import Codec
from convgate.versions.catalog import Versions

_MAX_PARAMETERS = 60  # characters


def version_option(version: str) -> str:
    """Return the policy option of that version.

    >>> version_option("2026-11-22-1")
    'gate@2026-11-22-1'
    """
    return PolicySpec(GatePolicy.name, version=version).to_text()


def _read(text: str) -> str:
    check_spec(spec := read_policy(text))
    if spec.name == GatePolicy.name and spec.parameters:
        raise ValueError(text)  # its rule is chosen apart
    return spec.to_text()


POLICY_OPTION = Codec(str, _read, "gate@VERSION or one of " + ", ".join(policy_names()))
"""A policy or version in addresses."""


def option_labels(home: Path) -> dict[str, str]:
    """Return a label for each policy and version, in the order of menus: gates first."""
    versions = map(version_option, Versions(home).names())
    return {option: option_label(option) for option in (GatePolicy.name, *versions, *policy_names())}


def option_label(option: str) -> str:
    """Return the label of a policy or version, with its parameters as they can be typed.

    >>> option_label("gate@mine"), option_label("last_k"), option_label("last_k(k=5)")
    ('Gate mine', 'Last k turns', 'Last k turns (k=5)')
    >>> option_label("gatekeeper > bm25")
    'Pipeline: gatekeeper > bm25'
    """
    spec = read_policy(option)
    label = policy_labels()[spec.name] if spec.version is None else f"Gate {spec.version}"
    if not spec.parameters:
        return label
    if spec.name == PIPELINE:
        return truncate(f"{label.partition(':')[0]}: {spec.to_text()}", _MAX_PARAMETERS)
    parameters = spec.to_text().partition("(")[2]
    return f"{label.partition(':')[0]} {truncate(f'({parameters}', _MAX_PARAMETERS)}"
