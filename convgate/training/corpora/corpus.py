"""What is known of a corpus beside its files, and how conversations of one come together as a set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.transcripts.problems import Report, close_reports
from convgate.transcripts.relevance_sets import Case, RelevanceSet

SPLITS = ("train", "dev", "test")
"""The parts of the corpora that come in parts."""


@dataclass(frozen=True)
class Corpus:
    """A public corpus, where it comes from and what may be done with it."""

    name: str  # of the command
    repository: str  # owner/name on GitHub
    licence: str  # SPDX identifier
    cite: str  # whom to name
    ids: str  # what the ids of its conversations begin with
    may_train: bool  # whether weights that are handed on may be trained on it
    convert: Callable[..., RelevanceSet]
    has_splits: bool = False  # `convert` takes `split`

    @property
    def terms(self) -> str:
        """What goes with every use of the set, in one line."""
        use = "" if self.may_train else "; for measuring only"
        return f"{self.repository}, {self.licence}{use}; name {self.cite}"


@dataclass
class Gathering:
    """Conversations and cases as a converter finds them."""

    name: str
    conversations: dict[str, Conversation] = field(default_factory=dict)  # by id
    cases: list[Case] = field(default_factory=list)

    def add(self, conversation: Conversation, cases: Iterable[Case]) -> None:
        """Takes in a conversation; raises TranscriptError when another one has its id."""
        if conversation.id in self.conversations:
            raise TranscriptError(f"another conversation has the id {conversation.id!r} already")
        self.conversations[conversation.id] = conversation
        self.cases += cases

    def close(self, reports: Sequence[Report], *, skip_bad: bool) -> RelevanceSet:
        """The set with the problems of all reports.

        Raises BadLinesError when something was left out and `skip_bad` does not allow that, or nothing is
        left; TranscriptError when there was no conversation to begin with.
        """
        readable = f"{len(self.conversations)} conversations and {len(self.cases)} cases"
        problems = close_reports(reports, readable if self.conversations else None, skip_bad=skip_bad)
        if not self.conversations:
            raise TranscriptError("there is no conversation in it", file=reports[0].file)
        return RelevanceSet(self.name, self.conversations, tuple(self.cases), problems)
