"""The person's relevance sets: files in the data folder that pages and commands choose from by name.

sets = RelevanceSets(settings.home)
sets.add("my-labels", content)
sets.info("my-labels").cases
"""

from __future__ import annotations

import re
import secrets
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from convgate.app_files import app_root
from convgate.errors import SettingsError, TranscriptError
from convgate.files import sync_folder, write_whole
from convgate.home import check_writable, make_home
from convgate.training.corpora.recognise import attribution_of, corpora_in, licence_of
from convgate.transcripts.relevance_sets import RelevanceSet, read_relevance_set, write_relevance_set
from convgate.versions.names import is_name

FOLDER, ENDING = "sets", ".jsonl"
SAMPLES = "samples"  # the set that comes with the app; it can be read, and nothing else
_SAMPLES_FILE = Path("sample_conversations", "samples.relevance.jsonl")
_OWN_LICENCE, _OWN_TEXTS = "MIT", "texts written for convgate"


@dataclass(frozen=True)
class SetInfo:
    """What a set of the library holds."""

    name: str
    conversations: int  # that have a case
    cases: int
    judged: int  # turns of which the relevance is known, over all cases
    relevant: int  # of them
    licence: str  # SPDX; empty when nothing is known of it, as of a person's own
    attribution: str  # whom to name
    may_train: bool  # False for a corpus whose licence forbids it
    terms: str  # why it may not; else empty
    modified: datetime  # in UTC
    is_own: bool  # False for what comes with convgate
    problem: str = ""  # why it cannot be read; then all counts are 0


class RelevanceSets:
    """The sets in `home`/sets, one file each, and the one of the samples."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER
        self._home = home

    def names(self) -> list[str]:
        """All names, the person's own in order, then `samples` where the app has them."""
        files = self.folder.glob(f"*{ENDING}") if self.folder.is_dir() else ()
        own = sorted(name for file in files if is_name(name := file.name.removesuffix(ENDING)))
        return [*(name for name in own if name != SAMPLES), *([SAMPLES] if _samples() else [])]

    def path(self, name: str) -> Path:
        """The file of a set; TranscriptError when there is none of that name."""
        path = _samples() if name == SAMPLES else self.folder / f"{name}{ENDING}"
        if path is None or not is_name(name) or not path.is_file():
            raise TranscriptError(f"there is no relevance set {name!r} among those in {self.folder}")
        return path

    def read(self, name: str) -> RelevanceSet:
        """The set, called by its name here; TranscriptError when it is not there or cannot be read."""
        read = read_relevance_set(self.path(name))
        return RelevanceSet(name, read.conversations, read.cases, read.problems)

    def info(self, name: str) -> SetInfo:
        """What the set holds: read once, and again when its file has changed.

        A set that cannot be read has a `problem`. Raises TranscriptError when there is none of that name.
        """
        path = self.path(name)
        try:
            found = path.stat()
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be read: {error.strerror}") from error
        return _inspected(path, name, found.st_mtime_ns, found.st_size)

    def infos(self) -> list[SetInfo]:
        """What each holds, in the order of `names()`."""
        return [self.info(name) for name in self.names()]

    def free_name(self, file_name: str) -> str:
        """A name for an uploaded file that can be had and is not taken.

        >>> RelevanceSets(Path("nowhere")).free_name("My Labels (2).jsonl")
        'my-labels-2'
        """
        stem = re.sub(r"\.(jsonl|json|txt)$", "", file_name.lower())
        plain = re.sub(r"[^a-z0-9._]+", "-", stem).strip("-._")[:60].rstrip("-._")
        name = plain if is_name(plain) else "set"
        taken = {SAMPLES, *self.names()}
        numbers = (f"{name[:56]}-{number}" for number in range(2, len(taken) + 3))
        return name if name not in taken else next(one for one in numbers if one not in taken)

    def add(self, name: str, content: bytes, *, replace: bool = False) -> SetInfo:
        """Keep a set, whole or not at all, after it was read without a complaint.

        Raises TranscriptError, and keeps nothing, when a line of it is bad, it has no cases, the name cannot
        be had or is taken (unless `replace`), or the disk refuses.
        """
        if not is_name(name) or name == SAMPLES:
            raise TranscriptError(
                f"{name!r} cannot name a relevance set: it takes up to 64 small letters, digits, points,"
                f" hyphens and underscores, with a letter or digit first and last, and not {SAMPLES!r}"
            )
        target = self.folder / f"{name}{ENDING}"
        try:
            with self._changing() as waiting:
                file = waiting / target.name
                write_whole(file, content, private=True)
                if not read_relevance_set(file).cases:
                    raise TranscriptError(
                        "it holds no cases, so it says nothing about relevance", file=file.name
                    )
                if target.exists() and not replace:
                    raise TranscriptError(
                        f"there is a relevance set {name!r} already; delete it first, or choose another name"
                    )
                file.replace(target)
                sync_folder(self.folder)
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be kept: {error.strerror}") from error
        return self.info(name)

    def leave_out(self, name: str, conversations: Collection[str]) -> None:
        """Take conversations, by their ids, out of a set of the person's; one without cases then is deleted.

        Raises TranscriptError, and leaves the set as it was, when it cannot be read or written.
        """
        sets = self.read(name)
        kept = {id: one for id, one in sets.conversations.items() if id not in conversations}
        cases = tuple(case for case in sets.cases if case.conversation in kept)
        if not cases:
            self.delete(name)
            return
        try:
            with self._changing() as waiting:
                file = waiting / f"{name}{ENDING}"
                write_relevance_set(RelevanceSet(name, kept, cases), file, private=True)
                file.replace(self.path(name))
                sync_folder(self.folder)
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be written: {error.strerror}") from error

    def sweep(self) -> None:
        """Remove what is left of sets that were being added when a kill came. Never raises."""
        if self.folder.is_dir():
            with suppress(OSError), self._changing():
                pass

    @contextmanager
    def _changing(self) -> Iterator[Path]:
        """A folder to prepare a file in, alone among all programs; what one of them left is swept away."""
        make_home(self._home)
        make_home(self.folder)
        with FileLock(self.folder / ".lock", mode=0o600):
            for left in self.folder.glob(".*.partial"):
                shutil.rmtree(left, ignore_errors=True)
            waiting = self.folder / f".{secrets.token_hex(8)}.partial"
            waiting.mkdir(mode=0o700)
            try:
                yield waiting
            finally:
                shutil.rmtree(waiting, ignore_errors=True)

    def delete(self, name: str) -> None:
        """Remove a set of the person's; TranscriptError when there is none, or it comes with convgate."""
        path = self.path(name)
        if name == SAMPLES:
            raise TranscriptError(f"{SAMPLES!r} comes with convgate and stays")
        check_writable(path)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise TranscriptError(f"the set {name!r} cannot be deleted: {error.strerror}") from error


