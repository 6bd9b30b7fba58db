"""Select messages before litellm.completion, and in a litellm proxy. Run: python examples/litellm_proxy.py"""

import asyncio
import os

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # litellm fetches prices otherwise

import litellm
from litellm import CustomLLM, ModelResponse

# --8<-- [start:import]
from convgate.adapters.litellm import ConvgateHandler, select_messages

# --8<-- [end:import]


class RecordingModel(CustomLLM):
    """Records the messages that it receives."""

    def __init__(self) -> None:
        super().__init__()
        self.received: list[list[dict]] = []

    def completion(self, *args, messages, **options) -> ModelResponse:
        """Return an answer."""
        self.received.append(messages)
        return litellm.completion("openai/any", messages=messages, mock_response="Lower it to 0.0001.")


MESSAGES = [
    {"role": "system", "content": "You help with machine learning."},
    {"role": "user", "content": "My training loss becomes NaN. Why?"},
    {"role": "assistant", "content": "The learning rate of 0.1 is too high. Use 0.001."},
    {"role": "user", "content": "What could I cook for lunch with leeks?"},
    {"role": "assistant", "content": "A leek and potato soup takes 30 minutes."},
    {"role": "user", "content": "The training loss is NaN again. What now?"},
]


def main() -> list[list[dict]]:
    """Send the messages both ways and return what the model received."""
    model = RecordingModel()
    litellm.custom_provider_map = [{"provider": "recording", "custom_handler": model}]

    # --8<-- [start:use]
    litellm.completion("recording/model", messages=select_messages(MESSAGES))
    # --8<-- [end:use]

    handler = ConvgateHandler()  # the proxy calls its hook before each request
    request = {"model": "recording/model", "messages": list(MESSAGES)}
    litellm.completion(**asyncio.run(handler.async_pre_call_hook(None, None, request, "acompletion")))

    for received in model.received:
        print(f"{len(received)} of {len(MESSAGES)} messages:")
        for message in received:
            print(" ", message)
    return model.received


if __name__ == "__main__":
    received = main()
