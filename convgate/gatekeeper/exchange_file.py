"""Exchanges from a file: one JSON object a line, or a transcript, whose exchanges are taken.

{"user": "SQLite", "assistant": "Done.", "previous": [{"role": "assistant", "content": "Which one?"}]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.errors import TranscriptError
from convgate.gatekeeper.exchange import Exchange, exchanges_of
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.openai_messages import turn_from_message
from convgate.transcripts.problems import Problems
from convgate.transcripts.reading import read_source
from convgate.transcripts.source import Source

_OF_TRANSCRIPTS = frozenset({"messages", "conversations", "role", "from", "type"})


@dataclass(frozen=True, slots=True)
class FiledExchange:
    """An exchange, and where in the file it stands."""

    exchange: Exchange
    item: int  # the line, or the entry of a list, from 1; of a transcript the user's turn, from 0
    conversation: str | None = None  # its id, where the file is a transcript


def read_exchanges(source: Source, *, skip_bad: bool = False) -> tuple[list[FiledExchange], Problems]:
    """The exchanges of a file in its order, and what was left out or odd.

    Other fields of a line than `user`, `assistant` and `previous` are let be. Raises TranscriptError when
    nothing can be read, BadLinesError, which is one, for bad lines unless `skip_bad`.
    """
    report = source.report
    if not _has_exchanges(source):
        transcript = read_source(source, skip_bad=skip_bad)
        placed = [
            FiledExchange(one.exchange, one.user_turn, conversation.id)
            for conversation in transcript.conversations
            for one in exchanges_of(conversation)
        ]
        if not placed:
            raise TranscriptError("nobody but the assistant says anything in it", file=report.file)
        return placed, transcript.problems
    found: list[FiledExchange] = []
    for number, (value, place) in enumerate(source.need_json().values(), 1):
        try:
            exchange = exchange_of(value, place)
        except TranscriptError as error:
            place.leave_out_all(error)
            continue
        found.append(FiledExchange(exchange, place.line or number))
    readable = f"{len(found):,} exchange{'s' * (len(found) != 1)}" if found else None
    return found, report.close(readable, skip_bad=skip_bad)


def exchange_of(value: Any, place: Place | None = None) -> Exchange:
    """The exchange in an object with `user`, and where they are known `assistant` and `previous`.

    Raises TranscriptError, naming the field.
    """
    if not isinstance(value, Mapping):
        raise TranscriptError(f"an exchange is an object with 'user' and 'assistant', got {kind(value)}")
    if "user" not in value:
        raise TranscriptError("there is no message of the user", field="user")
    previous = value.get("previous")
    if not isinstance(previous, list | None):
        raise TranscriptError(f"expected a list of messages, got {kind(previous)}", field="previous")
    turns = [_turn(message, f"previous[{at}]", place) for at, message in enumerate(previous or ())]
    assistant = "" if value.get("assistant") is None else _text(value, "assistant")
    return Exchange(_text(value, "user"), assistant, tuple(turns))


def _turn(message: Any, field: str, place: Place | None) -> Turn:
    return turn_from_message(message, field, place.warn if place else None)


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value[field]
    if not isinstance(text, str):
        raise TranscriptError(f"expected a text, got {kind(text)}", field=field)
    return text


def _has_exchanges(source: Source) -> bool:
    """Whether most of the file's first objects are no messages and no conversations."""
    if source.json is None:
        return False
    objects = [value for value in source.json.sample if isinstance(value, Mapping)]
    transcripts = sum(
        not {"user", "assistant"} <= value.keys() and not _OF_TRANSCRIPTS.isdisjoint(value)
        for value in objects
    )
    return 2 * transcripts < len(objects)
