"""Two policies on the same cases: how much one is better, how sure that is, which turns it fixes or breaks.

>>> relevant = np.array([True, True, False, False])
>>> a, b = np.array([False, True, True, False]), np.array([True, False, True, False])
>>> [OUTCOMES[code] for code in outcome_codes(relevant, a, b)]
['fixed', 'broken', 'both wrong', 'both right']
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from convgate.core.errors import EvaluationError
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw
from convgate.evaluation.metrics import Bools, ratios
from convgate.evaluation.results import SetResult, Summary

OUTCOMES = ("fixed", "broken", "both wrong", "both right")
FIXED, BROKEN, BOTH_WRONG, BOTH_RIGHT = range(len(OUTCOMES))


def compare(
    result: SetResult, *, baseline: str, policy: str, tag: str | None = None, seed: int = 0
) -> Summary:
    """Return the metrics of `policy` less those of `baseline`, each -1…1 with its paired 95% interval.

    They are of all cases, or of those with a tag; both policies are measured on the same resamples.

    Raises EvaluationError when the set was not evaluated with such a policy or has no such tag.
    """
    if tag is not None and tag not in result.tags:
        raise EvaluationError(
            f"{result.name} has no tag {tag!r}; its tags: {', '.join(result.tags) or 'none'}"
        )
    if unknown := {baseline, policy} - result.policies.keys():
        known = ", ".join(result.policies)
        raise EvaluationError(f"{result.name} was not evaluated with {min(unknown)!r}, only with {known}")
    mask = np.ones(len(result.case_ids), dtype=np.bool_) if tag is None else result.tags[tag]
    a, b = (
        cluster_sums(result.policies[name].terms[mask], result.clusters[mask], result.conversations)
        for name in (baseline, policy)
    )
    values = ratios(b.sum(axis=0)) - ratios(a.sum(axis=0))
    bounds = difference_interval(a, b, draw(result.conversations, seed=seed))
    return Summary.of(int(mask.sum()), values, bounds)


def compare_all(
    result: SetResult, *, baseline: str, tag: str | None = None, seed: int = 0
) -> dict[str, Summary]:
    """Return every other policy of the set less `baseline`, by name; arguments and errors as in `compare`."""
    return {
        name: compare(result, baseline=baseline, policy=name, tag=tag, seed=seed)
        for name in result.policies
        if name != baseline
    }


def outcome_codes(relevant: Bools, a: Bools, b: Bools) -> NDArray[np.int8]:
    """Return (n,) each turn's index in OUTCOMES: whether it is relevant, and whether a and b keep it."""
    right_a, right_b = a == relevant, b == relevant
    conditions = [right_a & right_b, ~right_a & right_b, right_a & ~right_b]
    return np.select(conditions, [BOTH_RIGHT, FIXED, BROKEN], BOTH_WRONG).astype(np.int8)


def count_outcomes(relevant: Bools, a: Bools, b: Bools) -> dict[str, int]:
    """Return how many turns have each outcome, by the names in OUTCOMES; arguments as in `outcome_codes`."""
    counts = np.bincount(outcome_codes(relevant, a, b), minlength=len(OUTCOMES))
    return dict(zip(OUTCOMES, counts.tolist(), strict=True))