def _samples() -> Path | None:
    """The packaged set; None in an installation without the app."""
    try:
        path = app_root() / _SAMPLES_FILE
    except SettingsError:
        return None
    return path if path.is_file() else None


@lru_cache(maxsize=256)
def _inspected(path: Path, name: str, changed: int, size: int) -> SetInfo:
    """What is in the file; by the time of its change in nanoseconds and its size, so that it is read once."""
    modified = datetime.fromtimestamp(changed / 1e9, UTC)
    is_own = name != SAMPLES
    try:
        sets = read_relevance_set(path)
    except TranscriptError as error:
        return SetInfo(
            name,
            0,
            0,
            0,
            0,
            "",
            "",
            may_train=False,
            terms="",
            modified=modified,
            is_own=is_own,
            problem=str(error),
        )
    corpora = corpora_in(sets)
    forbidding = [corpus for corpus in corpora if not corpus.may_train]
    judged = [
        len(sets.situation(case)[1]) if case.judged is None else len(case.judged) for case in sets.cases
    ]
    return SetInfo(
        name=name,
        conversations=len({case.conversation for case in sets.cases}),
        cases=len(sets.cases),
        judged=sum(judged),
        relevant=sum(len(case.relevant) for case in sets.cases),
        licence=licence_of(corpora, own="" if is_own else _OWN_LICENCE),
        attribution=attribution_of(corpora, own="" if is_own else _OWN_TEXTS),
        may_train=not forbidding,
        terms=forbidding[0].terms if forbidding else "",
        modified=modified,
        is_own=is_own,
    )
