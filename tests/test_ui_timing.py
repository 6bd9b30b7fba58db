"""Labelling is timed on the real page; the run tells the figures, and benchmarks alone judge them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from convgate.ui import services
from convgate.ui.label.timing import PAGES, measure_labelling


@pytest.fixture(autouse=True)
def no_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of the real encoder takes seconds to import, and nothing here needs it."""
    monkeypatch.setattr(services, "warm_up", lambda: None)


@pytest.mark.slow
@pytest.mark.shipped
def test_a_question_and_an_answer_are_timed_on_2000_turns(report_figure: Callable[[str], None]) -> None:
    measured = measure_labelling(2_000, labels=0, rounds=1)
    assert 0 < measured.store < measured.answer
    assert measured.question > 0
    report_figure(
        f"opening a label item of 2,000 turns {measured.question:.2f} s on the server (goal"
        f" {measured.goal_question} s), storing an answer {1000 * measured.store:.0f} ms (goal"
        f" {1000 * measured.goal_store:.0f} ms)"
    )


def test_pages_are_timed_before_and_after_the_library_is_filled() -> None:
    measured = measure_labelling(12, labels=30, rounds=1)
    assert set(measured.pages) == set(measured.pages_full) == set(PAGES)
    assert min(*measured.pages.values(), *measured.pages_full.values()) > 0
    assert measured.to_json()["labels"] == 30
