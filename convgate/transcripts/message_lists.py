"""What the JSON formats share whose conversations are lists of message objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_places import Place
from convgate.transcripts.json_text import kind
from convgate.transcripts.layout import LAYOUT, LINES, LIST, OBJECT, ONE_LINE, public
from convgate.transcripts.source import Source

CONVERSATION_ID_FIELDS = ("conversation_id", "conversationId", "session_id", "thread_id")

Read = Iterator[tuple[int | None, Conversation]]
"""Conversations as readers give them, each with its line in a file of lines."""


@dataclass
class _Loose:
    """Messages that stand one a line, of one conversation."""

    line: int | None
    turns: list[Turn] = field(default_factory=list)


class MessageLists(ABC):
    """Reads an object with a list of messages, a bare list, a list of either, and lines of each.

    Messages that stand one a line are one conversation, or one for each conversation id they name.
    """

    name: str
    expected: str  # what a value has to be, for messages

    @abstractmethod
    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """The field of an object that holds its messages, None when the object is no conversation."""

    @abstractmethod
    def is_message(self, value: Any) -> bool:
        """Whether a value looks like a message of this format."""

    @abstractmethod
    def turn(self, message: Any, field: str, place: Place) -> Turn:
        """One message as a turn; raises TranscriptError naming `field`."""

    def is_beside(self, value: Any) -> bool:
        """Whether a value belongs to the format without being a conversation or a message."""
        return False

    def turns_together(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """All turns of a conversation, with what they only tell together."""
        return tuple(turns)

    def recognises(self, source: Source) -> float:
        """Share of the source's first values that are in this format, 0…1."""
        if source.json is None:
            return 0.0
        if not source.json.is_lines:
            document = source.json.document
            if self._is_record(document):
                return 1.0
            values = document[:20] if isinstance(document, list) else []
        else:
            values = [value or None for value in source.json.sample]  # an empty list may be anything
        return sum(map(self._is_record, values)) / len(values) if values else 0.0

    def read(self, source: Source) -> Read:
        """The source's conversations; bad places go to its report."""
        if source.json is None:
            raise source.json_error or TranscriptError("this is not JSON", file=source.report.file)
        document = None if source.json.is_lines else source.json.document
        each = isinstance(document, list) and not self._is_record(document)
        loose: dict[str | None, _Loose] = {}
        for value, place in source.json.values(each=each):
            if self.is_beside(value):
                continue
            try:
                if isinstance(value, Mapping) and self.list_key(value) is None and self.is_message(value):
                    turn = self.turn(value, "", place)
                    id = given_id(value, *CONVERSATION_ID_FIELDS)
                    loose.setdefault(id, _Loose(place.line)).turns.append(turn)
                else:
                    yield place.line, self.conversation(value, place)
            except TranscriptError as error:
                place.leave_out_all(error)
        for id, found in loose.items():
            turns = self.turns_together(found.turns)
            yield found.line, Conversation(id or "", turns, metadata={LAYOUT: LINES}, format=self.name)

    def conversation(self, value: Any, place: Place) -> Conversation:
        """The conversation that an object or a bare list holds; its id is empty when it names none."""
        notes = {ONE_LINE: True} if place.line is not None else {}
        if isinstance(value, list) and self._is_record(value):
            turns = self._turns(value, "", place)
            return Conversation("", turns, metadata={LAYOUT: LIST, **notes}, format=self.name)
        key = self.list_key(value) if isinstance(value, Mapping) else None
        if key is None:
            raise TranscriptError(f"expected {self.expected}; got {described(value)}")
        title = value.get("title")
        return Conversation(
            id=given_id(value, "id", *CONVERSATION_ID_FIELDS) or "",
            turns=self._turns(value[key], key, place),
            title=title if isinstance(title, str) and title else None,
            metadata={
                LAYOUT: OBJECT,
                **notes,
                **public({name: fields for name, fields in value.items() if name != key}),
            },
            format=self.name,
        )

    def _turns(self, messages: Any, key: str, place: Place) -> tuple[Turn, ...]:
        if not isinstance(messages, list):
            raise TranscriptError(f"expected a list of messages, got {kind(messages)}", field=key)
        turns = []
        for index, message in enumerate(place.report.watch(messages, "messages of a conversation")):
            try:
                turns.append(self.turn(message, f"{key}[{index}]", place))
            except TranscriptError as error:
                place.leave_out(error)
        return self.turns_together(turns)

    def _is_record(self, value: Any) -> bool:
        if isinstance(value, list):
            return not value or any(self.is_message(item) for item in value[:50])
        if not isinstance(value, Mapping):
            return False
        return self.list_key(value) is not None or self.is_message(value) or self.is_beside(value)


def described(value: Any) -> str:
    """What a value is, and for an object which fields it has."""
    if not isinstance(value, Mapping) or not value:
        return kind(value) if value != {} else "an empty object"
    keys = ", ".join(repr(key) for key in list(value)[:6])
    return f"an object with {keys}{', …' if len(value) > 6 else ''}"
