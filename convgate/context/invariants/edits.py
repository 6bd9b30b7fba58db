"""What a person makes of invariants, as a field of the message that states them.

    {"role": "user", "content": "Use tabs.", "invariants": [{"of": "Use tabs.", "state": "ended"}]}

It beats what is found. `convgate.store.edits` keeps the same beside a conversation of the library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from convgate.conversation import Conversation, Turn
from convgate.errors import ContextError
from convgate.store.edits import EditedState, EditedType, Edits, InvariantEdit
from convgate.text import quote

EDITS_FIELD = "invariants"
"""The field of a message that has its edits."""

_TEXTS = ("of", "text", "type", "scope", "state")
_FIELDS = (*_TEXTS, "pinned")
_NAMES: dict[str, tuple[str, ...]] = {"type": get_args(EditedType), "state": get_args(EditedState)}


def with_edits(conversation: Conversation, edits: Edits) -> Conversation:
    """The conversation with a person's edits, so that `find_invariants` sees them.

    edits: by the message's 0-based index; what is past the end is left out.
    """
    if not edits:
        return conversation
    turns = list(conversation.turns)
    for index, said in edits.items():
        if 0 <= index < len(turns):
            plain = {EDITS_FIELD: [_plain(one) for one in said]}
            turns[index] = replace(turns[index], metadata={**turns[index].metadata, **plain})
    return replace(conversation, turns=tuple(turns))


def edits_of(turn: Turn, index: int) -> Sequence[InvariantEdit]:
    """The edits that a message has; `index` names it in errors.

    Raises ContextError, naming message and field, when they are none.
    """
    said = turn.metadata.get(EDITS_FIELD)
    if said is None:
        return ()
    field = f"messages[{index}].{EDITS_FIELD}"
    if not isinstance(said, list | tuple):
        raise ContextError(f"{field}: expected a list of edits, got {quote(said)}")
    return [_edit(one, f"{field}[{place}]") for place, one in enumerate(said)]


def _edit(said: Any, field: str) -> InvariantEdit:
    if not isinstance(said, Mapping):
        raise ContextError(f"{field}: an edit is an object, got {quote(said)}")
    if unknown := [name for name in said if name not in _FIELDS]:
        raise ContextError(f"{field}: {quote(unknown[0])} is no field of an edit; {', '.join(_FIELDS)} are")
    for name in _TEXTS:
        value = said.get(name)
        if value is not None and not isinstance(value, str):
            raise ContextError(f"{field}.{name}: expected a text, got {quote(value)}")
        if value is not None and name in _NAMES and value not in _NAMES[name]:
            raise ContextError(
                f"{field}.{name}: {quote(value)} is unknown; one of {', '.join(_NAMES[name])} is meant"
            )
    pinned = said.get("pinned", False)
    if not isinstance(pinned, bool):
        raise ContextError(f"{field}.pinned: expected true or false, got {quote(pinned)}")
    edit = InvariantEdit(**{name: said.get(name) for name in _TEXTS}, pinned=pinned)
    if edit.of is None and (edit.type is None or not (edit.text or "").strip()):
        raise ContextError(
            f"{field}: what is added needs a text and a type; what changes a found invariant names its text"
            " as `of`"
        )
    return edit


def _plain(edit: InvariantEdit) -> dict[str, Any]:
    plain = {name: getattr(edit, name) for name in _FIELDS}
    return {name: value for name, value in plain.items() if value not in (None, False)}
