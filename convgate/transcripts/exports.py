"""What the exports of apps share: objects that are a conversation each, branches, lists of messages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import LocatedConversations, Source


class ConversationExport(ABC):
    """Reads one object, a list of objects, alone or in `conversations`, or one a line: conversations."""

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
        return sum(map(self._is_or_holds, values)) / max(1, len(source.json.sample))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        for value, place in self.objects(source):
            with place.skip_bad_value():
                yield place.line, self.conversation(value, place)

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the objects that are conversations, with their places; others go to the source's report."""
        for value, place in source.need_json().values():
            items = [(value, place)]
            if isinstance(value, Mapping) and not self.is_conversation(value) and self._is_or_holds(value):
                dot = "." if place.prefix else ""
                items = [
                    (item, replace(place, prefix=f"{place.prefix}{dot}conversations[{index}]"))
                    for index, item in enumerate(value["conversations"])
                ]
            for item, item_place in items:
                if isinstance(item, Mapping) and self.is_conversation(item):
                    yield item, item_place
                else:
                    expected = f"expected a conversation of {self.label}; got {described(item)}"
                    item_place.leave_out_all(TranscriptError(expected))

    def _is_or_holds(self, value: Mapping[str, Any]) -> bool:
        """Return whether an object is a conversation, or holds a list of some."""
        items = value.get("conversations")
        return self.is_conversation(value) or (
            isinstance(items, list)
            and any(isinstance(item, Mapping) and self.is_conversation(item) for item in items[:50])
        )


def read_messages(
    messages: Iterable[Any],
    key: str,
    place: Place,
    read: Callable[[Mapping[str, Any], str, Place], Iterable[Turn]],
) -> Iterator[Turn]:
    """Yield the turns that `read` makes of each message, given its field; bad messages are left out."""
    for index, message in enumerate(place.report.watch(messages, "messages of a conversation")):
        field = f"{key}[{index}]"
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
    value = fields.get(key)
    if not isinstance(value, list | None):
        raise TranscriptError(f"expected a list, got {kind(value)}", field=f"{field}.{key}")
    return value or []


def objects_in(fields: Mapping[str, Any], key: str, field: str) -> list[Mapping[str, Any]]:
    """Return the objects of the list in a field; everything else as in `list_in`."""
    return [value for value in list_in(fields, key, field) if isinstance(value, Mapping)]


def text_of(fields: Mapping[str, Any], key: str) -> str | None:
    """Return the text in a field, None when there is none or it is blank."""
    value = fields.get(key)
    return value if isinstance(value, str) and value.strip() else None


def mapping_of(fields: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the object in a field, an empty one when there is none."""
    value = fields.get(key)
    return value if isinstance(value, Mapping) else {}
