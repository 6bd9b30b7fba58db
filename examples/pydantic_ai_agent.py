"""A pydantic-ai agent whose model receives the relevant earlier messages. Needs "convgate[pydantic-ai]".

python examples/pydantic_ai_agent.py
"""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

# --8<-- [start:import]
from convgate.adapters.pydantic_ai import SelectionCapability

# --8<-- [end:import]


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Print what the model received, call a tool once, then answer."""
    print(f"The model received {len(messages)} messages:")
    for message in messages:
        for part in message.parts:
            print(f"  {part.part_kind}: {getattr(part, 'content', part)}")
    if isinstance(messages[-1].parts[-1], ToolReturnPart):
        return ModelResponse([TextPart("Try a learning rate of 0.01.")])
    return ModelResponse([ToolCallPart("read_loss", {"run": "run 7"}, tool_call_id="2")])


history: list[ModelMessage] = [
    ModelRequest([UserPromptPart("My training loss becomes nan. Which learning rate did I use in run 7?")]),
    ModelResponse([ToolCallPart("read_config", {"run": "7"}, tool_call_id="1")]),
    ModelRequest([ToolReturnPart("read_config", "run 7: learning rate 0.1", tool_call_id="1")]),
    ModelResponse([TextPart("The learning rate of run 7 was 0.1, which is high for this model.")]),
]
for dish in ("a lentil soup", "a nut cake", "pancakes", "a green salad", "dumplings"):
    history += [
        ModelRequest([UserPromptPart(f"How do I make {dish}?")]),
        ModelResponse([TextPart(f"A recipe for {dish}: mix, heat, season.")]),
    ]

# --8<-- [start:use]
agent = Agent(FunctionModel(answer), instructions="You are terse.", capabilities=[SelectionCapability()])
# --8<-- [end:use]


@agent.tool_plain
def read_loss(run: str) -> str:
    """Return the training loss of a run."""
    return f"the loss of {run} is nan since step 40"


question = "The training loss of run 7 is nan again. What should the learning rate be?"
result = asyncio.run(agent.run(question, message_history=history))
print(result.output)
print(f"The run's history has {len(result.all_messages())} messages.")
