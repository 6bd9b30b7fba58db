"""One thread for small arrays.

Scoring is some hundred operations of microseconds, for which a second thread costs more than it saves: on a
busy machine, eight threads that score at once were measured to take 25 times as long.
"""

from __future__ import annotations

from functools import cache
from typing import Any


def use_one_thread() -> None:
    """Let numpy's BLAS use one thread, in all of the process and from now on.

    It is not set back: OpenBLAS ignores changes by other threads than the one that started its pool.
    """
    for library in _blas():
        library.set_num_threads(1)


@cache
def _blas() -> tuple[Any, ...]:
    """Return the BLAS libraries that are loaded when the first gate is made, numpy's among them."""
    from threadpoolctl import ThreadpoolController  # half of what importing numpy takes, and only needed here

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)
