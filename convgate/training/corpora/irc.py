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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.training.corpora.corpus import Gathering
from convgate.training.corpora.irc_files import Log, find_logs, read_annotation, read_messages
from convgate.transcripts.problems import Report
from convgate.transcripts.relevance_sets import Case, RelevanceSet

LINES_BEFORE = 200
LEAST_HISTORY = 10
WINDOW = 100
MOST_CASES, SEED = 120, 7


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
            if split == "train" and len(cases) > MOST_CASES:
                chosen = sorted(generator.sample(range(len(cases)), MOST_CASES))
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
        if places[number] >= LEAST_HISTORY
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
