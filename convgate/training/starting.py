"""Trainings in processes of their own: they outlive the page that started them, and the app.

Each is the command `convgate train …` with what it needs in its run's folder, so that it can be stopped,
killed and gone on with, from the app or in a terminal, as long as the folder is there.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile

from convgate.errors import GateError, TranscriptError
from convgate.home import make_home, make_private
from convgate.training.errors import TrainingError
from convgate.training.library import RelevanceSets
from convgate.training.progress import LOADING, OUTCOME, STARTING, STOP, Progress, now, put
from convgate.training.request import Request, new_id
from convgate.training.run_list import DATA, LOG, Run, TrainingRuns, is_starting
from convgate.training.runs import locked
from convgate.transcripts.relevance_sets import RelevanceSet, write_relevance_set
from convgate.versions.catalog import Versions
from convgate.versions.names import check_name

_NICE = 10  # how far behind the app's own process the system puts a training


@dataclass(frozen=True)
class Order:
    """A training that a person asks for."""

    parent: str  # name of the version to start from
    labels: RelevanceSet | None = None  # what people labelled, by the name of the set
    sets: tuple[str, ...] = ()  # names in the library of sets
    replay: tuple[str, ...] = ()  # of texts that come with convgate
    epochs: int | None = None  # None: as many as `convgate train` takes
    name: str = ""  # for the version; empty for the day's date
    note: str = ""
    who: str = ""
    learning_curve: bool = False
    activate: bool = True  # when it is better than its parent


def start_training(home: Path, order: Order) -> str:
    """Start it and tell the id of its run.

    Raises TrainingError when there is nothing to learn from, a set must not be trained on, or the disk or the
    system refuses; TranscriptError when a set is not there or cannot be read; GateError for a version's name
    that cannot be had.
    """
    if order.name and check_name(order.name) in Versions(home).names():
        raise GateError(f"there is a version {order.name} already, and versions never change")
    library = RelevanceSets(home)
    for name in order.sets:
        info = library.info(name)
        if info.problem:
            raise TranscriptError(info.problem)
        if not info.may_train:
            raise TrainingError(f"{name}: {info.terms}. It is not trained on.")
    labels = order.labels if order.labels is not None and order.labels.cases else None
    if not (labels or order.sets or order.replay):
        raise TrainingError("there is nothing to learn from: choose labels, a set or written texts")
    id = new_id()
    folder = TrainingRuns(home).folder / id
    try:
        make_home(folder / DATA)
        files = [folder / DATA / f"{name}.jsonl" for name in order.sets]
        for name, file in zip(order.sets, files, strict=True):
            make_private(file)
            copyfile(library.path(name), file)
        if labels is not None:
            taken = {*order.sets}
            name = next(one for one in _names(labels.name) if one not in taken)
            files.insert(0, folder / DATA / f"{name}.jsonl")
            write_relevance_set(labels, files[0], private=True)
        request = _request(order, folder, files)
        request.write(folder)
    except OSError as error:
        raise TrainingError(f"no run can be kept in {folder}: {error.strerror}") from error
    _launch(home, folder, request.arguments, epochs=0)
    return id


def go_on(home: Path, id: str) -> None:
    """Start the process again of a run that ended before it was done; TrainingError when it cannot."""
    run, request = _resumable(home, id)
    _launch(home, run.folder, request.arguments, epochs=run.epochs)


def finish(home: Path, id: str) -> None:
    """Make a version of the best of the epochs that a run has; TrainingError when it has none."""
    run, request = _resumable(home, id)
    if not run.can_finish:
        raise TrainingError(f"the run {id} has no whole epoch yet, so there is nothing to make a version of")
    _launch(home, run.folder, request.finishing(run.epochs), epochs=run.epochs)


def _resumable(home: Path, id: str) -> tuple[Run, Request]:
    run = TrainingRuns(home).get(id)
    if run.is_active:
        raise TrainingError(f"another training is at work in {run.folder}")
    if run.request is None or not run.can_go_on:
        why = "is done" if run.state == "done" else "does not say how it was begun"
        why = "was emptied: what it learns from was removed" if run.is_emptied else why
        raise TrainingError(f"the run {id} cannot go on: it {why}")
    return run, run.request


def _request(order: Order, folder: Path, files: Sequence[Path]) -> Request:
    words = ["train", *(str(file) for file in files), "--from", order.parent, "--run", str(folder)]
    options = {"--name": order.name, "--note": order.note, "--who": order.who}
    for option, value in options.items():
        words += [f"{option}={value}".replace("\0", "")] if value else []
    words += ["--epochs", str(order.epochs)] if order.epochs else []
    for name in order.replay:
        words += ["--replay", name]
    words += ["--learning-curve"] * order.learning_curve
    words.append("--activate" if order.activate else "--no-activate")
    return Request(
        arguments=tuple(words),
        parent=order.parent,
        sets=tuple(file.stem for file in files),
        replay=order.replay,
        epochs=order.epochs or 0,
        name=order.name,
        note=order.note,
        who=order.who,
        learning_curve=order.learning_curve,
        started=now(),
    )


def _names(wanted: str) -> list[str]:
    return [wanted, *(f"{wanted}-{number}" for number in range(2, 1000))]


def _launch(home: Path, folder: Path, words: Sequence[str], *, epochs: int) -> None:
    """Start `convgate WORDS` so that it lives on by itself; TrainingError when another is at work there."""
    start = Progress(STARTING, 0, 0, epochs, now())
    try:
        with locked(folder):  # of two who start it at the same moment one comes too late
            if is_starting(Progress.read(folder)) and not (folder / OUTCOME).exists():
                raise TrainingError(f"another training is at work in {folder}")
            (folder / STOP).unlink(missing_ok=True)
            (folder / OUTCOME).unlink(missing_ok=True)
            start.write(folder)
        make_private(folder / LOG)
        with (folder / LOG).open("ab") as log:
            process = start_process(
                [sys.executable, "-m", "convgate", *words], log.fileno(), _environment(home)
            )
    except OSError as error:
        told = f"the training could not be started: {error.strerror or error}"
        with suppress(OSError):  # perhaps it is the disk that refuses
            _fail(folder, start, told)
        raise TrainingError(told) from error
    # Its end has to be asked for, or it stays behind as a zombie for as long as the app runs.
    threading.Thread(
        target=_await, args=[process, folder, start], name=f"training {folder.name}", daemon=True
    ).start()


def start_process(
    command: Sequence[str], output: int, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """A process in a session of its own, which no Ctrl-C or end of the app reaches. Raises OSError."""
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=os.name == "posix",
        creationflags=0 if os.name == "posix" else _windows_flags(),
    )
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it is over already, or the system does not let us
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
    return process


def _await(process: subprocess.Popen[bytes], folder: Path, start: Progress) -> None:
    """Wait for the end, and write it down when it came before the training could report anything itself.

    The run may be at work all the same, or have been started again: another process has it then, and the end
    of this one says nothing about it.
    """
    code = process.wait()
    if not _is_silent(folder, start):
        return
    with suppress(OSError, TrainingError), locked(folder):  # a full disk: the list shows an interrupted run
        if not _is_silent(folder, start):
            return
        if code > 0:
            lines = (folder / LOG).read_bytes()[-4000:].decode(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), "nothing in its log")
            _fail(folder, start, f"The training ended with exit code {code}: {last[:500]}")
        else:
            replace(start, stage=LOADING).write(folder)


def _is_silent(folder: Path, start: Progress) -> bool:
    """Whether nothing was heard of the run since it was started."""
    return Progress.read(folder) == start and not (folder / OUTCOME).exists()


def _fail(folder: Path, start: Progress, told: str) -> None:
    put(folder / OUTCOME, {"state": "failed", "ended": now(), "ran": start.epochs, "message": told})


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "CONVGATE_HOME": str(home), "PYTHONUNBUFFERED": "1", "COLUMNS": "160"}


def _windows_flags() -> int:
    return int(getattr(subprocess, "DETACHED_PROCESS", 8)) | int(
        getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512)
    )
