"""What the exports of apps share: objects that are a conversation each, branches, lists of messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, groupby
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.fields import value_at
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import LocatedConversations, Source

BRANCH, EMPTY = "message of another branch", "message without content"
IGNORED = "line that changes nothing that is known"
"""What is counted as left out by several formats."""


@dataclass(eq=False)
class FunctionFormat:
    """A format of two functions, which do what `Format` says of its methods."""

    name: str
    label: str
    match_share: Callable[[Source], float]
    read: Callable[[Source], LocatedConversations]


def share_of(source: Source, is_own: Callable[[Mapping[str, Any]], bool]) -> float:
    """Return the share of the source's first values that are objects of a format, 0…1."""
    sample = source.json.sample if source.json else ()
    return sum(isinstance(value, Mapping) and is_own(value) for value in sample) / max(1, len(sample))


def read_objects(source: Source, expected: str) -> Iterator[tuple[Mapping[str, Any], Place]]:
    """Yield the objects of a source with their places; what else it has is a bad place of its report."""
    for value, place in source.need_json().values():
        if isinstance(value, Mapping):
            yield value, place
        else:
            place.leave_out_all(TranscriptError(f"expected {expected}, got {kind(value)}"))


class ConversationExport(ABC):
    """Reads one object, a list of objects, alone or in `conversations`, or one a line: conversations."""

    name: str
    label: str
    holder = "conversations"
    """Path to the list of all conversations in an object."""

    @abstractmethod
    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object has the fields that only this format has."""

    @abstractmethod
    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object; raises TranscriptError naming the field.

        A bad message is left out by `place.skip_bad_part`, and what no conversation holds is counted by
        `place.report.omit`.
        """

    def can_read(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object beside conversations is one too, perhaps without messages."""
        return self.is_conversation(value)

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first objects that are conversations of this format, 0…1."""
        return share_of(source, lambda value: self.is_conversation(value) or bool(self._held(value)))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        for value, place in self.objects(source):
            with place.skip_bad_value():
                yield place.line, self.conversation(value, place)

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the objects that are conversations, with their places; others go to the source's report."""
        for value, place in source.need_json().values():
            items = [(value, place)]
            if isinstance(value, Mapping) and not self.is_conversation(value) and (held := self._held(value)):
                prefix = f"{place.prefix}.{self.holder}".lstrip(".")
                items = [(item, replace(place, prefix=f"{prefix}[{n}]")) for n, item in enumerate(held)]
            for item, item_place in items:
                if isinstance(item, Mapping) and self.can_read(item):
                    yield item, item_place
                else:
                    expected = f"expected a conversation of {self.label}; got {described(item)}"
                    item_place.leave_out_all(TranscriptError(expected))

    def _held(self, value: Mapping[str, Any]) -> list[Any]:
        """Return the list of conversations in an object, an empty one without any."""
        items = value_at(value, self.holder)
        if not isinstance(items, list):
            return []
        return items if any(isinstance(i, Mapping) and self.is_conversation(i) for i in items[:50]) else []


ReadMessage = Callable[[Mapping[str, Any], str, Place], Iterable[Turn]]
"""Returns the turns of a message, given its field."""


def read_messages(messages: Iterable[Any], key: str, place: Place, read: ReadMessage) -> Iterator[Turn]:
    """Yield the turns that `read` makes of the messages in the field `key`; bad ones are left out."""
    return read_fields(((f"{key}[{n}]", message) for n, message in enumerate(messages)), place, read)


def read_fields(messages: Iterable[tuple[str, Any]], place: Place, read: ReadMessage) -> Iterator[Turn]:
    """Yield the turns that `read` makes of messages with their fields; bad ones are left out."""
    for field, message in place.report.watch(messages, "messages of a conversation"):
        with place.skip_bad_part():
            if not isinstance(message, Mapping):
                raise TranscriptError(f"expected a message, got {kind(message)}", field=field)
            yield from list(read(message, field, place))


def path_to(leaf: Any, parents: Mapping[str, Any]) -> list[str]:
    """Return the ids from the first message to a leaf; it begins where a parent is unknown, or repeats.

    >>> path_to("c", {"a": None, "b": "a", "c": "a"})
    ['a', 'c']
    """
    path: dict[str, None] = {}
    while isinstance(leaf, str) and leaf in parents and leaf not in path:
        path[leaf] = None
        leaf = parents[leaf]
    return list(reversed(path))


def join_turns(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Yield the turns; neighbours that are one answer, or results of one call, are one."""
    for key, group in groupby(turns, lambda turn: turn.tool_call_id or turn.role == "assistant"):
        first, *others = run = list(group)
        if not key or not others:
            yield from run
            continue
        yield replace(
            first,
            parts=tuple(chain.from_iterable(turn.parts for turn in run)),
            tool_calls=tuple(chain.from_iterable(turn.tool_calls for turn in run)),
        )


def list_in(fields: Mapping[str, Any], key: str, field: str) -> list[Any]:
    """Return the list in a field, an empty one for null; raises TranscriptError for anything else."""
    value = value_at(fields, key)
    if not isinstance(value, list | None):
        raise TranscriptError(f"expected a list, got {kind(value)}", field=f"{field}.{key}".lstrip("."))
    return value or []


def objects_in(fields: Mapping[str, Any], key: str, field: str) -> list[Mapping[str, Any]]:
    """Return the objects of the list in a field; everything else as in `list_in`."""
    return [value for value in list_in(fields, key, field) if isinstance(value, Mapping)]
