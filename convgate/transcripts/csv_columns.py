"""Which column of a table means what, under the names that exporters use."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.transcripts.timestamps import TIMESTAMP_FIELDS

_ALIASES: dict[str, tuple[str, ...]] = {  # the likelier name first
    "conversation": (
        *("conversation_id", "conversation", "conv_id", "convo_id", "chat_id", "thread_id", "session_id"),
        *("dialog_id", "dialogue_id", "chat", "thread", "session", "dialogue", "dialog"),
    ),
    "title": ("conversation_title", "chat_title", "title"),
    "id": ("turn_id", "message_id", "msg_id", "id", "turn"),
    "role": ("role", "message_role", "author_role", "sender_role", "sender_type", "author_type"),
    "speaker": (
        *("speaker", "name", "sender", "from", "author", "user", "username", "user_name", "nick"),
        *("sender_name", "author_name", "participant", "agent"),
    ),
    "text": (
        *(
            "text",
            "content",
            "message",
            "body",
            "utterance",
            "value",
            "message_text",
            "message_content",
            "msg",
        ),
        *("transcript",),
    ),
    "timestamp": TIMESTAMP_FIELDS,
    "tool_calls": ("tool_calls",),
    "tool_call_id": ("tool_call_id",),
}
DELIMITERS = ",;\t|"


@dataclass(frozen=True)
class Columns:
    """A table's columns: how they are called, and which of them holds what."""

    names: tuple[str, ...]  # as the header has them
    delimiter: str
    meaning: dict[str, int]  # what is held, to the place of its column

    @property
    def is_transcript(self) -> bool:
        """Whether there is a text, and somebody who says it."""
        return "text" in self.meaning and ("role" in self.meaning or "speaker" in self.meaning)

    @cached_property
    def others(self) -> dict[int, str]:
        """The names of columns without a meaning here, by place; of several with one name, the last."""
        known = set(self.meaning.values())
        places = {name: place for place, name in enumerate(self.names) if place not in known and name}
        return {place: name for name, place in places.items()}

    @classmethod
    def of_header(cls, header: str) -> Columns:
        """The columns of a header line, by the delimiter that makes most sense of it.

        >>> Columns.of_header("Speaker;Message").meaning
        {'speaker': 0, 'text': 1}
        """
        found = (cls.of(split_header(header, delimiter), delimiter) for delimiter in DELIMITERS)
        return max(found, key=lambda columns: len(columns.meaning))

    @classmethod
    def of(cls, names: Sequence[str], delimiter: str = ",") -> Columns:
        """Columns under given names."""
        plain = ["_".join(name.replace("-", " ").split()).casefold() for name in names]
        meaning = {
            held: plain.index(alias)
            for held, aliases in _ALIASES.items()
            for alias in [next((alias for alias in aliases if alias in plain), None)]
            if alias is not None
        }
        return cls(tuple(names), delimiter, meaning)


def split_header(header: str, delimiter: str) -> list[str]:
    """The names in a header line without spaces around them; none when it is not a table row."""
    try:
        return [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        return []
