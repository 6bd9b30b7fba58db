"""A training run in a folder: its record, and what is needed to go on after an interruption.

RUN/run.json holds the record, RUN/….state.safetensors the tensors after the last whole epoch. First the
tensors are written, then the record that names their digest, each whole: a kill leaves the last epoch or the
one before, never half of one.
"""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, with_config

from convgate.checked import STORED, dump, parse
from convgate.errors import ConvgateError
from convgate.files import write_whole
from convgate.gate.config import GateConfig
from convgate.home import check_writable, make_home
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.errors import TrainingError
from convgate.versions.card import Sha256

if TYPE_CHECKING:
    from convgate.training.trainer import Trainer

RECORD, STATE, LOCK = "run.json", "state.safetensors", "lock"
_PATIENCE = 0.5  # seconds
_LIBRARIES = ("numpy", "scipy", "sentence-transformers", "torch")


@with_config(STORED)
@dataclass(frozen=True)
class Source:
    """One set that a gate was trained on."""

    name: str
    sha256: Sha256  # of the file, or of the texts where it was generated
    conversations: int
    cases: int
    licence: str = ""  # as whoever gave the set said
    attribution: str = ""


@with_config(STORED)
@dataclass(frozen=True)
class RunRecord:
    """What was trained, on what, how, and how it went."""

    started: str  # UTC, ISO 8601
    parent: str | None
    config: GateConfig
    settings: TrainingSettings
    sources: tuple[Source, ...]
    libraries: Mapping[str, str]
    epochs: tuple[Epoch, ...] = ()
    state_sha256: Sha256 = ""  # of the tensors after the last of them
    seconds: float = 0.0  # of training, interruptions left aside

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

    def to_bytes(self) -> bytes:
        """The content of `run.json`."""
        return dump(_KIND, self, "the record of the run")


_KIND = TypeAdapter(RunRecord)


def save(folder: Path, record: RunRecord, trainer: Trainer) -> RunRecord:
    """Write what the run needs to go on; the record as written. TrainingError when the disk refuses."""
    from safetensors.torch import save as to_bytes

    content = to_bytes(trainer.state())
    digest = hashlib.sha256(content).hexdigest()
    record = replace(record, epochs=tuple(trainer.history), state_sha256=digest)
    try:
        make_home(folder)
        write_whole(folder / f"{digest[:16]}.{STATE}", content, private=True)
        write_whole(folder / RECORD, record.to_bytes(), private=True)
        for old in (*folder.glob(f"*.{STATE}"), *folder.glob(".*.partial")):
            if old.name != f"{digest[:16]}.{STATE}":
                old.unlink(missing_ok=True)
    except OSError as error:
        raise TrainingError(f"the run cannot be saved in {folder}: {error.strerror}") from error
    return record


def read_record(folder: Path) -> RunRecord:
    """The record in a run's folder; TrainingError naming each field that is not as it was written."""
    try:
        return parse(_KIND, (folder / RECORD).read_bytes(), RECORD)
    except OSError as error:
        raise TrainingError(f"there is no run to go on with in {folder}: {error}") from error
    except ConvgateError as error:
        raise TrainingError(
            f"the run in {folder} cannot go on: {error}; put its record back, or name another folder"
        ) from error


def check_same(begun: RunRecord, wanted: RunRecord, folder: Path) -> None:
    """TrainingError naming what differs when a run that was begun is not the one that is wanted now.

    Fewer epochs than have run already are no difference: the run ends there.
    """
    then, now = _plan(begun), _plan(wanted)
    if wanted.settings.epochs <= len(begun.epochs):
        now["epochs"] = then["epochs"]
    differing = [name for name in {**then, **now} if then.get(name) != now.get(name)]
    if differing:
        told = ", ".join(_difference(name, then, now) for name in differing)
        ran = f" (it may end after the {len(begun.epochs)} epochs that ran)" if "epochs" in differing else ""
        raise TrainingError(
            f"the run in {folder} was begun with {told}; name another folder, or train as it was begun{ran}"
        )


def _difference(name: str, then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    if name not in now:
        return f"{name} {then[name]}, which is missing now"
    return f"{name} {then[name]}, not {now[name]}" if name in then else f"no {name}"


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
    """Keeps a second training out of the run's folder; TrainingError when one is at work there.

    The system gives the lock back when a process ends in any way, so the file that a kill leaves is no lock.
    """
    # Whoever looks whether a training is at work holds the lock for a moment, too.
    check_writable(folder)
    lock = FileLock(folder / LOCK, timeout=_PATIENCE, mode=0o600, poll_interval=_PATIENCE / 10)
    try:
        make_home(folder)
        lock.acquire()
    except Timeout as error:
        raise TrainingError(f"another training is at work in {folder}") from error
    except OSError as error:
        raise TrainingError(f"no run can be kept in {folder}: {error}") from error
    try:
        yield
    finally:
        lock.release()


def is_at_work(folder: Path) -> bool:
    """Whether a training is at work in the folder."""
    if not (folder / LOCK).exists():
        return False
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return True
    except OSError:  # the folder is being deleted, or is not ours to write
        return False
    lock.release()
    return False


def _plan(record: RunRecord) -> dict[str, Any]:
    """What a run cannot change on its way, by the names that people know."""
    config = record.config.to_json()
    encoder = config.pop("encoder") or {}
    return {
        "parent": record.parent,
        **config,
        **{f"encoder {name}": value for name, value in encoder.items()},
        **asdict(record.settings),
        **{f"set {source.name}": source.sha256[:12] for source in record.sources},
    }
