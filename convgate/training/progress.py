"""What a training reports while it runs, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from convgate.core.errors import ConvgateError, TrainingError
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.training.records import Ended, Status
from convgate.training.run import LOADING, STARTING, STOP, Run

_REPORT_SECONDS = 0.5  # between two reports within one stage


class StoppedError(TrainingError):
    """Somebody asked the training to stop."""

    code = "stopped"


class Reporter:
    """Reports progress to a run's folder and to `progress`; raises StoppedError when asked to stop."""

    def __init__(self, run: Run, progress: EvaluationProgress) -> None:
        before = Run(run.folder).status
        self._run, self._progress = run, progress
        if before is None or before.stage != STARTING:  # else a stop that is there now is meant for us
            with run.writing():
                (run.folder / STOP).unlink(missing_ok=True)
        self._write(LOADING, 0, 0)

    def __call__(self, stage: str, done: int, total: int, /) -> None:
        """Report how much of a stage is done; a total of 0 is unknown."""
        if (self._run.folder / STOP).exists():
            raise StoppedError("Somebody stopped the training.")
        if stage != self._stage or monotonic() - self._written > _REPORT_SECONDS:
            self._write(stage, done, total)
        self._progress(stage, done, total)

    def done(self, values: Mapping[str, Any]) -> None:
        """Write that it is done. Raises TrainingError."""
        with self._run.writing():
            self._run.write_status(Status(ended="done", result=values))

    def _write(self, stage: str, done: int, total: int) -> None:
        self._stage, self._written = stage, monotonic()
        with suppress(OSError):  # a report that cannot be written is no reason to stop
            self._run.write_status(Status(stage, done, total))


@contextmanager
def report_run(run: Run, progress: EvaluationProgress) -> Iterator[Reporter]:
    """Lock the run and yield its reporter; write an error in the block as the run's outcome."""
    with run.lock():
        reporter = Reporter(run, progress)
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
