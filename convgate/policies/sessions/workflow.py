"""How far the work of a conversation is, where its messages say so."""

from __future__ import annotations

from typing import Literal, get_args

from convgate.core.conversation import Turn
from convgate.core.text import quote

WorkflowState = Literal["PLANNING", "EXECUTING", "TESTING", "VALIDATING", "COMPLETE"]

COMPLETE: WorkflowState = "COMPLETE"
FIELD = "workflow_state"
"""The field of a message that names the state which it reaches."""

STATES: tuple[WorkflowState, ...] = get_args(WorkflowState)


def workflow_state_of(turn: Turn) -> WorkflowState | None:
    """The state that the message reaches; None when it names none, or one that there is not.

    Large and small letters are the same.
    """
    named = turn.metadata.get(FIELD)
    wanted = named.strip().upper() if isinstance(named, str) else None
    return next((state for state in STATES if state == wanted), None)


def unknown_state(turn: Turn) -> str | None:
    """What is wrong with the state that the message names; None when nothing is."""
    named = turn.metadata.get(FIELD)
    if named is None or named == "" or workflow_state_of(turn) is not None:
        return None
    return f"{FIELD} is {quote(named, 40)}, which is none of {', '.join(STATES)}; it was taken for none"
