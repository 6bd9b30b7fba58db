"""A LlamaIndex agent whose model receives the relevant earlier messages. Needs "convgate[llama-index]".

python examples/llama_index_agent.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.base.llms.types import ChatMessage, ToolCallBlock
from llama_index.core.llms.mock import MockFunctionCallingLLM
from llama_index.core.tools import FunctionTool

# --8<-- [start:import]
from convgate.adapters.llama_index import SelectionMemory

# --8<-- [end:import]


def answer(messages: Sequence[ChatMessage], **kwargs: Any) -> ChatMessage:
    """Print what the model received, call a tool once, then answer."""
    print(f"The model received {len(messages)} messages:")
    for message in messages:
        print(f"  {message.role.value}: {message.content or message.blocks}")
    if messages[-1].role == "tool":
        return ChatMessage(role="assistant", content="Try a learning rate of 0.01.")
    call = ToolCallBlock(tool_call_id="2", tool_name="read_loss", tool_kwargs={"run": "run 7"})
    return ChatMessage(role="assistant", blocks=[call])


def read_loss(run: str) -> str:
    """Return the training loss of a run."""
    return f"the loss of {run} is nan since step 40"


history = [
    ChatMessage(role="user", content="My training loss becomes nan. Which learning rate did I use in run 7?"),
    ChatMessage(
        role="assistant",
        blocks=[ToolCallBlock(tool_call_id="1", tool_name="read_config", tool_kwargs={"run": "7"})],
    ),
    ChatMessage(role="tool", content="run 7: learning rate 0.1", additional_kwargs={"tool_call_id": "1"}),
    ChatMessage(
        role="assistant", content="The learning rate of run 7 was 0.1, which is high for this model."
    ),
]
for dish in ("a lentil soup", "a nut cake", "pancakes", "a green salad", "dumplings"):
    history += [
        ChatMessage(role="user", content=f"How do I make {dish}?"),
        ChatMessage(role="assistant", content=f"A recipe for {dish}: mix, heat, season."),
    ]


async def main() -> None:
    """Run the agent on one question."""
    # --8<-- [start:use]
    memory = SelectionMemory.from_defaults(chat_history=history)
    agent = FunctionAgent(
        tools=[FunctionTool.from_defaults(read_loss)],
        llm=MockFunctionCallingLLM(response_generator=answer),
        system_prompt="You are terse.",
        streaming=False,
    )
    question = "The training loss of run 7 is nan again. What should the learning rate be?"
    print(await agent.run(user_msg=question, memory=memory))
    # --8<-- [end:use]
    print(f"The memory has {len(memory.get_all())} messages.")


asyncio.run(main())
