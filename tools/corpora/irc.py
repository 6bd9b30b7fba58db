"""Ubuntu's help channel: many people and many threads at once, with annotated reply links.

Source: github.com/jkkummerfeld/irc-disentanglement, `data/SPLIT/STEM.ascii.txt` with
`STEM.annotation.txt`, CC-BY-4.0; Kummerfeld et al. 2019, "A Large-Scale Corpus for Conversation
Disentanglement", who have to be named wherever the set is used.

Everybody has role user and a name. A conversation begins 200 lines before the first annotated one; system
lines and lines without text drop out. Links are applied in order, so that a message's thread is what could
be known when it was sent, and none from the future joins two threads. Relevant to an annotated message are
the ones of its thread among the last 100; it is a case when at least 10 come before it.

Of a file of the training part with more cases than 120, that many are drawn: by one
generator, seeded with 7, that runs through the files in order of their names.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.problems import Report
from convgate.transcripts.source import source_of_path
from tools.corpora.corpus import Gathering, split_of

REPOSITORY = CORPORA["irc"].repository
TEXTS, ANNOTATION = ".ascii.txt", ".annotation.txt"

_MESSAGE = re.compile(r"\[(\d\d:\d\d)\]\s+(?:<([^>\s]+)>|\* (\S+))(.*)")  # said, or done with /me
_SYSTEM = "==="
_LINK = re.compile(r"(\d+)\s+(\d+)\s+-")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")

LINES_BEFORE = 200
MIN_HISTORY = 10
WINDOW = 100
MAX_CASES, SEED = 120, 7


def read_irc(path: Path, *, split: str | None = None, skip_bad: bool = False) -> RelevanceSet:
    """The relevance set of a part of a checkout (train unless said), or of one log.

    Raises TranscriptError when there is no log or, unless `skip_bad`, something bad in one: half of it is
    missing, a line that is neither message nor system line, an annotation that is no link or of messages
    that do not exist.
    """
    split, logs = find_logs(path, split)
    gathering = Gathering(f"irc.{split}")
    generator = random.Random(SEED)
    reports: list[Report] = []
    for log in logs:
        reports += (texts := Report(log.shown(log.texts)), links := Report(log.shown(log.annotation)))
        try:
            conversation, cases = _convert(log, texts, links)
            if split == "train" and len(cases) > MAX_CASES:
                chosen = sorted(generator.sample(range(len(cases)), MAX_CASES))
                cases = [cases[index] for index in chosen]
            gathering.add(conversation, cases)
        except TranscriptError as error:
            (links if error.file == links.file else texts).error(error.problem, line=error.line)
    return gathering.close(reports, skip_bad=skip_bad)


def _convert(log: Log, texts: Report, annotation: Report) -> tuple[Conversation, list[Case]]:
    lines = log.lines(texts)
    links = read_annotation(log, annotation, lines=len(lines))
    messages = read_messages(log, lines, texts, start=max(0, min(links) - LINES_BEFORE))
    id = f"irc-{log.stem}"
    places = {number: index for index, number in enumerate(messages)}
    cases = [
        Case(f"{id}-{places[number]}", id, places[number], None, relevant, window=WINDOW)
        for number, relevant in _relevant(links, places, lines=len(lines))
        if places[number] >= MIN_HISTORY
    ]
    return Conversation(id, tuple(messages.values())), cases


def _relevant(
    links: Mapping[int, Sequence[int]], places: Mapping[int, int], *, lines: int
) -> Iterator[tuple[int, frozenset[int]]]:
    """Each annotated message, by its line, with what is relevant to it, by place in the conversation."""
    from scipy.cluster.hierarchy import DisjointSet  # a second to import, for who reads that corpus alone

    threads = DisjointSet(range(lines))
    for later in sorted(links):
        for earlier in links[later]:
            threads.merge(earlier, later)
        if later in places:
            thread = {places[number] for number in threads.subset(later) if number in places}
            window = range(max(0, places[later] - WINDOW), places[later])
            yield later, frozenset(thread.intersection(window))


@dataclass(frozen=True)
class Log:
    """One stretch of the channel."""

    folder: Path
    stem: str  # begins with the day, such as 2008-04-27.train-a
    root: Path  # the checkout, or the folder of the file that was named

    @property
    def texts(self) -> Path:
        """The file with a message or a system line on each line; the first has number 0."""
        return self.folder / f"{self.stem}{TEXTS}"

    @property
    def annotation(self) -> Path:
        """The file with a link on each line."""
        return self.folder / f"{self.stem}{ANNOTATION}"

    def shown(self, file: Path) -> str:
        """A file's name as problems tell it: its path in the repository."""
        return file.relative_to(self.root).as_posix()

    def lines(self, report: Report) -> list[str]:
        """The lines of the texts without their ends.

        Raises TranscriptError when the file cannot be read.
        """
        return [line.rstrip("\r\n") for line in source_of_path(self.texts, report).lines()]


