"""A classifier's file: safetensors, with the labels and n-grams as JSON in its header; never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors
from safetensors.numpy import save

from convgate.context.classifier.model import TextModel
from convgate.errors import ContextError
from convgate.files import write_whole
from convgate.home import make_home

_ARRAYS = ("vectors", "runs", "rarity", "bias")


def write_model(model: TextModel, file: Path) -> None:
    """Write the whole file or none; ContextError when it cannot be written."""
    header = {
        "labels": json.dumps(model.labels),
        "names": json.dumps(model.names),
        "doubt": str(model.doubt),
        "info": json.dumps(dict(model.info)),
    }
    try:
        make_home(file.parent)
        arrays = {name: getattr(model, name) for name in _ARRAYS}
        write_whole(file, save(arrays, metadata=header), private=True)
    except OSError as error:
        raise ContextError(f"the classifier cannot be written to {file}: {error}") from error


def read_model(file: Path, labels: tuple[str, ...], again: str) -> TextModel:
    """Return the classifier of a file.

    again: the command that fits it anew, for the error. Raises ContextError when the file is missing,
    damaged, or has other labels.
    """
    advice = f"run `{again}`, or install convgate again"
    try:
        with safetensors.safe_open(str(file), framework="np") as opened:
            header: Mapping[str, str] = opened.metadata() or {}
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
        model = TextModel(
            labels=tuple(json.loads(header["labels"])),
            names=tuple(json.loads(header["names"])),
            doubt=float(header["doubt"]),
            info=json.loads(header["info"]),
            **{name: arrays[name] for name in _ARRAYS},
        )
    except (OSError, safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ContextError(f"the classifier in {file} cannot be read: {error}; {advice}") from error
    if problem := _problem(model, labels):
        raise ContextError(f"the classifier in {file} cannot be used: {problem}; {advice}")
    return model


def _problem(model: TextModel, labels: tuple[str, ...]) -> str | None:
    if model.labels != labels:
        return f"its labels are {', '.join(model.labels)}"
    if not 0 <= model.doubt < 1:
        return f"doubt is {model.doubt}, not 0…1"
    runs, count = len(model.names), len(labels)
    d = model.vectors.shape[0] if model.vectors.ndim else 0
    shapes = {"vectors": (d, count), "runs": (runs, count), "rarity": (runs,), "bias": (count,)}
    for name, shape in shapes.items():
        array = getattr(model, name)
        if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            return f"{name} is {array.dtype} of shape {array.shape}, not finite float32 of {shape}"
    return None
