"""A version as one file: a zip with its folder in it, and nothing else."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from convgate.errors import GateError
from convgate.gate.checkpoint import CONFIG, WEIGHTS
from convgate.versions.card import CARD
from convgate.versions.names import is_name

LIMITS = {CONFIG: 64 << 10, WEIGHTS: 256 << 20, CARD: 1 << 20}
"""Bytes that a file of a version may have when it comes from outside."""

_ENTRY = b"PK\x01\x02"  # begins each entry of the directory
_MAX_ENTRIES = 16  # of which three are needed; zipfile makes an object of each before it can be asked
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


def pack(name: str, files: Mapping[str, bytes]) -> bytes:
    """The zip of a version's files, by name; the same files give the same zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(f"{name}/{file}"), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def unpack(source: Path | bytes, where: str | None = None) -> tuple[str, dict[str, bytes]]:
    """A version's name and the contents of its files, by name; they are still to be checked as a version.

    where: what errors call the file, unless it has a name.

    Raises GateError when the zip is damaged, too large, or holds anything but the three files of one version
    in a folder with its name.
    """
    where = called(source, where)
    try:
        content = _read(source, sum(LIMITS.values()) + 1) if isinstance(source, Path) else source
        if len(content) > sum(LIMITS.values()) or content.count(_ENTRY) > _MAX_ENTRIES:
            raise GateError(f"{where} is larger than a version can be, or holds more files")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            name = _name(members, where)
            return name, {file: _content(archive, members, f"{name}/{file}", LIMITS[file]) for file in LIMITS}
    except (OSError, ValueError, EOFError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise GateError(f"{where} cannot be read as an exported version: {error}") from error


def called(source: Path | bytes, where: str | None) -> str:
    """What errors call the file."""
    return where or (source.name if isinstance(source, Path) else "the archive")


def _name(members: list[zipfile.ZipInfo], where: str) -> str:
    paths = [member.filename for member in members]
    name = paths[0].partition("/")[0] if paths else ""
    if not is_name(name) or sorted(paths) != sorted(f"{name}/{file}" for file in LIMITS):
        raise GateError(
            f"{where} is no exported version: it must hold {', '.join(sorted(LIMITS))} in one folder, nothing"
            " else"
        )
    return name


def _content(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo], path: str, limit: int) -> bytes:
    member = next(member for member in members if member.filename == path)
    if member.compress_type not in _METHODS or member.flag_bits & _ENCRYPTED:
        raise ValueError(f"{path} is encrypted or compressed in an unusual way")
    if member.file_size > limit:
        raise ValueError(f"{path} has {member.file_size:,} bytes, more than the limit of {limit:,}")
    with archive.open(member) as stream:  # archive.read expands all of it, whatever size the directory says
        return stream.read(member.file_size + 1)


def _read(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
