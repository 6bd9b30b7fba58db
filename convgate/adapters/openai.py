"""Lists of OpenAI's APIs: Chat Completions messages and Responses items. Needs no package.

    messages = select_messages(messages)  # for client.chat.completions.create(messages=messages, …)
    items = select_messages(items)  # for client.responses.create(input=items, …)

The lists are never changed; the same objects are returned.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from convgate.adapters.selection import MessageSelector
from convgate.core.errors import AdapterError
from convgate.transcripts import dialect_of
from convgate.transcripts.dialects.base import join_neighbours

_CALLS = frozenset(
    {"function_call", "custom_tool_call", "computer_call", "shell_call", "local_shell_call"}
    | {"apply_patch_call", "mcp_approval_request"}
)
_RESULTS = frozenset(f"{call}_output" for call in _CALLS) | {"mcp_approval_response"}
_HOSTED = frozenset(  # calls that hold their results themselves
    {"web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"}
)
_ALWAYS_SENT = frozenset(  # what later items depend on
    {"tool_search_call", "tool_search_output", "additional_tools", "mcp_list_tools"}
    | {"compaction", "compaction_trigger", "configuration_update"}
)
_JOINS = {
    "reasoning": {"reasoning", "model"}, "model": {"reasoning", "model"}, "always": {"reasoning"},
}  # fmt: skip
"""By kind of item: the kinds of the item before with which it makes one group."""


def select_messages(
    messages: Iterable[Any], selector: MessageSelector | None = None, *, always: Container[int] = ()
) -> list[Any]:
    """Return the messages or items to send: the same objects, in order. `messages` itself does not change.

    messages: Chat Completions messages, or Responses items, oldest first: dicts, or the objects that the
    openai package returns. A call is sent with its output, reasoning with the items of its response. A list
    with an item that refers to the server's state (`item_reference`) or is unknown is returned whole.
    selector: default: the active gate, loaded at the first call. always: indices of messages to keep.

    Raises the errors of loading the default; everything else is logged, and all messages are returned.
    """
    items = list(messages)
    groups = group_items(items)
    kept = (selector or default_selector()).keep(
        groups,
        partial(group_message, call_ids=call_ids(groups)),
        [place for place, group in enumerate(groups) if any(index in always for index in group.indices)],
    )
    sent = [items[index] for place in kept for index in groups[place].indices]
    return join_neighbours(dialect_of(sent), sent)


@cache
def default_selector() -> MessageSelector:
    """Return the selector of the active gate, the same one at every call."""
    return MessageSelector.of()


@dataclass(frozen=True)
class ItemGroup:
    """Consecutive items that are sent together."""

    indices: range
    items: Sequence[Mapping[str, Any]]


def group_items(items: Sequence[Any]) -> list[ItemGroup]:
    """Return the groups of items, in order: what a model gave in one response, and every other item alone."""
    fields = [_fields(item) for item in items]
    kinds = [_kind(item) for item in fields]
    if not any("type" in item and item["type"] != "message" for item in fields):  # chat messages
        kinds = [""] * len(items)
    starts = [
        index for index, kind in enumerate(kinds) if not index or kinds[index - 1] not in _JOINS.get(kind, ())
    ]
    ends = [*starts[1:], len(items)]
    return [ItemGroup(range(a, b), fields[a:b]) for a, b in zip(starts, ends, strict=True)] if items else []


def group_message(group: ItemGroup, *, call_ids: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the group as one OpenAI-style message. `call_ids` has the `call_id` of each call by its `id`.

    Raises AdapterError for an item whose type is unknown.
    """
    first, types = group.items[0], {_type(item) for item in group.items}
    if types <= {"message"} and len(group.items) == 1:
        return first
    if types & _ALWAYS_SENT:
        return {"role": "developer", "content": f"[{_type(group.items[-1])}]"}
    if types == {"reasoning"}:  # without the items of its response: refused by the API, as a call alone is
        return {"role": "assistant", "tool_calls": [_tool_call(first)]}
    if types <= _RESULTS:
        own = first.get("approval_request_id") or call_ids.get(str(first.get("id")), first.get("id"))
        output = _parts(first.get("output", first.get("approve")))
        # Not "tool": outputs hold their images, so a user's message after one is the user's own.
        return {"role": "output", "tool_call_id": str(first.get("call_id") or own), "content": output}
    if unknown := types - _CALLS - _HOSTED - {"reasoning", "message"}:
        raise AdapterError(f"items of type {', '.join(sorted(map(repr, unknown)))} cannot be selected")
    calls = [item for item in group.items if _type(item) in _CALLS]
    parts = [part for item in group.items for part in _said(item)]
    return {"role": "assistant", "content": parts, "tool_calls": [_tool_call(item) for item in calls]}


def _fields(item: Any) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    return dict(item.model_dump()) if hasattr(item, "model_dump") else {}


def _type(item: Mapping[str, Any]) -> str:
    return str(item.get("type") or ("message" if {"role", "parts"} & item.keys() else "item_reference"))


def _kind(item: Mapping[str, Any]) -> str:
    type_ = _type(item)
    if type_ in _CALLS | _HOSTED or (type_ == "message" and item.get("role") == "assistant"):
        return "model"
    return "always" if type_ in _ALWAYS_SENT else type_


def call_ids(groups: Iterable[ItemGroup]) -> dict[str, str]:
    """Return the `call_id` of each call by its `id`; outputs may name either."""
    calls = (item for group in groups for item in group.items if _type(item) in _CALLS)
    return {str(item["id"]): item["call_id"] for item in calls if item.get("id") and item.get("call_id")}


def _tool_call(item: Mapping[str, Any]) -> dict[str, Any]:
    keys = ("arguments", "input", "action", "operation", "actions")
    arguments = next((item[key] for key in keys if item.get(key) is not None), "")
    function = {"name": item.get("name") or _type(item), "arguments": arguments}
    return {"id": item.get("call_id") or item.get("id"), "type": "function", "function": function}


def _said(item: Mapping[str, Any]) -> Sequence[Any]:
    """Return the content parts of an item that a model gave."""
    if _type(item) == "message":
        parts = _parts(item.get("content"))
        return [{"type": "text", "text": parts}] if isinstance(parts, str) else parts
    if _type(item) not in _HOSTED:
        return ()
    text = next((item[key] for key in ("output", "code") if isinstance(item.get(key), str)), "")
    return [{"type": _type(item), "text": text}]


def _parts(content: Any) -> str | Sequence[Any]:
    """Return content as text, or as a list of parts with types."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else [content]
    if all(isinstance(part, Mapping) and "type" in part for part in parts):
        return parts
    return json.dumps(content, ensure_ascii=False, default=str)
