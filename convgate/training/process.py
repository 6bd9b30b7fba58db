"""Trainings in processes of their own, as commands `convgate train …` that outlive the page and the app."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from shutil import copyfile

from convgate.core.errors import GateError, TrainingError, TranscriptError
from convgate.core.extras import needs_extra
from convgate.core.home import make_home, make_private
from convgate.training.epochs import FURTHER
from convgate.training.library import RelevanceSets
from convgate.training.records import Activate, Status
from convgate.training.run import DATA, LOG, STARTING, STOP, Run, Runs
from convgate.training.sets import Plan
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from convgate.versions import Versions, check_name

_NICE = 10  # how far behind the app's own process the system puts a training


def start_training(
    home: Path,
    parent: str,
    *,
    labels: RelevanceSet | None = None,
    sets: Sequence[str] = (),
    replay: Sequence[str] = (),
    epochs: int | None = None,
    name: str = "",
    note: str = "",
    who: str = "",
    activate: bool = True,
) -> str:
    """Start to train the version `parent` further and return the id of the run.

    `sets` are names of `RelevanceSets`, `replay` of texts that come with convgate; `epochs` None is the
    default of `convgate train`. `activate` uses the version when it is certainly better than its parent.

    Raises MissingExtraError, TrainingError, TranscriptError for a set that cannot be read, GateError for a
    name that is taken.
    """
    with needs_extra("train", "training"):
        version("torch")  # raises what an import raises, without its second and its memory
    if name and check_name(name) in Versions(home).names():
        raise GateError(f"there is already a version {name}; choose another name")
    library = RelevanceSets(home)
    for set_name in sets:
        info = library.info(set_name)
        if info.problem:
            raise TranscriptError(info.problem)
        if not info.may_train:
            raise TrainingError(f"{set_name}: {info.terms}. It is not trained on.")
    labels = labels if labels is not None and labels.cases else None
    if not (labels or sets or replay):
        raise TrainingError("there is nothing to learn from: choose labels, a set or replayed texts")
    run = Runs(home).new()
    data = run.folder / DATA
    with run.writing():
        make_home(data)
        files = [data / f"{set_name}.jsonl" for set_name in sets]
        for set_name, file in zip(sets, files, strict=True):
            make_private(file)
            copyfile(library.path(set_name), file)
        if labels is not None:
            files.insert(0, data / f"{_free_name(labels.name, sets)}.jsonl")
            write_relevance_set(labels, files[0], private=True)
    settings = FURTHER if epochs is None else replace(FURTHER, epochs=epochs)
    plan = Plan(tuple(files), settings, parent=parent, replay=tuple(replay))
    when: Activate = "better" if activate else "never"
    request = plan.request(run.folder, name=name, note=note, who=who, activate=when)
    run.write_request(request)
    _launch(home, run, request.arguments)
    return run.id


def resume_training(home: Path, id: str, *, finish: bool = False) -> None:
    """Start the process again of a run that ended before it was done; TrainingError when it cannot.

    finish: make a version of the best of its epochs, without another epoch.
    """
    run = Runs(home).get(id)
    if run.is_active:
        raise TrainingError(f"another training is running in {run.folder}")
    if run.request is None or not run.can_resume:
        why = "it is done" if run.state == "done" else "its data or its command is missing"
        raise TrainingError(f"the run {id} cannot be resumed: {why}")
    if finish and not run.epochs:
        raise TrainingError(f"the run {id} has no whole epoch yet, so no version can be made")
    # of an option given twice, the last one counts
    _launch(home, run, [*run.request.arguments, *(["--epochs", str(run.epochs)] if finish else [])])


def _free_name(wanted: str, taken: Sequence[str]) -> str:
    names = (wanted, *(f"{wanted}-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if name not in taken)


def _launch(home: Path, run: Run, words: Sequence[str]) -> None:
    """Start `convgate WORDS` so that it lives on by itself; TrainingError when the run is active."""
    start = Status(STARTING)
    try:
        with run.lock():  # of two who start it at the same moment, one comes too late
            if Run(run.folder).is_starting:
                raise TrainingError(f"another training is running in {run.folder}")
            (run.folder / STOP).unlink(missing_ok=True)
            run.write_status(start)
        make_private(run.folder / LOG)
        with (run.folder / LOG).open("ab") as log:
            environment = {
                **os.environ,
                "CONVGATE_HOME": str(home),
                "PYTHONUNBUFFERED": "1",
                "COLUMNS": "160",
            }
            process = start_process([sys.executable, "-m", "convgate", *words], log.fileno(), environment)
    except OSError as error:
        message = f"the training could not be started: {error.strerror or error}"
        with suppress(OSError):  # perhaps it is the disk that refuses
            run.write_status(Status(ended="failed", result={"message": message}))
        raise TrainingError(message) from error
    # Its end has to be asked for, or it stays behind as a zombie for as long as the app runs.
    threading.Thread(
        target=_await, args=[process, run, start], name=f"training {run.id}", daemon=True
    ).start()


def start_process(
    command: Sequence[str], output: int, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Return a process in a session of its own, which no Ctrl-C or end of the app reaches. Raises OSError."""
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=dict(environment),
        start_new_session=True,
    )
    if hasattr(os, "setpriority"):
        with suppress(OSError):  # it is over already, or the system does not let us
            os.setpriority(os.PRIO_PROCESS, process.pid, _NICE)
    return process


def _await(process: subprocess.Popen[bytes], run: Run, start: Status) -> None:
    """Wait for the end, and write it down when the training could not report anything itself."""
    code = process.wait()
    with suppress(OSError, TrainingError), run.lock():  # if it is locked, another process has the run
        if Run(run.folder).status == start:
            message = f"The training ended before it began (exit code {code}). Its log may say why."
            run.write_status(Status(ended="failed", result={"message": message}))
