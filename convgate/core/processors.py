"""How many processors and threads this process may use."""

from __future__ import annotations

import os


def count_processors() -> int:
    """Return the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def count_threads() -> int:
    """Return the first number of OMP_NUM_THREADS, as torch and BLAS read it; else the processors.

    Ray sets the variable to the processors of each of its workers.
    """
    number = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return int(number) if number.isdecimal() and int(number) else count_processors()
