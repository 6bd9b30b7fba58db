"""Packs the app into the wheel, so that `convgate app` works outside a checkout.

A hook rather than hatch's `force-include` setting, because that one also copies the files into editable
installs, where the checkout's own app and pages are the ones to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

APP_FILES = ("app.py", "pages", ".streamlit/config.toml", "sample_conversations")


class AppInWheel(BuildHookInterface[Any]):
    """Adds app.py, pages, theme and samples to a wheel, under convgate/_app/."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatch before it builds; `version` is "editable" for `pip install -e`."""
        if version == "editable":
            return
        for name in APP_FILES:
            build_data["force_include"][str(Path(self.root, name))] = f"convgate/_app/{name}"
