"""Choosers: the policies and versions of the gate, as text in addresses and menus.

`gate` is the active version, `gate@NAME` a certain version, every other name a policy.
"""

from __future__ import annotations

from pathlib import Path

from convgate.policies.gate import GatePolicy
from convgate.policies.registry import policy_labels, policy_names
from convgate.policies.spec import PolicySpec, read_policy
from convgate.ui.page_state import Codec
from convgate.versions.catalog import Versions


def of_version(version: str) -> str:
    """Return the chooser of that version.

    >>> of_version("2026-11-22-1")
    'gate@2026-11-22-1'
    """
    return PolicySpec(GatePolicy.name, version=version).to_text()


def version_of(chooser: str) -> str | None:
    """Return the version that the chooser names; None without one."""
    return read_policy(chooser).version


def policy_of(chooser: str) -> str:
    """Return the name of the chooser's policy."""
    return read_policy(chooser).name


def _read(text: str) -> str:
    spec = read_policy(text)
    # Only a gate has a version, which may not exist.
    if spec.parameters or spec.name not in policy_names() or (spec.version and spec.name != GatePolicy.name):
        raise ValueError(text)
    return text


CHOOSER = Codec(str, _read, "gate@VERSION or one of " + ", ".join(policy_names()), is_chooser=True)
"""A policy or version in addresses."""


def chooser_labels(home: Path) -> dict[str, str]:
    """Return a label for each policy and version, in the order of menus: gates first."""
    labels = policy_labels()
    versions = {of_version(name): chooser_label(of_version(name)) for name in Versions(home).names()}
    return {GatePolicy.name: labels.pop(GatePolicy.name), **versions, **labels}


def chooser_label(chooser: str) -> str:
    """Return the label of a policy or version.

    >>> chooser_label("gate@mine"), chooser_label("gate@untrained"), chooser_label("last_k")
    ('Gate mine', 'Gate untrained', 'Last k turns')
    """
    version = version_of(chooser)
    return policy_labels()[chooser] if version is None else f"Gate {version}"
