"""Small tensors on one thread.

Scoring is some hundred operations of microseconds. Waking a second thread for each costs more than it saves,
and on a busy machine each waits for a core: deciding was measured to take five times as long.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_lock = threading.Lock()
_inside = 0  # how many callers are inside
_before = 1  # torch's threads when the first one entered


@contextmanager
def one_thread() -> Iterator[None]:
    """Let torch use one thread, in all of the process, until the last caller has left."""
    global _inside, _before
    with _lock:
        if not _inside:
            _before = torch.get_num_threads()
            torch.set_num_threads(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if not _inside:
                torch.set_num_threads(_before)
