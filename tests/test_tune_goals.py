"""What the sentence about the best threshold tells of it."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.evaluation.tuning import ScoredCase, ScoredCases
from convgate.gate.thresholds import Absolute
from convgate.transcripts import Case
from convgate.ui.tune.goals import find


@pytest.mark.parametrize(
    ("relevant", "told"),
    [
        (19, "threshold 0.10, with precision 0.53 and recall 1.00; it keeps 19 of 20 turns."),
        (18, "threshold 0.15, with precision 0.56 and recall 1.00."),
    ],
)
def test_a_threshold_that_keeps_more_than_nine_of_ten_says_so(relevant: int, told: str) -> None:
    scores = np.arange(20, 0, -1) / 20  # the last one that matters decides
    matters = np.arange(20) % 2 == 0
    matters[relevant - 1] = True
    matters[relevant:] = False
    case = ScoredCase(
        "a set", Case("1", "1", 20, None, frozenset()), 0, scores, np.ones(20, dtype=np.int64),
        np.arange(20), matters,
    )  # fmt: skip
    scored, rule = ScoredCases((case,), np.zeros(1, dtype=np.int64), 1, 0.3), Absolute()
    curve = scored.curve(rule)
    assert curve is not None
    found = find(curve, "recall", 1.0, parameter="threshold", rule=rule, scored=scored)
    assert found.told == f"For recall 1.00: {told}"
