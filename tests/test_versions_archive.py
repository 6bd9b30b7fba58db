"""A version as one file: exported unchanged, checked before it is imported."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from convgate.core.errors import GateError
from convgate.gate.config import GateConfig
from convgate.versions import Draft, Versions
from convgate.versions import version as archive
from tests.gates import trained_gate
from tests.test_versions_catalog import folder_content

Files = dict[str, bytes]


@pytest.fixture
def other_versions(tmp_path: Path) -> Versions:
    return Versions(tmp_path / "elsewhere")


@pytest.fixture
def exported(versions: Versions) -> bytes:
    versions.add(trained_gate(), Draft(note="Mine", who="Ada"), name="mine")
    return versions.export("mine")


def members(content: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def make_zip(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as target:
        for name, content in files.items():
            target.writestr(name, content)
    return buffer.getvalue()


def test_an_exported_version_is_imported_unchanged(
    versions: Versions, other_versions: Versions, exported: bytes, tmp_path: Path
):
    file = tmp_path / "mine.zip"
    file.write_bytes(exported)
    for source in (exported, file):
        assert other_versions.import_(source, name=None if source is file else "other").card.note == "Mine"
    assert other_versions.names()[-2:] == ["mine", "other"]
    assert folder_content(other_versions.root / "mine") == folder_content(versions.root / "mine")
    assert other_versions.history == (), "nothing becomes active by itself"
    assert versions.export("mine") == exported, "the same files give the same zip"


def _renamed(files: Files, folder: str) -> Files:
    return {name.replace("mine", folder, 1): content for name, content in files.items()}


def _flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


def _encrypted(content: bytes) -> bytes:
    at = content.index(b"PK\x01\x02") + 8  # the flags of the first entry in the central directory
    return content[:at] + bytes([content[at] | 1]) + content[at + 1 :]


def test_zip_is_refused_before_it_fills_the_memory(
    other_versions: Versions, exported: bytes, monkeypatch: pytest.MonkeyPatch
):
    bomb = make_zip(members(exported) | {"mine/card.json": b" " * (17 << 20)})
    assert len(bomb) < 2 << 20
    with pytest.raises(GateError):
        other_versions.import_(bomb)
    monkeypatch.setattr(archive, "LIMITS", dict.fromkeys(archive.LIMITS, 10))
    with pytest.raises(GateError):
        other_versions.import_(exported)


def _lying(size: int) -> bytes:
    """A zip whose directory says that its card has 100 bytes, and whose stream holds `size`."""
    bomb = make_zip({"mine/gate.json": b"{}", "mine/gate.safetensors": b"", "mine/card.json": b" " * size})
    return bomb.replace(size.to_bytes(4, "little"), (100).to_bytes(4, "little"))


def test_reading_a_zip_takes_no_more_memory_than_its_directory_admits(other_versions: Versions):
    bomb, size = _lying(64 << 20), 64 << 20
    assert len(bomb) < size >> 9
    tracemalloc.start()
    try:
        with pytest.raises(GateError):
            other_versions.import_(bomb)
        assert tracemalloc.get_traced_memory()[1] < size >> 4
    finally:
        tracemalloc.stop()


HUGE = "a number of 5,000 digits"  # which Python does not write


def _card(files: Files, **changes: object) -> Files:
    card = json.dumps(json.loads(files["mine/card.json"]) | changes)
    return files | {"mine/card.json": card.replace(f'"{HUGE}"', "9" * 5_000).encode()}


def _config(files: Files, **changes: object) -> Files:
    return files | {"mine/gate.json": json.dumps(GateConfig().to_json() | changes).encode()}


def _vouched(files: Files, **changes: object) -> Files:
    """The files with another config, whose card vouches for it."""
    files = _config(files, **changes)
    return _card(files, config_sha256=sha256(files["mine/gate.json"]).hexdigest())


ENCODER = {"model": "m", "revision": "r", "dtype": "float32", "chunking": "c", "prefix": "", "dimension": 384}


EDITS: dict[str, Callable[[Files], Files]] = {
    "folder ..": lambda files: _renamed(files, ".."),
    "folder ../mine": lambda files: _renamed(files, "../mine"),
    "folder Mine": lambda files: _renamed(files, "Mine"),
    "path out of it": lambda files: files | {"mine/../../evil.txt": b"x"},
    "another file": lambda files: files | {"mine/extra.txt": b"x"},
    "no card": lambda files: {name: content for name, content in files.items() if "card" not in name},
    "no folder": lambda files: {name.removeprefix("mine/"): content for name, content in files.items()},
    "no file": lambda files: {},
    "unknown field": lambda files: _card(files, colour="red"),
    "other digest": lambda files: _card(files, weights_sha256="0" * 64),
    "other config": lambda files: _config(files, text_rule="leaning"),
    "other weights": lambda files: files | {"mine/gate.safetensors": b"x" * 900_000},
    "revision 0": lambda files: _vouched(files, encoder=ENCODER | {"revision": 0}),
    "long model": lambda files: _vouched(files, encoder=ENCODER | {"model": "m" * 100_000}),
    "dimension 384.0": lambda files: _vouched(files, encoder=ENCODER | {"dimension": 384.0}),
    "band 1.5": lambda files: _vouched(files, band=1.5),
    "band 10**9": lambda files: _vouched(files, band=10**9),
    "window 10**9": lambda files: _vouched(files, window=10**9),
    "preset in a list": lambda files: _vouched(files, preset=["reference"]),
    "text rule in an object": lambda files: _vouched(files, text_rule={"text_rule": 1}),
}
DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut off": lambda content: content[:-100],
    "a byte flipped": lambda content: _flipped(content, 200),
    "encrypted": _encrypted,
    "bzip2": lambda content: make_zip(members(content), zipfile.ZIP_BZIP2),
    **{name: lambda content, edit=edit: make_zip(edit(members(content))) for name, edit in EDITS.items()},
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_zip_that_is_no_exported_version_is_refused(
    other_versions: Versions, exported: bytes, tmp_path: Path, damage: Callable[[bytes], bytes]
):
    before = folder_content(tmp_path)
    with pytest.raises(GateError):
        other_versions.import_(damage(exported))
    assert folder_content(tmp_path) == before
    assert not other_versions.home.exists()


def _nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "changes",
    [
        {"parameters": HUGE},
        {"created": "0001-01-01T00:00:00+14:00"},
        {"note": "n" * 200_000},
        {"limits": ["English only."] * 50_000},
        {"threshold_rule": "calibrated", "threshold_parameters": {"goal": "g" * 200_000}},
        {"training": {"seed": 10**400, "epochs": 1, "config": {}, "libraries": {}, "curves": {}}},
        {"training": {"seed": 1, "epochs": 1, "config": {"a": 1e300}, "libraries": {}, "curves": {}}},
        {"training": {"seed": 1, "epochs": 1, "config": {"a": _nested(150)}, "libraries": {}, "curves": {}}},
        {"metrics": {"s": {"cases": 1, "conversations": 1, "metrics": {"f1": {"value": 1e300}}}}},
    ],
)
def test_an_oversized_card_is_refused(other_versions: Versions, exported: bytes, changes: dict[str, object]):
    with pytest.raises(GateError) as refused:
        other_versions.import_(make_zip(_card(members(exported), **changes)))
    assert len(str(refused.value)) < 1_000
    assert not other_versions.home.exists()
