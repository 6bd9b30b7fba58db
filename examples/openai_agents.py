"""Select what a run of the OpenAI Agents SDK sends of its session. Run: python examples/openai_agents.py"""

import asyncio

from agents import Agent, Model, ModelResponse, RunConfig, Runner, SQLiteSession, Usage, function_tool
from agents.items import ItemHelpers
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

# --8<-- [start:import]
from convgate.adapters.openai_agents import call_model_input_filter

# --8<-- [end:import]


class ScriptedModel(Model):
    """Gives the next output of a script at each call, and records what it received."""

    def __init__(self, *outputs) -> None:
        self.outputs = list(outputs)
        self.inputs: list[list] = []

    async def get_response(self, system_instructions, input, *args, **options) -> ModelResponse:
        """Return the next output."""
        self.inputs.append(ItemHelpers.input_to_new_input_list(input))
        return ModelResponse(output=[self.outputs.pop(0)], usage=Usage(), response_id=None)

    def stream_response(self, *args, **options):
        """Raise NotImplementedError."""
        raise NotImplementedError


def say(text: str) -> ResponseOutputMessage:
    """Return an answer."""
    part = ResponseOutputText(type="output_text", text=text, annotations=[])
    return ResponseOutputMessage(
        id="msg", type="message", role="assistant", status="completed", content=[part]
    )


def call(id: str, arguments: str = "{}") -> ResponseFunctionToolCall:
    """Return a call of the tool."""
    return ResponseFunctionToolCall(type="function_call", call_id=id, name="read_log", arguments=arguments)


@function_tool
def read_log() -> str:
    """Return the log of the training."""
    return "step 40: loss=NaN, learning rate 0.1"


async def main() -> ScriptedModel:
    """Run three questions in one session and print what the last model call received."""
    model = ScriptedModel(
        *(call("c1"), say("The learning rate of 0.1 is too high. Use 0.001.")),
        say("A leek and potato soup takes 30 minutes."),
        *(call("c2"), say("Lower it further, to 0.0001.")),
    )
    agent = Agent(name="Helper", model=model, tools=[read_log])
    session = SQLiteSession("example")
    # --8<-- [start:use]
    config = RunConfig(call_model_input_filter=call_model_input_filter(), tracing_disabled=True)
    # --8<-- [end:use]
    for question in (
        "My training loss becomes NaN. Why?",
        "What could I cook for lunch with leeks?",
        "The training loss is NaN again. What now?",
    ):
        await Runner.run(agent, question, session=session, run_config=config)
    stored = await session.get_items()
    print(f"stored: {len(stored)} items; the last call received {len(model.inputs[-1])}:")
    for item in model.inputs[-1]:
        print(" ", item)
    return model


if __name__ == "__main__":
    model = asyncio.run(main())
