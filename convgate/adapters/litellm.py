"""litellm: `select_messages` before `litellm.completion`, and a hook for its proxy.

    response = litellm.completion(model, messages=select_messages(messages))

For the proxy, write a module next to its configuration, and name the handler there:

    handler = ConvgateHandler()  # in gate.py

    litellm_settings:
      callbacks: gate.handler
"""

from __future__ import annotations

import asyncio
from typing import Any

from convgate.adapters.openai import select_messages
from convgate.adapters.selection import MessageSelector, Source
from convgate.core.extras import needs_extra

with needs_extra("litellm", "the adapter of LiteLLM"):
    from litellm.integrations.custom_logger import CustomLogger

__all__ = ["ConvgateHandler", "select_messages"]

_LIST_KEYS = {
    "completion": "messages",
    "acompletion": "messages",
    "responses": "input",
    "aresponses": "input",
    "anthropic_messages": "messages",
}
"""By type of call: the field of the request that has the list. Other requests pass unchanged."""


class ConvgateHandler(CustomLogger):
    """Selects the messages of every request for an answer that a litellm proxy forwards.

    `source` and `budget` as in `MessageSelector.of`, whose errors it raises.
    """

    def __init__(self, source: Source | None = None, *, budget: int | None = None) -> None:
        super().__init__()
        self._selector = MessageSelector.of(source, budget)

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        """Return the request with the selected messages.

        A request that continues a response or conversation on the server passes unchanged, because its calls
        are there. The client's list stays as it is.
        """
        key = _LIST_KEYS.get(call_type, "")
        continues = data.get("previous_response_id") or data.get("conversation")
        if isinstance(data.get(key), list) and not continues:
            data[key] = await asyncio.to_thread(select_messages, data[key], self._selector)
        return data
