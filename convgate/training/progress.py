"""What a training tells while it goes on, in small files of its run's folder, and how it is stopped.

| file | what |
|---|---|
| `plan.json` | what was asked for, with the words of the command that goes on (`convgate.training.request`) |
| `progress.json` | what is being done, how much of it, and when that was; often |
| `stop` | made by whoever wants it to stop; looked for at every report |
| `outcome.json` | how it ended: done, stopped or failed; not there while it goes on, nor after a kill |
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from pydantic import TypeAdapter, ValidationError, with_config

from convgate.checked import STORED
from convgate.errors import ConvgateError
from convgate.home import make_private
from convgate.training.epochs import Epoch
from convgate.training.errors import TrainingError

PROGRESS, STOP, OUTCOME = "progress.json", "stop", "outcome.json"
STARTING, LOADING = "Starting", "Loading"  # before the process has reported, and its first report
_PAUSE = 0.5  # seconds between two reports within one stage

End = Literal["done", "stopped", "failed"]


class StoppedError(TrainingError):
    """Somebody asked the training to stop."""

    code = "stopped"


class Listener(Protocol):
    """Hears how a training goes."""

    def stage(self, what: str) -> None:
        """Something new begins."""
        ...

    def progress(self, done: int, total: int) -> None:
        """So far of the present stage."""
        ...

    def epoch(self, epoch: Epoch) -> None:
        """An epoch is over."""
        ...


@with_config(STORED)
@dataclass(frozen=True)
class Progress:
    """What a training does at the moment."""

    stage: str
    done: int  # of the stage
    total: int  # 0 while it is not known
    epochs: int  # that are over
    updated: str  # UTC, ISO 8601

    @classmethod
    def read(cls, folder: Path) -> Progress | None:
        """What is in the run's folder; None when nothing was reported or it is damaged."""
        try:
            return _KIND.validate_json((folder / PROGRESS).read_bytes())
        except (OSError, ValidationError):
            return None

    def write(self, folder: Path) -> None:
        """Put it into the run's folder. Raises OSError."""
        put(folder / PROGRESS, asdict(self))


_KIND = TypeAdapter(Progress)


class Reporting:
    """Writes down what a training tells, hands it on, and stops the training when it is asked to.

    Used with `with`, while the run's folder is locked: an error in the block is written down too.
    StoppedError comes out of whatever is told after the file `stop` appeared.
    """

    def __init__(self, folder: Path, listener: Listener) -> None:
        self._folder, self._listener = folder, listener
        self._stage, self._epochs, self._written = LOADING, 0, 0.0

    def __enter__(self) -> Self:
        before = Progress.read(self._folder)
        self._epochs = before.epochs if before else 0
        try:
            # Whoever starts a process has taken away what was left: a stop that is there now is meant for it.
            if before is None or before.stage != STARTING:
                (self._folder / STOP).unlink(missing_ok=True)
            (self._folder / OUTCOME).unlink(missing_ok=True)
        except OSError as error:
            raise TrainingError(f"no run can be kept in {self._folder}: {error.strerror}") from error
        self._write(0, 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # what went wrong is told, whether or not it can be written down
            if error is None:
                self._write(0, 0)
            elif isinstance(error, KeyboardInterrupt | StoppedError):
                self.end("stopped", {"message": _stopped(self._epochs)})
            elif isinstance(error, ConvgateError):
                self.end("failed", {"message": str(error)})
            else:
                self.end("failed", {"message": f"an unexpected {type(error).__name__}: {error}"})

    def resumed(self, epochs: int) -> None:
        """So many epochs are over already."""
        self._epochs = epochs

    def stage(self, what: str) -> None:
        """Something new begins."""
        self._check()
        self._stage = what
        self._write(0, 0)
        self._listener.stage(what)

    def progress(self, done: int, total: int) -> None:
        """So far of the present stage."""
        self._check()
        if monotonic() - self._written > _PAUSE:
            self._write(done, total)
        self._listener.progress(done, total)

    def epoch(self, epoch: Epoch) -> None:
        """An epoch is over and kept."""
        self._epochs = epoch.number
        self._write(0, 0)
        self._listener.epoch(epoch)

    def done(self, told: Mapping[str, Any]) -> None:
        """It came to this. Raises TrainingError when the disk refuses."""
        try:
            self.end("done", told)
        except OSError as error:
            raise TrainingError(f"the outcome cannot be saved in {self._folder}: {error.strerror}") from error

    def end(self, state: End, told: Mapping[str, Any]) -> None:
        """Write down how it ended. Raises OSError when the disk refuses."""
        ended = {"state": state, "ended": now(), "ran": self._epochs}
        put(self._folder / OUTCOME, {**ended, **told})
        (self._folder / STOP).unlink(missing_ok=True)

    def _check(self) -> None:
        if (self._folder / STOP).exists():
            raise StoppedError(_stopped(self._epochs))

    def _write(self, done: int, total: int) -> None:
        self._written = monotonic()
        with suppress(OSError):  # a report that cannot be written is no reason to stop
            Progress(self._stage, done, total, self._epochs, now()).write(self._folder)


def put(path: Path, values: Mapping[str, Any]) -> None:
    """Write JSON in one step, for whoever reads at the same time; without waiting for the disk.

    Raises OSError, after which the file is as it was.
    """
    partial = path.with_name(f".{secrets.token_hex(8)}.partial")
    try:
        make_private(partial)
        partial.write_text(json.dumps(values, allow_nan=False), encoding="utf-8")
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _stopped(epochs: int) -> str:
    kept = "1 whole epoch is" if epochs == 1 else f"{epochs or 'No'} whole epochs are"
    return f"Stopped. {kept} kept; it can go on."


def now() -> str:
    """The time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
