"""A training run in a folder: its record, and what is needed to go on after an interruption.

RUN/run.json holds the record, RUN/….state.safetensors the tensors after the last whole epoch. First the
tensors are written, then the record that names their digest, each whole: a kill leaves the last epoch or the
one before, never half of one.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from convgate.errors import ConvgateError
from convgate.files import write_whole
from convgate.gate.config import GateConfig
from convgate.training.errors import TrainingError
from convgate.training.trainer import Epoch, Trainer, TrainingSettings

RECORD, STATE, LOCK = "run.json", "state.safetensors", "lock"
_LIBRARIES = ("numpy", "scipy", "sentence-transformers", "torch")


@dataclass(frozen=True, slots=True)
class Source:
    """One set that a gate was trained on."""

    name: str
    sha256: str  # of the file, or of the texts where it was generated
    conversations: int
    cases: int
    licence: str = ""  # as whoever gave the set said
    attribution: str = ""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """What was trained, on what, how, and how it went."""

    started: str  # UTC, ISO 8601
    parent: str | None
    config: GateConfig
    settings: TrainingSettings
    sources: tuple[Source, ...]
    libraries: Mapping[str, str]
    epochs: tuple[Epoch, ...] = ()
    state_sha256: str = ""
    seconds: float = field(default=0.0)  # of training, interruptions left aside

    @classmethod
    def begun(
        cls,
        config: GateConfig,
        settings: TrainingSettings,
        sources: tuple[Source, ...],
        *,
        parent: str | None,
    ) -> Self:
        """The record of a run that starts now."""
        libraries = {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(now, parent, config, settings, sources, libraries)

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return {**asdict(self), "config": self.config.to_json(), "settings": asdict(self.settings)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The record that `to_json` gave; TrainingError when it is not one."""
        try:
            return cls(
                **{
                    **values,
                    "config": GateConfig.from_json(values["config"]),
                    "settings": TrainingSettings(**values["settings"]),
                    "sources": tuple(Source(**source) for source in values["sources"]),
                    "epochs": tuple(Epoch(**epoch) for epoch in values["epochs"]),
                }
            )
        except (TypeError, KeyError, ConvgateError) as error:
            raise TrainingError(f"the record of a run cannot be read: {error}") from error


def save(folder: Path, record: RunRecord, trainer: Trainer) -> RunRecord:
    """Write what the run needs to go on; the record as written. TrainingError when the disk refuses."""
    from safetensors.torch import save as to_bytes

    content = to_bytes(trainer.state())
    digest = hashlib.sha256(content).hexdigest()
    record = replace(record, epochs=tuple(trainer.history), state_sha256=digest)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / f"{digest[:16]}.{STATE}", content)
        write_whole(folder / RECORD, (json.dumps(record.to_json(), indent=2) + "\n").encode())
        for old in folder.glob(f"*.{STATE}"):
            if old.name != f"{digest[:16]}.{STATE}":
                old.unlink(missing_ok=True)
    except OSError as error:
        raise TrainingError(f"the run cannot be saved in {folder}: {error.strerror}") from error
    return record


def read_record(folder: Path) -> RunRecord:
    """The record in a run's folder; TrainingError when there is none."""
    try:
        values = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TrainingError(f"there is no run to go on with in {folder}: {error}") from error
    if not isinstance(values, dict):
        raise TrainingError(f"the record of the run in {folder} is not a JSON object")
    return RunRecord.from_json(values)


def check_same(begun: RunRecord, wanted: RunRecord, folder: Path) -> None:
    """TrainingError naming what differs when a run that was begun is not the one that is wanted now."""
    for name in ("parent", "config", "settings", "sources"):
        if getattr(begun, name) != getattr(wanted, name):
            raise TrainingError(
                f"the run in {folder} was begun with other {name};"
                " name another folder, or train as it was begun"
            )


def go_on(folder: Path, record: RunRecord, trainer: Trainer) -> None:
    """Bring the trainer to where the run stopped; TrainingError when the state is not the record's."""
    import safetensors
    from safetensors.torch import load

    path = folder / f"{record.state_sha256[:16]}.{STATE}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise TrainingError(f"the run's state cannot be read: {error}") from error
    if hashlib.sha256(content).hexdigest() != record.state_sha256:
        raise TrainingError(f"{path} was changed or damaged; start the run anew")
    try:
        trainer.restore(load(content), record.epochs)
    except safetensors.SafetensorError as error:
        raise TrainingError(f"{path} cannot be read: {error}") from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps a second training out of the run's folder; TrainingError when one is at work there."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / LOCK
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        if _alive(path):
            raise TrainingError(f"another training is at work in {folder}") from None
    path.write_text(str(os.getpid()), encoding="ascii")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def _alive(path: Path) -> bool:
    """Whether the process that a lock names is still there; a lock that a kill left is no lock."""
    try:
        os.kill(int(path.read_text(encoding="ascii") or 0), 0)
    except (ValueError, ProcessLookupError):
        return False
    except PermissionError:
        return True
    return True
