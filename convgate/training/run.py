"""A training run in a folder of its own: its files, its state, and how it is resumed, stopped and deleted.

    for run in Runs(settings.home).all():
        print(run.id, run.state, run.epochs)

| file | what |
|---|---|
| `plan.json` | the request, with the words of the command that resumes the run |
| `run.json`, `*.state.safetensors` | the record and the tensors after the last whole epoch |
| `status.json` | stage, and how much of it is done; how it ended, with its result |
| `stop` | asks the run to stop at its next report |
| `data/`, `log.txt` | copies of the sets, and what the command printed, when the app started it |

The tensors are written first, then the record that names their digest, each whole: a kill leaves the last
epoch or the one before.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from convgate.core.errors import ConvgateError, TrainingError
from convgate.core.files import write_whole
from convgate.core.home import check_writable, make_home, make_private
from convgate.core.validation import dump, parse
from convgate.training.records import (
    RECORD_TYPE,
    REQUEST_TYPE,
    STATUS_TYPE,
    Ended,
    RunRecord,
    RunRequest,
    Status,
    utc_now,
)

if TYPE_CHECKING:
    from convgate.training.trainer import Trainer

FOLDER = "runs"  # of the data folder
REQUEST, RECORD, STATE, STATUS = "plan.json", "run.json", "state.safetensors", "status.json"
STOP, LOCK, LOG, DATA = "stop", "lock", "log.txt", "data"
REPLAY_PREFIX = "replay-"  # of the names of sets
STARTING, LOADING = "Starting", "Loading"  # stages: before the process reports, and its first report

RunState = Literal["running", "stopping", "interrupted"] | Ended

_T = TypeVar("_T")
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_LOCK_SECONDS = 0.5  # to wait for a lock: whoever asks for the state holds it for a moment
_START_SECONDS = 120.0  # that a process may take until its first report


class Run:
    """One training run. What it says of the folder is read once; `Runs.get` reads again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.id = folder, folder.name

    @cached_property
    def request(self) -> RunRequest | None:
        """What was asked for; None when it was not written or is damaged."""
        return _read(REQUEST_TYPE, self.folder / REQUEST)

    @cached_property
    def status(self) -> Status | None:
        """What it does now, or how it ended; None when nothing was reported or it is damaged."""
        return _read(STATUS_TYPE, self.folder / STATUS)

    @property
    def outcome(self) -> Mapping[str, Any]:
        """Its result; empty before its end."""
        return self.status.result if self.status else {}

    @cached_property
    def state(self) -> RunState:
        """What it is doing, or how it ended."""
        if self.status and self.status.ended:
            return self.status.ended
        if self.is_locked() or self.is_starting:
            return "stopping" if (self.folder / STOP).exists() else "running"
        del self.status  # it may have ended meanwhile
        return (self.status and self.status.ended) or "interrupted"

    @property
    def is_starting(self) -> bool:
        """Whether its process was started a moment ago and has not reported yet."""
        if self.status is None or self.status.stage != STARTING or self.status.ended:
            return False
        return (utc_now() - self.status.updated).total_seconds() < _START_SECONDS

    @property
    def is_active(self) -> bool:
        """Whether a process is working on it."""
        return self.state in ("running", "stopping")

    @property
    def has_data(self) -> bool:
        """Whether the copies of sets that it trains on are still there."""
        data = str(self.folder / DATA)
        words = self.request.arguments if self.request else ()
        return all(Path(word).exists() for word in words if word.startswith(data))

    @property
    def can_resume(self) -> bool:
        """Whether it ended before it was done, and its command and data are there."""
        ended = self.state in ("stopped", "failed", "interrupted")
        return ended and self.request is not None and self.has_data

    @property
    def can_finish(self) -> bool:
        """Whether a version can be made of its epochs."""
        return self.can_resume and self.epochs > 0

    @cached_property
    def epochs(self) -> int:
        """How many whole epochs are saved; 0 when the record is damaged."""
        try:
            return len(self.read_record().epochs)
        except TrainingError:
            return 0

    @property
    def seconds_per_conversation(self) -> float | None:
        """How long an epoch took for each conversation that it drew; None before the first epoch."""
        if not self.epochs:
            return None
        record = self.read_record()
        sizes = {each.name: each.counts.get("conversations", 0) for each in record.data}
        drawn = record.settings.draws(sizes, [name for name in sizes if name.startswith(REPLAY_PREFIX)])
        return record.seconds / self.epochs / max(1, sum(drawn.values()))

    @property
    def started(self) -> datetime:
        """When it began, in UTC."""
        if self.request:
            return self.request.started
        try:
            return datetime.fromtimestamp(self.folder.stat().st_mtime, UTC)
        except OSError:
            return utc_now()

    @property
    def version(self) -> str | None:
        """The name of the version that it made."""
        name = self.outcome.get("version")
        return name if isinstance(name, str) else None

    @property
    def message(self) -> str:
        """How it ended, for people; empty while it runs."""
        if self.state == "interrupted":
            return "The process ended early. The last whole epoch is saved."
        return str(self.outcome.get("sentence") or self.outcome.get("message") or "")

    def is_locked(self) -> bool:
        """Return whether a process is training in the folder."""
        if not (self.folder / LOCK).exists():
            return False
        lock = FileLock(self.folder / LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout:
            return True
        except OSError:  # the folder is being deleted, or is not ours to write
            return False
        lock.release()
        return False

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keep other trainings out of the folder; TrainingError when one is running there.

        The system releases the lock when a process ends in any way.
        """
        check_writable(self.folder)
        lock = FileLock(self.folder / LOCK, timeout=_LOCK_SECONDS, mode=0o600, poll_interval=0.05)
        try:
            make_home(self.folder)
            lock.acquire()
        except Timeout as error:
            raise TrainingError(f"another training is running in {self.folder}") from error
        except OSError as error:
            raise _cannot_write(self.folder, error) from error
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Raise an OSError of the block as a TrainingError."""
        try:
            yield
        except OSError as error:
            raise _cannot_write(self.folder, error) from error

    def write_request(self, request: RunRequest) -> None:
        """Write the request and make the folder. Raises TrainingError."""
        with self.writing():
            make_home(self.folder)
            _write(REQUEST_TYPE, self.folder / REQUEST, request)

    def write_status(self, status: Status) -> None:
        """Write what it does now, or how it ended: that removes a request to stop. Raises OSError."""
        _write(STATUS_TYPE, self.folder / STATUS, status)
        if status.ended:
            (self.folder / STOP).unlink(missing_ok=True)

    def remove_data(self) -> None:
        """Remove all that quotes conversations; last the data, by which a copy is found."""
        with self.writing():
            for file in (self.folder / LOG, *self.folder.glob(".*.partial")):
                file.unlink(missing_ok=True)
            if (self.folder / DATA).exists():
                shutil.rmtree(self.folder / DATA)

    @property
    def has_record(self) -> bool:
        """Whether there is a record to resume from."""
        return (self.folder / RECORD).exists()

    def read_record(self) -> RunRecord:
        """Return the record; TrainingError naming each field that does not fit."""
        try:
            return parse(RECORD_TYPE, (self.folder / RECORD).read_bytes(), RECORD)
        except OSError as error:
            raise TrainingError(f"{self.folder} has no run to resume: {error}") from error
        except ConvgateError as error:
            raise TrainingError(f"the run in {self.folder} cannot be resumed: {error}") from error

    def save(self, record: RunRecord, trainer: Trainer) -> RunRecord:
        """Write what is needed to resume, and return the record as written. Raises TrainingError."""
        from safetensors.torch import save

        content = save(trainer.state())
        digest = hashlib.sha256(content).hexdigest()
        record = replace(record, epochs=tuple(trainer.history), state_sha256=digest)
        state = self._state_file(record)
        with self.writing():
            make_home(self.folder)
            write_whole(state, content, private=True)
            write_whole(self.folder / RECORD, dump(RECORD_TYPE, record, RECORD), private=True)
            for old in (*self.folder.glob(f"*.{STATE}"), *self.folder.glob(".*.partial")):
                if old != state:
                    old.unlink(missing_ok=True)
        return record

    def resume(self, wanted: RunRecord, trainer: Trainer) -> RunRecord:
        """Restore the trainer to the last whole epoch, and return the record.

        Raises TrainingError when the run was started with another plan, or its files are damaged.
        """
        import safetensors
        from safetensors.torch import load

        record = self.read_record()
        before, now = record.plan(), wanted.plan()
        if wanted.settings.epochs <= len(record.epochs):
            now["epochs"] = before["epochs"]
        if differing := [name for name in {**before, **now} if before.get(name) != now.get(name)]:
            changes = ", ".join(
                f"{name} ({before.get(name, 'none')}, now {now.get(name, 'none')})" for name in differing
            )
            raise TrainingError(
                f"the run in {self.folder} was started with another plan: {changes}. Resume it with the same"
                " plan, or name another folder."
            )
        path = self._state_file(record)
        try:
            content = path.read_bytes()
            if hashlib.sha256(content).hexdigest() != record.state_sha256:
                raise TrainingError(f"{path} was changed or is damaged; start a new run")
            trainer.restore(load(content), record.epochs)
        except (OSError, safetensors.SafetensorError) as error:
            raise TrainingError(f"{path} cannot be read: {error}") from error
        return record

    def _state_file(self, record: RunRecord) -> Path:
        return self.folder / f"{record.state_sha256[:16]}.{STATE}"


class Runs:
    """The runs in `home`/runs, one folder each."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def new(self) -> Run:
        """Return a run in a new folder, which is not made yet."""
        return Run(self.folder / f"{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}")

    def all(self) -> list[Run]:
        """Return every run, the newest first."""
        try:
            runs = [Run(path) for path in self.folder.iterdir() if _ID.fullmatch(path.name) and path.is_dir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TrainingError(f"{self.folder} cannot be read: {error.strerror}") from error
        return sorted(runs, key=lambda run: (run.started, run.id), reverse=True)

    def get(self, id: str) -> Run:
        """Return the run of that id; TrainingError when there is none."""
        if not _ID.fullmatch(id) or not (self.folder / id).is_dir():
            raise TrainingError(f"there is no training run {id!r} in {self.folder}; it may have been deleted")
        return Run(self.folder / id)

    def stop(self, id: str) -> None:
        """Ask the run to stop at its next report; does nothing unless it is active."""
        check_writable(self.folder)
        run = self.get(id)
        if run.is_active:
            with run.writing():
                make_private(run.folder / STOP)

    def delete(self, id: str) -> None:
        """Remove the run's folder; its version stays. TrainingError while it is active."""
        check_writable(self.folder)
        run = self.get(id)
        if run.is_active:
            raise TrainingError(f"the run {id} is active; stop it before you delete it")
        with run.writing():
            shutil.rmtree(run.folder)


def _cannot_write(folder: Path, error: OSError) -> TrainingError:
    return TrainingError(f"the run in {folder} cannot be changed: {error.strerror or error}")


def _read(kind: TypeAdapter[_T], path: Path) -> _T | None:
    try:
        return kind.validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(kind: TypeAdapter[_T], path: Path, value: _T) -> None:
    """Write what a run says of itself; the next one comes in a moment. Raises OSError."""
    write_whole(path, kind.dump_json(value), private=True, durable=False)
