"""Policy options: policies and versions of the gate, as text in addresses and menus.

`gate` is the active version, `gate@NAME` a certain version; every other policy may have parameters.
"""

from __future__ import annotations

from convgate.core.settings import Settings
from convgate.core.text import pluralize, truncate
from convgate.policies.build import spec_of
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import check_spec, policy_labels, policy_names
from convgate.policies.spec import PIPELINE, PolicySpec, read_policy
from convgate.policies.window import LastK
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


def option_labels(settings: Settings) -> dict[str, str]:
    """Return a label for each policy and version, in the order of menus: gates first."""
    versions = map(version_option, Versions(settings.home).names())
    options = (GatePolicy.name, *versions, *policy_names())
    return {option: option_label(option, settings) for option in options}


def option_label(option: str, settings: Settings | None = None) -> str:
    """Return the label of a policy or version, with its parameters as they can be typed.

    settings: have the number of last turns where the option has none.

    >>> option_label("gate@mine"), option_label("last_k"), option_label("last_k(k=5)")
    ('Gate mine', 'Last 10 turns', 'Last 5 turns')
    >>> option_label("gatekeeper > bm25")
    'Pipeline: gatekeeper > bm25'
    """
    spec = read_policy(option)
    if spec.name == LastK.name:
        k = spec_of(settings or Settings(), option).parameters.get("k", LastK().k)
        return f"Last {pluralize(int(k), 'turn')}"
    label = policy_labels()[spec.name] if spec.version is None else f"Gate {spec.version}"
    if not spec.parameters:
        return label
    if spec.name == PIPELINE:
        return truncate(f"{label.partition(':')[0]}: {spec.to_text()}", _MAX_PARAMETERS)
    parameters = spec.to_text().partition("(")[2]
    return f"{label.partition(':')[0]} {truncate(f'({parameters}', _MAX_PARAMETERS)}"
