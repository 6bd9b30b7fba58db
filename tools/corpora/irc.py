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
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.problems import Report
from convgate.transcripts.source import source_of_path
from tools.corpora.corpus import corpus_file

TEXTS, ANNOTATION = ".ascii.txt", ".annotation.txt"

_MESSAGE = re.compile(r"\[(\d\d:\d\d)\]\s+(?:<([^>\s]+)>|\* (\S+))(.*)")  # said, or done with /me
_DAY_LENGTH = len("2008-04-27")  # at the beginning of a file's name

LINES_BEFORE = 200
MIN_HISTORY = 10
WINDOW = 100
MAX_CASES, SEED = 120, 7


def read_irc(checkout: Path, *, split: str = "train") -> RelevanceSet:
    """Return the relevance set of a part of a checkout."""
    folder = corpus_file(checkout, f"data/{split}", "irc")
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    generator = random.Random(SEED)
    for stem in sorted(file.name.removesuffix(TEXTS) for file in folder.glob(f"*{TEXTS}")):
        conversation, found = _read_log(folder, stem)
        if split == "train" and len(found) > MAX_CASES:
            found = [found[index] for index in sorted(generator.sample(range(len(found)), MAX_CASES))]
        conversations[conversation.id] = conversation
        cases += found
    return RelevanceSet(f"irc.{split}", conversations, tuple(cases))


def _read_log(folder: Path, stem: str) -> tuple[Conversation, list[Case]]:
    lines, annotation = (_lines(folder / f"{stem}{suffix}") for suffix in (TEXTS, ANNOTATION))
    links: defaultdict[int, list[int]] = defaultdict(list)  # for each annotated line those that it answers
    for link in filter(str.strip, annotation):
        earlier, later = sorted(map(int, link.split()[:2]))
        links[later].append(earlier)
    start = min(links) - LINES_BEFORE
    messages = {
        number: turn
        for number, line in enumerate(lines)
        if number >= start and (turn := _message(line, stem[:_DAY_LENGTH]))
    }
    id, places = f"irc-{stem}", {number: index for index, number in enumerate(messages)}
    cases = [
        Case(f"{id}-{places[number]}", id, places[number], None, relevant, window=WINDOW)
        for number, relevant in _relevant(links, places, lines=len(lines))
        if places[number] >= MIN_HISTORY
    ]
    return Conversation(id, tuple(messages.values())), cases


def _lines(file: Path) -> list[str]:
    return [line.rstrip("\r\n") for line in source_of_path(file, Report(file.name)).lines()]


def _message(line: str, day: str) -> Turn | None:
    """Return what a line says, None for one of the system or without text; past midnight the day stays."""
    match = _MESSAGE.fullmatch(line)
    if match is None or not (text := match[4].strip()):
        return None
    return Turn.of(
        "user", text, name=match[2] or match[3], timestamp=datetime.fromisoformat(f"{day}T{match[1]}")
    )


def _relevant(
    links: Mapping[int, Sequence[int]], places: Mapping[int, int], *, lines: int
) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield each annotated message, by its line, with what is relevant to it, by place."""
    from scipy.cluster.hierarchy import DisjointSet  # a second to import, for who reads that corpus alone

    threads = DisjointSet(range(lines))
    for later in sorted(links):
        for earlier in links[later]:
            threads.merge(earlier, later)
        if later in places:
            thread = {places[number] for number in threads.subset(later) if number in places}
            window = range(max(0, places[later] - WINDOW), places[later])
            yield later, frozenset(thread.intersection(window))
