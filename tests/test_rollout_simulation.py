"""Simulated rollouts: an equal candidate passes, however alike the requests of a session are."""

from __future__ import annotations

import numpy as np
import pytest

from tools.rollout_figures import Candidate, SimulatedLog, simulate

pytestmark = pytest.mark.slow

RUNS = 40


@pytest.mark.parametrize("icc", [0.05, 0.3])
@pytest.mark.parametrize(
    ("candidate", "min_advanced", "max_advanced"),
    [(Candidate(), 0.9, 1.0), (Candidate(completion=0.6), 0.0, 0.0), (Candidate(errors=0.1), 0.0, 0.0)],
)
def test_equal_candidates_advance_and_bad_ones_do_not(
    icc: float, candidate: Candidate, min_advanced: float, max_advanced: float
) -> None:
    ends = [
        simulate(SimulatedLog(np.random.default_rng(run), candidate, icc, 300, by_request=False))[0]
        for run in range(RUNS)
    ]
    assert min_advanced <= ends.count("advanced") / RUNS <= max_advanced
