"""LangGraph: a `pre_model_hook` for `create_react_agent`, which sends the model a selection.

    agent = create_react_agent(model, tools, pre_model_hook=pre_model_hook())

The state of the graph keeps all messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.adapters.selection import MessageSelector, Source
from convgate.core.extras import needs_extra

with needs_extra("langgraph", "the adapter of LangGraph"):
    from langchain_core.messages import BaseMessage, convert_to_messages
    from langchain_core.runnables import RunnableLambda

ROLES = {"human": "user", "ai": "assistant"}  # by a message's type; other types are roles


def pre_model_hook(source: Source | None = None, budget: int | None = None) -> RunnableLambda:
    """Return a hook that gives the selected messages as `llm_input_messages`; the state keeps all.

    source: what chooses. budget: tokens of what is sent. Both by default as the settings have them.
    """
    selector = MessageSelector.of(source, budget)

    def hook(state: Any) -> dict[str, list[BaseMessage]]:
        messages = state["messages"] if isinstance(state, Mapping) else state.messages
        return {"llm_input_messages": selector.select(messages, to_openai, make=make_message)}

    async def ahook(state: Any) -> dict[str, list[BaseMessage]]:
        messages = state["messages"] if isinstance(state, Mapping) else state.messages
        return {"llm_input_messages": await selector.aselect(messages, to_openai, make=make_message)}

    return RunnableLambda(hook, afunc=ahook, name="convgate")


def make_message(fields: Mapping[str, Any], message: BaseMessage | None) -> BaseMessage:
    """Return a message with the text of a dict: a copy of the one given, or a new one.

    A result with other content than text stays as it is.
    """
    if message is None:
        return convert_to_messages([dict(fields)])[0]
    return (
        message.model_copy(update={"content": fields["content"]})
        if isinstance(message.content, str)
        else message
    )


def to_openai(message: BaseMessage) -> dict[str, Any]:
    """Return what a selection depends on: role, text, tool calls and the id of the call it answers.

    A summary that stands for removed messages is always sent, as instructions are.
    """
    role = ROLES.get(message.type) or getattr(message, "role", message.type)
    if message.additional_kwargs.get("lc_source") == "summarization":
        role = "developer"
    fields: dict[str, Any] = {"role": role, "content": message.text}
    if message.name:
        fields["name"] = message.name
    if call_id := getattr(message, "tool_call_id", None):
        fields["tool_call_id"] = call_id
    # An invalid call is sent like the others, so it needs a result like them.
    calls = [*getattr(message, "tool_calls", ()), *getattr(message, "invalid_tool_calls", ())]
    if calls:
        fields["tool_calls"] = [
            {"id": call["id"], "function": {"name": call["name"] or "?", "arguments": call["args"]}}
            for call in calls
        ]
    return fields
