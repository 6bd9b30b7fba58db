"""Choosers measured on relevance sets: once for each, then kept.

What is kept is keyed by what decides (weights, rule, limits, parameters, encoder) and by the content that it
decides about, and bounded. Work shows how far it is; a click in the middle ends it, and what was encoded by
then is remembered.
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


def digest(policy: Policy) -> str:
    """A text that is the same for policies that decide the same."""
    encoder = getattr(policy, "encoder", None)
    identity = repr(encoder.identity) if encoder else ""
    if isinstance(policy, GatePolicy):
        return f"{policy.name} {policy.gate.fingerprint} {policy.rule} {policy.limits} {identity}"
    values = {name: getattr(policy, name) for name in parameter_names(type(policy))}
    told = getattr(policy, "fingerprint", None) or getattr(policy, "rules", "")  # what settings add
    stages = " > ".join(digest(stage) for stage in getattr(policy, "policies", ()))
    return f"{policy.name} {values} {told} {stages} {identity}"


def judged(relevance_set: RelevanceSet, told: str, policy: Policy, label: str) -> JudgedSet:
    """The policy on every case of the set; `told` stands for the set's content."""

    def work(report: Callable[[str, float], None]) -> JudgedSet:
        def progress(stage: str, done: int, total: int, /) -> None:
            what = "encoding" if "preparing" in stage else "deciding"
            report(f"{label}: {what} …", done / max(total, 1))

        return judge_set(relevance_set, policy, tokens=tokens_of(relevance_set, told), progress=progress)

    return once(_judged_box(told, digest(policy)), work)


def is_judged(told: str, policy: Policy) -> bool:
    """Whether `judged` has the policy on that content already."""
    return "made" in _judged_box(told, digest(policy))


def once(box: dict[str, Any], work: Callable[[Callable[[str, float], None]], T]) -> T:
    """What the box has under "made"; else it is made, with a bar that shows how far it is."""
    place = st.empty()  # always, or what follows would change its place on the page

    def report(told: str, share: float) -> None:
        place.progress(min(share, 1.0), literal(told))

    if "made" not in box:
        box["made"] = work(report)
        place.empty()
    made: T = box["made"]
    return made


# A cached function cannot draw how far it is, so what is cached is the box for its result.
@st.cache_resource(max_entries=64, show_spinner=False)
def _judged_box(told: str, policy: str) -> dict[str, Any]:
    return {}


@st.cache_resource(max_entries=8, show_spinner=False)
def tokens_of(_set: RelevanceSet, told: str) -> dict[str, TokenCounts]:
    """Return the tokens of each turn, by conversation; `told` stands for the set's content."""
    return count_tokens(_set)
