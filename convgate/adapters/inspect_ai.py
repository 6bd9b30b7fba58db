"""inspect_ai: a compaction strategy that sends the model a selection, with stubs of tool results.

    react(tools=[…], compaction=SelectionCompaction(threshold=50_000))

inspect_ai compacts when the tokens that it counts pass `threshold`. The agent's state keeps all messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from anyio import to_thread

from convgate.adapters.selection import MessageSelector, Source
from convgate.core.errors import MissingResultError
from convgate.core.extras import needs_extra
from convgate.core.settings import load_settings

with needs_extra("inspect-ai", "the adapter of inspect_ai"):
    from inspect_ai.model import (
        ChatMessage,
        ChatMessageSystem,
        ChatMessageTool,
        ChatMessageUser,
        CompactionResult,
        CompactionStrategy,
        CompactionTrim,
        ContentText,
    )

_SHORTENED = "convgate_shortened"
"""In the metadata of a stub: the id of the text that it stands for. No tool can write there."""


class SelectionCompaction(CompactionStrategy):
    """Sends the selected messages, by id the agent's own, and stubs of tool results.

    The task, the last message of the sample's input from the user, is always sent. Messages of the user that
    the agent writes itself, such as "Please proceed", belong to its run: selecting goes on by the input.
    Where nothing more can be dropped or shortened, inspect_ai's `CompactionTrim` drops the oldest messages;
    the event of the compaction has the reason.

    source: what chooses; by default the usual settings with `elide`. Prices do not count: compacting empties
    the cache anyway. budget: tokens of what is sent, in convgate's count. threshold: inspect_ai's, tokens or
    a share of the context window. Raises the errors of `MessageSelector.of`.
    """

    def __init__(
        self, source: Source | None = None, budget: int | None = None, *, threshold: int | float = 0.9
    ) -> None:
        super().__init__(type="edit", threshold=threshold)
        chosen = MessageSelector.of(load_settings().updated(elide=True) if source is None else source)
        self.selector = MessageSelector(replace(chosen.selector, price=None), budget)
        self._trim = CompactionTrim(threshold=threshold)

    @property
    def preserve_prefix(self) -> bool:
        """False: earlier messages of the sample's input can be dropped, too."""
        return False

    async def compact(
        self, model: Any, messages: list[ChatMessage], tools: list[Any]
    ) -> tuple[list[ChatMessage], ChatMessageUser | None]:
        """Return the messages to send, and no message for the history."""
        outcome = await self.compact_outcome(model, messages, tools)
        return outcome.input, outcome.message

    async def compact_outcome(
        self, model: Any, messages: list[ChatMessage], tools: list[Any]
    ) -> CompactionResult:
        """Return the messages to send, and which strategy chose them."""
        asked = [index for index, message in enumerate(messages) if message.role == "user"]
        given = [index for index in asked if messages[index].source == "input"]
        convert = partial(self._to_openai, only_input=bool(given))
        select = partial(self.selector.select, messages, convert, (given or asked[:1])[-1:], make_message)
        sent = await to_thread.run_sync(select)
        if [message.id for message in sent] != [message.id for message in messages]:
            return CompactionResult(sent, None, self.preserve_prefix, type(self).__name__)
        outcome = await self._trim.compact_outcome(model, messages, tools)
        return outcome._replace(fallback_reason="selecting drops and shortens nothing more")

    def _to_openai(self, message: ChatMessage, *, only_input: bool) -> dict[str, Any]:
        """Return a message as `to_openai`, of a stub the result that it stands for.

        only_input: whether the sample's input alone is from the user.
        """
        fields = to_openai(message)
        if only_input and message.role == "user" and message.source is None:
            fields["role"] = "feedback"  # not the user's role: the current message stays the same
        if id := (message.metadata or {}).get(_SHORTENED):
            with suppress(MissingResultError):  # removed since: the stub is all there is
                fields["content"] = self.selector.selector.expand(id)
        return fields


def make_message(fields: Mapping[str, Any], message: ChatMessage | None) -> ChatMessage:
    """Return a message with the text of a dict: a new one, or a copy with an id of its own.

    A result with other content than text, an error, and one with the same text stay as they are.
    """
    text = fields["content"]
    if message is None:
        return ChatMessageUser(content=text) if fields["role"] == "user" else ChatMessageSystem(content=text)
    if _text_of(message) is None or text == _text_of(message):
        return message
    id = text.split("id ", 1)[1].split(":", 1)[0]
    metadata = {**(message.metadata or {}), _SHORTENED: id}
    return ChatMessageTool(**{**dict(message), "id": None, "content": text, "metadata": metadata})


def to_openai(message: ChatMessage) -> dict[str, Any]:
    """Return what a selection depends on: role, text, tool calls and the id of the call it answers."""
    content: str | Sequence[dict[str, str]] = message.text
    if not isinstance(message.content, str) and message.role == "user":
        content = [
            {"type": "text", "text": part.text} if isinstance(part, ContentText) else {"type": part.type}
            for part in message.content
        ]
    if message.role == "tool":
        text = message.error.message if message.error else message.text  # as inspect_ai sends it
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": text}
    fields: dict[str, Any] = {"role": message.role, "content": content}
    if message.role == "assistant" and message.tool_calls:
        fields["tool_calls"] = [
            {"id": call.id, "function": {"name": call.function, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    return fields


def _text_of(message: ChatMessage) -> str | None:
    """Return the text that can be replaced; None where there is more than text."""
    content = message.content
    if message.role != "tool" or message.error or not isinstance(content, str | list):
        return None
    if isinstance(content, str):
        return content
    return message.text if all(isinstance(part, ContentText) for part in content) else None