def find_logs(path: Path, split: str | None) -> tuple[str, list[Log]]:
    """The logs of a part of a checkout (train unless said) in order of name, or the one that a file is of.

    Gives the part's name too. Raises TranscriptError when there is no log.
    """
    if not path.exists():
        raise TranscriptError("there is no such file or folder", file=str(path))
    if path.is_dir():
        split = split or "train"
        folder = path / "data" / split
        stems = sorted({stem for file in folder.glob("*.txt") if (stem := _stem(file))})
        if not stems:
            raise TranscriptError(
                f"this folder has no data/{split}/STEM{TEXTS} with STEM{ANNOTATION}; name a checkout of"
                f" {REPOSITORY}, or one of those files",
                file=str(path),
            )
        return split, [Log(folder, stem, root=path) for stem in stems]
    stem = _stem(path)
    if stem is None:
        raise TranscriptError(f"expected a file STEM{TEXTS} or STEM{ANNOTATION}", file=str(path))
    return split_of(path, split), [Log(path.parent, stem, root=path.parent)]


def _stem(file: Path) -> str | None:
    for suffix in (TEXTS, ANNOTATION):
        if file.name.endswith(suffix):
            return file.name.removesuffix(suffix)
    return None


def read_messages(log: Log, lines: Sequence[str], report: Report, *, start: int) -> dict[int, Turn]:
    """The messages with text from line `start` on (0-based), by the number of their line.

    Times are of the day in the log's name, past midnight too. A line that is neither message nor system
    line goes to the report. Raises TranscriptError when the name has no day.
    """
    day = _DAY.match(log.stem)
    if day is None:
        raise TranscriptError("the name of the file does not begin with a day, such as 2008-04-27")
    messages = {}
    for number in range(start, len(lines)):
        line = lines[number]
        if line.startswith(_SYSTEM) or not line.strip():
            continue
        match = _MESSAGE.fullmatch(line)
        try:
            if match is None:
                raise ValueError
            moment = datetime.fromisoformat(f"{day[0]}T{match[1]}")
        except ValueError:
            report.error(
                f"neither a message, [HH:MM] <name> text, nor a system line, {_SYSTEM} …", line=number + 1
            )
            continue
        if text := match[4].strip():
            messages[number] = Turn.of("user", text, name=match[2] or match[3], timestamp=moment)
    return messages


def read_annotation(log: Log, report: Report, *, lines: int) -> dict[int, list[int]]:
    """For each annotated line the ones that it answers, itself when it starts a thread; 0-based numbers.

    A line of the annotation that is no link, or names lines that the log of `lines` lines does not have,
    goes to the report. Raises TranscriptError when the file cannot be read or has no link at all.
    """
    links: dict[int, list[int]] = {}
    for place, line in enumerate(source_of_path(log.annotation, report).lines(), 1):
        if line.isspace():
            continue
        match = _LINK.fullmatch(line.strip())
        if match is None:
            report.error("not a link; one is 'NUMBER NUMBER -'", line=place)
            continue
        earlier, later = sorted((int(match[1]), int(match[2])))
        if later >= lines:
            report.error(
                f"there is no message {later}: {log.texts.name} has lines 0 to {lines - 1}", line=place
            )
            continue
        links.setdefault(later, []).append(earlier)
    if not links:
        raise TranscriptError("there is no link in it", file=report.file)
    return links
