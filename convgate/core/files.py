"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from convgate.core.home import check_writable


def write_whole(path: Path, content: bytes, *, private: bool = False, durable: bool = True) -> None:
    """Write the file in one step: whoever opens it finds the old content or the new, never a part of it.

    Permissions of a file that is there already stay as they are, and a link leads to the new content. What
    is no file, such as a pipe or /dev/null, is written to directly. A new file is for its owner alone when
    `private`; otherwise the umask says for whom. It is waited for the disk if `durable`.

    Raises OSError, after which the file is as it was and nothing is left beside it, and ReadOnlyError in
    read-only mode.
    """
    check_writable(path)
    path = path.resolve()
    if path.exists() and not (path.is_file() or path.is_dir()):
        path.write_bytes(content)
        return
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        partial.touch(mode=0o600 if private else 0o666, exist_ok=False)
        with partial.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if path.is_file():
            shutil.copymode(path, partial)
        partial.replace(path)
        if durable:
            sync_folder(path.parent)
    finally:
        partial.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Have a rename in the folder survive a power cut, where the system and its file system can."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
