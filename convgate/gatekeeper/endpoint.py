"""The connection to an OpenAI-compatible endpoint; what is asked is broken off when its time is over."""

from __future__ import annotations

import asyncio
import threading
import weakref
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, cast

from convgate.errors import ConvgateError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import httpx2
    from openai import AsyncOpenAI


MAX_REPLY_BYTES = 1_000_000
"""Bytes of a reply's body; a decision takes a few hundred."""


class Endpoint:
    """Where completions come from. Thread-safe, and of use inside a running event loop as well.

    Its client works in a loop and thread of its own, for only there it can be broken off wherever it waits:
    for a name, a connection, a byte, or the time that `Retry-After` asks for. They end with the endpoint when
    nobody closes it. Raises ConvgateError when `openai` is not installed.
    """

    def __init__(self, *, base_url: str | None, api_key: str, timeout: float, retries: int) -> None:
        try:
            from openai import AsyncOpenAI, DefaultAsyncHttpxClient
        except ImportError as error:
            raise ConvgateError(
                'asking a language model needs the openai package: pip install "convgate[llm]"'
            ) from error
        self._client = AsyncOpenAI(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=retries,
            default_headers={"Accept-Encoding": "identity"},
            http_client=DefaultAsyncHttpxClient(
                follow_redirects=False,  # the transcript goes to no other address than the one configured
                event_hooks={"response": [_limit]},
            ),
        )
        self._loop = asyncio.new_event_loop()
        threading.Thread(
            target=_serve, args=(self._loop, self._client), name="convgate-model", daemon=True
        ).start()
        self._end = weakref.finalize(self, self._loop.call_soon_threadsafe, self._loop.stop)

    def complete(self, model: str, instructions: str, data: str, *, seconds: float) -> bytes:
        """The body of the reply.

        Raises TimeoutError after that many seconds, CancelledError when it is closed before or meanwhile, and
        openai.OpenAIError for all else.
        """
        asked = _completed(self._client, model, instructions, data)
        try:
            future = asyncio.run_coroutine_threadsafe(asked, self._loop)
        except RuntimeError as error:  # the loop is closed
            asked.close()
            raise CancelledError from error
        try:
            return future.result(seconds)
        finally:
            future.cancel()  # the coroutine too, wherever it waits

    def close(self) -> None:
        """Break off what is asked, and end the connections and the thread that serves them, soon."""
        self._end()


async def _completed(client: AsyncOpenAI, model: str, instructions: str, data: str) -> bytes:
    response = await client.chat.completions.with_raw_response.create(
        model=model,
        messages=[{"role": "system", "content": instructions}, {"role": "user", "content": data}],
    )
    return response.content


async def _limit(response: httpx2.Response) -> None:
    """Make reading the body raise OpenAIError when it is compressed or longer than MAX_REPLY_BYTES."""
    from httpx2 import AsyncByteStream
    from openai import OpenAIError

    if response.headers.get("Content-Encoding", "identity") != "identity":
        raise OpenAIError("the endpoint's reply is compressed, though that was not asked for")
    stream = cast(AsyncByteStream, response.stream)

    class Limited(AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            n_bytes = 0
            async for part in stream:
                n_bytes += len(part)
                if n_bytes > MAX_REPLY_BYTES:
                    raise OpenAIError(f"the endpoint's reply is longer than {MAX_REPLY_BYTES:,} bytes")
                yield part

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Limited()


def _serve(loop: asyncio.AbstractEventLoop, client: AsyncOpenAI) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop().run_forever()
        runner.run(_broken_off(client))


async def _broken_off(client: AsyncOpenAI) -> None:
    asked = asyncio.all_tasks() - {asyncio.current_task()}
    for task in asked:
        task.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    await client.close()
