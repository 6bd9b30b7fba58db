"""A person's edits of invariants, a field of the message that states them; they override what is found.

{"role": "user", "content": "Use tabs.", "invariants": [{"of": "Use tabs.", "state": "ended"}]}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import TypeAdapter, ValidationError

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import RequestError
from convgate.core.invariant_edit import Edits, InvariantEdit
from convgate.core.text import quote

EDITS_FIELD = "invariants"
"""The field of a message with its edits."""

_EDITS = TypeAdapter(list[InvariantEdit])


def with_edits(conversation: Conversation, edits: Edits) -> Conversation:
    """Return the conversation with a person's edits, so that `find_invariants` sees them.

    edits: by the message's 0-based index; those past the end are ignored.
    """

    def with_fields(turn: Turn, edits: Sequence[InvariantEdit]) -> Turn:
        fields = [{k: v for k, v in asdict(e).items() if v not in (None, False)} for e in edits]
        return turn.with_metadata(EDITS_FIELD, fields)

    return conversation.change_turns(with_fields, edits)


def edits_of(turn: Turn, index: int) -> Sequence[InvariantEdit]:
    """Return the edits that a message has; index: its place, for errors.

    Raises RequestError, naming message and field, when they cannot be read.
    """
    value = turn.metadata.get(EDITS_FIELD)
    if value is None:
        return ()
    field = f"messages[{index}].{EDITS_FIELD}"
    try:
        edits = _EDITS.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
        raise RequestError(f"{field}{path}: {first['msg']}; got {quote(first['input'], 60)}") from error
    for place, edit in enumerate(edits):
        if edit.of is None and (edit.type is None or not (edit.text or "").strip()):
            raise RequestError(
                f"{field}[{place}]: an added invariant needs a text and a type; an edit of a found one names"
                " its text as `of`"
            )
    return edits
