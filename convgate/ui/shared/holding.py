"""To have a turn sent with every later message of its conversation."""

from __future__ import annotations

from convgate.core.conversation import Conversation
from convgate.core.invariant_edit import InvariantEdit
from convgate.core.text import truncate
from convgate.store import Store
from convgate.store.edits import InvariantEdits
from convgate.ui.shared.actions import ActionResult

_MAX_STATEMENT = 2_000  # characters
HOLD_HELP = "Holds the turn's text as an invariant: sent with every later message."


def hold(store: Store, key: str, conversation: Conversation, turn: int) -> ActionResult:
    """Pin the text of a turn (0-based) as an invariant of the conversation `key`."""
    text = truncate(conversation.turns[turn].text.strip(), _MAX_STATEMENT)
    InvariantEdits(store).put(key, turn, InvariantEdit(text=text, type="hard_constraint", pinned=True))
    return undoable(store, key, f"Turn {turn + 1:,} is sent with every later message.")


def undoable(store: Store, key: str, sentence: str) -> ActionResult:
    """Return the result of an edit of the invariants of the conversation `key`, with its undo."""

    def undo() -> ActionResult:
        InvariantEdits(store).undo(key)
        return ActionResult("Undone.")

    return ActionResult(sentence, undo)
