"""Policy options: policies and versions of the gate, as text in addresses and menus.

`gate` is the active version, `gate@NAME` a certain version, every other name a policy.
"""

from __future__ import annotations

from pathlib import Path

from convgate.policies.gate import GatePolicy
from convgate.policies.registry import policy_labels, policy_names
from convgate.policies.spec import PolicySpec, read_policy
from convgate.ui.page_state import Codec
from convgate.versions.catalog import Versions


def version_option(version: str) -> str:
    """Return the policy option of that version.

    >>> version_option("2026-11-22-1")
    'gate@2026-11-22-1'
    """
    return PolicySpec(GatePolicy.name, version=version).to_text()


def version_of(option: str) -> str | None:
    """Return the version that the policy option names; None without one."""
    return read_policy(option).version


def policy_of(option: str) -> str:
    """Return the name of the policy that the option names."""
    return read_policy(option).name


def _read(text: str) -> str:
    spec = read_policy(text)
    is_known = spec.name in policy_names() and (spec.version is None or spec.name == GatePolicy.name)
    if spec.parameters or not is_known:
        raise ValueError(text)
    return text


POLICY_OPTION = Codec(
    str, _read, "gate@VERSION or one of " + ", ".join(policy_names()), is_policy_option=True
)
"""A policy or version in addresses."""


def option_labels(home: Path) -> dict[str, str]:
    """Return a label for each policy and version, in the order of menus: gates first."""
    labels = policy_labels()
    versions = {version_option(name): option_label(version_option(name)) for name in Versions(home).names()}
    return {GatePolicy.name: labels.pop(GatePolicy.name), **versions, **labels}


def option_label(option: str) -> str:
    """Return the label of a policy or version.

    >>> option_label("gate@mine"), option_label("gate@untrained"), option_label("last_k")
    ('Gate mine', 'Gate untrained', 'Last k turns')
    """
    version = version_of(option)
    return policy_labels()[option] if version is None else f"Gate {version}"
