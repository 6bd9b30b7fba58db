"""Invariants in held-out conversations by separate authors."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.core.settings import Settings
from convgate.invariants import load_judge
from tools.invariant_figures import MEASURED, judge, table
from tools.labelled import Counts, read_lines

CONVERSATIONS = Path(__file__).parent / "invariants"

FLOORS = {"recall ≥ 800": 0.88, "recall": 0.88, "precision": 0.81, "type": 0.86, "active": 0.88}


@pytest.mark.slow
@pytest.mark.xdist_group("encoder")
@pytest.mark.parametrize("name", ["sealed", "last"])
def test_invariants_of_held_out_authors_are_found(name: str, tmp_path: Path) -> None:
    counts, judging = Counts(), load_judge(Settings(home=tmp_path))
    for line in read_lines(CONVERSATIONS / f"{name}.jsonl"):
        judge(line, counts, judging)
    for what in MEASURED:
        assert counts.share(what) >= FLOORS.get(what, 0.92), what
    assert next(table(counts)) == f"| {' | '.join(MEASURED)} |"
