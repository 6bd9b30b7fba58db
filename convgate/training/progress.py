"""What a training reports while it runs, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any, Protocol

from convgate.core.errors import ConvgateError, TrainingError
from convgate.training.epochs import Epoch
from convgate.training.records import Ended, Status
from convgate.training.run import LOADING, STARTING, STOP, Run

_REPORT_SECONDS = 0.5  # between two reports within one stage


class StoppedError(TrainingError):
    """Somebody asked the training to stop."""

    code = "stopped"


class Listener(Protocol):
    """Receives the progress of a training."""

    def stage(self, name: str) -> None:
        """Report that a stage begins."""
        ...

    def progress(self, done: int, total: int) -> None:
        """Report how much of the stage is done."""
        ...

    def epoch(self, epoch: Epoch) -> None:
        """Report a finished epoch."""
        ...


class Reporter:
    """Sends a run's progress to its folder and a listener, and raises StoppedError when asked to stop."""

    def __init__(self, run: Run, listener: Listener) -> None:
        before = Run(run.folder).status
        self._run, self._listener = run, listener
        self._stage = LOADING
        if before is None or before.stage != STARTING:  # else a stop that is there now is meant for us
            with run.writing():
                (run.folder / STOP).unlink(missing_ok=True)
        self._write()

    def stage(self, name: str) -> None:
        """Report that a stage begins."""
        self._check()
        self._stage = name
        self._write()
        self._listener.stage(name)

    def progress(self, done: int, total: int) -> None:
        """Report how much of the stage is done."""
        self._check()
        if monotonic() - self._written > _REPORT_SECONDS:
            self._write(done, total)
        self._listener.progress(done, total)

    def epoch(self, epoch: Epoch) -> None:
        """Report an epoch that is finished and saved."""
        self._listener.epoch(epoch)

    def done(self, values: Mapping[str, Any]) -> None:
        """Write that it is done. Raises TrainingError."""
        with self._run.writing():
            self._run.write_status(Status(ended="done", result=values))

    def _check(self) -> None:
        if (self._run.folder / STOP).exists():
            raise StoppedError("Somebody stopped the training.")

    def _write(self, done: int = 0, total: int = 0) -> None:
        self._written = monotonic()
        with suppress(OSError):  # a report that cannot be written is no reason to stop
            self._run.write_status(Status(self._stage, done, total))


@contextmanager
def report_run(run: Run, listener: Listener) -> Iterator[Reporter]:
    """Lock the run and yield its reporter; write an error in the block as the run's outcome."""
    with run.lock():
        reporter = Reporter(run, listener)
        try:
            yield reporter
        except BaseException as error:
            is_stop = isinstance(error, KeyboardInterrupt | StoppedError)
            message = str(error) if isinstance(error, ConvgateError) else f"{type(error).__name__}: {error}"
            if is_stop:
                message = f"Stopped. Epochs saved: {Run(run.folder).epochs}."
            with suppress(OSError):  # the error itself is raised, whether or not it can be written down
                ended: Ended = "stopped" if is_stop else "failed"
                run.write_status(Status(ended=ended, result={"message": message}))
            raise
