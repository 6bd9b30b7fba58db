"""The model of kinds on disk: one safetensors file, what is no array in its head, never pickle."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import safetensors
from safetensors.numpy import save

from convgate.context.invariants.kinds.labelled_statements import KINDS
from convgate.context.invariants.kinds.model import KindModel
from convgate.errors import ContextError
from convgate.files import write_whole

SHIPPED = Path(__file__).parent / "weights" / "kinds.safetensors"

_ARRAYS = ("vectors", "runs", "rarity", "bias")
_AGAIN = "fit it anew by `python -m scripts.statement_kinds --write`, or install convgate again"


def write_model(model: KindModel, file: Path) -> None:
    """The whole file or none; ContextError when it cannot be written."""
    head = {
        "kinds": json.dumps(KINDS),
        "statements": model.statements,
        "runs": json.dumps(model.names),
    }
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, save({name: getattr(model, name) for name in _ARRAYS}, metadata=head))
    except OSError as error:
        raise ContextError(f"the model of kinds cannot be written to {file}: {error}") from error


@cache
def shipped_model() -> KindModel:
    """The model that comes with convgate."""
    return read_model(SHIPPED)


def read_model(file: Path) -> KindModel:
    """The model of a file; ContextError when it is missing, damaged, or of other kinds."""
    try:
        with safetensors.safe_open(str(file), framework="np") as opened:
            head = opened.metadata() or {}
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118  # no mapping
    except (OSError, safetensors.SafetensorError) as error:
        raise ContextError(f"the model of kinds in {file} cannot be read: {error}; {_AGAIN}") from error
    try:
        if json.loads(head["kinds"]) != list(KINDS):
            raise ContextError(f"the model in {file} is of the kinds {head['kinds']}; {_AGAIN}")
        model = KindModel(
            head["statements"], tuple(json.loads(head["runs"])), **{name: arrays[name] for name in _ARRAYS}
        )
    except (KeyError, ValueError, TypeError) as error:
        raise ContextError(f"the model of kinds in {file} lacks something: {error}; {_AGAIN}") from error
    runs, kinds = len(model.names), len(KINDS)
    wanted = {
        "vectors": (len(model.vectors), kinds), "runs": (runs, kinds), "rarity": (runs,), "bias": (kinds,),
    }  # fmt: skip
    for name, shape in wanted.items():
        array = getattr(model, name)
        if array.shape != shape or array.dtype != np.float32 or not np.isfinite(array).all():
            raise ContextError(
                f"{name} of the model of kinds in {file} is {array.dtype} of shape {array.shape}, not finite"
                f" float32 of {shape}; {_AGAIN}"
            )
    return model
