"""Exchanges from a file: one JSON object a line, or a transcript, whose exchanges are taken.

{"user": "SQLite", "assistant": "Done.", "previous": [{"role": "assistant", "content": "Which one?"}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.errors import TranscriptError
from convgate.gatekeeper.exchange import Exchange, exchanges_of
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.openai_messages import turn_from_message
from convgate.transcripts.problems import Problems
from convgate.transcripts.records import FileRecord, read_records
from convgate.transcripts.source import Source


def read_exchanges(source: Source, *, skip_bad: bool = False) -> tuple[list[FileRecord[Exchange]], Problems]:
    """Return the exchanges of a file, as `read_records` does; other fields of a line are ignored."""
    return read_records(
        source,
        "exchange",
        exchange_of,
        lambda conversation: [(placed.user_turn, placed.exchange) for placed in exchanges_of(conversation)],
        own_fields=frozenset({"user", "assistant"}),
        skip_bad=skip_bad,
    )


def exchange_of(value: Any, place: Place | None = None) -> Exchange:
    """Return the exchange of an object with `user`, and optionally `assistant` and `previous`.

    Raises TranscriptError, naming the field.
    """
    if not isinstance(value, Mapping):
        raise TranscriptError(f"an exchange is an object with 'user' and 'assistant', got {kind(value)}")
    if "user" not in value:
        raise TranscriptError("the message of the user is missing", field="user")
    previous = value.get("previous")
    if not isinstance(previous, list | None):
        raise TranscriptError(f"expected a list of messages, got {kind(previous)}", field="previous")
    warn = place.warn if place else None
    turns = tuple(
        turn_from_message(message, f"previous[{at}]", warn) for at, message in enumerate(previous or ())
    )
    assistant = "" if value.get("assistant") is None else _text(value, "assistant")
    return Exchange(_text(value, "user"), assistant, turns)


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value[field]
    if not isinstance(text, str):
        raise TranscriptError(f"expected a text, got {kind(text)}", field=field)
    return text
