"""What is measured, as ratios of two sums over cases: a numerator and a denominator a case and metric.

A denominator of zero is a metric that the cases do not define: NaN in arrays, None in results, null in
JSON. Among turns with equal scores the newer ranks first, as in every top-k rule here.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.core.filling import fill
from convgate.core.text import pluralize

CUTOFFS = (5, 10, 25, 50)
BUDGETS = (0.15, 0.25, 0.35, 0.5)  # shares of the history's tokens
AREA_BUDGETS = tuple(step / 20 for step in range(11))  # 0 … 50%, over which the area is taken
ANSWER_METRICS = ("answerable", "missed", "kept_token_share")
BUDGET_METRICS = ("answerable_area", *(f"answerable@{budget:.0%}" for budget in BUDGETS))
RANKING_METRICS = ("map", *(f"recall@{k}" for k in CUTOFFS))
SELECTION_METRICS = ("precision", "recall", "f1", "exact_empty")
METRICS = (*ANSWER_METRICS, *BUDGET_METRICS, *RANKING_METRICS, *SELECTION_METRICS)
LABELS = {  # in tables
    "answerable": "all sent",
    "missed": "missed",
    "kept_token_share": "tokens",
    "answerable_area": "area",
    **{f"answerable@{budget:.0%}": f"@{budget:.0%}" for budget in BUDGETS},
    "map": "MAP",
    **{f"recall@{k}": f"R@{k}" for k in CUTOFFS},
    "precision": "P",
    "recall": "R",
    "f1": "F1",
    "exact_empty": "empty",
}

Bools = NDArray[np.bool_]
Terms = NDArray[np.float64]  # (..., 2, len(METRICS)): numerators, then denominators


def describe_misses(missed: int, messages: int) -> str:
    """Return how many of the messages that need a turn miss one.

    >>> describe_misses(0, 1)
    '0 of 1 message that needs a turn misses one'
    """
    need, miss = ("needs", "misses") if messages == 1 else ("need", "miss")
    return f"{missed:,} of {pluralize(messages, 'message')} that {need} a turn {miss} one"


def ranks_of_relevant(relevant: Bools, scores: Floats) -> NDArray[np.int64]:
    """Return (relevant turns,) their ranks from 1, increasing; by score, of equal scores the newer first.

    relevant: (n,) bool, oldest turn first; scores: (n,).

        >>> ranks_of_relevant(np.array([True, False, True, False]), np.array([0.9, 0.5, 0.5, 0.5])).tolist()
        [1, 3]
    """
    best_first = np.argsort(-scores[::-1], kind="stable")
    return np.flatnonzero(relevant[::-1][best_first]) + 1


def case_terms(
    relevant: Bools,
    kept: Bools,
    scores: Floats | None,
    tokens: NDArray[np.integer[Any]],
    *,
    needed: Bools | None = None,
    values: Floats | None = None,
) -> Terms:
    """Return (2, len(METRICS)) numerators and denominators that one case adds to each metric.

    relevant, kept: (n,) bool; scores: (n,), None from a policy that does not rank; tokens: (n,) counts;
    needed: (n,) bool, without which the answer is wrong, None: all relevant ones; values: (n,) by which a
    budget is filled, None: the scores. Where nothing is needed or relevant, a case says nothing about
    answers or ranking; where something is, nothing about `exact_empty`.

        >>> relevant, kept = np.array([True, True, False]), np.array([True, False, True])
        >>> terms = case_terms(relevant, kept, None, tokens=np.array([3, 2, 5]))
        >>> over, under = (dict(zip(METRICS, row.tolist(), strict=True)) for row in terms)
        >>> {name: (over[name], under[name]) for name in (*ANSWER_METRICS, *SELECTION_METRICS)}
        ... # doctest: +NORMALIZE_WHITESPACE
        {'answerable': (0.0, 1.0), 'missed': (0.5, 1.0), 'kept_token_share': (8.0, 10.0),
         'precision': (1.0, 2.0), 'recall': (1.0, 2.0), 'f1': (2.0, 4.0), 'exact_empty': (0.0, 0.0)}
    """
    must_have = relevant if needed is None else needed
    hits, n_kept, n_relevant = int((relevant & kept).sum()), int(kept.sum()), int(relevant.sum())
    values = scores if values is None else values
    undefined = (0.0, 0.0)
    terms = dict.fromkeys(METRICS, undefined)
    if n_needed := int(must_have.sum()):
        n_missed = int((must_have & ~kept).sum())
        terms |= {"answerable": (n_missed == 0, 1), "missed": (n_missed / n_needed, 1)}
        if values is not None:
            terms |= _budget_terms(must_have, values, tokens)
    if n_relevant and scores is not None:
        ranks = ranks_of_relevant(relevant, scores)
        recalls = np.searchsorted(ranks, CUTOFFS, side="right") / len(ranks)
        figures = (_average_precision(ranks), *recalls.tolist())
        terms |= {name: (figure, 1) for name, figure in zip(RANKING_METRICS, figures, strict=True)}
    terms |= {
        "kept_token_share": (int(tokens @ kept), int(tokens.sum())),
        "precision": (hits, n_kept),
        "recall": (hits, n_relevant),
        "f1": (2 * hits, n_kept + n_relevant),
        "exact_empty": (not n_relevant and not n_kept, not n_relevant),
    }
    return np.array([terms[name] for name in METRICS], dtype=np.float64).T


def attainable_shares(needed: Bools, tokens: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
    """Return (len(BUDGETS),) whether the needed turns, (n,), fit in each budget at all."""
    return np.asarray([tokens @ needed <= _budget(share, tokens) for share in BUDGETS])


def _budget(share: float, tokens: NDArray[np.integer[Any]]) -> int:
    """Return the tokens of a share of all, whatever the rounding of its product."""
    return math.floor(share * int(tokens.sum()) + 1e-9)


def _budget_terms(
    needed: Bools, values: Floats, tokens: NDArray[np.integer[Any]]
) -> dict[str, tuple[float, float]]:
    """Return whether whole turns, the highest value first, have all needed ones in each budget."""
    is_complete = {
        share: bool(fill(values, tokens, _budget(share, tokens))[needed].all()) for share in AREA_BUDGETS
    }
    area = float(np.mean([is_complete[budget] for budget in AREA_BUDGETS]))
    figures = (area, *(float(is_complete[budget]) for budget in BUDGETS))
    return {name: (figure, 1.0) for name, figure in zip(BUDGET_METRICS, figures, strict=True)}


def ratios(terms: Terms) -> Terms:
    """Return (..., len(METRICS)) the metrics of summed terms; NaN where the denominator is 0.

    terms: (..., 2, len(METRICS)).

        >>> ratios(np.array([[1.0, 0.0], [4.0, 0.0]])).tolist()
        [0.25, nan]
    """
    return share(terms[..., 0, :], terms[..., 1, :])


def share(part: Terms, whole: Terms) -> Terms:
    """Return `part` / `whole`, NaN where the whole is 0."""
    shares: Terms = np.divide(part, whole, out=np.full(np.shape(part), np.nan), where=np.asarray(whole) > 0)
    return shares


def _average_precision(ranks: NDArray[np.int64]) -> float:
    """Return the mean precision at the ranks of the relevant turns.

    >>> _average_precision(np.array([1, 3])) == (1 / 1 + 2 / 3) / 2
    True
    """
    return float((np.arange(1, len(ranks) + 1) / ranks).mean())
