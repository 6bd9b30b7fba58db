"""Results that are computed once under a key and kept, with a bar while the work goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from convgate.ui.shared.text import literal

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with the stage, what is done and the total."""

_RESULT = "result"


def compute_once(key: str, work: Callable[[Progress], T]) -> T:
    """Return the result of the work under that key, computed the first time while a bar shows progress."""
    box = _box(key)
    place = st.empty()  # always: without it, later elements would change their position on the page

    def progress(stage: str, done: int, total: int, /) -> None:
        place.progress(min(done / max(total, 1), 1.0), literal(f"{stage}: {done:,} of {total:,}"))

    if _RESULT not in box:
        box[_RESULT] = work(progress)
        place.empty()
    result: T = box[_RESULT]
    return result


def is_computed(key: str) -> bool:
    """Return whether `compute_once` has the result already."""
    return _RESULT in _box(key)


# A cached function cannot draw its progress, so the box for its result is cached.
@st.cache_resource(max_entries=256, show_spinner=False)
def _box(key: str) -> dict[str, Any]:
    return {}
