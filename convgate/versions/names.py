"""Names of versions: folders on every system, and never a way out of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from convgate.errors import GateError

SHIPPED = "shipped"  # the version that comes with convgate
UNTRAINED = "untrained"  # what results call a gate without a version

# Lower case, because some file systems take both for one; Windows keeps con, nul and others for itself.
_NAME = re.compile(r"(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?")


def is_name(name: str) -> bool:
    """Whether a version may be called that.

    >>> [is_name(name) for name in ("2026-11-21-1", "../mine", "Mine", "con")]
    [True, False, False, False]
    """
    return bool(_NAME.fullmatch(name))


def check_name(name: str) -> str:
    """The name for a version of the user's; GateError when it cannot be one."""
    if not is_name(name):
        raise GateError(
            f"{name!r} cannot name a version: it takes up to 64 small letters, digits, points, hyphens and"
            " underscores, with a letter or digit first and last"
        )
    if name in (SHIPPED, UNTRAINED):
        raise GateError(f"{name!r} is a name of convgate's own; choose another one")
    return name


def automatic_name(today: date, taken: Iterable[str]) -> str:
    """The day with the next free number.

    >>> automatic_name(date(2026, 11, 21), ["2026-11-21-1", "mine", "2026-11-20-7"])
    '2026-11-21-2'
    """
    numbers = [int(n) for name in taken if (n := name.removeprefix(f"{today}-")).isdecimal()]
    return f"{today}-{max(numbers, default=0) + 1}"
