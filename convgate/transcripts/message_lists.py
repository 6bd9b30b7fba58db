"""What the JSON formats share whose conversations are lists of message objects.

How a conversation lay in its file is kept in its metadata, under names that begin with an underscore, so that
it survives the store and comes back as it was.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import writable
from convgate.transcripts.fields import text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind, parse_json
from convgate.transcripts.source import LocatedConversations, Source

LAYOUT = "_layout"
OBJECT, LIST, LINES = "object", "list", "lines"
"""A JSON object with a list of messages in it; the bare list; one message a line."""

ONE_LINE = "_one_line"
"""Whether the conversation was one line of its file."""

LIST_KEY = "_list_key"
"""The field of an object that held the messages."""

CONVERSATION_ID_FIELDS = ("conversation_id", "conversationId", "session_id", "thread_id")


class MessageLists(ABC):
    """Reads an object with a list of messages, a bare list, a list of either, and lines of each.

    Messages that stand one a line are one conversation, or one for each conversation id they name.
    """

    name: str
    expected: str  # what a value has to be, for messages

    @abstractmethod
    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return the field of an object that holds its messages, None when the object is no conversation."""

    @abstractmethod
    def is_message(self, value: Any) -> bool:
        """Return whether a value looks like a message of this format."""

    @abstractmethod
    def turns(self, message: Any, field: str, place: Place) -> Iterable[Turn]:
        """Return one message as turns, mostly one; raises TranscriptError naming `field`."""

    def is_case(self, value: Any) -> bool:
        """Return whether a value is a case of a relevance set, which is no conversation and passed over."""
        return False

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return all turns of a conversation, with what depends on their neighbours, such as ids of calls."""
        return tuple(turns)

    def match_share(self, source: Source) -> float:
        """Share of the source's first values that are in this format, 0…1."""
        if source.json is None:
            return 0.0
        if self._is_record(source.json.document):
            return 1.0
        values = [value or None for value in source.json.sample]  # an empty list may be anything
        return sum(map(self._is_record, values)) / max(1, len(values))

    def read(self, source: Source) -> LocatedConversations:
        """Return the source's conversations; bad places go to its report."""
        file = source.need_json()
        loose: dict[str | None, tuple[int | None, list[Turn]]] = {}  # messages one a line: first line, turns
        for value, place in file.values(split=not self._is_record(file.document)):
            if self.is_case(value):
                continue
            with place.skip_bad_value():
                if isinstance(value, Mapping) and self.list_key(value) is None and self.is_message(value):
                    turns = list(self.turns(value, "", place))
                    id = given_id(value, *CONVERSATION_ID_FIELDS)
                    loose.setdefault(id, (place.line, []))[1].extend(turns)
                else:
                    for conversation in self.conversations(value, place):
                        yield place.line, conversation
        for id, (line, turns) in loose.items():
            linked = self.link_turns(turns)
            yield line, Conversation(id or "", linked, metadata={LAYOUT: LINES}, format=self.name)

    def conversations(self, value: Any, place: Place) -> Iterable[Conversation]:
        """Return the conversations of a value, mostly one; raises TranscriptError for another value."""
        return [self.conversation(value, place)]

    def conversation(self, value: Any, place: Place) -> Conversation:
        """Return the conversation that an object or a bare list holds; its id is empty when it names none."""
        notes = {ONE_LINE: True} if place.line is not None else {}
        if isinstance(value, list) and self._is_record(value):
            turns = self.turns_in(value, "", place)
            return Conversation("", turns, metadata={LAYOUT: LIST, **notes}, format=self.name)
        key = self.list_key(value) if isinstance(value, Mapping) else None
        if key is None:
            raise TranscriptError(f"expected {self.expected}; got {described(value)}")
        others = public({name: field for name, field in value.items() if name != key})
        return Conversation(
            id=given_id(value, "id", *CONVERSATION_ID_FIELDS) or "",
            turns=self.turns_in(value[key], key, place),
            title=text_of(value, "title"),
            metadata={LAYOUT: OBJECT, LIST_KEY: key, **notes, **others},
            format=self.name,
        )

    def turns_in(self, messages: Any, key: str, place: Place) -> tuple[Turn, ...]:
        """Return the turns of a list of messages, or of its JSON, which the field `key` holds."""
        if isinstance(messages, str) and messages.lstrip().startswith("["):
            with suppress(TranscriptError):
                messages = parse_json(messages)
        if not isinstance(messages, list):
            raise TranscriptError(f"expected a list of messages, got {kind(messages)}", field=key)
        turns: list[Turn] = []
        for index, message in enumerate(place.report.watch(messages, "messages of a conversation")):
            with place.skip_bad_part():
                turns += self.turns(message, f"{key}[{index}]", place)
        return self.link_turns(turns)

    def _is_record(self, value: Any) -> bool:
        if isinstance(value, list):
            return not value or any(self.is_message(item) for item in value[:50])
        if not isinstance(value, Mapping):
            return False
        return self.list_key(value) is not None or self.is_message(value) or self.is_case(value)


def described(value: Any) -> str:
    """Return what a value is, and for an object which fields it has."""
    if not isinstance(value, Mapping) or not value:
        return kind(value) if value != {} else "an empty object"
    keys = ", ".join(repr(key) for key in list(value)[:6])
    return f"an object with {keys}{', …' if len(value) > 6 else ''}"


def public(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came with the transcript, without the notes on its layout."""
    return {key: value for key, value in metadata.items() if not key.startswith("_")}


def top_fields(conversation: Conversation, format: str) -> dict[str, Any]:
    """Fields to write beside the messages: those that came with the file; id and title in other formats."""
    fields = public(conversation.metadata)
    if conversation.format != format or LAYOUT not in conversation.metadata:
        fields = {"id": conversation.id, **fields}
    if conversation.title is not None and fields.get("title") != conversation.title:
        fields["title"] = conversation.title
    return fields


def dump_json(value: Any, *, indent: int | None = None) -> str:
    """Return the value as JSON without a line end at its end; UTF-8 as it is, for people read it.

    Raises TranscriptError when there is something in it that JSON cannot say.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
        return text if writable(text) is text else json.dumps(value, allow_nan=False, indent=indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise TranscriptError(f"the conversation cannot be written as JSON: {error}") from None


def dump_messages(conversation: Conversation, messages: Sequence[Any], *, key: str, format: str) -> str:
    """Return messages in the layout of their file; as an object when the conversation came from elsewhere."""
    own = conversation.format == format
    layout = conversation.metadata.get(LAYOUT, OBJECT) if own else OBJECT
    if layout == LINES:
        return "".join(f"{dump_json(message)}\n" for message in messages)
    key = conversation.metadata.get(LIST_KEY, key) if own else key
    value = messages if layout == LIST else {**top_fields(conversation, format), key: messages}
    is_one_line = own and conversation.metadata.get(ONE_LINE)
    return dump_json(value, indent=None if is_one_line else 2) + "\n"
