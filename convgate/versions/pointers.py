"""Which version is active and which is the baseline: a log of changes, from which both follow.

>>> now, log = datetime.fromisoformat("2026-11-21T12:00Z"), Pointers()
>>> log = log.point("active", "a", "Ada", now).point("active", "b", "Ben", now)
>>> log.active, log.roll_back({"a"}, "Ada", now).active
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

Pointer = Literal["active", "baseline"]


@with_config(STORED)
@dataclass(frozen=True)
class Change:
    """One change of a pointer."""

    pointer: Pointer
    version: str | None  # None: the version that ships for `active`, no version for `baseline`
    when: AwareDatetime
    who: str
    rollback: bool = False  # back to a version that was pointed at before, rather than on to another


@with_config(STORED)
@dataclass(frozen=True)
class Pointers:
    """Every change, oldest first."""

    changes: tuple[Change, ...] = ()

    @property
    def active(self) -> str | None:
        """Return the active version; None is the one that ships."""
        return self._stack("active")[-1]

    @property
    def baseline(self) -> str | None:
        """Return the version that others are compared with; None when none was chosen."""
        return self._stack("baseline")[-1]

    def point(
        self, pointer: Pointer, version: str | None, who: str, when: datetime, *, rollback: bool = False
    ) -> Pointers:
        """Return the log with one more change."""
        return Pointers((*self.changes, Change(pointer, version, when, who, rollback)))

    def roll_back(self, existing: Collection[str], who: str, when: datetime) -> Pointers:
        """Return the log with the existing version active that was so before; GateError when none was."""
        before = self._stack("active")[:-1]
        while before and (before[-1] == self.active or before[-1] not in {None, *existing}):
            before.pop()
        if not before:
            raise GateError("No version was active before this one.")
        return self.point("active", before[-1], who, when, rollback=True)

    def undo(self, change: Change, who: str, when: datetime) -> Pointers:
        """Return the log with that change undone; GateError unless it is the last one of its pointer."""
        if self.last(change.pointer) != change:
            raise GateError(f"The {change.pointer} version was changed again since. Nothing was undone.")
        before = Pointers(self.changes[: self.changes.index(change)])
        version = before._stack(change.pointer)[-1]
        return self.point(change.pointer, version, who, when, rollback=not change.rollback)

    def last(self, pointer: Pointer) -> Change | None:
        """Return the newest change of that pointer; None when there was none."""
        return next((change for change in reversed(self.changes) if change.pointer == pointer), None)

    def _stack(self, pointer: Pointer) -> list[str | None]:
        """Return what was pointed at and not rolled back, oldest first; None is always below."""
        stack: list[str | None] = [None]
        for change in self.changes:
            if change.pointer != pointer:
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
    """Return the log in the file, empty without a file; GateError naming file and field."""
    try:
        return parse(_KIND, file.read_bytes(), str(file))
    except FileNotFoundError:
        return Pointers()
    except OSError as error:
        raise GateError(f"{file} cannot be read: {error}") from error
    except GateError as error:
        raise GateError(
            f"{error}. Restore the file, or move it away to start with the version that ships."
        ) from error


def write_pointers(file: Path, pointers: Pointers) -> None:
    """Write the log, whole or not at all; OSError when it cannot be written."""
    write_whole(file, dump(_KIND, pointers, str(file)), private=True)
