"""What a training reports while it runs, and how it is stopped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

from convgate.core.errors import ConvgateError, TrainingError
from convgate.training.epochs import Epoch
from convgate.training.run import LOADING, OUTCOME, STARTING, STOP, Run

_REPORT_SECONDS = 0.5  # between two reports within one stage


class StoppedError(TrainingError):
    """Somebody asked the training to stop."""

    code = "stopped"


class Listener(Protocol):
    """Hears how a training goes."""

    def stage(self, name: str) -> None:
        """A stage begins."""
        ...

    def progress(self, done: int, total: int) -> None:
        """So much of the stage is done."""
        ...

    def epoch(self, epoch: Epoch) -> None:
        """An epoch is finished."""
        ...


class Reporter:
    """Writes how a run goes into its folder, tells a listener, and stops when asked to.

    Used with `with` while the run is locked: an error in the block is written as the outcome. Raises
    StoppedError at the first report after the file `stop` appeared.
    """

    def __init__(self, run: Run, listener: Listener) -> None:
        self._run, self._listener = run, listener
        self._stage, self._epochs, self._written = LOADING, 0, 0.0

    def __enter__(self) -> Self:
        before = Run(self._run.folder).progress
        self._epochs = before.epochs if before else 0
        try:
            if before is not None and before.stage == STARTING:  # a stop that is there now is meant for us
                (self._run.folder / OUTCOME).unlink(missing_ok=True)
            else:
                self._run.clear_outcome()
        except OSError as error:
            raise TrainingError(f"{self._run.folder} cannot be written: {error.strerror}") from error
        self._write()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # the error itself is raised, whether or not it can be written down
            if error is None:
                self._write()
            elif isinstance(error, KeyboardInterrupt | StoppedError):
                self._run.write_outcome("stopped", self._epochs, {"message": str(self._stopped())})
            else:
                known = isinstance(error, ConvgateError)
                message = str(error) if known else f"{type(error).__name__}: {error}"
                self._run.write_outcome("failed", self._epochs, {"message": message})

    def resume(self, epochs: int) -> None:
        """So many epochs are finished already."""
        self._epochs = epochs

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._check()
        self._stage = name
        self._write()
        self._listener.stage(name)

    def progress(self, done: int, total: int) -> None:
        """So much of the stage is done."""
        self._check()
        if monotonic() - self._written > _REPORT_SECONDS:
            self._write(done, total)
        self._listener.progress(done, total)

    def epoch(self, epoch: Epoch) -> None:
        """An epoch is finished and saved."""
        self._epochs = epoch.number
        self._write()
        self._listener.epoch(epoch)

    def done(self, values: Mapping[str, Any]) -> None:
        """Write that it is done. Raises TrainingError."""
        try:
            self._run.write_outcome("done", self._epochs, values)
        except OSError as error:
            raise TrainingError(f"{self._run.folder} cannot be written: {error.strerror}") from error

    def _check(self) -> None:
        if (self._run.folder / STOP).exists():
            raise self._stopped()

    def _stopped(self) -> StoppedError:
        return StoppedError(f"Stopped. Epochs saved: {self._epochs}.")

    def _write(self, done: int = 0, total: int = 0) -> None:
        self._written = monotonic()
        with suppress(OSError):  # a report that cannot be written is no reason to stop
            self._run.write_progress(self._stage, done, total, epochs=self._epochs)
