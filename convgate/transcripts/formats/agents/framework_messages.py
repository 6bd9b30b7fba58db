"""What the message histories of agent frameworks share: lists of messages, alone or in an object."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.identity import given_id
from convgate.transcripts.message_lists import CONVERSATION_ID_FIELDS, MessageLists, described
from convgate.transcripts.source import LocatedConversations, Source


@dataclasses.dataclass(frozen=True)
class MessageList:
    """The messages of one conversation, and the field that holds them."""

    field: str
    messages: list[Any]
    id: str = ""
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class FrameworkMessages(MessageLists):
    """Reads a list of messages, an object with such lists, several of either, and one message a line."""

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return the field of the first list of messages in an object."""
        return next((found.field for found in self.lists(fields)), None)

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the lists of messages in an object."""
        if self.is_list(messages := value.get("messages")):
            yield MessageList("messages", messages, given_id(value, "id", *CONVERSATION_ID_FIELDS) or "")

    def is_list(self, value: Any) -> TypeGuard[list[Any]]:
        """Return whether a value is a list of messages."""
        return isinstance(value, list) and any(map(self.is_message, value[:50]))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        file = source.need_json()
        loose: list[Turn] = []  # of messages that stand one a line
        for value, place in file.values(split=not self.is_list(file.document)):
            with place.skip_bad_value():
                lists = list(self.lists(value)) if isinstance(value, Mapping) else []
                if isinstance(value, list):
                    ids = (
                        given_id(item, *CONVERSATION_ID_FIELDS) for item in value if isinstance(item, Mapping)
                    )
                    lists = [MessageList("", value, next(filter(None, ids), ""))]
                for found in lists:
                    turns, notes = self.turns_in(found.messages, found.field, place), found.metadata
                    yield place.line, Conversation(found.id, turns, metadata=notes, format=self.name)
                if not lists:
                    loose += self.turns(value, "", place)
        if loose:
            yield None, Conversation("", self.link_turns(loose), format=self.name)

    def _is_record(self, value: Any) -> bool:
        return value != [] and super()._is_record(value)


def no_message(value: Any, label: str, field: str) -> TranscriptError:
    """Return the error for a value that is no message of the format."""
    return TranscriptError(f"expected a message of {label}; got {described(value)}", field=field)
