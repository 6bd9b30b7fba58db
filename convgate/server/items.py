"""Items of the Responses API as messages, so that a policy can select among them.

>>> call = {"type": "function_call", "call_id": "a", "name": "weather", "arguments": "{}"}
>>> output = {"type": "function_call_output", "call_id": "a", "output": "31 °C"}
>>> group_items([{"role": "user", "content": "Hot?"}, {"type": "reasoning"}, call, output])[1]
[[0], [1, 2], [3]]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.core.errors import TranscriptError


def group_items(items: Sequence[Any]) -> tuple[list[dict[str, Any]], list[list[int]]]:
    """Return one chat message for each group of items, and the indices of its items.

    What the model said in a row is one message: its text, its reasoning and its calls stay together. Raises
    TranscriptError for an item that is none, or may stand for others, such as an item_reference.
    """
    messages: list[dict[str, Any]] = []
    groups: list[list[int]] = []
    is_model = False  # whether the last group is the model's
    for index, item in enumerate(items):
        message = _message(item, f"input[{index}]")
        if is_model and message["role"] == "assistant":
            last = messages[-1]
            last["content"] += message["content"]
            last["tool_calls"] += message["tool_calls"]
            groups[-1].append(index)
        else:
            messages.append(message)
            groups.append([index])
        is_model = message["role"] == "assistant"
    for message in messages:
        if message["role"] == "assistant" and not message["tool_calls"]:
            del message["tool_calls"]
    return messages, groups


def _message(item: Any, field: str) -> dict[str, Any]:
    if not isinstance(item, Mapping):
        raise TranscriptError("an item is an object", field=field)
    kind, call_id = item.get("type", "message"), item.get("call_id")
    if kind == "message" and item.get("role") != "assistant":
        return {"role": item.get("role"), "content": item.get("content")}
    if kind == "message":
        return {"role": "assistant", "content": _parts(item.get("content")), "tool_calls": []}
    if isinstance(kind, str) and kind.endswith("_output") and isinstance(call_id, str):
        output = item.get("output")
        content = output if isinstance(output, str | list) else str(output)
        return {"role": "tool", "tool_call_id": call_id, "content": content}
    if kind == "reasoning" or (isinstance(kind, str) and kind.endswith("_call")):
        arguments = item.get("arguments", item.get("input", item.get("action", "")))
        function = {"name": item.get("name") or kind, "arguments": arguments}
        calls = [{"id": call_id, "type": "function", "function": function}] if call_id else []
        return {"role": "assistant", "content": [], "tool_calls": calls}
    raise TranscriptError(f"items of the type {kind!r} are not selected", field=field)


def _parts(content: Any) -> list[Any]:
    return list(content) if isinstance(content, list) else [content] if content else []
