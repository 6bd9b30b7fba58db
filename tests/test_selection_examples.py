"""The documented examples of a selection, on the samples, with the shipped gate."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation
from convgate.selection.load import load
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from convgate.transcripts import read_conversations
from tests.selectors import settings, turns_by_section

SAMPLES = Path(__file__).resolve().parent.parent / "sample_conversations"

LOW_SCORES = pytest.mark.xfail(
    strict=True, reason="turns 3, 7 and 8 have .04 to .13; a promise of 2% keeps those"
)
pytestmark = [pytest.mark.slow, pytest.mark.shipped, pytest.mark.xdist_group("encoder")]

Build = Callable[..., Selection]


def sample(name: str) -> Conversation:
    [conversation] = read_conversations(SAMPLES / name)
    return conversation


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Selector:
    return load(
        settings(home=tmp_path_factory.mktemp("home"), budget={"tokens": 53_000}, guard={"log": False})
    )


def test_a_task_keeps_its_rules_and_decisions(shipped):
    """1: a login with JWT; "actually, it must work with LDAP"; "add refresh tokens"."""
    selection = shipped.select_at(sample("login_jwt_ldap.json"))
    assert selection.mode == "TASK"
    assert {1, 11} <= set(turns_by_section(selection)["rules"])
    types = {one.source: one.type for one in selection.invariants if one.held}
    assert types[1] == "hard_constraint"
    assert types[11] in {"user_correction", "hard_constraint"}
    assert 9 in turns_by_section(selection)["decisions"], "what came of the discussion"


@pytest.mark.parametrize("budget", [pytest.param(None, marks=LOW_SCORES), 400])
def test_a_task_leaves_the_discussion_of_its_rules_out(shipped, budget):
    """1."""
    selection = shipped.select_at(sample("login_jwt_ldap.json"), budget=budget)
    assert {3, 4, 5, 6, 7, 8}.isdisjoint(selection.indices)
    assert selection.tokens < 0.8 * selection.tokens_total


def test_a_small_budget_keeps_the_rules(shipped):
    """1, in 400 tokens."""
    selection = shipped.select_at(sample("login_jwt_ldap.json"), budget=400)
    assert {1, 11} <= set(turns_by_section(selection)["rules"])
    assert selection.tokens <= 400


@pytest.mark.xfail(strict=True, reason="a decision, turn 10, is taken for a correction, so a rule sends it")
def test_an_exploration_shrinks_to_its_decisions_when_it_is_implemented(shipped):
    """2: EXPLORATION to TASK."""
    ideas = sample("offline_shopping_list.json")
    during, after = shipped.select_at(ideas, 12), shipped.select_at(ideas)
    assert (during.mode, after.mode) == ("EXPLORATION", "TASK")
    assert during.indices == list(range(13)), "all of it, while it is going on"
    assert {6, 10} <= set(turns_by_section(after)["decisions"])
    assert {2, 3, 4, 5, 13}.isdisjoint(after.indices)
    left_out = {one.index: one for one in after.decisions if one.rule == "mode"}
    assert {4, 5} <= left_out.keys()
    assert "belongs to EXPLORATION, which TASK leaves out" in left_out[4].reason


@pytest.mark.xfail(strict=True, reason="the gate keeps the idea that was turned down, with a score of .16")
def test_an_idea_that_was_turned_down_is_left_out(shipped):
    """2: phone to phone."""
    assert 12 not in shipped.select_at(sample("offline_shopping_list.json")).indices


def test_debugging_has_the_errors_and_the_change_before_them(shipped):
    """3: stack traces and recent changes in."""
    selection = shipped.select_at(sample("worker_crash_debugging.json"))
    assert selection.mode == "DEBUGGING"
    assert {12, 13, 14, 16} <= set(selection.indices), "the change, the trace, and what happens now"
    assert 10 in turns_by_section(selection)["rules"]
    assert 16 in turns_by_section(selection)["task_state"]
    assert "solved later, in message 16" in selection.decisions.of(14).reason


@pytest.mark.xfail(strict=True, reason="turns 4, 6, 7 and 9 have .02 to .08; a promise of 2% keeps those")
def test_debugging_leaves_earlier_successes_out(shipped):
    """3."""
    selection = shipped.select_at(sample("worker_crash_debugging.json"))
    assert {0, 1, 2, 3, 4, 5, 6, 7, 9}.isdisjoint(selection.indices)
