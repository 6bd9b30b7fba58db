"""Items of OpenAI's Responses API: requests, responses, and lists of items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.dialects.openai_responses import SILENT, OpenAIResponses, is_item, read_call
from convgate.transcripts.exports import join_turns
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import MessageLists
from convgate.transcripts.source import Source
from convgate.transcripts.timestamps import time_of

_LISTS = ("input", "items", "output")
RESPONSES = OpenAIResponses()


class ResponsesFormat(MessageLists):
    """Items: messages, calls and their outputs, reasoning; a run of an answer's items is one turn."""

    name = "openai-responses"
    label = "OpenAI Responses items"
    expected = "an object with 'input' or 'output', a list of items, or an item with 'type'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """Return the first of `input`, `items` and `output` that is a list with an item."""
        for key in _LISTS:
            items = fields.get(key)
            if isinstance(items, list) and any(map(self.is_message, items[:50])):
                return key
        return None

    def is_message(self, value: Any) -> bool:
        """Return whether it is an item, or a message in the short form."""
        return is_item(value) or (isinstance(value, Mapping) and "role" in value and "content" in value)

    def _is_own(self, value: Mapping[str, Any]) -> bool:
        key = self.list_key(value)
        if key is None:
            return is_item(value)
        return "instructions" in value or value.get("object") == "response" or any(map(is_item, value[key]))

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield one item as turns."""
        moment = time_of(message, field, place.warn)[1] if isinstance(message, Mapping) else None
        yield from item_turns(message, field, place, moment)

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns, with the items of an answer as one."""
        return tuple(join_turns(turns))

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first values that may be items, 0 where none certainly is."""
        sample = source.json.sample if source.json else ()
        values = chain.from_iterable(value if isinstance(value, list) else (value,) for value in sample)
        is_own = any(self._is_own(value) for value in values if isinstance(value, Mapping))
        return super().match_share(source) if is_own else 0.0

    def conversation(self, value: Any, place: Place) -> Conversation:
        """Return the conversation of an object or a list, with the texts and outputs beside it."""
        conversation = replace(super().conversation(value, place), metadata={})
        if isinstance(value, list):
            return conversation
        asked = (("system", "instructions"), ("user", "input"))
        before = [Turn.of(role, text) for role, key in asked if (text := text_of(value, key))]
        output = value.get("output") if self.list_key(value) != "output" else None
        nested, after = mapping_of(value, "response").get("output"), list[Turn]()
        for items, key in ((output, "output"), (nested, "response.output")):
            after += [] if items is None else self.turns_in(items, key, place)
        return replace(conversation, turns=self.link_turns((*before, *conversation.turns, *after)))


def item_turns(item: Any, field: str, place: Place, moment: datetime | None) -> Iterator[Turn]:
    """Yield an item as a turn, without its place in a response; a call that the provider ran as two.

    Raises TranscriptError, naming the item in `field`.
    """
    if not isinstance(item, Mapping) or not isinstance(item.get("type", "message"), str):
        raise TranscriptError(f"an item is an object with a type, got {kind(item)}", field=field or None)
    type_ = item.get("type", "message")
    if type_ in SILENT or (type_ != "message" and not is_item(item)):
        place.report.omit("item without a message")
        return
    turn = replace(RESPONSES.read(item, field), timestamp=moment, metadata={}, source=None)
    if turn.parts and turn.parts[0].kind == "tool":
        call, output = read_call(item, field)
        yield replace(turn, parts=(), tool_calls=(call,))
        result = output or (ContentPart("result", "[result]"),)
        yield Turn("tool", result, name=call.name, timestamp=moment, tool_call_id=call.id)
    elif type_ == "reasoning" and not turn.parts:
        place.report.omit("encrypted reasoning")
    else:
        yield turn
