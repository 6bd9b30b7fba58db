"""What the exports of apps share: a file of objects that are a conversation each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import LocatedConversations, Source


class ConversationExport(ABC):
    """Reads one object, a list of objects, or an object a line, each a conversation."""

    name: str
    label: str

    @abstractmethod
    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object has the fields that only this format has."""

    @abstractmethod
    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object; raises TranscriptError naming the field.

        A bad message is left out by `place.leave_out`, and what no conversation holds is counted by
        `place.report.omit`.
        """

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first objects that are conversations of this format, 0…1."""
        if source.json is None:
            return 0.0
        values = [value for value in source.json.sample if isinstance(value, Mapping)]
        return sum(map(self.is_conversation, values)) / max(1, len(source.json.sample))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        for value, place in self.objects(source):
            try:
                yield place.line, self.conversation(value, place)
            except TranscriptError as error:
                place.leave_out_all(error)

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the objects that are conversations, with their places; others go to the source's report."""
        for value, place in source.need_json().values():
            if isinstance(value, Mapping) and self.is_conversation(value):
                yield value, place
            else:
                expected = f"expected a conversation of {self.label}; got {described(value)}"
                place.leave_out_all(TranscriptError(expected))


def text_of(fields: Mapping[str, Any], key: str) -> str | None:
    """Return the text in a field, None when there is none or it is blank."""
    value = fields.get(key)
    return value if isinstance(value, str) and value.strip() else None
