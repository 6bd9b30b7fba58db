"""The cost of an action, to compare two sizes of input within one run."""

from __future__ import annotations

import time
from collections.abc import Callable

from streamlit.testing.v1 import AppTest


def cpu_seconds(action: Callable[[], object]) -> float:
    """Return the processor time of the action, the minimum of three runs."""
    times = []
    for _ in range(3):
        started = time.process_time()
        action()
        times.append(time.process_time() - started)
    return min(times)


def page_seconds(page: AppTest) -> float:
    """Return the seconds of the page's next run, which must not fail."""
    start = time.perf_counter()
    page.run()
    seconds = time.perf_counter() - start
    assert not page.exception
    assert not page.error
    return seconds
