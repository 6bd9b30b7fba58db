"""An event loop in a thread of its own: what is asked of it can be broken off, wherever it hangs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_GRACE = 1.0  # seconds that the thread is given to end


class BackgroundLoop:
    """Runs coroutines for threads that wait, those with a running loop of their own too. Starts when used."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, T], *, seconds: float) -> T:
        """What the coroutine gives. Raises TimeoutError, and cancels it, after that many seconds."""
        with self._lock:  # what is closed afterwards breaks it off
            future = asyncio.run_coroutine_threadsafe(coroutine, self._running())
        try:
            return future.result(seconds)
        finally:
            future.cancel()  # the coroutine too, wherever it waits

    @property
    def is_running(self) -> bool:
        """Whether anything was run since it was made, or closed."""
        return self._loop is not None

    def close(self) -> None:
        """Stop the thread; a later call of `run` starts another."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
        if loop is not None and thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            if thread is not threading.current_thread():  # where garbage is collected is not chosen
                thread.join(_GRACE)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(
                target=_serve, args=(self._loop,), name="convgate-model", daemon=True
            )
            self._thread.start()
        return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.run_until_complete(_break_off())
        loop.close()


async def _break_off() -> None:
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
