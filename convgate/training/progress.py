"""What a training reports while it runs, and how it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from convgate.core.errors import ConvgateError, TrainingError
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.training.records import Ended, Status
from convgate.training.run import LOADING, STARTING, STOP, Run

_REPORT_SECONDS = 0.5  # between two reports within one stage
_END_SHARE = 0.05  # of the bar, before the first epoch and after the last
_MIN_SECONDS = 20.0  # of training, before the rest is estimated


class StoppedError(TrainingError):
    """Somebody asked the training to stop."""

    code = "stopped"


class Reporter:
    """Reports progress to a run's folder and to `progress`; raises StoppedError when asked to stop."""

    def __init__(self, run: Run, progress: EvaluationProgress) -> None:
        before = Run(run.folder).status
        self._run, self._progress = run, progress
        self._share, self._parts, self._at = 0.0, [1.0], (0, 0.0)
        self._began = 0.0  # seconds, when the first epoch began; 0 before
        self._worked = 0.0  # since then, in the unit of parts
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

    def expect(self, parts: Sequence[float]) -> None:
        """Tell how much work each training is, in any unit; epochs follow."""
        self._parts, self._began = list(parts), monotonic()

    def train(self, part: int, before: int, epochs: int, stage: str, done: int, total: int) -> None:
        """Report how much of the next epoch of a training is done; `before` of at most `epochs` are."""
        now = (part, (before + done / max(total, 1)) / epochs)
        if now[0] == self._at[0] and done:  # else epochs were left out, which took no time
            self._worked += (now[1] - self._at[1]) * self._parts[part]
        self._at = now
        self(stage, done, total)

    def done(self, values: Mapping[str, Any]) -> None:
        """Write that it is done. Raises TrainingError."""
        with self._run.writing():
            self._run.write_status(Status(ended="done", result=values))

    def _write(self, stage: str, done: int, total: int) -> None:
        self._stage, self._written = stage, monotonic()
        seconds, work = self._written - self._began, sum(self._parts)
        left = work - sum(self._parts[: self._at[0]]) - self._at[1] * self._parts[self._at[0]]
        share = 1 - _END_SHARE - (1 - 2 * _END_SHARE) * left / work
        if not self._began:
            share = _END_SHARE * done / max(total, 1)
        self._share = max(self._share, share)
        seconds_left = left / self._worked * seconds if self._worked and seconds > _MIN_SECONDS else None
        with suppress(OSError):  # a report that cannot be written is no reason to stop
            self._run.write_status(Status(stage, done, total, self._share, seconds_left))


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
