"""Between a table's rows and turns."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.csv_columns import Columns
from convgate.transcripts.openai_messages import arguments_text
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import UNTIMED, parse_timestamp

ROW = "row"
"""The key under which a turn's source has its row, so that it is no message by mistake."""

Warn = Callable[[str, str], None]


def cell(cells: Sequence[str], columns: Columns, held: str) -> str | None:
    """What a row has in the column of that meaning; None when there is none or it is empty."""
    place = columns.meaning.get(held)
    return (cells[place] or None) if place is not None and place < len(cells) else None


def turn_of_row(cells: list[str], columns: Columns, warn: Warn) -> Turn:
    """One row as a turn.

    `warn` is told of a time that cannot be read; the turn then has none.

    Raises TranscriptError when the row does not fit the columns or nobody speaks.
    """
    width = len(columns.names)
    if len(cells) <= columns.meaning["text"] or any(cells[width:]):
        raise TranscriptError(
            f"{len(cells)} values for {width} columns; is a value with separators not quoted?"
        )
    role, name = _who(cell(cells, columns, "role"), cell(cells, columns, "speaker"))
    timestamp, others = cell(cells, columns, "timestamp"), columns.others
    metadata = {others[place]: value for place, value in enumerate(cells) if value and place in others}
    moment = None
    try:
        moment = parse_timestamp(timestamp)
    except ValueError as error:
        warn(f"{error}; {UNTIMED}", columns.names[columns.meaning["timestamp"]])
    return Turn.of(
        role,
        cell(cells, columns, "text") or "",
        id=cell(cells, columns, "id"),
        name=name,
        timestamp=moment,
        tool_calls=_calls(cell(cells, columns, "tool_calls")),
        tool_call_id=cell(cells, columns, "tool_call_id"),
        metadata=metadata,
        source={ROW: cells},
    )


def row_of_turn(turn: Turn, conversation: Conversation, columns: Columns) -> list[str]:
    """One turn as a row under the columns; what has no column is left out."""
    row = [""] * len(columns.names)
    for held, place in columns.meaning.items():
        row[place] = _VALUES[held](turn, conversation)
    for place, name in columns.others.items():
        row[place] = str(turn.metadata.get(name, ""))
    if "role" not in columns.meaning and not turn.name:
        row[columns.meaning["speaker"]] = turn.role
    return row


def columns_for(turns: Sequence[Turn], conversation: Conversation) -> Columns:
    """The columns that the turns need, under their usual names."""
    needed = [
        name
        for name, held in _USUAL.items()
        if held in ("conversation", "role", "text")
        or any(_VALUES[held](turn, conversation) for turn in turns)
    ]
    return Columns.of(needed)


def _who(role: str | None, speaker: str | None) -> tuple[str, str | None]:
    """Role and name; somebody called like a role has it, everyone else without one is a user."""
    if role is not None:
        return role_of(role) or role, speaker
    if speaker is None:
        raise TranscriptError("nobody says this; fill the role or the speaker", field="role")
    known = role_of(speaker)
    return (known, None) if known else ("user", speaker)


def _calls(text: str | None) -> tuple[ToolCall, ...]:
    if text is None:
        return ()
    try:
        return tuple(
            ToolCall(str(call["id"]), writable(call["name"]), writable(arguments_text(call["arguments"], "")))
            for call in json.loads(text)
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        raise TranscriptError(
            'expected a JSON list of calls, [{"id": …, "name": …, "arguments": …}]', field="tool_calls"
        ) from None


def _calls_text(turn: Turn) -> str:
    calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in turn.tool_calls]
    return json.dumps(calls, ensure_ascii=False) if calls else ""


_USUAL = {
    "conversation_id": "conversation",
    "title": "title",
    "turn_id": "id",
    "timestamp": "timestamp",
    "role": "role",
    "name": "speaker",
    "text": "text",
    "tool_calls": "tool_calls",
    "tool_call_id": "tool_call_id",
}
_VALUES: dict[str, Callable[[Turn, Conversation], str]] = {
    "conversation": lambda turn, conversation: conversation.id,
    "title": lambda turn, conversation: writable(conversation.title or ""),
    "id": lambda turn, conversation: turn.id or "",
    "timestamp": lambda turn, conversation: turn.timestamp.isoformat() if turn.timestamp else "",
    "role": lambda turn, conversation: turn.role,
    "speaker": lambda turn, conversation: turn.name or "",
    "text": lambda turn, conversation: turn.text,
    "tool_calls": lambda turn, conversation: _calls_text(turn),
    "tool_call_id": lambda turn, conversation: turn.tool_call_id or "",
}
