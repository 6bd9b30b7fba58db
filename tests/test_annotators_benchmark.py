"""The benchmark of annotators who label at the same time notices what is lost or doubled."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from convgate.store import CurrentKey, Labels, Store
from tests.page_app import add_conversation, app_store
from tools.benchmark.annotators import Annotator, compare, measure

SAME = dict.fromkeys(("lost", "not_given", "lost_actions", "doubled_actions", "read_back_wrong"), 0)


@pytest.fixture
def annotator(convgate_home: Path) -> Annotator:
    """An annotator whose two answers are stored."""
    key = add_conversation()
    annotator = Annotator("Ada", queue=1, seed=1, keys={})
    for turn, value in ((1, "relevant"), (3, "unsure")):
        Labels(app_store()).answer(CurrentKey(key, 7), {turn: value}, by="Ada", version=None)
        annotator.labels[key, 7, turn] = value
        annotator.actions["answer"] += 1
    annotator.read_back = "Ada, 2 of 9"
    return annotator


def test_answers_that_are_stored_make_no_difference(annotator: Annotator, convgate_home: Path) -> None:
    assert compare(convgate_home, [annotator]) == SAME


def test_a_lost_and_a_doubled_answer_are_counted(annotator: Annotator, convgate_home: Path) -> None:
    store = app_store()
    key = next(iter(annotator.labels))[0]
    Labels(store).answer(CurrentKey(key, 7), {1: "not_relevant", 5: "unsure"}, by="Ada", version=None)
    annotator.read_back = "Ada, 3 of 9"
    differences = {"lost": 1, "not_given": 1, "doubled_actions": 1, "read_back_wrong": 1}
    assert compare(convgate_home, [annotator]) == SAME | differences


def test_an_answer_of_another_annotator_is_not_taken_for_ones_own(
    annotator: Annotator, convgate_home: Path
) -> None:
    with Store(convgate_home / "convgate.db").write() as db:
        db.execute("UPDATE annotators SET name = 'Bo' WHERE name = 'Ada'")
    assert compare(convgate_home, [annotator]) == SAME | {
        "lost": 2, "not_given": 2, "lost_actions": 2, "doubled_actions": 2,
    }  # fmt: skip


@pytest.mark.slow
def test_annotators_who_label_at_the_same_time_lose_nothing() -> None:
    with ThreadPoolExecutor(1) as pool:  # browser tests leave a running event loop in their thread
        result = pool.submit(measure, n_annotators=4, minutes=0.25).result()
    assert (result["differences"], result["errors"]) == (SAME, [])
    assert result["stored_seconds"], "answers were stored"
