"""Folders: the private data directory (mode 0700) with its read-only mode, and the app's files."""

from __future__ import annotations

import getpass
from pathlib import Path

from convgate.core.errors import ReadOnlyError, SettingsError

_PACKAGE = Path(__file__).resolve().parents[1]
_READ_ONLY: set[Path] = set()


def set_read_only(home: Path) -> None:
    """Have nothing in the folder written until this program ends."""
    _READ_ONLY.add(home.resolve())


def is_read_only(path: Path) -> bool:
    """Return whether the path is in a folder that is in read-only mode."""
    return bool(_READ_ONLY) and not _READ_ONLY.isdisjoint((resolved := path.resolve(), *resolved.parents))


def check_writable(path: Path) -> None:
    """Raise ReadOnlyError when the path is in a folder that is in read-only mode."""
    if is_read_only(path):
        raise ReadOnlyError(
            f"Read-only mode: {path} is not changed. To change it, start convgate without --read-only and"
            " with the setting read_only off."
        )


def make_home(path: Path) -> None:
    """Make the folder, with its parents, for its owner alone; one that is there keeps its permissions.

    Raises OSError when it cannot be made, and ReadOnlyError in read-only mode.
    """
    check_writable(path)
    for folder in (*reversed(path.parents), path):  # mkdir gives its mode to the last one alone
        folder.mkdir(mode=0o700, exist_ok=True)


def make_private(path: Path) -> None:
    """Make an empty file that its owner alone can read; one that is there is left as it is.

    For SQLite, which takes an empty file as a new database, and gives its neighbours the same permissions.
    Raises OSError when it cannot be made, and ReadOnlyError in read-only mode.
    """
    check_writable(path)
    if not path.exists():
        path.touch(mode=0o600)


def login_name() -> str:
    """Return the name that one is logged in with on this machine, where nobody gives another."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user without a name, as in some containers
        return "unknown"


def app_root() -> Path:
    """Return the folder that holds app.py, pages, .streamlit and sample_conversations.

    Raises SettingsError when the installation has no app: it is beside the package in a checkout, and
    inside it when installed from a wheel.
    """
    for folder in (_PACKAGE / "_app", _PACKAGE.parent):
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder
    raise SettingsError(
        f"the app's files are not beside {_PACKAGE}: install convgate again, "
        "from a wheel or with `make install` in a checkout"
    )
