"""One version: its name, its folder (weights, config, card) that is written once, and its zip file."""

from __future__ import annotations

import hashlib
import io
import re
import secrets
import shutil
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convgate.core.errors import GateError
from convgate.core.files import sync_folder, write_whole
from convgate.core.home import make_home
from convgate.embedding.base import EncoderIdentity
from convgate.gate.config import GateConfig, parse_config
from convgate.gate.files import CONFIG, WEIGHTS, build_gate, check_encoder, gate_files
from convgate.versions.card import CARD, Card, Draft, Parent, parse_card

if TYPE_CHECKING:
    from convgate.gate.model import Gate

SHIPPED = "shipped"  # the version that comes with convgate
UNTRAINED = "untrained"  # what results call a gate without a version

# Lower case, because some file systems take both for one; Windows keeps con, nul and others for itself.
_NAME = re.compile(r"(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9]([a-z0-9._-]{0,62}[a-z0-9])?")

FILES = (CONFIG, WEIGHTS, CARD)
LIMITS = {CONFIG: 64 << 10, WEIGHTS: 256 << 20, CARD: 1 << 20}
"""Bytes that a file of a version may have when it comes from outside."""


@dataclass(frozen=True)
class Version:
    """A version as it lies on disk; its weights are read when they are asked for."""

    name: str
    folder: Path
    config: GateConfig
    card: Card

    @classmethod
    def read(cls, folder: Path) -> Version:
        """Return the version in the folder, called like it; GateError when it is damaged."""
        files = _read(folder, (CONFIG, CARD), folder.name)
        try:
            return cls(folder.name, folder, *_parsed(folder, files[CONFIG], files[CARD]))
        except GateError as error:
            raise _damaged(folder.name, str(error)) from error

    @property
    def shipped(self) -> bool:
        """Whether it came with convgate, and is not the user's to change."""
        return self.name == SHIPPED

    def load(self, *, encoder: EncoderIdentity | None = None) -> Gate:
        """Return the gate.

        Raises GateError when a file is not the one that the card was written for, or the version was made
        for another encoder than the one given (both are named).
        """
        check_encoder(self.config, encoder)
        files = self.files()
        try:
            return build_gate(files, f"the gate in {self.folder}")
        except GateError as error:
            raise _damaged(self.name, str(error)) from error

    def files(self) -> dict[str, bytes]:
        """Return its files' contents by name; GateError when they are not as they were when it was made."""
        files = _read(self.folder, FILES, self.name)
        try:
            check_digests(files, self.card, str(self.folder))
        except GateError as error:
            raise _damaged(self.name, str(error)) from error
        return files

    def as_parent(self) -> Parent:
        """Return the parent field for the draft of a version that is trained from this one."""
        return Parent(self.name, self.card.weights_sha256)

    def to_json(self) -> dict[str, Any]:
        """Return name, config and card as plain JSON values."""
        return {"name": self.name, "config": self.config.to_json(), **self.card.to_json()}


def write_version(folder: Path, gate: Gate, draft: Draft, *, created: datetime | None = None) -> Version:
    """Make the folder with a new version in it, whole or not at all.

    created: with its time zone, now unless given. Raises GateError when the folder is there already, the
    draft has a value of the wrong type, or nothing can be written.
    """
    files = gate_files(gate)
    card = Card(
        **vars(draft),
        created=(created or datetime.now(UTC)).astimezone(UTC),
        weights_sha256=_sha256(files[WEIGHTS]),
        config_sha256=_sha256(files[CONFIG]),
        parameters=gate.parameter_count,
        activation=gate.tiers.activation,
        learned_threshold=gate.learned_threshold,
    )
    files[CARD] = card.to_bytes()
    check_files(files, "the new version")
    return write_files(folder, files)


def check_files(files: Mapping[str, bytes], where: str) -> None:
    """Raise GateError naming `where` when the contents of a version's files do not make one."""
    check_digests(files, parse_card(files[CARD], f"{where}, {CARD}"), where)
    build_gate(files, where)


def check_digests(files: Mapping[str, bytes], card: Card, where: str) -> None:
    """Raise GateError naming the file that is not the one the card was written for."""
    for name, expected in card.sha256.items():
        if (digest := _sha256(files[name])) != expected:
            raise GateError(
                f"{where}, {name}: its SHA-256 is {digest[:12]}…, not {expected[:12]}… as the card says"
            )


