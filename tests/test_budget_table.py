"""Token budgets: the table, changes by settings, scaling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.errors import RequestError
from convgate.invariants.finding import InvariantFinder
from convgate.modes.budgets import SECTIONS, TABLE, Budgets
from convgate.modes.mode import MODES
from tests.selectors import chat, make_selector, settings, turns_by_section

ENOUGH = "one two three four five six seven eight nine ten eleven"  # 15 tokens


@pytest.mark.parametrize(
    ("mode", "cells"),  # rules, task state, recent, evidence, decisions, capsules
    [
        ("TASK", (10_000, 5_000, 2_000, 28_000, 4_000, 4_000)),
        ("EXPLORATION", (3_000, 1_000, 15_000, 35_000, 6_000, 2_000)),
        ("DEBUGGING", (5_000, 4_000, 12_000, 25_000, 3_000, 0)),
        ("LEARNING", (8_000, 0, 2_000, 40_000, 8_000, 2_000)),
        ("GENERAL", (6_000, 3_000, 8_000, 28_000, 4_000, 4_000)),
    ],
)
def test_every_cell_of_the_table_is_that_of_the_specification(mode, cells):
    selection = make_selector().select(chat(mode), budget=sum(cells))
    assert selection.mode == mode
    assert tuple(section.name for section in selection.sections) == SECTIONS
    assert tuple(section.budget for section in selection.sections) == cells
    assert tuple(TABLE[mode][section] for section in SECTIONS) == cells
    assert selection.budget == sum(cells)


def test_settings_change_single_cells():
    budgets = Budgets.of(
        settings(budget={"by_mode": {"task": {"evidence": 100}, "LEARNING": {"task_state": 7}}})
    )
    assert budgets.cells("TASK") == {**TABLE["TASK"], "evidence": 100}
    assert budgets.cells("LEARNING")["task_state"] == 7
    assert budgets.cells("GENERAL") == TABLE["GENERAL"]
    assert TABLE["TASK"]["evidence"] == 28_000, "the table itself stays"


@pytest.mark.parametrize(
    ("cells", "value"),
    [
        ({"PLANNING": {"rules": 1}}, "PLANNING"),
        ({"TASK": {"notes": 1}}, "notes"),
        ({"TASK": {"rules": -1}}, "TASK, rules"),
    ],
)
def test_a_wrong_cell_is_an_error_that_names_it(cells, value):
    with pytest.raises(RequestError, match=value):
        Budgets.of(settings(budget={"by_mode": cells}))


@pytest.mark.parametrize("budget", [-1, 2.5, True, "many"])
def test_a_wrong_total_is_an_error(budget):
    with pytest.raises(RequestError):
        make_selector().select(chat("hello"), budget=budget)


def test_a_smaller_total_scales_the_table_in_proportion():
    shares = Budgets().shares("TASK", 5_300)
    assert shares == {section: tokens // 10 for section, tokens in TABLE["TASK"].items()}
    assert Budgets().shares("TASK", 1_000_000) == TABLE["TASK"], "a larger one leaves it as it is"


@given(st.sampled_from(MODES), st.integers(0, 200_000))
def test_the_shares_are_never_more_than_the_total(mode, total):
    shares = Budgets().shares(mode, total)
    assert sum(shares.values()) <= total
    assert all(0 <= shares[section] <= TABLE[mode][section] for section in SECTIONS)


def test_leftover_flows_to_evidence_and_restores_no_dropped_turn(monkeypatch):
    monkeypatch.setattr(InvariantFinder, "invariants", [])
    texts = [f"TASK {ENOUGH} {number}" for number in range(20)]
    tight = Budgets({**TABLE, "TASK": {**TABLE["TASK"], "evidence": 20, "recent": 0}})
    selection = make_selector(range(0, 40, 4), budgets=tight).select(chat(*texts, "TASK now"))
    assert turns_by_section(selection)["evidence"] == [0, 4, 8, 12, 16], (
        "five times 17 tokens in a share of 20"
    )
    assert {one.rule for one in selection.decisions if not one.kept} == {"keeps"}


def test_a_cell_of_0_turns_its_section_off():
    none = Budgets({**TABLE, "GENERAL": {**TABLE["GENERAL"], "recent": 0, "decisions": 0}})
    messages = chat("hello there", "Hi.", "We'll go with Postgres.", "Fine.", "and now")
    assert turns_by_section(make_selector(set()).select(messages)) == {"recent": [0, 1, 3], "decisions": [2]}
    assert turns_by_section(make_selector(set(), budgets=none).select(messages)) == {}
    assert make_selector(budgets=none).select(messages, capsules=["A summary."]).section("capsules").turns
    debugging = make_selector().select(chat("DEBUGGING it fails"), capsules=["A summary."])
    assert not debugging.section("capsules").turns


def test_budget_of_the_argument_comes_before_that_of_the_settings():
    selector = make_selector(budget={"tokens": 500})
    assert selector.select(chat("hello")).budget == 500
    assert selector.select(chat("hello"), budget=0).budget == 0
