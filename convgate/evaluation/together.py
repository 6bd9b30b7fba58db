"""What policies decided about one set, judged one by one, laid together as an evaluation has it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import draw
from convgate.evaluation.comparison import compare
from convgate.evaluation.curves import ThresholdCurve, pooled_curve
from convgate.evaluation.judge import JudgedTurns, TokenCounts
from convgate.evaluation.outcomes import JudgedSet
from convgate.evaluation.results import PolicyResult, SetResult, summarise


def laid_together(
    judged: Mapping[str, JudgedSet],
    tokens: Mapping[str, TokenCounts],
    *,
    by_tag: bool = False,
    seed: int = 0,
) -> SetResult:
    """The metrics of each policy, with intervals, and its curve where it ranks.

    judged: by policy, all of the same set. tokens: of each turn, by conversation. The same policies and set
    give what `evaluate` gives.

    Raises EvaluationError when there is no policy.
    """
    if not judged:
        raise EvaluationError("no policy was judged, so there is nothing to lay together")
    first = next(iter(judged.values()))
    names, clusters = np.unique([case.conversation for case in first.cases], return_inverse=True)
    found = sorted({tag for case in first.cases for tag in case.tags}) if by_tag else []
    tags = {tag: np.array([tag in case.tags for case in first.cases], dtype=np.bool_) for tag in found}
    draws = draw(len(names), seed=seed)

    def result(name: str, one: JudgedSet) -> PolicyResult:
        in_tags = {tag: summarise(one.terms[has], clusters[has], draws) for tag, has in tags.items()}
        overall = summarise(one.terms, clusters, draws)
        return PolicyResult(name, overall, in_tags, one.terms, _curve(one, tokens))

    return SetResult(
        name=first.name,
        case_ids=tuple(case.id for case in first.cases),
        clusters=clusters,
        tags=tags,
        policies={name: result(name, one) for name, one in judged.items()},
    )


def sure_best(result: SetResult, metric: str, *, tag: str | None = None, seed: int = 0) -> str | None:
    """The policy with the highest value, if the interval of its difference to every other leaves out 0.

    None when there is no such policy, or only one has a value.
    """
    values = {
        name: value
        for name, policy in result.policies.items()
        if (value := (policy.overall if tag is None else policy.by_tag[tag])[metric].value) is not None
    }
    if len(values) < 2:
        return None
    best = max(values, key=lambda name: values[name])
    for other in values:
        if other != best:
            compared = compare(result, baseline=other, policy=best, tag=tag, seed=seed)
            low = compared.differences[metric].low
            if low is None or low <= 0:
                return None
    return best


def _curve(one: JudgedSet, tokens: Mapping[str, TokenCounts]) -> ThresholdCurve | None:
    if one.scores is None or not len(one.cases):
        return None
    ends = np.searchsorted(one.case, np.arange(1, len(one.cases)))
    rows = np.split(np.arange(len(one.case)), ends)
    return pooled_curve(
        JudgedTurns(
            one.relevant[here], one.kept[here], one.scores[here], tokens[case.conversation][one.turns[here]]
        )
        for case, here in zip(one.cases, rows, strict=True)
    )
