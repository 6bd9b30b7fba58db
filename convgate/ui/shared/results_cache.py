"""Results that are computed once under a key and kept, with a bar while the work goes on.

The key of a policy's result on a relevance set is the policy (weights, rule, limits, parameters, encoder) and
the content of the set. A click during the work ends it; texts that were encoded stay in the encoder's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from convgate.core.parameters import parameter_values
from convgate.evaluation.judged_cases import (
    EvaluationProgress,
    JudgedSet,
    TokenCounts,
    count_tokens,
    judge_set,
)
from convgate.evaluation.sending import Sending
from convgate.policies.base import Policy, encoder_of
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.text import literal

T = TypeVar("T")
Progress = Callable[[str, int, int], None]
"""Called with the stage, what is done and the total."""

_RESULT = "result"


def compute_once(key: str, work: Callable[[Progress], T]) -> T:
    """Return the result of the work under that key, computed the first time while a bar shows progress."""
    box = _box(key)
    with progress_bar() as progress:
        if _RESULT not in box:
            box[_RESULT] = work(progress)
    result: T = box[_RESULT]
    return result


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Yield what shows progress in a bar, which is there from its first report to the end of the block."""
    place = st.empty()  # always: without it, later elements would change their position on the page

    def progress(stage: str, done: int, total: int, /) -> None:
        place.progress(min(done / max(total, 1), 1.0), literal(f"{stage}: {done:,} of {total:,}"))

    yield progress
    place.empty()


def compute_if_asked(
    page: Address[Any], field: str, key: str, label: str, work: Callable[[Progress], T]
) -> T | None:
    """Return the result of the work; None, and the button that asks for it, while nobody has asked.

    field: of the page's state, whether somebody asked; the button stops the work meanwhile.
    """
    # One key: Streamlit shows an element of another key beside the old one until the run ends.
    button, place = f"{page.name}.{field}", st.empty()
    if _RESULT not in _box(key):
        if not getattr(page.now(), field):
            place.button(
                label, key=button, type="primary", icon=":material/play_arrow:", on_click=page.change,
                kwargs={field: True},
            )  # fmt: skip
            return None
        place.button(
            "Stop", key=button, icon=":material/stop:", on_click=page.change, kwargs={field: False}
        )  # fmt: skip
    result = compute_once(key, work)
    place.empty()
    return result


# A cached function cannot draw its progress, so the box for its result is cached.
@st.cache_resource(max_entries=256, show_spinner=False)
def _box(key: str) -> dict[str, Any]:
    return {}


def digest(policy: Policy) -> str:
    """Return a text that is equal for policies that decide the same."""
    encoder = encoder_of(policy)
    identity = repr(encoder.identity) if encoder else ""
    if isinstance(policy, GatePolicy):
        return f"{policy.name} {policy.gate.fingerprint} {policy.rule} {policy.limits} {identity}"
    settings = getattr(policy, "fingerprint", None) or getattr(policy, "rules", "")
    stages = " > ".join(digest(stage) for stage in getattr(policy, "policies", ()))
    return f"{policy.name} {parameter_values(policy)} {settings} {stages} {identity}"


@dataclass(frozen=True, eq=False)
class Measured:
    """A set to measure on, and what is sent of it beside what a policy keeps."""

    set: RelevanceSet
    digest: str  # stands for all of it
    sending: Sending


def measure_policy(measured: Measured, policy: Policy) -> JudgedSet:
    """Return what is sent with the policy in every case of the set."""

    def work(progress: EvaluationProgress) -> JudgedSet:
        tokens = tokens_of(measured.set, measured.digest)
        return judge_set(measured.set, policy, tokens=tokens, sending=measured.sending, progress=progress)

    return compute_once(f"{measured.digest} {digest(policy)}", work)


@st.cache_resource(max_entries=8, show_spinner=False)
def tokens_of(_set: RelevanceSet, set_digest: str) -> dict[str, TokenCounts]:
    """Return the tokens of each turn, by conversation."""
    return count_tokens(_set)
