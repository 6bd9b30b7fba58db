"""The user's relevance sets: files in the data folder that pages and commands choose by name.

Also here: removing deleted conversations for good, with their copies in these sets and in training runs, and
erasing everything.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from convgate.core.conversation import Conversation
from convgate.core.errors import SettingsError, StoreError, TrainingError, TranscriptError
from convgate.core.files import sync_folder, write_whole
from convgate.core.home import app_root, check_writable, make_home
from convgate.core.settings import Settings
from convgate.embedding.cache import CACHE_FILE, empty_cache
from convgate.gatekeeper.log import remove_logs
from convgate.store import Conversations, Store
from convgate.store.openings import prefix_hashes
from convgate.training.corpora import attribution_of, corpora_in, licence_of
from convgate.training.run import DATA, Runs
from convgate.transcripts.relevance_sets import RelevanceSet, read_relevance_set, write_relevance_set
from convgate.versions import is_name

FOLDER, SUFFIX = "sets", ".jsonl"
_PARTIAL = ".partial"  # ends the names of folders in which a set is checked
SAMPLES = "samples"  # the set that comes with the app, read-only
_SAMPLES_FILE = Path("sample_conversations", "samples.relevance.jsonl")


@dataclass(frozen=True, kw_only=True)
class SetInfo:
    """What a set of the library holds."""

    name: str
    modified: datetime  # in UTC
    is_own: bool  # False for what comes with convgate
    conversations: int = 0  # that have a case
    cases: int = 0
    judged: int = 0  # turns whose relevance is known, over all cases
    relevant: int = 0  # of them
    licence: str = ""  # SPDX; empty when unknown, as for a user's own
    attribution: str = ""  # whom to name
    may_train: bool = False
    terms: str = ""  # why it may not
    problem: str = ""  # why it cannot be read; then all counts are 0


class RelevanceSets:
    """The sets in `home`/sets, one file each, and the one of the samples."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    def names(self) -> list[str]:
        """Return all names: the user's own in order, then `samples` where the app has them."""
        files = self.folder.glob(f"*{SUFFIX}") if self.folder.is_dir() else ()
        own = sorted(name for file in files if is_name(name := file.name.removesuffix(SUFFIX)))
        return [*(name for name in own if name != SAMPLES), *([SAMPLES] if _samples() else [])]

    def path(self, name: str) -> Path:
        """Return the file of a set; TranscriptError when there is none of that name."""
        path = _samples() if name == SAMPLES else self.folder / f"{name}{SUFFIX}"
        if path is None or not is_name(name) or not path.is_file():
            raise TranscriptError(f"there is no relevance set {name!r} in {self.folder}")
        return path

    def read(self, name: str) -> RelevanceSet:
        """Return the set under its name here; TranscriptError when it is missing or cannot be read."""
        read = read_relevance_set(self.path(name))
        return RelevanceSet(name, read.conversations, read.cases, read.problems)

    def info(self, name: str) -> SetInfo:
        """Return what the set holds; TranscriptError when there is none of that name."""
        path = self.path(name)
        try:
            status = path.stat()
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be read: {error.strerror}") from error
        return _inspect(path, name, status.st_mtime_ns, status.st_size)

    def free_name(self, file_name: str) -> str:
        """Return a name for an uploaded file that is valid and not taken.

        >>> RelevanceSets(Path("nowhere")).free_name("My Labels (2).jsonl")
        'my-labels-2'
        """
        stem = re.sub(r"\.(jsonl|json|txt)$", "", file_name.lower())
        plain = re.sub(r"[^a-z0-9._]+", "-", stem).strip("-._")[:60].rstrip("-._")
        name = plain if is_name(plain) else "set"
        taken = {SAMPLES, *self.names()}
        numbered = (f"{name[:56]}-{number}" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(each for each in numbered if each not in taken)

    def add(self, name: str, content: bytes, *, replace: bool = False) -> SetInfo:
        """Add a set, whole or not at all.

        Raises TranscriptError for bad lines, no cases, an invalid or taken name, or an unwritable file.
        """
        if not is_name(name) or name == SAMPLES:
            raise TranscriptError(
                f"{name!r} is no valid name for a relevance set: use up to 64 lower-case letters, digits,"
                f" points, hyphens and underscores, with a letter or digit first and last, not {SAMPLES!r}"
            )

        try:
            make_home(self.folder)
            with TemporaryDirectory(dir=self.folder, prefix=".", suffix=_PARTIAL) as partial:
                file = Path(partial, f"{name}{SUFFIX}")
                write_whole(file, content, private=True)
                if not read_relevance_set(file).cases:
                    raise TranscriptError("it has no cases", file=file.name)
                if not replace and (self.folder / file.name).exists():
                    raise TranscriptError(f"there is already a relevance set {name!r}")
                file.replace(self.folder / file.name)
                sync_folder(self.folder)
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be written: {error.strerror}") from error
        return self.info(name)

    def leave_out(self, name: str, is_removed: Callable[[Conversation], bool]) -> None:
        """Take conversations and bad lines, which may hold them, out of a set; delete one without cases.

        Raises TranscriptError, with the set unchanged, when it cannot be read or written.
        """
        cases = read_relevance_set(self.path(name), skip_bad=True)
        kept = {id: each for id, each in cases.conversations.items() if not is_removed(each)}
        left = tuple(case for case in cases.cases if case.conversation in kept)
        if not left:
            self.delete(name)
            return
        write_relevance_set(RelevanceSet(name, kept, left), self.path(name), private=True)

    def delete(self, name: str) -> None:
        """Remove a set of the user's; TranscriptError when there is none, or it comes with convgate."""
        path = self.path(name)
        if name == SAMPLES:
            raise TranscriptError(f"{SAMPLES!r} comes with convgate and cannot be deleted")
        check_writable(path)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be deleted: {error.strerror}") from error

    def sweep(self) -> None:
        """Remove what a kill left of sets that were being added. Never raises."""
        for partial in self.folder.glob(f".*{_PARTIAL}"):
            shutil.rmtree(partial, ignore_errors=True)


def _samples() -> Path | None:
    """Return the packaged set; None in an installation without the app."""
    try:
        path = app_root() / _SAMPLES_FILE
    except SettingsError:
        return None
    return path if path.is_file() else None


@lru_cache(
    maxsize=256
)  # by the time of the file's change in nanoseconds and its size, so that it is read once
def _inspect(path: Path, name: str, changed: int, size: int) -> SetInfo:
    modified = datetime.fromtimestamp(changed / 1e9, UTC)
    is_own = name != SAMPLES
    try:
        cases = read_relevance_set(path)
    except TranscriptError as error:
        return SetInfo(name=name, modified=modified, is_own=is_own, problem=str(error))
    corpora = corpora_in(cases)
    forbidding = [corpus for corpus in corpora if not corpus.may_train]
    judged = [
        len(cases.current(case)[1]) if case.judged is None else len(case.judged) for case in cases.cases
    ]
    return SetInfo(
        name=name,
        modified=modified,
        is_own=is_own,
        conversations=len({case.conversation for case in cases.cases}),
        cases=len(cases.cases),
        judged=sum(judged),
        relevant=sum(len(case.relevant) for case in cases.cases),
        licence=licence_of(corpora, own="" if is_own else "MIT"),
        attribution=attribution_of(corpora, own="" if is_own else "texts written for convgate"),
        may_train=not forbidding,
        terms=forbidding[0].terms if forbidding else "",
    )


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
    remove_logs(settings.gatekeeper_debug_log)
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
        remove_logs(settings.gatekeeper_debug_log)
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
