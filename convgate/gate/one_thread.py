"""One thread for small arrays.

Scoring is some hundred operations of microseconds, for which a second thread costs more than it saves: on a
busy machine, deciding was measured to take eight times as long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_lock = threading.Lock()
_callers = 0
_saved_threads: list[int] = []  # of each library, before the first caller entered


@contextmanager
def one_thread() -> Iterator[None]:
    """Let numpy's BLAS use one thread until the last caller has left, in all of the process.

    Where the library keeps the number for each thread of Python, the others keep one thread.
    """
    global _callers, _saved_threads
    with _lock:
        if not _callers:
            _saved_threads = [library.get_num_threads() for library in _blas()]
        _callers += 1
    _set_threads([1] * len(_saved_threads))  # each caller: OpenBLAS may keep the number for each thread
    try:
        yield
    finally:
        with _lock:
            _callers -= 1
            if not _callers:
                _set_threads(_saved_threads)


def _set_threads(threads: list[int]) -> None:
    for library, count in zip(_blas(), threads, strict=True):
        library.set_num_threads(count)


@cache
def _blas() -> tuple[Any, ...]:
    """Return the BLAS libraries that are loaded when the first turns are scored, numpy's among them."""
    from threadpoolctl import ThreadpoolController  # half of what importing numpy takes, and only needed here

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
