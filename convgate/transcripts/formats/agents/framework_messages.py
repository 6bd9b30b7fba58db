"""What the message histories of agent frameworks share: lists of messages, alone or in an object."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import CONVERSATION_ID_FIELDS, described
from convgate.transcripts.source import LocatedConversations, Source


@dataclasses.dataclass(frozen=True)
class MessageList:
    """The messages of one conversation, and the field that holds them."""

    field: str
    messages: Sequence[Any]
    id: str = ""
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict)


class FrameworkMessages(ABC):
    """Reads a list of messages, an object with such lists, several of either, and one message a line."""

    name: str
    label: str

    @abstractmethod
    def is_message(self, value: Any) -> bool:
        """Return whether a value has the fields that only messages of this format have."""

    @abstractmethod
    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield the turns of a message; raises TranscriptError naming `field`."""

    def lists(self, value: Mapping[str, Any]) -> Iterator[MessageList]:
        """Yield the lists of messages in an object."""
        if self.is_list(messages := value.get("messages")):
            yield MessageList("messages", messages, given_id(value, "id", *CONVERSATION_ID_FIELDS) or "")

    def link_turns(self, turns: Sequence[Turn]) -> Sequence[Turn]:
        """Return the turns of a conversation with what depends on their neighbours."""
        return turns

    def is_list(self, value: Any) -> TypeGuard[list[Any]]:
        """Return whether a value is a list of messages."""
        return isinstance(value, list) and any(map(self.is_message, value[:50]))

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first values that are in this format, 0…1."""
        if source.json is None:
            return 0.0
        if self.is_list(source.json.document):
            return 1.0
        return sum(map(self._is_record, source.json.sample)) / max(1, len(source.json.sample))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        file = source.need_json()
        loose: list[Turn] = []  # of messages that stand one a line
        for value, place in file.values(split=not self.is_list(file.document)):
            try:
                lists = list(self.lists(value)) if isinstance(value, Mapping) else []
                if isinstance(value, list):
                    ids = (
                        given_id(item, *CONVERSATION_ID_FIELDS) for item in value if isinstance(item, Mapping)
                    )
                    lists = [MessageList("", value, next(filter(None, ids), ""))]
                for found in lists:
                    turns = tuple(self.link_turns(self._turns(found, place)))
                    yield (
                        place.line,
                        Conversation(found.id, turns, metadata=found.metadata, format=self.name),
                    )
                if not lists:
                    loose += self.turns(value, "", place)
            except TranscriptError as error:
                place.leave_out_all(error)
        if loose:
            yield None, Conversation("", tuple(self.link_turns(loose)), format=self.name)

    def _turns(self, found: MessageList, place: Place) -> list[Turn]:
        turns: list[Turn] = []
        for index, message in enumerate(place.report.watch(found.messages, "messages of a conversation")):
            try:
                turns += self.turns(message, f"{found.field}[{index}]", place)
            except TranscriptError as error:
                place.leave_out(error)
        return turns

    def _is_record(self, value: Any) -> bool:
        has_lists = isinstance(value, Mapping) and any(self.lists(value))
        return has_lists or self.is_list(value) or self.is_message(value)


def no_message(value: Any, label: str, field: str) -> TranscriptError:
    """Return the error for a value that is no message of the format."""
    return TranscriptError(f"expected a message of {label}; got {described(value)}", field=field)
