"""Removing deleted conversations for good, with all copies, and erasing everything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.core.errors import StoreError, TrainingError, TranscriptError
from convgate.core.home import check_writable
from convgate.core.settings import Settings
from convgate.embedding.cache import CACHE_FILE, empty_cache
from convgate.gatekeeper.log import remove_logs
from convgate.store import Conversations, Store
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.training.run import DATA, Runs
from convgate.transcripts.relevance_sets import read_relevance_set


@dataclass(frozen=True, slots=True)
class Copies:
    """What has copies of deleted conversations, besides the library."""

    runs: tuple[str, ...] = ()  # ids of training runs
    sets: tuple[str, ...] = ()  # names
    unread: tuple[str, ...] = ()  # sets and runs whose data cannot be read


@dataclass(frozen=True, slots=True)
class Removal:
    """What was removed."""

    conversations: int
    copies: Copies


def find_copies(home: Path, deleted: Sequence[Conversation]) -> Copies:
    """Return what in the data folder has copies of these conversations.

    A copy is known by the hashes of its turns: it is the same conversation, or one is the other's beginning.
    """
    is_copy, library = _copy_test(deleted), RelevanceSets(home)
    runs = {run.id: _has_copy(sorted((run.folder / DATA).glob("*")), is_copy) for run in Runs(home).all()}
    sets = {name: _has_copy([library.path(name)], is_copy) for name in library.names() if name != SAMPLES}
    return Copies(
        runs=tuple(id for id, has_copy in runs.items() if has_copy),
        sets=tuple(name for name, has_copy in sets.items() if has_copy),
        unread=tuple(name for name, has_copy in [*sets.items(), *runs.items()] if has_copy is None),
    )


def remove_for_good(store: Store, settings: Settings) -> Removal:
    """Remove what was deleted in the library, with every copy in the data folder.

    The debug log and the cached vectors, which also hold parts of turns, go as a whole. A run keeps its
    figures and its version, and cannot be resumed. The library comes last, so that after a kill the same can
    be done again.

    Raises TrainingError before anything is removed when a run with a copy is active, else as stores do.
    """
    home, start = settings.home, datetime.now(UTC)
    check_writable(home)
    conversations = Conversations(store)
    deleted = conversations.deleted()
    copies, library = find_copies(home, deleted), RelevanceSets(home)
    runs = [Runs(home).get(id) for id in copies.runs]
    if active := [run.id for run in runs if run.is_active]:
        raise TrainingError(
            f"the training {active[0]} uses a copy; stop it on the page Train first. Nothing was removed."
        )
    for run in runs:
        run.remove_data()
    library.sweep()
    for name in copies.sets:
        library.leave_out(name, _copy_test(deleted))
    remove_logs(settings.gatekeeper.debug_log)
    empty_cache(home / CACHE_FILE)
    return Removal(conversations.purge(older_than=datetime.now(UTC) - start), copies)


def erase_everything(store: Store, settings: Settings) -> int:
    """Remove all data in the data folder, and the debug log; return how many conversations there were.

    Settings and versions stay. The library is removed last. Raises StoreError when something cannot be
    removed, and without removing anything while a training runs or another program writes.
    """
    home = settings.home
    if active := [run.id for run in Runs(home).all() if run.is_active]:
        raise StoreError(f"The training {active[0]} is running. Stop it in Train first; nothing was erased.")
    with store.write():  # fails while another program writes, before anything is removed
        conversations = Conversations(store).find().total
    try:
        for folder in (Runs(home).folder, RelevanceSets(home).folder):
            if folder.exists():
                shutil.rmtree(folder)
        for suffix in ("", "-wal", "-shm"):
            (home / f"{CACHE_FILE}{suffix}").unlink(missing_ok=True)
        remove_logs(settings.gatekeeper.debug_log)
    except OSError as error:
        raise StoreError(
            f"{error.filename} cannot be removed ({error.strerror}); delete it. The library is still there."
        ) from error
    store.erase()
    return conversations


def _copy_test(deleted: Sequence[Conversation]) -> Callable[[Conversation], bool]:
    """Return a test for a conversation that is one of them, its beginning, or begins with it."""
    chains = [prefix_hashes(each.turns)[1:] for each in deleted]
    beginnings = {digest for hashes in chains for digest in hashes}
    ends = {hashes[-1] for hashes in chains if hashes}

    def is_copy(conversation: Conversation) -> bool:
        hashes = prefix_hashes(conversation.turns)[1:]
        return bool(hashes) and (hashes[-1] in beginnings or not ends.isdisjoint(hashes))

    return is_copy


def _has_copy(files: Sequence[Path], is_copy: Callable[[Conversation], bool]) -> bool | None:
    """Return whether a relevance set has a copy; None when none was found, but not all can be read."""
    is_whole = True
    for path in files:
        try:
            relevance_set = read_relevance_set(path, skip_bad=True)
        except TranscriptError:
            is_whole = False
            continue
        if any(map(is_copy, relevance_set.conversations.values())):
            return True
        is_whole = is_whole and all(problem.severity != "error" for problem in relevance_set.problems)
    return False if is_whole else None
