"""Versions in the order of their descent: each one behind its parent, with how deep it stands.

A version is another's parent when it has the name and the weights that the other's card tells: the name
alone may be of a later one, and versions that differ in their threshold alone share their weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convgate.versions.version import Version


@dataclass(frozen=True)
class Descent:
    """A version's place among the others."""

    version: Version
    parent: str | None  # None without a parent, or when that is not here
    depth: int  # generations below the oldest ancestor that is here


def lineage(versions: Sequence[Version]) -> list[Descent]:
    """Every version once, children behind their parents, otherwise in the order given."""
    here = {version.as_parent() for version in versions}
    children: dict[str | None, list[Version]] = {}
    for version in versions:
        parent = version.card.parent
        children.setdefault(parent.name if parent and parent in here else None, []).append(version)
    found: dict[str, Descent] = {}
    _walk(children.get(None, []), children, found)
    for version in versions:  # cards edited by hand may name each other as parents
        _walk([version], children, found)
    return list(found.values())


def _walk(
    roots: Sequence[Version], children: dict[str | None, list[Version]], found: dict[str, Descent]
) -> None:
    # A stack and no recursion, for a line of descent may be long.
    waiting = [Descent(version, None, 0) for version in reversed(roots)]
    while waiting:
        place = waiting.pop()
        name = place.version.name
        if name not in found:
            found[name] = place
            below = reversed(children.get(name, []))
            waiting += [Descent(child, name, place.depth + 1) for child in below]
