"""Versions after a full disk, a kill, two writers, damage or another encoder."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from convgate.core.errors import GateError
from convgate.embedding.base import EncoderIdentity
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.versions import Draft, Versions, version
from tests.test_versions_catalog import add, folder_content


def full_disk(path: Path, content: bytes, *, private: bool) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_full_disk_leaves_everything_as_it_was(versions: Versions, monkeypatch: pytest.MonkeyPatch):
    versions.activate(add(versions, "mine").name, who="Ada")
    before = folder_content(versions.home)
    monkeypatch.setattr(version, "write_whole", full_disk)
    with pytest.raises(GateError):
        add(versions, "next")
    monkeypatch.setattr("convgate.versions.pointers.write_whole", full_disk)
    with pytest.raises(GateError):
        versions.set_baseline("mine", who="Ada")
    with pytest.raises(GateError, match="No space left on device"):
        versions.rollback(who="Ada")
    with pytest.raises(GateError, match="No space left on device"):
        versions.delete("mine", who="Ada", force=True)
    assert folder_content(versions.home) == before
    assert versions.active == "mine"


# What other processes do to the folder, without torch, which takes seconds to import.
IMPORTING = """
import os, signal, sys
from pathlib import Path
from convgate.versions import catalog, pointers, version

version.check_files = lambda files, where: None
versions, packed = catalog.Versions(Path(sys.argv[1])), Path(sys.argv[2])
"""
KILLED = """
write, written = version.write_whole, []

def write_and_die(path, content, *, private):
    written.append(path)
    if len(written) == int(sys.argv[3]):
        path.with_name(".half.partial").write_bytes(content[:9])
        os.kill(os.getpid(), signal.SIGKILL)
    write(path, content, private=private)

version.write_whole = pointers.write_whole = write_and_die
versions.import_(packed, name="next")
versions.set_baseline("next", who="Ada")
"""
THREE = """
for number in range(3):
    versions.import_(packed, name=f"of-{sys.argv[3]}-{number}")
"""


def importing(versions: Versions, then: str, *words: str) -> subprocess.Popen[str]:
    """A process that imports `mine` as other versions."""
    packed = versions.home.with_name("mine.zip")
    packed.write_bytes(versions.export("mine"))
    return subprocess.Popen(
        [sys.executable, "-c", IMPORTING + then, str(versions.home), str(packed), *words],
        cwd=Path(__file__).parent.parent,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("files", [2, 4])
def test_kill_in_the_middle_leaves_no_half_version(versions: Versions, files: int):
    add(versions, "mine")
    versions.set_baseline("mine", who="Ada")
    process = importing(versions, KILLED, str(files))
    _, err = process.communicate()
    assert process.returncode == -signal.SIGKILL, err
    assert versions.listing().problems == ()
    assert ("next" in versions.names()) == (files == 4), "whole, and only not yet pointed at, or not there"
    assert versions.baseline == "mine"
    versions.get("mine").load()

    add(versions, "another")
    left = [path.name for path in versions.root.iterdir() if path.name.endswith(".partial")]
    assert left == [], "the next change sweeps what was left"


def test_two_writers_at_once_both_succeed_under_different_names(versions: Versions):
    mine = add(versions, "mine")
    writers = [importing(versions, THREE, who) for who in ("a", "b")]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0), ("", 0)]
    listing = versions.listing()
    assert listing.problems == ()
    assert versions.names() == ["mine", *(f"of-{who}-{number}" for who in "ab" for number in range(3))]
    assert {one.card.weights_sha256 for one in listing.versions} == {mine.card.weights_sha256}


def test_damaged_weights_are_refused_with_what_to_do(versions: Versions):
    mine = add(versions, "mine")
    weights = mine.folder / "gate.safetensors"
    content = bytearray(weights.read_bytes())
    content[-1] ^= 1
    weights.write_bytes(content)
    for use in (mine.load, mine.files, lambda: versions.export("mine")):
        with pytest.raises(GateError):
            use()
    with pytest.raises(GateError):
        versions.activate("mine", who="Ada")
    assert versions.history == ()


def test_a_version_for_another_encoder_is_not_activated(versions: Versions):
    minilm, other = (EncoderIdentity(name, "1", "float32", "none", "", 384) for name in ("minilm", "mpnet"))
    foreign = versions.add(Gate(GateConfig(encoder=minilm)), Draft(), name="foreign").name
    add(versions, "mine")
    versions.activate(foreign, who="Ada", encoder=minilm)
    change = versions.activate("mine", who="Ada", encoder=other)
    assert change is not None
    before = versions.history
    for use in (
        lambda: versions.activate(foreign, who="Ada", encoder=other),
        lambda: versions.rollback(who="Ada", encoder=other),
        lambda: versions.undo(change, who="Ada", encoder=other),
    ):
        with pytest.raises(GateError):
            use()
    assert (versions.active, versions.history) == ("mine", before)
