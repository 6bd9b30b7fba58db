"""The texts in `texts/` that were written for training, packed with convgate."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from convgate.training.talks import Split, Talk, split_of, talks_of
from convgate.transcripts.relevance_sets import RelevanceSet, read_relevance_set


def written_talks(split: Split | None = None) -> tuple[Talk, ...]:
    """The written talks of a split, all when None: topics of their own, and pairs of near ones."""
    talks = [
        talk
        for prefix in ("topics.", "near.")
        for texts in packed_sets(prefix)
        for talk in talks_of(texts.conversations.values())
    ]
    return tuple(talk for talk in talks if split in (None, talk.split))


def unrelated_questions(split: Split | None = None) -> tuple[str, ...]:
    """Questions of a split, all when None, that have to do with none of the written talks."""
    lines = files(__package__).joinpath("texts", "unrelated.txt").read_text(encoding="utf-8").splitlines()
    questions = [line.strip() for line in lines if line.strip()]
    return tuple(question for question in questions if split in (None, split_of(question)))


def written_sets() -> tuple[RelevanceSet, ...]:
    """The written relevance sets, whole: dialogues of two people, and sequences of questions."""
    return tuple(texts for prefix in ("dialogues.", "sequences.") for texts in packed_sets(prefix))


@cache
def packed_sets(prefix: str) -> tuple[RelevanceSet, ...]:
    """The packed relevance sets whose files' names begin so, by name."""
    found = []
    for entry in sorted(files(__package__).joinpath("texts").iterdir(), key=lambda entry: entry.name):
        if entry.name.startswith(prefix) and entry.name.endswith(".jsonl"):
            with as_file(entry) as path:
                found.append(read_relevance_set(path))
    return tuple(found)
