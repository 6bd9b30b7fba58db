"""Tool calls in ShareGPT: JSON in an entry's value, without ids."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from convgate.core.conversation import ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.openai_messages import arguments_text


def calls_in(value: Any, field: str) -> tuple[ToolCall, ...]:
    """The calls in an entry's value: JSON with name and arguments, one or a list, as text or as it is."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return (ToolCall("", "", writable(value)),)
    else:
        parsed = value
    calls = parsed if isinstance(parsed, list) else [parsed]
    found = []
    for call in calls:
        body = call.get("function", call) if isinstance(call, Mapping) else None
        if not isinstance(body, Mapping) or not isinstance(body.get("name"), str):
            if isinstance(value, str):
                return (ToolCall("", "", writable(value)),)
            raise TranscriptError("a function call is an object with name and arguments", field=field)
        arguments = body.get("arguments", body.get("parameters", ""))
        found.append(ToolCall("", writable(body["name"]), writable(arguments_text(arguments, field))))
    return tuple(found)


def with_call_ids(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns with the ids `call-1`, `call-2` … on calls and on the results that follow them, in order.

    Calls that got fewer results are made one call, for nobody can tell whose results they are.
    """
    linked = list(turns)
    count = 0
    for index, turn in enumerate(turns):
        if not turn.tool_calls:
            continue
        after = range(index + 1, len(turns))
        results = list(takewhile(lambda place: turns[place].role in ("tool", "function"), after))
        apart = not results or len(results) >= len(turn.tool_calls)
        calls = turn.tool_calls if apart else (_as_one(turn.tool_calls),)
        named = [replace(call, id=f"call-{number}") for number, call in enumerate(calls, count + 1)]
        count += len(calls)
        linked[index] = replace(turn, tool_calls=tuple(named))
        for call, result in zip(named, results, strict=False):
            linked[result] = replace(turns[result], tool_call_id=call.id)
    return tuple(linked)


def calls_text(calls: Sequence[ToolCall]) -> str:
    """The value of an entry that makes these calls."""
    made = [{"name": call.name, "arguments": _object(call.arguments)} for call in calls]
    return json.dumps(made[0] if len(made) == 1 else made, ensure_ascii=False)


def _as_one(calls: Sequence[ToolCall]) -> ToolCall:
    names = ", ".join(call.name for call in calls)
    return ToolCall("", names, "[{}]".format(", ".join(call.arguments for call in calls)))


def _object(arguments: str) -> Any:
    """Arguments as the object that fine-tuning tools expect, as text when they are none."""
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments
