"""The checks on exchanges that were labelled by people who did not write them."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.gatekeeper.checks import check
from tools.gatekeeper_figures import MEASURED, read_labelled, table

EXCHANGES = Path(__file__).parent / "exchanges"


@pytest.mark.parametrize(
    ("name", "least", "floor"), [("work", 320, 0.97), ("sealed", 150, 0.95), ("third", 190, 0.95)]
)
def test_the_labelled_exchanges_are_decided_rightly(name: str, least: int, floor: float):
    labelled = read_labelled(EXCHANGES / f"{name}.jsonl")
    judged = [one.judged(check(one.exchange)) for one in labelled]
    assert len(labelled) >= least
    for what in MEASURED:
        assert sum(found[what] for found in judged) / len(judged) >= floor, what
    *_, last = table(labelled, judged)
    assert last.startswith(f"| all | {len(labelled)} |")


def test_nothing_worth_keeping_is_lost():
    lost = [
        one.exchange.user
        for name in ("work", "sealed", "third")
        for one in read_labelled(EXCHANGES / f"{name}.jsonl")
        if one.keep and not check(one.exchange).keep
    ]
    assert len(lost) <= 3
