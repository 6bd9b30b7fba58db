"""From scores and a rule to decisions: what every policy that scores turns does last."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats, Override, TurnDecisions
from convgate.gate.thresholds import Limits, Rule

NO_LIMITS = Limits()


def decide_by_rule(
    policy: str,
    indices: NDArray[np.int64],
    scores: Floats,
    rule: Rule,
    *,
    learned: float,
    limits: Limits = NO_LIMITS,
    tokens: NDArray[np.int64] | None = None,
    note: Callable[[int], str | None] | None = None,
    **columns: Floats | float | Mapping[str, Floats] | None,
) -> TurnDecisions:
    """Decisions of `rule` over (n,) scores of the turns `indices`, within the limits.

    `learned` is the policy's own threshold; `columns` are further columns of TurnDecisions.
    """
    cut = rule.cut(scores, learned=learned, tokens=tokens)
    decisions = TurnDecisions(
        policy=policy,
        rule=rule.name,
        indices=indices,
        kept=cut.kept,
        why_kept=cut.why_kept,
        why_dropped=cut.why_dropped,
        scores=scores,
        threshold=cut.threshold,
        because=cut.because,
        note=note,
        **columns,  # type: ignore[arg-type]  # named columns of TurnDecisions
    )
    changes = limits.changes(scores, cut.kept)
    return decisions.with_overrides(
        {
            int(indices[row]): Override(not cut.kept[row], f"{scores[row]:.2f}, {reason}", "policy", "limits")
            for row, reason in changes.items()
        }
    )
