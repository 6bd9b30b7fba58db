"""Lists of OpenAI's APIs: Chat Completions messages and Responses items. Needs no package.

    messages = select_messages(messages)  # for client.chat.completions.create(messages=messages, …)
    items = select_messages(items)  # for client.responses.create(input=items, …)

The lists are never changed; the same objects are returned, and with the setting `elide` copies of those whose
tool results are shortened.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from functools import cache
from typing import Any

from convgate.adapters.selection import MessageSelector
from convgate.transcripts import dialect_of
from convgate.transcripts.dialects.base import join_neighbours


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
    sent = (selector or default_selector()).select(
        items, to_dict, [index for index in range(len(items)) if index in always]
    )
    return join_neighbours(dialect_of(sent), sent)


@cache
def default_selector() -> MessageSelector:
    """Return the selector of the active gate, the same one at every call."""
    return MessageSelector.of()


def to_dict(item: Any) -> Mapping[str, Any]:
    """Return a message or item as a dict; an empty one of what is neither dict nor model."""
    if isinstance(item, Mapping):
        return item
    return dict(item.model_dump()) if hasattr(item, "model_dump") else {}
