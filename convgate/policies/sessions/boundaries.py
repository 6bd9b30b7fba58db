"""Boundaries, and what messages themselves say about them: workflow states, and edits of people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import Decision
from convgate.core.text import quote

if TYPE_CHECKING:
    from convgate.store.edits import MovedBoundary

BoundaryKind = Literal["session", "conversation", "none"]
"""What begins with a message; every session begins a conversation, too."""

KINDS: tuple[BoundaryKind, ...] = get_args(BoundaryKind)

Rule = Literal["first", "idle_gap", "new_command", "workflow_complete", "continue_command", "person"]

MOVED_FIELD = "session_boundary"
"""The field of a message with what a person says of it: a kind, or `{"kind": …}`."""


WorkflowState = Literal["PLANNING", "EXECUTING", "TESTING", "VALIDATING", "COMPLETE"]

STATES: tuple[WorkflowState, ...] = get_args(WorkflowState)

STATE_FIELD = "workflow_state"
"""The field of a message that names the workflow state which it reaches, in any case."""


@dataclass(frozen=True, slots=True)
class Boundary(Decision):
    """What begins with a message, or why nothing does; `index` is the message, `outcome` the kind."""

    @property
    def reason(self) -> str:
        """The explanation as a sentence of its own."""
        return self.explanation[:1].upper() + self.explanation[1:]

    @property
    def kind(self) -> BoundaryKind:
        """Return what begins with the message."""
        return next(kind for kind in KINDS if kind == self.outcome)

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate sessions` prints."""
        return {"index": self.index, "kind": self.outcome, "rule": self.rule, "reason": self.reason}


@dataclass(frozen=True)
class Boundaries:
    """Where the conversations and sessions of a transcript begin, and why."""

    messages: int
    records: tuple[Boundary, ...] = ()  # one for each conversation, by message
    continued: tuple[Boundary, ...] = ()  # messages that would have begun something, and why they do not
    problems: tuple[str, ...] = ()  # values of messages that are not known

    @property
    def conversation_starts(self) -> tuple[int, ...]:
        """Return 0-based indices, increasing; they contain 0 unless there is no message."""
        return tuple(record.index for record in self.records)

    @property
    def session_starts(self) -> tuple[int, ...]:
        """Return 0-based indices, increasing, all of them also those of conversations."""
        return tuple(record.index for record in self.records if record.outcome == "session")

    def begun(self, index: int, kind: BoundaryKind = "conversation") -> Boundary:
        """Return where the conversation, or the session, of message `index` began.

        Raises IndexError when there is no such message.
        """
        if not 0 <= index < self.messages:
            raise IndexError(f"message {index} asked for, but there are {self.messages}")
        kinds = {"session"} if kind == "session" else {"session", "conversation"}
        return next(
            record for record in reversed(self.records) if record.index <= index and record.outcome in kinds
        )

    def to_json(self) -> dict[str, Any]:
        """Return the object that `convgate sessions` prints, with a reason for each conversation."""
        return {
            "conversation_starts": list(self.conversation_starts),
            "session_starts": list(self.session_starts),
            "reasons": [record.to_json() for record in self.records],
        }


def with_moved(conversation: Conversation, moved: Mapping[int, MovedBoundary]) -> Conversation:
    """Return the conversation with what people say of its messages, so that every policy sees it.

    moved: by the message's 0-based index; what is past the end is left out.
    """
    return conversation.change_turns(lambda turn, edit: turn.with_metadata(MOVED_FIELD, edit.kind), moved)


def moved_by(turn: Turn) -> BoundaryKind | None:
    """Return what a person says of the message; None without a known kind."""
    value = turn.metadata.get(MOVED_FIELD)
    kind = value.get("kind") if isinstance(value, Mapping) else value
    return next((valid_kind for valid_kind in KINDS if valid_kind == kind), None)


def workflow_state_of(turn: Turn) -> WorkflowState | None:
    """Return the state that the message reaches; None when it names none, or an unknown one."""
    value = turn.metadata.get(STATE_FIELD)
    name = value.strip().upper() if isinstance(value, str) else None
    return next((state for state in STATES if state == name), None)


def problems_of(turn: Turn, index: int) -> list[str]:
    """Return the values of message `index` that are not known, a sentence each."""
    problems = []
    state, moved = turn.metadata.get(STATE_FIELD), turn.metadata.get(MOVED_FIELD)
    if state not in (None, "") and workflow_state_of(turn) is None:
        problems.append(f"{STATE_FIELD} is {quote(state, 40)}, not one of {', '.join(STATES)}; ignored")
    if moved is not None and moved_by(turn) is None:
        problems.append(f"{MOVED_FIELD} is {quote(moved, 40)}, not one of {', '.join(KINDS)}; ignored")
    return [f"message {index}: {problem}" for problem in problems]
