"""Names of policies and versions, as pages, addresses and menus have them.

`gate` is the active version, `gate@NAME` a certain version, every other name a policy.
"""

from __future__ import annotations

from pathlib import Path

from convgate.policies.gate import GatePolicy
from convgate.policies.registry import policy_labels, policy_names
from convgate.ui.page_state import Codec
from convgate.versions import is_name
from convgate.versions.catalog import Versions

_OF_VERSION = f"{GatePolicy.name}@"


def of_version(version: str) -> str:
    """Return the name of the gate in that version.

    >>> of_version("2026-11-22-1")
    'gate@2026-11-22-1'
    """
    return f"{_OF_VERSION}{version}"


def version_of(chooser: str) -> str | None:
    """Return the version that the name has; None without one.

    >>> version_of("gate@mine"), version_of("gate"), version_of("bm25")
    ('mine', None, None)
    """
    return chooser.removeprefix(_OF_VERSION) if chooser.startswith(_OF_VERSION) else None


def policy_of(chooser: str) -> str:
    """Return the policy of the name.

    >>> policy_of("gate@mine"), policy_of("bm25")
    ('gate', 'bm25')
    """
    return GatePolicy.name if version_of(chooser) is not None else chooser


def is_chooser(name: str) -> bool:
    """Return whether the name is well-formed; its version may still not exist.

    >>> [is_chooser(name) for name in ("gate", "gate@mine", "gate@../x", "nobody")]
    [True, True, False, False]
    """
    version = version_of(name)
    return name in policy_names() if version is None else is_name(version)


def _read(text: str) -> str:
    if not is_chooser(text):
        raise ValueError(text)
    return text


CHOOSER = Codec(str, _read, "gate@VERSION or one of " + ", ".join(policy_names()), is_chooser=True)
"""A policy or version in addresses."""


def chooser_labels(home: Path) -> dict[str, str]:
    """Return a short label for each policy and version, in the order of menus: gates first."""
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
