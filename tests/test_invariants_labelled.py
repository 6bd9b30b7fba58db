"""Invariants in conversations that were labelled by people who did not write the patterns."""

from __future__ import annotations

from pathlib import Path

import pytest
from convgate.context.invariants.kinds.judge import load_judge

from convgate.settings import Settings
from scripts.invariant_figures import MEASURED, Counts, judge, read_lines, table

CONVERSATIONS = Path(__file__).parent / "invariants"

WORK = {"recall ≥ 800": 0.96, "recall": 0.96, "precision": 0.95, "type": 0.96, "active": 0.97}
THIRD = {"recall ≥ 800": 0.94, "recall": 0.94, "precision": 0.84, "type": 0.88}
FOURTH = {"recall ≥ 800": 0.87, "recall": 0.88, "precision": 0.90, "type": 0.87}
FIFTH = {"recall ≥ 800": 0.89, "recall": 0.89, "precision": 0.90, "type": 0.90}
SEALED = {"recall ≥ 800": 0.92, "recall": 0.92, "precision": 0.82, "type": 0.87, "active": 0.84}


def counted(name: str, judging: object = None) -> tuple[int, Counts]:
    counts, lines = Counts(), read_lines(CONVERSATIONS / f"{name}.jsonl")
    for line in lines:
        judge(line, counts, judging)  # type: ignore[arg-type]
    return len(lines), counts


@pytest.mark.parametrize(
    ("name", "conversations", "floors"),
    [("work", 140, WORK), ("third", 60, THIRD), ("fourth", 100, FOURTH), ("fifth", 120, FIFTH)],
)
def test_patterns_alone_find_what_they_were_written_for(
    name: str, conversations: int, floors: dict[str, float]
) -> None:
    number, counts = counted(name)
    assert number == conversations
    for what in MEASURED:
        assert counts.share(what) >= floors.get(what, 0.90), what
    assert next(table(counts)) == f"| {' | '.join(MEASURED)} |"


@pytest.mark.slow
def test_patterns_and_model_find_what_nobody_tuned_on(tmp_path: Path) -> None:
    conversations, counts = counted("sealed", load_judge(Settings(home=tmp_path)))
    assert conversations == 70
    for what in MEASURED:
        assert counts.share(what) >= SEALED.get(what, 0.90), what
