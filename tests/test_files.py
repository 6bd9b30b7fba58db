"""Files are written as a whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from convgate.core import files
from convgate.core.files import write_whole


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_a_failed_write_leaves_the_old_content_and_no_temporary_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "out.json"
    write_whole(path, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["out.json"]


def test_an_interruption_leaves_no_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def interrupted(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "out.json", b"new")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="a folder cannot be opened")
def test_the_folder_is_synchronised_after_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    seen = []
    fsync = os.fsync

    def noted(handle: int) -> None:
        if os.fstat(handle).st_ino == tmp_path.stat().st_ino:
            seen.append(names(tmp_path))
        fsync(handle)

    monkeypatch.setattr(files.os, "fsync", noted)
    write_whole(tmp_path / "out.json", b"new")
    assert seen == [["out.json"]]


def test_permissions_stay_and_a_link_stays_a_link(tmp_path: Path):
    path, link = tmp_path / "private.json", tmp_path / "link.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
