"""Removing conversations for good: from the library, and wherever trainings and relevance sets have copies.

    deleted = Conversations(store).deleted()
    find_copies(home, deleted)                 # what else has their text, to be told before
    remove_for_good(store, home)

A training keeps its figures, and a set its other conversations. The library comes last: after a kill in the
middle the conversations are still among the deleted ones, and what is left of their copies is found again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from convgate.embedding.cache import CACHE_FILE, forget
from convgate.errors import TranscriptError
from convgate.home import check_writable, make_private
from convgate.store import Conversations, DeletedConversation, Store
from convgate.training.errors import TrainingError
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.training.report import REPORT, ItemReport
from convgate.training.run_list import DATA, EMPTIED, LOG, Run, TrainingRuns, remove_data
from convgate.training.sought import Sought
from convgate.transcripts.relevance_sets import read_relevance_set


@dataclass(frozen=True, slots=True)
class Copies:
    """What has text of conversations besides the library."""

    runs: tuple[str, ...] = ()  # ids of trainings
    sets: tuple[str, ...] = ()  # names
    unread: tuple[str, ...] = ()  # names of sets that cannot be read, so that nobody knows
    unread_runs: tuple[str, ...] = ()  # ids of trainings without a known copy, of which some cannot be read
    damaged: int = 0  # conversations that cannot be read, so that copies are known by their keys alone


@dataclass(frozen=True, slots=True)
class Removal:
    """What went."""

    conversations: int
    copies: Copies


def find_copies(home: Path, deleted: Sequence[DeletedConversation]) -> Copies:
    """What in the data folder has text of these conversations. Raises TrainingError when nobody can look."""
    sought = Sought(deleted)
    found: dict[bool | None, list[str]] = {True: [], None: [], False: []}
    for run in TrainingRuns(home).all() if deleted else ():
        found[_has(run, sought)].append(run.id)
    sets, unread = [], []
    library = RelevanceSets(home)
    for name in library.names() if deleted else ():
        if name != SAMPLES:
            try:
                if sought.among(library.read(name).conversations):
                    sets.append(name)
            except TranscriptError:
                unread.append(name)
    damaged = sum(one.is_damaged for one in deleted)
    return Copies(tuple(found[True]), tuple(sets), tuple(unread), tuple(found[None]), damaged)


def remove_for_good(store: Store, home: Path) -> Removal:
    """Remove what was deleted in the library, with every copy in the data folder.

    Raises TrainingError, before anything is removed, when a training is at work on a copy; StoreError,
    TrainingError or TranscriptError when the disk refuses, after which the same can be done again.
    """
    check_writable(home)
    began = datetime.now(UTC)
    conversations = Conversations(store)
    deleted = conversations.deleted()
    copies, listed = find_copies(home, deleted), TrainingRuns(home)
    if at_work := [id for id in copies.runs if listed.get(id).is_active]:
        raise TrainingError(
            f"the training {at_work[0]} is at work on a copy of what is to go; stop it in Train first;"
            " nothing was removed"
        )
    sought, library = Sought(deleted), RelevanceSets(home)
    for id in copies.runs:
        _empty(listed.get(id), sought)
    for name in copies.sets:
        library.leave_out(name, sought.among(library.read(name).conversations))
    forget(home / CACHE_FILE, (turn.scored_text for one in deleted for turn in one.conversation.turns))
    return Removal(conversations.purge(older_than=datetime.now(UTC) - began), copies)


def _has(run: Run, sought: Sought) -> bool | None:
    """Whether a training has a copy; None when none was found, but not all of it can be read."""
    if run.is_emptied and any((run.folder / name).exists() for name in (DATA, LOG)):
        return True  # a kill came while it was emptied
    is_whole = True
    try:
        report = ItemReport.read(run.folder)
        if report is not None and sought.in_report(report):
            return True
    except TrainingError:
        is_whole = False
    for path in sorted((run.folder / DATA).glob("*")):
        try:
            read = read_relevance_set(path, skip_bad=True)
        except TranscriptError:
            is_whole = False
            continue
        if sought.among(read.conversations):
            return True
        is_whole = is_whole and all(problem.severity != "error" for problem in read.problems)
    return False if is_whole else None


def _empty(run: Run, sought: Sought) -> None:
    """Leave the run its figures, but not its data, nor a word of these conversations."""
    try:
        make_private(run.folder / EMPTIED)
        try:
            report = ItemReport.read(run.folder)
        except TrainingError:
            report = None
            (run.folder / REPORT).unlink()  # before the data, by which it is found again after a kill
        remove_data(run.folder)
    except OSError as error:
        raise TrainingError(f"the data of the run {run.id} cannot be removed: {error.strerror}") from error
    if report is not None:
        report.without_texts(sought.in_report(report)).write(run.folder)
