"""Policies measured on relevance sets: once for each policy and set, then kept.

The cache key is the policy (weights, rule, limits, parameters, encoder) and the content of the set. A click
during the work ends it; texts that were encoded stay in the cache of the encoder.
"""

from __future__ import annotations

import streamlit as st

from convgate.core.parameters import parameter_values
from convgate.evaluation.judged_cases import (
    EvaluationProgress,
    JudgedSet,
    TokenCounts,
    count_tokens,
    judge_set,
)
from convgate.policies.base import Policy, encoder_of
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.results_cache import compute_once, is_computed


def digest(policy: Policy) -> str:
    """Return a text that is equal for policies that decide the same."""
    encoder = encoder_of(policy)
    identity = repr(encoder.identity) if encoder else ""
    if isinstance(policy, GatePolicy):
        return f"{policy.name} {policy.gate.fingerprint} {policy.rule} {policy.limits} {identity}"
    settings = getattr(policy, "fingerprint", None) or getattr(policy, "rules", "")
    stages = " > ".join(digest(stage) for stage in getattr(policy, "policies", ()))
    return f"{policy.name} {parameter_values(policy)} {settings} {stages} {identity}"


def measure_policy(relevance_set: RelevanceSet, set_digest: str, policy: Policy) -> JudgedSet:
    """Return the policy's decisions on every case of the set; set_digest: stands for the set's content."""

    def work(progress: EvaluationProgress) -> JudgedSet:
        tokens = tokens_of(relevance_set, set_digest)
        return judge_set(relevance_set, policy, tokens=tokens, progress=progress)

    return compute_once(f"{set_digest} {digest(policy)}", work)


def is_measured(set_digest: str, policy: Policy) -> bool:
    """Return whether `measure_policy` has the result already."""
    return is_computed(f"{set_digest} {digest(policy)}")


@st.cache_resource(max_entries=8, show_spinner=False)
def tokens_of(_set: RelevanceSet, set_digest: str) -> dict[str, TokenCounts]:
    """Return the tokens of each turn, by conversation."""
    return count_tokens(_set)
