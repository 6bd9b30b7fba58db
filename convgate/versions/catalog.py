"""The versions of this machine: those in the data folder, and the one that ships.

versions = Versions(settings.home)
version = versions.add(gate, Draft(note="…", parent=versions.get("shipped").as_parent()))
versions.activate(version.name, who="Ada")
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from convgate.core.errors import ActiveVersionError, GateError
from convgate.core.home import make_home
from convgate.embedding.base import EncoderIdentity
from convgate.versions.card import CARD, Draft
from convgate.versions.pointers import FILE, Change, Pointers, read_pointers, write_pointers
from convgate.versions.version import (
    SHIPPED,
    UNTRAINED,
    Version,
    automatic_name,
    check_name,
    is_name,
    pack,
    partial_beside,
    unpack,
    write_files,
    write_version,
)

if TYPE_CHECKING:
    from convgate.gate.model import Gate

PACKAGED = Path(__file__).resolve().parent.parent / "gate" / "weights"
"""Where the folder of the version is that ships."""


@dataclass(frozen=True)
class Listing:
    """Every version, the shipped one first, then oldest first; and a sentence for each that is damaged."""

    versions: tuple[Version, ...]
    damaged: Mapping[str, str]  # by name, what is wrong with it and what to do

    @property
    def problems(self) -> tuple[str, ...]:
        """The sentences alone."""
        return tuple(self.damaged.values())


_LOCK = ".lock"
_LOCK_SECONDS = 30.0  # to wait for another program that changes versions


class Versions:
    """The versions in `home`/versions; they never change, only come, go, and are pointed at.

    Several programs may share the folder. Every method raises GateError for a name that there is not, for
    what is damaged, and for what cannot be written; no version is changed then.
    """

    def __init__(self, home: Path) -> None:
        self.home, self.root = home, home / "versions"

    @property
    def active(self) -> str | None:
        """The name of the version in use; None while nothing was activated and none ships."""
        return self._pointers().active or (SHIPPED if _is_packaged() else None)

    @property
    def baseline(self) -> str | None:
        """The name of the version that others are compared with, if one was chosen."""
        return self._pointers().baseline

    @property
    def history(self) -> tuple[Change, ...]:
        """Who pointed where and when, oldest first."""
        return self._pointers().changes

    @property
    def previous(self) -> str | None:
        """What `rollback` would go back to, "untrained" when none ships; None when there is nothing."""
        try:
            pointers = self._pointers().roll_back(self._own_names(), "", _now())
        except GateError:
            return None
        return pointers.active or (SHIPPED if _is_packaged() else UNTRAINED)

    def names(self) -> list[str]:
        """Return the names of all versions, the shipped one first, then by name."""
        return [SHIPPED] * _is_packaged() + self._own_names()

    def listing(self) -> Listing:
        """Return all versions, and the names of damaged ones."""
        versions, damaged = [], {}
        for name in self.names():
            try:  # without asking for each name whether it is there
                folder = PACKAGED if name == SHIPPED and _is_packaged() else self.root
                versions.append(Version.read(folder / name))
            except GateError as error:
                damaged[name] = str(error)
        versions.sort(key=lambda version: (not version.shipped, version.card.created, version.name))
        return Listing(tuple(versions), damaged)

    def get(self, name: str) -> Version:
        """Return the version of that name."""
        if name == SHIPPED and _is_packaged():
            return Version.read(PACKAGED / SHIPPED)
        return Version.read(self._folder(name))

    def find(self, version: str | Path | Version | None) -> Version | Path | None:
        """Return what to load for a version, a name, or a folder: a text with a path separator is one.

        None stands for the active version. A folder without a card is returned as it is. Returns None for an
        untrained gate, as for the name "untrained".
        """
        if isinstance(version, Version):
            return version
        if version is None:
            return self._in_use()
        if version == UNTRAINED:
            return None
        if isinstance(version, Path) or {"/", os.sep} & {*version}:
            folder = Path(version)
            return Version.read(folder) if (folder / CARD).exists() else folder
        return self.get(version)

    def add(self, gate: Gate, draft: Draft, *, name: str | None = None) -> Version:
        """Store a gate as a new version, under the day's date and a number unless it is named."""
        with self._changing():
            return write_version(self.root / self.free_name(name), gate, draft)

    def export(self, name: str) -> bytes:
        """Return the version as one zip file, to be imported elsewhere."""
        return pack(name, self.get(name).files())

    def import_(self, source: Path | bytes, *, name: str | None = None, where: str | None = None) -> Version:
        """Store an exported version, under the name that it had unless another is given.

        where: what errors call the file, unless it has a name.
        """
        exported_name, files = unpack(source, where)
        with self._changing():
            return write_files(self.root / self.free_name(name or exported_name), files)

    def activate(self, name: str, *, who: str, encoder: EncoderIdentity | None = None) -> Change | None:
        """Use that version from now on, after checking its files; return the change, None without one.

        encoder: refuse a version that was made for another one, as in `rollback` and `undo`.
        """
        with self._changing():
            self._check_usable(name, encoder)
            if name == self.active:
                return None
            pointed = None if name == SHIPPED else name
            return self._write(self._pointers().point("active", pointed, who, _now()))

    def rollback(self, *, who: str, encoder: EncoderIdentity | None = None) -> str | None:
        """Use the version again that was active before, and return its name; None is the untrained gate."""
        with self._changing():
            pointers = self._pointers().roll_back(self._own_names(), who, _now())
            self._check_usable(pointers.active, encoder)
            self._write(pointers)
        return self.active

    def set_baseline(self, name: str | None, *, who: str) -> Change | None:
        """Compare others with that version, or with none; return the change, None without one."""
        with self._changing():
            if name is not None:
                self.get(name)
            if name == self.baseline:
                return None
            return self._write(self._pointers().point("baseline", name, who, _now()))

    def undo(self, change: Change, *, who: str, encoder: EncoderIdentity | None = None) -> None:
        """Undo the last change of its pointer.

        GateError when the pointer was changed since, or the version before is gone or damaged.
        """
        with self._changing():
            pointers = self._pointers().undo(change, who, _now())
            self._check_usable(pointers.changes[-1].version, encoder if change.pointer == "active" else None)
            self._write(pointers)

    def delete(self, name: str, *, who: str, force: bool = False) -> None:
        """Remove a version; one that is active, the baseline or a parent only when `force` says so.

        What ships is active then, and no baseline is left.
        """
        with self._changing():
            folder = self._folder(name)
            if (uses := self.uses(name)) and not force:
                raise GateError(f"{name} was not deleted: it is {uses}")
            before = pointers = self._pointers()
            if before.active == name:
                pointers = pointers.point("active", None, who, _now())
            if before.baseline == name:
                pointers = pointers.point("baseline", None, who, _now())
            if pointers != before:
                self._write(pointers)
            removed = partial_beside(folder)
            try:
                folder.rename(removed)
            except OSError:
                self._write(before)
                raise
            shutil.rmtree(removed, ignore_errors=True)  # what stays behind goes with the next change

    def _own_names(self) -> list[str]:
        """Return the names of the user's versions, sorted."""
        try:
            return sorted(path.name for path in self.root.iterdir() if is_name(path.name) and path.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise GateError(f"the versions in {self.root} cannot be read: {error}") from error

    def free_name(self, name: str | None) -> str:
        """Return the name for a new version, or one made of the date; GateError when it is taken."""
        if name is None:
            return automatic_name(datetime.now(UTC).date(), self._own_names())
        if check_name(name) in self._own_names():
            raise GateError(f"there is already a version {name}; choose another name")
        return name

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Lock the versions against other programs, and remove partial files of killed ones."""
        from filelock import FileLock, Timeout  # and asyncio, which reading versions does not need

        try:
            make_home(self.home)
            make_home(self.root)
            with FileLock(self.root / _LOCK, timeout=_LOCK_SECONDS, mode=0o600):
                for left in self.root.glob(".*.partial"):
                    shutil.rmtree(left, ignore_errors=True)
                    if left.is_file():
                        left.unlink()
                yield
        except Timeout as error:
            raise GateError(
                f"another program is changing the versions in {self.root}; try again when it is done"
            ) from error
        except OSError as error:
            raise GateError(
                f"the versions in {self.root} cannot be changed: {error}; everything is as it was"
            ) from error

    def _check_usable(self, name: str | None, encoder: EncoderIdentity | None) -> None:
        if name is None:
            return
        try:
            self.get(name).load(encoder=encoder)
        except GateError as error:
            stays = "Nothing was changed" if self.active is None else f"{self.active} stays in use"
            raise GateError(f"{name} cannot be used: {error}. {stays}.") from error

    def _in_use(self) -> Version | None:
        name = self.active
        if name is None:
            return None
        try:
            version = self.get(name)
            version.files()
        except GateError as error:
            if name == SHIPPED:
                raise
            raise ActiveVersionError(
                f"the version in use, {name}, cannot be used: {error}. Your labels and the other versions are"
                " as they were; the page Versions and `convgate versions rollback` go back to the one before"
            ) from error
        return version

    def _pointers(self) -> Pointers:
        return read_pointers(self.root / FILE)

    def _write(self, pointers: Pointers) -> Change:
        write_pointers(self.root / FILE, pointers)
        return pointers.changes[-1]

    def _folder(self, name: str) -> Path:
        """Return the folder of a version of the user's."""
        if name == SHIPPED:
            raise GateError(
                "the shipped version is part of convgate and stays as it is"
                if _is_packaged()
                else "no version ships with this convgate"
            )
        if name not in (own := self._own_names()):
            known = ", ".join([SHIPPED] * _is_packaged() + own) or "none yet"
            raise GateError(f"there is no version {name!r}; there are {known}")
        return self.root / name

    def uses(self, name: str) -> str:
        """Return what depends on a version, such as "the parent of b"; empty when nothing does."""
        pointers = self._pointers()
        children = [
            version.name
            for version in self.listing().versions
            if version.card.parent is not None and version.card.parent.name == name
        ]
        uses = ["the active version"] * (pointers.active == name)
        uses += ["the baseline"] * (pointers.baseline == name)
        uses += [f"the parent of {', '.join(children)}"] * bool(children)
        return " and ".join(uses)


def _is_packaged() -> bool:
    return (PACKAGED / SHIPPED).is_dir()


def _now() -> datetime:
    return datetime.now(UTC)