def write_files(folder: Path, files: Mapping[str, bytes]) -> Version:
    """Make the folder with these contents, by name, in one step; GateError when it cannot be made."""
    if folder.exists():
        raise GateError(f"there is a version {folder.name} already, and versions never change")
    partial = partial_beside(folder)
    try:
        make_home(partial)
        for name, content in files.items():
            write_whole(partial / name, content, private=True)
        partial.rename(folder)
        sync_folder(folder.parent)
    except OSError as error:
        raise GateError(f"the version {folder.name} cannot be written: {error}; nothing was kept") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    return Version.read(folder)


def partial_beside(folder: Path) -> Path:
    """Return a new path beside the folder for what is being written or removed; it is no version's name."""
    return folder.with_name(f".{secrets.token_hex(8)}.partial")


def _read(folder: Path, names: tuple[str, ...], version: str) -> dict[str, bytes]:
    try:
        return {name: (folder / name).read_bytes() for name in names}
    except FileNotFoundError as error:
        raise _damaged(version, f"{error.filename} is missing") from error
    except OSError as error:
        raise _damaged(version, f"{error.filename} cannot be read: {error.strerror}") from error


@lru_cache(maxsize=512)  # by content: a list of 200 versions is read again with every click
def _parsed(folder: Path, config: bytes, card: bytes) -> tuple[GateConfig, Card]:
    parsed = parse_card(card, str(folder / CARD))
    return parse_config(config, str(folder / CONFIG)), parsed


def _damaged(name: str, why: str) -> GateError:
    remedy = (
        "install convgate again" if name == SHIPPED else "put its files back from an export, or delete it"
    )
    return GateError(f"the version {name} is damaged or was changed by hand: {why}; {remedy}")


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def is_name(name: str) -> bool:
    """Return whether a version may be called that.

    >>> [is_name(name) for name in ("2026-11-21-1", "../mine", "Mine", "con")]
    [True, False, False, False]
    """
    return bool(_NAME.fullmatch(name))


def check_name(name: str) -> str:
    """Return the name for a version of the user's; GateError when it cannot be one."""
    if not is_name(name):
        raise GateError(
            f"{name!r} cannot name a version: it takes up to 64 small letters, digits, points, hyphens and"
            " underscores, with a letter or digit first and last"
        )
    if name in (SHIPPED, UNTRAINED):
        raise GateError(f"{name!r} is a name of convgate's own; choose another one")
    return name


def automatic_name(today: date, taken: Iterable[str]) -> str:
    """Return the day with the next free number.

    >>> automatic_name(date(2026, 11, 21), ["2026-11-21-1", "mine", "2026-11-20-7"])
    '2026-11-21-2'
    """
    numbers = [int(n) for name in taken if (n := name.removeprefix(f"{today}-")).isdecimal()]
    return f"{today}-{max(numbers, default=0) + 1}"


def pack(name: str, files: Mapping[str, bytes]) -> bytes:
    """Return the zip of a version's files, by name; the same files give the same zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}"), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpack(source: Path | bytes, where: str | None = None) -> tuple[str, dict[str, bytes]]:
    """Return the name and the files of a version in a zip file; `where` is what errors call it.

    Raises GateError when the zip is damaged, too large, or holds anything but the three files of one version
    in a folder with its name.
    """
    where = where or (source.name if isinstance(source, Path) else "the archive")
    try:
        with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
            members = {member.filename: member for member in archive.infolist() if not member.is_dir()}
            name = next(iter(members), "").partition("/")[0]
            if not is_name(name) or set(members) != {f"{name}/{file}" for file in LIMITS}:
                raise GateError(
                    f"{where} is no exported version: it must hold {', '.join(sorted(LIMITS))} in one folder,"
                    " nothing else"
                )
            files = {file: _read_member(archive, members[f"{name}/{file}"], LIMITS[file]) for file in LIMITS}
    except (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise GateError(f"{where} cannot be read as an exported version: {error}") from error
    check_files(files, where)
    return name, files


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limit: int) -> bytes:
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise ValueError(f"{member.filename} is compressed in an unusual way")
    if member.file_size > limit:
        raise ValueError(
            f"{member.filename} has {member.file_size:,} bytes, more than the limit of {limit:,}"
        )
    with archive.open(member) as stream:  # archive.read expands all of it, whatever size the directory says
        return stream.read(member.file_size + 1)
