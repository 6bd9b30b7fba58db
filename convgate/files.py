"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Writes the file in one step: whoever opens it finds the old content or the new, never a part of it.

    Permissions of a file that is there already stay as they are, and a link leads to the new content. What
    is no file, such as a pipe or /dev/null, is written to directly.

    Raises OSError, after which the file is as it was and nothing is left beside it.
    """
    path = path.resolve()
    if path.exists() and not (path.is_file() or path.is_dir()):
        path.write_bytes(content)
        return
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if path.is_file():
            shutil.copymode(path, partial)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
