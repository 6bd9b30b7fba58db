"""What a boundary is, what is found in a transcript, and boundaries that a person set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, get_args

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import Decision
from convgate.core.text import quote

Kind = Literal["session", "conversation", "none"]
"""What begins with a message; every session begins a conversation, too."""

KINDS: tuple[Kind, ...] = get_args(Kind)

Rule = Literal["first", "idle_gap", "new_command", "workflow_complete", "continue_command", "person"]

MOVED_FIELD = "session_boundary"
"""The field of a message that says what a person made of it: a kind, or `{"kind": …, "note": …}`."""


class Moved(Protocol):
    """What a person made of a message, against the rules or with them."""

    @property
    def kind(self) -> Kind:
        """What begins with the message."""

    @property
    def note(self) -> str:
        """Why, in the person's words; empty where nothing was said."""


@dataclass(frozen=True, slots=True)
class Boundary(Decision):
    """What begins with a message, or why nothing does; `item` is the message, `outcome` the kind."""

    @property
    def kind(self) -> Kind:
        """What begins with the message."""
        return next(kind for kind in KINDS if kind == self.outcome)

    def to_json(self) -> dict[str, Any]:
        """The record that `convgate sessions` prints."""
        return {"index": self.item, "kind": self.outcome, "rule": self.rule, "reason": self.reason}


@dataclass(frozen=True)
class Boundaries:
    """Where the conversations and sessions of a transcript begin, and why."""

    messages: int
    records: tuple[Boundary, ...] = ()  # one for each conversation, by message
    continued: tuple[Boundary, ...] = ()  # messages that would have begun something, and why they do not
    problems: tuple[str, ...] = ()  # what messages say about boundaries and cannot be taken

    @property
    def conversation_starts(self) -> tuple[int, ...]:
        """0-based indices, increasing; they contain 0 unless there is no message."""
        return tuple(record.item for record in self.records)

    @property
    def session_starts(self) -> tuple[int, ...]:
        """0-based indices, increasing, all of them also those of conversations."""
        return tuple(record.item for record in self.records if record.outcome == "session")

    def begun(self, index: int, kind: Kind = "conversation") -> Boundary:
        """Where that began which message `index` is part of: its conversation, or its session.

        Raises IndexError when there is no such message.
        """
        if not 0 <= index < self.messages:
            raise IndexError(f"message {index} asked for, but there are {self.messages}")
        wanted = {"session"} if kind == "session" else {"session", "conversation"}
        return next(one for one in reversed(self.records) if one.item <= index and one.outcome in wanted)

    def to_json(self) -> dict[str, Any]:
        """The object that `convgate sessions` prints; reasons are in the order of the conversations."""
        return {
            "conversation_starts": list(self.conversation_starts),
            "session_starts": list(self.session_starts),
            "reasons": [record.to_json() for record in self.records],
        }


def with_moved(conversation: Conversation, moved: Mapping[int, Moved]) -> Conversation:
    """The conversation with what a person made of its messages, so that every policy sees it.

    moved: by the message's 0-based index; what is past the end is left out.
    """
    if not moved:
        return conversation
    turns = list(conversation.turns)
    for index, one in moved.items():
        if 0 <= index < len(turns):
            mark = {MOVED_FIELD: {"kind": one.kind, "note": one.note}}
            turns[index] = replace(turns[index], metadata={**turns[index].metadata, **mark})
    return replace(conversation, turns=tuple(turns))


def moved_by(turn: Turn) -> tuple[Kind, str] | None:
    """What a person made of the message, and the note to it; None when nobody did or it is unknown."""
    said = turn.metadata.get(MOVED_FIELD)
    kind, note = (said.get("kind"), said.get("note")) if isinstance(said, Mapping) else (said, None)
    found = next((known for known in KINDS if known == kind), None)
    return None if found is None else (found, note if isinstance(note, str) else "")


def unknown_move(turn: Turn) -> str | None:
    """What is wrong with the boundary that the message names; None when nothing is."""
    said = turn.metadata.get(MOVED_FIELD)
    if said is None or moved_by(turn) is not None:
        return None
    return f"{MOVED_FIELD} is {quote(said, 40)}, which is none of {', '.join(KINDS)}; the rules decided"
