"""The user's relevance sets: files in the data folder that pages and commands choose by name."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from convgate.core.conversation import Conversation
from convgate.core.errors import SettingsError, TranscriptError
from convgate.core.files import sync_folder, write_whole
from convgate.core.home import app_root, check_writable, make_home
from convgate.training.corpora import attribution_of, corpora_in, licence_of
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from convgate.versions import is_name

FOLDER, SUFFIX = "sets", ".jsonl"
_PARTIAL = ".partial"  # ends the names of folders in which a set is checked
SAMPLES = "samples"  # the set that comes with the app, read-only
_SAMPLES_FILE = Path("sample_conversations", "samples.relevance.jsonl")


@dataclass(frozen=True, kw_only=True)
class SetInfo:
    """What a set of the library holds."""

    name: str
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

    def add(self, name: str, content: bytes) -> SetInfo:
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
                if (self.folder / file.name).exists():
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
    is_own = name != SAMPLES
    try:
        cases = read_relevance_set(path)
    except TranscriptError as error:
        return SetInfo(name=name, problem=str(error))
    corpora = corpora_in(cases)
    forbidding = [corpus for corpus in corpora if not corpus.may_train]
    judged = [
        len(cases.current(case)[1]) if case.judged is None else len(case.judged) for case in cases.cases
    ]
    return SetInfo(
        name=name,
        conversations=len({case.conversation for case in cases.cases}),
        cases=len(cases.cases),
        judged=sum(judged),
        relevant=sum(len(case.relevant) for case in cases.cases),
        licence=licence_of(corpora, own="" if is_own else "MIT"),
        attribution=attribution_of(corpora, own="" if is_own else "texts written for convgate"),
        may_train=not forbidding,
        terms=forbidding[0].terms if forbidding else "",
    )
