"""The connection to an OpenAI-compatible endpoint, which can be broken off and closed."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from convgate.errors import ConvgateError
from convgate.gatekeeper.background import BackgroundLoop

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_CLOSING = 1.0  # seconds that connections are given to close


class Endpoint:
    """Where completions come from. Thread-safe. Raises ConvgateError when `openai` is not installed."""

    def __init__(self, *, base_url: str | None, api_key: str, timeout: float, retries: int) -> None:
        self._base_url, self._api_key, self._timeout, self._retries = base_url, api_key, timeout, retries
        self._lock = threading.Lock()
        self._loop = BackgroundLoop()
        self._client: AsyncOpenAI | None = None
        self._opened()  # now: it takes longer than some answers

    def complete(self, model: str, instructions: str, data: str, *, seconds: float) -> bytes:
        """The body of the reply.

        Raises TimeoutError after that many seconds, CancelledError when it is closed meanwhile, and
        openai.OpenAIError for all else.
        """
        return self._loop.run(_completed(self._opened(), model, instructions, data), seconds=seconds)

    def close(self) -> None:
        """Close the connections and the thread that serves them; a later call opens others."""
        with self._lock:
            client, self._client = self._client, None
            if client is not None and self._loop.is_running:
                with suppress(TimeoutError):
                    self._loop.run(client.close(), seconds=_CLOSING)
            self._loop.close()

    def _opened(self) -> AsyncOpenAI:
        try:
            from openai import AsyncOpenAI
        except ImportError as error:
            raise ConvgateError(
                'asking a language model needs the openai package: pip install "convgate[llm]"'
            ) from error
        with self._lock:
            if self._client is None:
                self._client = AsyncOpenAI(
                    api_key=self._api_key,
                    base_url=self._base_url,
                    timeout=self._timeout,
                    max_retries=self._retries,
                )
            return self._client


async def _completed(client: AsyncOpenAI, model: str, instructions: str, data: str) -> bytes:
    response = await client.chat.completions.with_raw_response.create(
        model=model,
        messages=[{"role": "system", "content": instructions}, {"role": "user", "content": data}],
    )
    return response.content
