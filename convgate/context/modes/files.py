"""The classifier on disk: weights as safetensors, the rest as JSON beside them, never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors
from pydantic_core import from_json
from safetensors.numpy import load, save

from convgate.context.mode import MODES, Mode
from convgate.context.modes.cues import CUES
from convgate.context.modes.model import ModeModel
from convgate.context.modes.quality import ModeQuality
from convgate.embedding.base import EncoderIdentity
from convgate.errors import ContextError
from convgate.files import write_whole
from convgate.home import make_home

WEIGHTS, CONFIG = "modes.safetensors", "modes.json"
SHIPPED = Path(__file__).parent / "weights"

_ARRAYS = ("vectors", "cues", "runs", "rarity", "bias")
_AGAIN = "fit it anew by `python -m scripts.mode_figures --write`, or install convgate again"


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model with what is known of it."""

    model: ModeModel
    messages: str  # SHA-256 of the labelled messages that it was fitted to
    qualities: Mapping[Mode, ModeQuality]  # over five folds; empty when they were not measured

    @property
    def weak(self) -> tuple[Mode, ...]:
        """Modes that were measured and fell short: they are given as GENERAL."""
        return tuple(mode for mode, quality in self.qualities.items() if not quality.reaches_floors)


def write_model(stored: StoredModel, folder: Path) -> None:
    """Both files, each whole or not at all; ContextError when they cannot be written."""
    model = stored.model
    config = {
        "encoder": asdict(model.encoder),
        "modes": list(MODES),
        "cues": [cue.name for cue in CUES],
        "doubt": model.doubt,
        "messages": stored.messages,
        "qualities": {mode: asdict(quality) for mode, quality in stored.qualities.items()},
        "runs": list(model.names),
    }
    try:
        make_home(folder)
        write_whole(folder / WEIGHTS, save({name: getattr(model, name) for name in _ARRAYS}), private=True)
        write_whole(folder / CONFIG, (json.dumps(config, indent=1) + "\n").encode(), private=True)
    except OSError as error:
        raise ContextError(f"the weights of the modes cannot be written to {folder}: {error}") from error


def read_model(folder: Path) -> StoredModel:
    """The model in a folder; ContextError when a file is missing, damaged, or of other modes or cues."""
    where = f"the weights of the modes in {folder}"
    try:
        config = from_json((folder / CONFIG).read_bytes(), allow_inf_nan=False)
        arrays = load((folder / WEIGHTS).read_bytes())
    except (OSError, ValueError, safetensors.SafetensorError) as error:
        raise ContextError(f"{where} cannot be read: {error}; {_AGAIN}") from error
    try:
        stored = _stored(config, arrays)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ContextError(f"{where} lack something: {error}; {_AGAIN}") from error
    if problem := _problem(config, stored.model):
        raise ContextError(f"{where} cannot be used: {problem}; {_AGAIN}")
    return stored


def _stored(config: dict[str, Any], arrays: dict[str, Any]) -> StoredModel:
    model = ModeModel(
        encoder=EncoderIdentity(**config["encoder"]),
        names=tuple(config["runs"]),
        doubt=float(config["doubt"]),
        **{name: arrays[name] for name in _ARRAYS},
    )
    qualities = {
        mode: ModeQuality(**config["qualities"][mode]) for mode in MODES if mode in config["qualities"]
    }
    return StoredModel(model, str(config["messages"]), qualities)


def _problem(config: dict[str, Any], model: ModeModel) -> str | None:
    if config["modes"] != list(MODES):
        return f"they are of the modes {config['modes']}"
    if config["cues"] != [cue.name for cue in CUES]:
        return "they are of other cues than this version's"
    wanted = {
        "vectors": (model.encoder.dimension, len(MODES)),
        "cues": (len(CUES), len(MODES)),
        "runs": (len(model.names), len(MODES)),
        "rarity": (len(model.names),),
        "bias": (len(MODES),),
    }
    if not 0 <= model.doubt < 1:
        return f"doubt is a share, 0…1; got {model.doubt}"
    for name, shape in wanted.items():
        array = getattr(model, name)
        if array.shape != shape or array.dtype != np.float32:
            return f"{name} is {array.dtype} of shape {array.shape}, not float32 of {shape}"
        if not np.isfinite(array).all():
            return f"{name} holds NaN or infinite numbers"
    return None
