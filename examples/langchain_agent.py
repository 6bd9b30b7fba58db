"""A LangChain agent whose model receives the relevant earlier messages. Needs "convgate[langchain]".

python examples/langchain_agent.py
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool

# --8<-- [start:import]
from convgate.adapters.langchain import SelectionMiddleware

# --8<-- [end:import]


class FakeModel(FakeMessagesListChatModel):
    """Answers from a list, and prints what it received."""

    def bind_tools(self, tools: Any, **kwargs: Any) -> FakeModel:
        """Return the model itself."""
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        print(f"The model received {len(messages)} messages:")
        for message in messages:
            print(f"  {message.type}: {message.text or message.tool_calls}")
        return super()._generate(messages, *args, **kwargs)


@tool
def read_loss(run: str) -> str:
    """Return the training loss of a run."""
    return f"the loss of {run} is nan since step 40"


history: list[Any] = [
    HumanMessage("My training loss becomes nan. Which learning rate did I use in run 7?"),
    AIMessage("", tool_calls=[{"id": "1", "name": "read_config", "args": {"run": "7"}}]),
    ToolMessage("run 7: learning rate 0.1", tool_call_id="1"),
    AIMessage("The learning rate of run 7 was 0.1, which is high for this model."),
]
for dish in ("a lentil soup", "a nut cake", "pancakes", "a green salad", "dumplings"):
    history += [HumanMessage(f"How do I make {dish}?"), AIMessage(f"A recipe for {dish}: mix, heat, season.")]
question = HumanMessage("The training loss of run 7 is nan again. What should the learning rate be?")

model = FakeModel(
    responses=[
        AIMessage("", tool_calls=[{"id": "2", "name": "read_loss", "args": {"run": "run 7"}}]),
        AIMessage("Try a learning rate of 0.01."),
    ]
)
# --8<-- [start:use]
agent = create_agent(model, [read_loss], system_prompt="You are terse.", middleware=[SelectionMiddleware()])
state = agent.invoke({"messages": [*history, question]})
# --8<-- [end:use]
print(f"The agent's state has {len(state['messages'])} messages.")
