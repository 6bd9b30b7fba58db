"""Invariants in conversations that were labelled by people who did not write the patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.invariant_figures import MEASURED, Counts, judge, read_lines, table

CONVERSATIONS = Path(__file__).parent / "invariants"

WORK = {"recall ≥ 800": 0.96, "recall": 0.96, "precision": 0.95, "type": 0.96, "active": 0.97}
SEALED = {"recall ≥ 800": 0.80, "recall": 0.80, "precision": 0.84, "type": 0.84, "active": 0.84}


@pytest.mark.parametrize(("name", "least", "floors"), [("work", 140, WORK), ("sealed", 70, SEALED)])
def test_the_labelled_invariants_are_found(name: str, least: int, floors: dict[str, float]):
    counts = Counts()
    lines = read_lines(CONVERSATIONS / f"{name}.jsonl")
    for line in lines:
        judge(line, counts)
    assert len(lines) >= least
    for what in MEASURED:
        assert counts.share(what) >= floors.get(what, 0.90), what
    assert next(table(counts)) == f"| {' | '.join(MEASURED)} |"
