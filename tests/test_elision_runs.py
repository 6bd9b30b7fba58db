"""Shortened results of generated agent runs: what they save, and what they lose."""

from __future__ import annotations

import pytest

from convgate.elision.elide import find_elisions
from convgate.elision.evidence import Evidence
from convgate.transcripts import turns_from_messages
from tools.agent_runs import FAMILIES, make_run
from tools.elision_figures import Figures


@pytest.mark.parametrize("family", FAMILIES)
def test_half_of_the_tokens_are_saved_and_few_needed_results_are_shortened(family: str):
    figures = Figures()
    for seed in (1000, 1001):
        run = make_run(family, seed=seed)
        figures.add(run)
        found = find_elisions(Evidence().extend(turns_from_messages(run.messages)))
        assert all(run.results[each.call_id] == each.text for own in found.values() for each in own)
    assert figures.sent < 0.5 * figures.tokens
    assert figures.elided <= 0.08 * figures.used
