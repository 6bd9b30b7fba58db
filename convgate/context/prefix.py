"""How steady a context is: what stays by the hysteresis, and how much of the front stays unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.context.bundle import PrefixReport
from convgate.context.memory import Remembered
from convgate.decisions import TurnDecisions


@dataclass(frozen=True, slots=True)
class Steadied:
    """What the policy chose, once the hysteresis had its say."""

    kept: NDArray[np.bool_]  # (n,) of each earlier turn
    stay: frozenset[int] = frozenset()  # turns that stay although the policy drops them
    wait: frozenset[int] = frozenset()  # turns that wait although the policy keeps them


def steadied(decisions: TurnDecisions, before: Remembered | None, margin: float) -> Steadied:
    """The policy's choice, but no turn of the context before changes sides for a gain up to `margin`.

    The gain is what lies between a turn's score and the threshold, on the scale of the scores; where a
    policy has no scores or no threshold, nothing is held.
    """
    kept, scores, threshold = decisions.kept, decisions.scores, decisions.threshold
    if before is None or not margin or scores is None or threshold is None:
        return Steadied(kept)
    known = decisions.indices <= before.current
    stood = np.isin(decisions.indices, before.sent)
    gain = np.abs(scores - threshold)
    small = known & (np.nan_to_num(gain, nan=np.inf) <= margin)
    stay, wait = small & stood & ~kept, small & ~stood & kept
    return Steadied(
        (kept | stay) & ~wait,
        frozenset(decisions.indices[stay].tolist()),
        frozenset(decisions.indices[wait].tolist()),
    )


def prefix_report(
    before: Remembered | None, sent: Sequence[int], tokens: Sequence[int], held: Sequence[int]
) -> PrefixReport | None:
    """How much of the context before stands at the front of this one; None when there was none."""
    if before is None:
        return None
    shared = 0
    for old, new in zip(before.sent.tolist(), sent, strict=False):
        if old != new:
            break
        shared += 1
    return PrefixReport(sum(tokens[:shared]), before.tokens, tuple(held))
