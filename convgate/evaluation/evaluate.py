"""Measures policies on relevance sets: every metric, by tag, with 95% intervals over conversations.

    evaluation = evaluate([read_relevance_set("mix.dev.jsonl")], [make_policy("bm25")])
    evaluation.sets["mix.dev"].policies["bm25"].overall["map"].value

A policy is measured on its own decisions, before a message list is repaired, and on every turn of a
case's history.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import draw
from convgate.evaluation.curves import pooled_curve
from convgate.evaluation.judge import (
    EvaluationProgress,
    cases_in_order,
    count_tokens,
    judge,
    silent,
)
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.reliability import reliability_of
from convgate.evaluation.results import Evaluation, PolicyResult, SetResult, summarise
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet


def evaluate(
    sets: Iterable[RelevanceSet],
    policies: Mapping[str, Policy] | Iterable[Policy],
    *,
    token_counter: TokenCounter | None = None,
    progress: EvaluationProgress | None = None,
    seed: int = 0,
) -> Evaluation:
    """Every policy on every set.

    policies: by the name to report, or listed under their own names. token_counter: tokens of a text, the
    word pieces of the bundled encoder by default. seed: of the bootstrap; the same gives the same intervals.

    Raises EvaluationError when two sets or two policies share a name, PolicyError when a policy's
    decisions do not fit its cases.
    """
    progress = progress or silent
    results: dict[str, SetResult] = {}
    named = policies if isinstance(policies, Mapping) else _by_name(policies)
    for relevance_set in sets:
        if relevance_set.name in results:
            raise EvaluationError(
                f"two relevance sets are named {relevance_set.name!r}; rename one of the files"
            )
        results[relevance_set.name] = _evaluate_set(relevance_set, named, token_counter, progress, seed)
    return Evaluation(results, seed)


def _evaluate_set(
    relevance_set: RelevanceSet,
    policies: Mapping[str, Policy],
    token_counter: TokenCounter | None,
    progress: EvaluationProgress,
    seed: int,
) -> SetResult:
    cases = cases_in_order(relevance_set)
    names, clusters = np.unique([case.conversation for case in cases], return_inverse=True)
    names_of_tags = sorted({tag for case in cases for tag in case.tags})
    tags = {tag: np.array([tag in case.tags for case in cases]) for tag in names_of_tags}
    draws = draw(len(names), seed=seed)
    tokens = count_tokens(relevance_set, token_counter, progress=progress)

    def measure(name: str, policy: Policy) -> PolicyResult:
        judged = [case.turns for case in judge(relevance_set, policy, tokens=tokens, progress=progress)]
        terms = np.array([case.terms for case in judged]).reshape(-1, 2, len(METRICS))
        by_tag = {tag: summarise(terms[has], clusters[has], draws) for tag, has in tags.items()}
        overall, curve = summarise(terms, clusters, draws), pooled_curve(judged)
        bins = reliability_of(judged) if isinstance(policy, GatePolicy) else []
        return PolicyResult(name, overall, by_tag, terms, curve, tuple(bins))

    return SetResult(
        name=relevance_set.name,
        case_ids=tuple(case.id for case in cases),
        clusters=clusters,
        tags=tags,
        policies={name: measure(name, policy) for name, policy in policies.items()},
    )


def _by_name(policies: Iterable[Policy]) -> dict[str, Policy]:
    named: dict[str, Policy] = {}
    for policy in policies:
        if policy.name in named:
            raise EvaluationError(
                f"two policies are named {policy.name!r}; pass a mapping with a name for each"
            )
        named[policy.name] = policy
    return named
