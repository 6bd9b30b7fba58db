"""Choosers measured on relevance sets and on whole conversations: once for each, then kept.

What is kept is keyed by what decides (weights, rule, limits, parameters, encoder) and by the content that it
decides about, and bounded. Work shows how far it is; a click in the middle ends it, and what was encoded by
then is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.conversation import Conversation
from convgate.decisions import Floats
from convgate.evaluation.judge import TokenCounts, count_tokens
from convgate.evaluation.metrics import Bools
from convgate.evaluation.outcomes import JudgedSet, Sides, judge_set, side_by_side
from convgate.messages.tokens import turn_tokens
from convgate.messages.validity import make_valid
from convgate.parameters import parameter_names
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.text import literal
from convgate.ui.turn_labels import moves

T = TypeVar("T")

_EVERY = 8  # messages between two reports of progress


@dataclass(frozen=True, eq=False)
class Sent:
    """What one chooser sends for some messages of a conversation; entry i is about `messages[i]`.

    Row j of an entry is turn j of the conversation; all turns before the message have one.
    """

    messages: tuple[int, ...]  # 0-based
    kept: tuple[Bools, ...]  # each (message,), after the list was made a valid one
    scores: tuple[Floats | None, ...]  # each (message,); None from a policy that does not score
    tokens: NDArray[np.int64]  # (messages,) of the list that is sent, the current message among them


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

        return judge_set(relevance_set, policy, tokens=_tokens(relevance_set, told), progress=progress)

    return once(_judged_box(told, digest(policy)), work)


def is_judged(told: str, policy: Policy) -> bool:
    """Whether `judged` has the policy on that content already."""
    return "made" in _judged_box(told, digest(policy))


def tokens_of(relevance_set: RelevanceSet, told: str) -> dict[str, TokenCounts]:
    """The tokens of each turn, by conversation; counted once for this content."""
    return _tokens(relevance_set, told)


def sides(told: str, a: JudgedSet, b: JudgedSet, digests: tuple[str, str]) -> Sides:
    """Both on the set, side by side."""
    return _sides(told, digests, a, b)


def sent(conversation: Conversation, key: str, messages: Sequence[int], policy: Policy, label: str) -> Sent:
    """What the policy sends for each of the messages, 0-based; `key` stands for the conversation."""

    def work(report: Callable[[str, float], None]) -> Sent:
        kept, scores, tokens = [], [], []
        costs = turn_tokens(conversation.turns)
        for done, message in enumerate(messages):
            if done % _EVERY == 0:
                report(f"{label}: message {done + 1:,} of {len(messages):,} …", done / len(messages))
            decisions = policy.decide(*conversation.at(message))
            valid = make_valid(conversation.turns, decisions.kept_indices, message)
            mask = np.zeros(message, dtype=np.bool_)
            mask[[index for index in valid.indices if index < message]] = True
            kept.append(mask)
            scores.append(None if decisions.scores is None else decisions.scores.astype(np.float32))
            tokens.append(int(costs[valid.indices].sum()))
        return Sent(tuple(messages), tuple(kept), tuple(scores), np.array(tokens, dtype=np.int64))

    return once(_sent_box(key, tuple(messages), f"{digest(policy)} {moves(conversation)}"), work)


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


@st.cache_resource(max_entries=16, show_spinner=False)
def _sent_box(key: str, messages: tuple[int, ...], policy: str) -> dict[str, Any]:
    return {}


@st.cache_resource(max_entries=16, show_spinner=False)
def _sides(told: str, digests: tuple[str, str], _a: JudgedSet, _b: JudgedSet) -> Sides:
    return side_by_side(_a, _b)


@st.cache_resource(max_entries=8, show_spinner=False)
def _tokens(_set: RelevanceSet, told: str) -> dict[str, TokenCounts]:
    return count_tokens(_set)
