"""The trainings of this data folder: what each does or came to, whoever started it and from where.

runs = TrainingRuns(settings.home)
for run in runs.all():
    print(run.id, run.state, run.epochs)
"""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, cast

from convgate.home import check_writable, make_private
from convgate.training.errors import TrainingError
from convgate.training.progress import OUTCOME, STARTING, STOP, Progress
from convgate.training.request import Request
from convgate.training.runs import is_at_work

FOLDER, LOG, DATA = "runs", "log.txt", "data"
EMPTIED = "emptied"  # there when the data and some texts were removed, so that it cannot go on
State = Literal["running", "stopping", "stopped", "failed", "done", "interrupted"]
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_DELETED = ".deleted"  # ending of the folder of a run that is being removed
_START = 120.0  # seconds that a process may take until it reports for the first time
INTERRUPTED = "Its process ended in the middle. What the last whole epoch learned is kept; it can go on."


@dataclass(frozen=True)
class Run:
    """One training."""

    id: str
    folder: Path
    state: State
    request: Request | None  # None when it was not written or is damaged
    progress: Progress | None  # likewise
    epochs: int  # that are over
    outcome: Mapping[str, Any]  # what `outcome.json` says; empty while there is none
    started: datetime  # in UTC
    is_emptied: bool = False  # its data and texts of its report went with a conversation

    @property
    def is_active(self) -> bool:
        """Whether a process is at work on it."""
        return self.state in ("running", "stopping")

    @property
    def can_go_on(self) -> bool:
        """Whether it ended before it was done, and the command that goes on is known and has its data."""
        ended = self.state in ("stopped", "failed", "interrupted")
        return ended and self.request is not None and not self.is_emptied

    @property
    def can_finish(self) -> bool:
        """Whether a version can be made of the epochs that it has."""
        return self.can_go_on and self.epochs > 0

    @property
    def version(self) -> str | None:
        """The name of the version that it made."""
        name = self.outcome.get("version")
        return name if isinstance(name, str) else None

    @property
    def message(self) -> str:
        """How it ended, in words; empty while it goes on."""
        if self.is_emptied and self.state in ("stopped", "interrupted"):
            return "It ended before it was done, and cannot go on: what it learned from was removed for good."
        if self.state == "interrupted":
            return INTERRUPTED
        return str(self.outcome.get("sentence") or self.outcome.get("message") or "")


class TrainingRuns:
    """The runs in `home`/runs, one folder each."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def all(self) -> list[Run]:
        """Every run, the newest first."""
        try:
            folders = [path for path in self.folder.iterdir() if _ID.fullmatch(path.name) and path.is_dir()]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise TrainingError(f"the runs in {self.folder} cannot be read: {error.strerror}") from error
        found = [_run(folder) for folder in folders]
        return sorted(found, key=lambda run: (run.started, run.id), reverse=True)

    def get(self, id: str) -> Run:
        """The run of that id; TrainingError when there is none."""
        folder = self.folder / id
        if not _ID.fullmatch(id) or not folder.is_dir():
            raise TrainingError(f"there is no training run {id!r} in {self.folder}; it may have been deleted")
        return _run(folder)

    def stop(self, id: str) -> None:
        """Ask the run to stop at its next report; no matter when nothing is at work on it."""
        check_writable(self.folder)
        run = self.get(id)
        if run.is_active:
            try:
                make_private(run.folder / STOP)
            except OSError as error:
                raise TrainingError(f"the run {id} cannot be stopped: {error.strerror}") from error

    def delete(self, id: str) -> None:
        """Remove the run's folder; versions that it made stay. TrainingError while it is at work."""
        check_writable(self.folder)
        run = self.get(id)
        if run.is_active:
            raise TrainingError(f"the run {id} is at work; stop it before it is deleted")
        removed = run.folder.with_name(f".{secrets.token_hex(8)}{_DELETED}")
        try:
            run.folder.rename(removed)
        except OSError as error:
            raise TrainingError(f"the run {id} cannot be deleted: {error.strerror}") from error
        self.sweep()
        if removed.exists():
            raise TrainingError(
                f"the run {id} is off the list, but not all of its files could be removed from {removed};"
                " delete that folder, or start convgate again, which tries once more"
            )

    def sweep(self) -> None:
        """Remove what is left of runs that were being deleted or emptied when a kill came. Never raises."""
        for left in self.folder.glob(f".*{_DELETED}"):
            shutil.rmtree(left, ignore_errors=True)
        for mark in self.folder.glob(f"*/{EMPTIED}"):
            with suppress(OSError):
                remove_data(mark.parent)


def remove_data(folder: Path) -> None:
    """Remove a run's copies of conversations, and its log, which may quote them. Raises OSError."""
    for file in (folder / LOG, *folder.glob(".*.partial")):
        file.unlink(missing_ok=True)
    if (folder / DATA).exists():
        shutil.rmtree(folder / DATA)


def _run(folder: Path) -> Run:
    request = Request.read(folder)
    outcome = _values(folder / OUTCOME)
    progress = Progress.read(folder)
    state = _ended(outcome)
    if state is None and (is_at_work(folder) or is_starting(progress)):
        state = "stopping" if (folder / STOP).exists() else "running"
    elif state is None:  # it may have ended while we looked
        outcome = _values(folder / OUTCOME)
        state = _ended(outcome) or "interrupted"
    ran = outcome.get("ran", progress.epochs if progress else 0)
    started = _moment(request.started if request else "") or _changed(folder)
    epochs = ran if isinstance(ran, int) else 0
    emptied = (folder / EMPTIED).exists()
    return Run(folder.name, folder, state, request, progress, epochs, outcome, started, emptied)


def _ended(outcome: Mapping[str, Any]) -> State | None:
    match outcome.get("state"):
        case "done" | "stopped" | "failed" as state:
            return cast(State, state)
    return None


def is_starting(progress: Progress | None) -> bool:
    """Whether a process was started a moment ago that has not reported yet."""
    if progress is None or progress.stage != STARTING:
        return False
    updated = _moment(progress.updated)
    return updated is not None and (datetime.now(UTC) - updated).total_seconds() < _START


def _values(path: Path) -> Mapping[str, Any]:
    """The object in a file of JSON; empty when there is none or it is damaged."""
    try:
        values = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return values if isinstance(values, dict) else {}


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else None


def _changed(folder: Path) -> datetime:
    try:
        return datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    except OSError:
        return datetime.now(UTC)
