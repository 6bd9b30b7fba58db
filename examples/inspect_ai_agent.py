"""An agent of inspect_ai whose model receives the relevant earlier messages. Needs "convgate[inspect-ai]".

python examples/inspect_ai_agent.py
"""

from __future__ import annotations

import tempfile
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as run_eval
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolCall

# --8<-- [start:import]
from convgate.adapters.inspect_ai import SelectionCompaction

# --8<-- [end:import]


def answer(messages: list[ChatMessage], *_: Any) -> ModelOutput:
    """Print what the model received, then answer."""
    print(f"The model received {len(messages)} messages:")
    for message in messages:
        print(f"  {message.role}: {message.text}")
    return ModelOutput.for_tool_call("mockllm/model", "submit", {"answer": "Try a learning rate of 0.01."})


history: list[ChatMessage] = [
    ChatMessageUser(content="My training loss becomes nan. Which learning rate did I use in run 7?"),
    ChatMessageAssistant(content="", tool_calls=[ToolCall("1", "read_config", {"run": "7"})]),
    ChatMessageTool(content="run 7: learning rate 0.1", tool_call_id="1"),
    ChatMessageAssistant(content="The learning rate of run 7 was 0.1, which is high for this model."),
]
for dish in ("a lentil soup", "a nut cake", "pancakes", "a green salad", "dumplings"):
    history += [
        ChatMessageUser(content=f"How do I make {dish}?"),
        ChatMessageAssistant(content=f"A recipe for {dish}: mix, heat, season."),
    ]


async def count_tokens(text: str) -> int:
    """Return the tokens of a text, for which inspect_ai would load a tokenizer from the network."""
    return len(text) // 4


model = get_model("mockllm/model", custom_outputs=answer)
model.api.count_text_tokens = count_tokens

question = "The training loss of run 7 is nan again. What should the learning rate be?"
sample = Sample([*history, ChatMessageUser(content=question)])

# --8<-- [start:use]
agent = react(compaction=SelectionCompaction(threshold=350))  # tokens; by default 0.9 of the context window
# --8<-- [end:use]

with tempfile.TemporaryDirectory() as folder:
    (log,) = run_eval(Task([sample], solver=agent), model=model, log_dir=folder, display="none")
    print(log.samples[0].output.completion)
    print(f"The state has {len(log.samples[0].messages)} messages.")
