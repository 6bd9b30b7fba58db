"""Policies measured on relevance sets: once for each policy and set, then kept.

Results are keyed by what decides (weights, rule, limits, parameters, encoder) and by the content that it
decides about, and bounded. A click during the work ends it; what was encoded by then is remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import streamlit as st

from convgate.core.parameters import parameter_names
from convgate.evaluation.judged_cases import JudgedSet, TokenCounts, count_tokens, judge_set
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.text import literal

T = TypeVar("T")
_RESULT = "result"


def digest(policy: Policy) -> str:
    """Return a text that is equal for policies that decide the same."""
    encoder = getattr(policy, "encoder", None)
    identity = repr(encoder.identity) if encoder else ""
    if isinstance(policy, GatePolicy):
        return f"{policy.name} {policy.gate.fingerprint} {policy.rule} {policy.limits} {identity}"
    values = {name: getattr(policy, name) for name in parameter_names(type(policy))}
    settings = getattr(policy, "fingerprint", None) or getattr(policy, "rules", "")
    stages = " > ".join(digest(stage) for stage in getattr(policy, "policies", ()))
    return f"{policy.name} {values} {settings} {stages} {identity}"


def measure_policy(relevance_set: RelevanceSet, set_digest: str, policy: Policy, label: str) -> JudgedSet:
    """Return the policy's decisions on every case of the set; set_digest: stands for the set's content."""

    def work(report: Callable[[str, float], None]) -> JudgedSet:
        def progress(stage: str, done: int, total: int, /) -> None:
            step = "encoding" if "preparing" in stage else "deciding"
            report(f"{label}: {step} …", done / max(total, 1))

        tokens = tokens_of(relevance_set, set_digest)
        return judge_set(relevance_set, policy, tokens=tokens, progress=progress)

    return once(_measured_box(set_digest, digest(policy)), work)


def is_measured(set_digest: str, policy: Policy) -> bool:
    """Return whether `measure_policy` has the result already."""
    return _RESULT in _measured_box(set_digest, digest(policy))


def once(box: dict[str, Any], work: Callable[[Callable[[str, float], None]], T]) -> T:
    """Return the result in the box; without one, compute it while a bar shows the progress."""
    place = st.empty()  # always, or what follows would change its place on the page

    def report(step: str, share: float) -> None:
        place.progress(min(share, 1.0), literal(step))

    if _RESULT not in box:
        box[_RESULT] = work(report)
        place.empty()
    result: T = box[_RESULT]
    return result


# A cached function cannot draw its progress, so what is cached is the box for its result.
@st.cache_resource(max_entries=64, show_spinner=False)
def _measured_box(set_digest: str, policy: str) -> dict[str, Any]:
    return {}


@st.cache_resource(max_entries=8, show_spinner=False)
def tokens_of(_set: RelevanceSet, set_digest: str) -> dict[str, TokenCounts]:
    """Return the tokens of each turn, by conversation."""
    return count_tokens(_set)
