"""LlamaIndex: a memory that gives agents and chat engines a selection.

    engine = SimpleChatEngine.from_defaults(llm=llm, memory=SelectionMemory.from_defaults())

Its chat store keeps all messages.
"""

from __future__ import annotations

from typing import Any

from convgate.adapters.selection import MessageSelector, Source
from convgate.core.extras import needs_extra

with needs_extra("llama-index", "the adapter of LlamaIndex"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import Field, PrivateAttr
    from llama_index.core.memory.types import DEFAULT_CHAT_STORE_KEY, BaseChatStoreMemory
    from llama_index.core.storage.chat_store import BaseChatStore, SimpleChatStore
    from llama_index.core.storage.chat_store.loading import load_chat_store

ROLES = {"chatbot": "assistant", "model": "assistant"}  # by LlamaIndex's; others are the same


class SelectionMemory(BaseChatStoreMemory):
    """Stores every message in a chat store; `get` returns the selected ones, `get_all` all.

    A source that is not a settings file's path is not serialized: a restored memory has the active gate.
    """

    source: Any = Field(default=None, exclude=True)  # what chooses; None: the active gate
    budget: int | None = None  # tokens of what is sent; None: that of the settings
    _selector: MessageSelector = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Load what chooses."""
        super().model_post_init(context)
        self._selector = MessageSelector.of(self.source, self.budget)

    @classmethod
    def class_name(cls) -> str:
        """Return the name in serialized memories."""
        return "SelectionMemory"

    @classmethod
    def from_defaults(
        cls,
        chat_history: list[ChatMessage] | None = None,
        llm: Any = None,  # not used; chat engines pass it
        source: Source | None = None,
        budget: int | None = None,
        chat_store: BaseChatStore | None = None,
        chat_store_key: str = DEFAULT_CHAT_STORE_KEY,
    ) -> SelectionMemory:
        """Return a memory with a history; `chat_store` may already have one under its key."""
        chat_store = chat_store or SimpleChatStore()
        if chat_history is not None:
            chat_store.set_messages(chat_store_key, chat_history)
        return cls(chat_store=chat_store, chat_store_key=chat_store_key, source=source, budget=budget)

    @classmethod
    def from_dict(cls, data: dict[str, Any], **kwargs: Any) -> SelectionMemory:
        """Return a memory from the result of `to_dict`."""
        store = load_chat_store(data["chat_store"])
        memory: SelectionMemory = super().from_dict({**data, "chat_store": store}, **kwargs)
        return memory

    def get(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Return the messages to send, valid and in order, for the last message of the user.

        input: the current message, which callers may or may not have stored yet.
        """
        messages = self.get_all()
        asked = _with_input(messages, input)
        return [messages[i] for i in self._selector.keep(asked, to_openai) if i < len(messages)]

    async def aget(self, input: str | None = None, **kwargs: Any) -> list[ChatMessage]:
        """Return the same as `get`, without blocking the event loop."""
        messages = await self.aget_all()
        asked = _with_input(messages, input)
        return [messages[i] for i in await self._selector.akeep(asked, to_openai) if i < len(messages)]


def _with_input(messages: list[ChatMessage], input: str | None) -> list[ChatMessage]:
    """Return the messages, with the input behind them unless the user's last message has it.

    Agents may have put their state around the text of a stored message.
    """
    last = next((message for message in reversed(messages) if message.role == "user"), None)
    if not input or (last is not None and input in (last.content or "")):
        return messages
    return [*messages, ChatMessage(role="user", content=input)]


def to_openai(message: ChatMessage) -> dict[str, Any]:
    """Return what a selection depends on: role, text, tool calls and the id of the call it answers."""
    role = ROLES.get(message.role.value, message.role.value)
    fields: dict[str, Any] = {"role": role, "content": message.content or ""}
    if role == "tool":
        fields["tool_call_id"] = message.additional_kwargs.get("tool_call_id")
    calls = [block for block in message.blocks if block.block_type == "tool_call"]
    if calls:
        fields["tool_calls"] = [
            {"id": call.tool_call_id, "function": {"name": call.tool_name, "arguments": call.tool_kwargs}}
            for call in calls
        ]
    elif calls := message.additional_kwargs.get(
        "tool_calls"
    ):  # as integrations for older versions store them
        fields["tool_calls"] = [call if isinstance(call, dict) else call.model_dump() for call in calls]
    return fields
