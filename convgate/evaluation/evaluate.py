"""Measures policies on relevance sets: every metric, by tag, with 95% intervals over conversations.

evaluation = evaluate([read_relevance_set("mix.dev.jsonl")], [BM25()])
evaluation.sets["mix.dev"].policies["bm25"].overall["map"].value
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import draw
from convgate.evaluation.judged_cases import EvaluationProgress, JudgedSet, judge_all, silent
from convgate.evaluation.results import Evaluation, SetResult, pool_terms
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy

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
    """Measure every policy on every set, on its decisions before a message list is repaired.

    policies: by the name to report, or listed. token_counter: tokens of a text. seed: of the bootstrap.

    Raises EvaluationError when two sets or two policies share a name, PolicyError when a policy's
    decisions do not fit its cases.
    """
    named = policies if isinstance(policies, Mapping) else _by_name(policies)

    def judge(relevance_set: RelevanceSet) -> dict[str, JudgedSet]:
        return judge_all(relevance_set, named, token_counter, progress=progress or silent)

    return evaluate_judged(sets, judge, seed=seed)


def evaluate_judged(
    sets: Iterable[RelevanceSet], judge: Callable[[RelevanceSet], Mapping[str, JudgedSet]], *, seed: int = 0
) -> Evaluation:
    """Return the evaluation of what `judge` decides about each set, by policy; errors as in `evaluate`."""
    results: dict[str, SetResult] = {}
    for relevance_set in sets:
        if relevance_set.name in results:
            raise EvaluationError(
                f"two relevance sets are named {relevance_set.name!r}; rename one of the files"
            )
        results[relevance_set.name] = pool_results(judge(relevance_set), by_tag=True, seed=seed)
    return Evaluation(results, seed)


def pool_results(judged: Mapping[str, JudgedSet], *, by_tag: bool = False, seed: int = 0) -> SetResult:
    """Return the metrics of each policy, with intervals, and its curve where it ranks.

    judged: by policy, all of the same set. Raises EvaluationError when there is no policy.
    """
    if not judged:
        raise EvaluationError("no policy was given, so there is nothing to measure")
    first = next(iter(judged.values()))
    names = sorted({tag for case in first.cases for tag in case.tags}) if by_tag else []
    return pool_terms(
        {name: judged_set.terms for name, judged_set in judged.items()},
        name=first.name,
        case_ids=(case.id for case in first.cases),
        clusters=first.clusters,
        draws=draw(first.conversations, seed=seed),
        tags={tag: np.array([tag in case.tags for case in first.cases], dtype=np.bool_) for tag in names},
        attainable=first.attainable,
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
