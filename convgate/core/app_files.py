"""Where the app lies: beside the package in a checkout, inside it when installed from a wheel."""

from __future__ import annotations

from pathlib import Path

from convgate.core.errors import SettingsError

_PACKAGE = Path(__file__).resolve().parents[1]


def app_root() -> Path:
    """Return the folder that holds app.py, pages, .streamlit and sample_conversations.

    Raises SettingsError when the installation has no app.
    """
    for folder in (_PACKAGE / "_app", _PACKAGE.parent):
        if (folder / "app.py").is_file() and (folder / "pages").is_dir():
            return folder
    raise SettingsError(
        f"the app's files are not beside {_PACKAGE}: install convgate again, "
        "from a wheel or with `make install` in a checkout"
    )
