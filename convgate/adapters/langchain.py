"""LangChain 1.x: agent middleware that sends the model a selection.

    agent = create_agent(model, tools, middleware=[SelectionMiddleware()])

The state of the agent keeps all messages.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from convgate.adapters.selection import MessageSelector, Source
from convgate.core.extras import needs_extra

with needs_extra("langchain", "the adapter of LangChain"):
    from langchain.agents.middleware import AgentMiddleware, ModelRequest
    from langchain_core.messages import BaseMessage

    from convgate.adapters.langgraph import make_message, to_openai


class SelectionMiddleware(AgentMiddleware):
    """Sends the selected messages to the model; the agent's state keeps all.

    source: what chooses. budget: tokens of what is sent. Both by default as the settings have them.
    """

    def __init__(self, source: Source | None = None, budget: int | None = None) -> None:
        super().__init__()
        self.selector = MessageSelector.of(source, budget)

    def wrap_model_call(self, request: ModelRequest, handler: Callable[[ModelRequest], Any]) -> Any:
        """Call the model with the selected messages."""
        messages = _all_messages(request)
        return handler(_with(request, self.selector.select(messages, to_openai, make=make_message)))

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[Any]]
    ) -> Any:
        """Call the model with the selected messages, without blocking the event loop."""
        messages = _all_messages(request)
        sent = await self.selector.aselect(messages, to_openai, make=make_message)
        return await handler(_with(request, sent))


def _all_messages(request: ModelRequest) -> list[BaseMessage]:
    """Return the system message, which the request has apart, and the others."""
    system = request.system_message
    return request.messages if system is None else [system, *request.messages]


def _with(request: ModelRequest, sent: list[BaseMessage]) -> ModelRequest:
    return request.override(messages=[message for message in sent if message is not request.system_message])
