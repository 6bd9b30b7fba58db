"""Whose convgate this is; files that are nobody else's business: transcripts, and what was made of them."""

from __future__ import annotations

import getpass
from pathlib import Path


def make_home(path: Path) -> None:
    """Make the folder, with its parents, for its owner alone; one that is there keeps its permissions.

    Raises OSError when it cannot be made.
    """
    for folder in (*reversed(path.parents), path):  # mkdir gives its mode to the last one alone
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private(path: Path) -> None:
    """Make an empty file that its owner alone can read; one that is there is left as it is.

    For SQLite, which takes an empty file as a new database, and gives its neighbours the same permissions.
    Raises OSError when it cannot be made.
    """
    if not path.exists():
        path.touch(mode=0o600)


def login_name() -> str:
    """The name that one is logged in with on this machine, where nobody gives another."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "unknown"
