"""ShareGPT: an object with `conversations`, a list of `{from, value}`, under these or other names."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.fields import value_at
from convgate.transcripts.identity import pair_calls
from convgate.transcripts.json_text import Place, kind, parse_json
from convgate.transcripts.message_lists import MessageLists, dump_messages
from convgate.transcripts.openai_messages import arguments_text
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import time_of

LIST_KEYS = ("conversations", "conversation", "messages", "dialogue", "dialog", "chat")
FROM_KEYS = ("from", "role", "speaker", "sender")
VALUE_KEYS = ("value", "content", "text", "message")

CALLS, RESULT = "function_call", "observation"
_FROM_OF = {"user": "human", "assistant": "gpt", "tool": RESULT, "function": RESULT}


class ShareGPTFormat(MessageLists):
    """ShareGPT, as chat collections and fine-tuning tools have it.

    Tool calls and their results get the ids `call-1`, `call-2` … in order. Names, ids, times, metadata and
    parts of turns from other formats are not written.
    """

    name = "sharegpt"
    label = "ShareGPT"
    suffix = ".json"
    expected = "an object with 'conversations', a list of entries with 'from' and 'value'"

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """The first usual name that holds a list of entries; `messages` of OpenAI's shape is not one."""
        for key in LIST_KEYS:
            entries = fields.get(key)
            if isinstance(entries, list) and (
                any(map(self._is_entry, entries[:50])) or (not entries and key == "conversations")
            ):
                openai = key == "messages" and any(map(_is_openai, entries[:50]))
                return None if openai else key
        return None

    def is_message(self, value: Any) -> bool:
        """Return whether it is an entry and no OpenAI message; those have `role` and `content`."""
        return self._is_entry(value) and not _is_openai(value)

    def turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        """Yield one entry as a turn; its children are what follows."""
        if not isinstance(message, Mapping):
            raise TranscriptError(
                f"an entry is an object with from and value, got {kind(message)}", field=field
            )
        speaker_key, text_key = _keys(message)
        speaker = _text(message, speaker_key, "from", field)
        time_key, moment = time_of(message, field, place.warn)
        extra = {key: item for key, item in message.items() if key not in (speaker_key, text_key, time_key)}
        if speaker in (CALLS, "tool_call"):
            calls = calls_in(message.get(text_key or "value"), f"{field}.{text_key or 'value'}")
            yield Turn("assistant", timestamp=moment, tool_calls=calls, metadata=extra, source=message)
            return
        text = _text(message, text_key, "value", field)
        role = role_of(speaker) or speaker
        if isinstance(is_user := extra.get("isCreatedByUser"), bool):  # of LibreChat, as `children`
            role = "user" if is_user else "assistant"
        children = extra.pop("children", None)
        if isinstance(children, list):
            message = {key: item for key, item in message.items() if key != "children"}
        yield Turn.of(role, text, timestamp=moment, metadata=extra, source=message)
        if isinstance(children, list) and children:
            place.report.omit("other answer with what followed it", len(children) - 1)
            yield from self.turns(children[-1], f"{field}.children[{len(children) - 1}]", place)

    def link_turns(self, turns: Sequence[Turn]) -> tuple[Turn, ...]:
        """Return the turns with `call-1`, `call-2` … as ids of calls and of the results that follow them."""
        return pair_calls(turns, all_turns=True)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """JSON in the layout and with the names of the conversation's file."""
        own = conversation.format == self.name
        first = next((turn.source for turn in conversation.turns if own and turn.source), {})
        keys = [key or usual for key, usual in zip(_keys(first), ("from", "value"), strict=True)]
        entries: list[Mapping[str, Any]] = []
        for turn in turns:
            if own and turn.source is not None:
                entries.append(turn.source)
            else:
                entries += [dict(zip(keys, entry, strict=True)) for entry in _entries(turn)]
        return dump_messages(conversation, entries, key=LIST_KEYS[0], format=self.name)

    @staticmethod
    def _is_entry(value: Any) -> bool:
        return isinstance(value, Mapping) and None not in _keys(value)


def _is_openai(value: Any) -> bool:
    return isinstance(value, Mapping) and "role" in value and "from" not in value and "value" not in value


def _keys(entry: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the names under which an entry has its speaker and its text."""
    speaker_key = next((key for key in FROM_KEYS if key in entry), None)
    return speaker_key, next((key for key in VALUE_KEYS if key in entry), None)


def _text(entry: Mapping[str, Any], key: str | None, usual: str, field: str) -> str:
    if key is None:
        raise TranscriptError(f"there is no {usual!r}", field=f"{field}.{usual}")
    value = entry[key]
    if value is None and usual == "value":
        return ""
    if not isinstance(value, str) or (usual == "from" and not value):
        raise TranscriptError(f"expected a text, got {kind(value)}", field=f"{field}.{key}")
    return value


def _entries(turn: Turn) -> list[tuple[str, str]]:
    entries = [] if turn.tool_calls and not turn.text else [(_FROM_OF.get(turn.role, turn.role), turn.text)]
    if turn.tool_calls:
        entries.append((CALLS, calls_text(turn.tool_calls)))
    return entries


def calls_in(value: Any, field: str) -> tuple[ToolCall, ...]:
    """The calls in an entry's value: JSON with name and arguments, one or a list, as text or as it is.

    A text that holds something else is the arguments of a call without a name.
    """
    parsed = _parsed(value) if isinstance(value, str) else value
    calls = []
    for call in parsed if isinstance(parsed, list) else [parsed]:
        body = value_at(call, "function") if value_at(call, "function") is not None else call
        if not isinstance(value_at(body, "name"), str):
            if isinstance(value, str):
                return (ToolCall("", "", value),)
            raise TranscriptError("a function call is an object with name and arguments", field=field)
        arguments = body.get("arguments", body.get("parameters", ""))
        calls.append(ToolCall("", body["name"], arguments_text(arguments, field)))
    return tuple(calls)


def calls_text(calls: Sequence[ToolCall]) -> str:
    """Return the value of an entry that makes these calls."""
    parsed = [_parsed(call.arguments) for call in calls]  # fine-tuning tools expect objects
    values = [
        {"name": call.name, "arguments": arguments if isinstance(arguments, dict) else call.arguments}
        for call, arguments in zip(calls, parsed, strict=True)
    ]
    return json.dumps(values[0] if len(values) == 1 else values, ensure_ascii=False)


def _parsed(text: str) -> Any:
    """Return the value of a JSON text, None for another one."""
    try:
        return parse_json(text)
    except TranscriptError:
        return None
