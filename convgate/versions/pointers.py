"""Which version is active and which is the baseline: a log of changes, from which the present follows.

>>> now, log = datetime.fromisoformat("2026-11-21T12:00Z"), Pointers()
>>> log = log.activated("a", "Ada", now).activated("b", "Ben", now)
>>> log.active, log.rolled_back({"a"}, "Ada", now).active
('b', 'a')
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, TypeAdapter, with_config

from convgate.core.errors import GateError
from convgate.core.files import write_whole
from convgate.core.validation import STORED, dump, parse

FILE = "pointers.json"


@with_config(STORED)
@dataclass(frozen=True)
class Change:
    """Somebody pointed somewhere else."""

    pointer: Literal["active", "baseline"]
    version: str | None  # None: the version that ships for `active`, no version for `baseline`
    when: AwareDatetime
    who: str
    rollback: bool = False  # back to the version that was active before, rather than on to another


@with_config(STORED)
@dataclass(frozen=True)
class Pointers:
    """Every change, oldest first."""

    changes: tuple[Change, ...] = ()

    @property
    def active(self) -> str | None:
        """The version in use; None is the one that ships."""
        return self._activated()[-1]

    @property
    def baseline(self) -> str | None:
        """The version that others are compared with; None when none was chosen."""
        return next((one.version for one in reversed(self.changes) if one.pointer == "baseline"), None)

    def activated(self, version: str | None, who: str, when: datetime) -> Pointers:
        """With that version in use."""
        return self._with(Change("active", version, when, who))

    def rolled_back(self, there: Collection[str], who: str, when: datetime) -> Pointers:
        """With the version in use that was before, of those that are still there.

        Raises GateError when none was active before.
        """
        before = self._activated()[:-1]
        while before and (before[-1] == self.active or before[-1] not in {None, *there}):
            before.pop()
        if not before:
            raise GateError("no version was active before this one, so there is none to go back to")
        return self._with(Change("active", before[-1], when, who, rollback=True))

    def based_on(self, version: str | None, who: str, when: datetime) -> Pointers:
        """With that version as the baseline."""
        return self._with(Change("baseline", version, when, who))

    def taken_back(self, change: Change, who: str, when: datetime) -> Pointers:
        """As before that change, which has to be the last one of its pointer.

        Raises GateError when somebody has pointed elsewhere since.
        """
        last = max(
            (place for place, one in enumerate(self.changes) if one.pointer == change.pointer), default=-1
        )
        if last < 0 or self.changes[last] != change:
            raise GateError(f"{change.pointer} was changed again since, so nothing was taken back")
        before = Pointers(self.changes[:last])
        if change.pointer == "baseline":
            return self.based_on(before.baseline, who, when)
        return self._with(Change("active", before.active, when, who, rollback=not change.rollback))

    def last(self, pointer: Literal["active", "baseline"]) -> Change | None:
        """The newest change of that pointer; None when there was none."""
        return next((one for one in reversed(self.changes) if one.pointer == pointer), None)

    def _with(self, change: Change) -> Pointers:
        return Pointers((*self.changes, change))

    def _activated(self) -> list[str | None]:
        """What was activated and not rolled back, oldest first; what ships is always below."""
        stack: list[str | None] = [None]
        for change in self.changes:
            if change.pointer != "active":
                continue
            if not change.rollback:
                stack.append(change.version)
                continue
            stack.pop()
            while stack and stack[-1] != change.version:
                stack.pop()
            stack = stack or [change.version]  # a log edited by hand
        return stack


_KIND = TypeAdapter(Pointers)


def read_pointers(file: Path) -> Pointers:
    """The log in the file, an empty one when there is no file; GateError naming file and field."""
    try:
        return parse(_KIND, file.read_bytes(), str(file))
    except FileNotFoundError:
        return Pointers()
    except OSError as error:
        raise GateError(f"{file} cannot be read: {error}") from error
    except GateError as error:
        raise GateError(
            f"{error}; put the file back as it was, or move it away to start with the version that ships;"
            " the versions are as they were"
        ) from error


def write_pointers(file: Path, pointers: Pointers) -> None:
    """Write the log, whole or not at all; OSError when it cannot be written."""
    write_whole(file, dump(_KIND, pointers, str(file)), private=True)
