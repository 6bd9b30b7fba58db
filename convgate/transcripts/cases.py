"""Cases of relevance: a current message, and which earlier turns matter to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.transcripts.problems import Problems


@dataclass(frozen=True)
class Case:
    """One current message, and which turns of its history matter to it."""

    id: str
    conversation: str  # id of its conversation
    turn: int | None  # 0-based index of the current message; None when `query` is the message
    query: Turn | None  # a question put after the whole conversation
    relevant: frozenset[int]  # 0-based indices of turns in the history; empty when nothing matters
    window: int | None = None  # the history is cut to its last turns, this many
    tags: tuple[str, ...] = ()
    judged: frozenset[int] | None = None
    """0-based indices of the turns whose relevance is known, `relevant` among them; None: the whole history.
    What is not judged is neither learned from nor measured, though policies see it."""
    needed: frozenset[int] | None = None
    """0-based indices of the relevant turns without which the answer is wrong; None: all relevant ones."""

    @property
    def must_have(self) -> frozenset[int]:
        """The turns that have to be sent: the needed ones where they are known, else the relevant ones."""
        return self.relevant if self.needed is None else self.needed

    @property
    def says_something(self) -> bool:
        """Whether the relevance of any turn is known; a history without turns counts as known."""
        return self.judged is None or bool(self.judged)

    def current(self, conversation: Conversation) -> tuple[CurrentMessage, History]:
        """Return what the model has to answer, and the turns before it; conversation: that of the case.

        Raises ConversationError when it has no such turn.
        """
        if self.query is not None:
            return conversation.with_question(self.query, window=self.window)
        return conversation.at(-1 if self.turn is None else self.turn, window=self.window)


@dataclass(frozen=True)
class RelevanceSet:
    """Cases and the conversations that they are about."""

    name: str  # the file's name without its ending
    conversations: Mapping[str, Conversation]  # by id
    cases: tuple[Case, ...]
    problems: Problems = field(default_factory=Problems)  # what was left out or odd in the file

    def current(self, case: Case) -> tuple[CurrentMessage, History]:
        """Return what the model has to answer in a case, and the turns before it.

        Raises ConversationError when its conversation has no such turn.
        """
        return case.current(self.conversations[case.conversation])
