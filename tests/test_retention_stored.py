"""Pruning of stored conversations: a plan, its effect on what is sent, undo; workspaces."""

from __future__ import annotations

import json

import pytest

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import StoreError
from convgate.policies.retention.policy import Pruning
from convgate.policies.retention.pruning import apply_pruning, plan_pruning, undo_pruning, with_pruned
from convgate.policies.window import LastK
from convgate.sessions import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import PrunedTurn, PrunedTurns
from tests import selectors
from tests.commands import Run
from tests.selectors import plain

FEW = Pruning(keep_last=2, period=0)


def turn_of(role: str, text: str, confidence: float) -> Turn:
    return Turn.of(role, text, metadata={"confidence": confidence})


TURNS = (
    Turn.of("system", "Be brief."),
    Turn.of("user", "a tax function"),
    turn_of("assistant", "def tax(): ...", 0.85),
    Turn.of("user", "nice weather"),
    turn_of("assistant", "yes", 0.45),
    Turn.of("user", "and now"),
    turn_of("assistant", "now what", 0.45),
)


def stored(store: Store, *turns: Turn, workspace: str | None = None) -> str:
    new = NewConversation(Conversation("", turns or TURNS), workspace=workspace)
    return Conversations(store).add([new])[0].key


def test_a_plan_changes_nothing_and_names_turns_with_reasons(store: Store) -> None:
    key = stored(store)
    plan = plan_pruning(store, key, FEW)
    assert list(plan.reasons) == [3, 4]
    assert "0.45" in plan.reasons[4]
    assert plan.tokens > 0
    assert PrunedTurns(store).of(key) == {}


def test_pruned_turns_are_kept_but_not_sent_until_undone(store: Store) -> None:
    key = stored(store)
    apply_pruning(store, plan_pruning(store, key, FEW))
    assert list(plan_pruning(store, key, FEW).reasons) == [], "they are pruned already"
    conversation = Conversations(store).get(key).conversation
    assert conversation.turns == TURNS
    marked = with_pruned(conversation, PrunedTurns(store).of(key))
    selection = plain(LastK(k=10)).select_at(marked, question="which tax?")
    assert selection.indices == [0, 1, 2, 5, 6]
    assert selection.decisions[4].rule == "pruned"
    budgeted = selectors.make_selector().select_at(marked, question="GENERAL which tax?")
    assert budgeted.indices == [0, 1, 2, 5, 6]
    assert budgeted.decisions.of(4).rule == "repair"
    assert undo_pruning(store, key) == [3, 4]
    assert with_pruned(conversation, PrunedTurns(store).of(key)) is conversation


def test_a_pruned_instruction_is_sent_all_the_same() -> None:
    turns = (Turn.of("system", "Be brief.", pruned="x"), Turn.of("user", "hello"))
    conversation = Conversation("", turns)
    assert plain(LastK(k=1)).select_at(conversation).indices == [0, 1]
    assert selectors.make_selector().select_at(conversation).indices == [0, 1]


def test_a_tool_call_leaves_with_all_its_results_or_not_at_all(store: Store) -> None:
    def exchange(confidence: float) -> list[Turn]:
        call = Turn("assistant", tool_calls=(ToolCall("a", "f", "{}"),))
        result = turn_of("tool", "4", confidence)
        return [Turn.of("user", "2 + 2?"), call, Turn("tool", result.parts, tool_call_id="a")]

    turns = [*exchange(0.4), turn_of("assistant", "4", 0.4), *exchange(0.4), turn_of("assistant", "4", 0.9)]
    key = stored(store, *turns)
    # the last three messages stay, and with the result its call
    assert list(plan_pruning(store, key, Pruning(keep_last=2, period=0)).reasons) == [0, 1, 2, 3]
    confident = [*turns[:4], *(Turn.of("user", str(number)) for number in range(3))]
    other = stored(store, *confident)
    plan = plan_pruning(store, other, Pruning(keep_last=5, period=0))
    assert list(plan.reasons) == [0], "the result is one of the last five"


def test_only_turns_of_the_conversation_can_be_pruned(store: Store) -> None:
    with pytest.raises(StoreError):
        PrunedTurns(store).change(stored(store), {7: PrunedTurn("x")})


def test_a_session_goes_on_without_its_pruned_turns(store: Store) -> None:
    sessions = SessionManager(store, workspace="shop", selector=selectors.make_selector())
    for turn in TURNS:
        key = sessions.add_message(turn).key
    apply_pruning(store, plan_pruning(store, key, FEW))
    grown = sessions.add_message("GENERAL and then?")
    assert sessions.select().indices == [0, 1, 2, 5, 6, 7]
    assert all(turn.pruned is None for turn in Conversations(store).get(grown.key).conversation.turns)
    undo_pruning(store, grown.key)
    assert sessions.select().indices == list(range(8))


def test_the_command_is_a_dry_run_unless_told(store: Store, run: Run) -> None:
    key = stored(store, workspace="shop")
    other = stored(store, *TURNS[1:], workspace="lab")
    arguments = ["prune", "--workspace", "shop", "--set", "keep_last=2", "--set", "period=0", "--json"]
    dry = json.loads(run(*arguments)[1])
    assert dry["action"] == "dry run"
    assert PrunedTurns(store).of(key) == {}
    applied = json.loads(run(*arguments, "--apply")[1])
    assert applied["conversations"] == dry["conversations"]
    assert list(PrunedTurns(store).of(key)) == [3, 4]
    assert PrunedTurns(store).of(other) == {}
    [undone] = json.loads(run("prune", key, "--undo", "--json")[1])["conversations"]
    assert [turn["index"] for turn in undone["turns"]] == [3, 4]
    assert PrunedTurns(store).of(key) == {}


def test_a_conversation_with_an_unreadable_confidence_is_left_out(store: Store, run: Run) -> None:
    bad = stored(store, Turn.of("user", "why?"), Turn.of("assistant", "x", metadata={"confidence": "85%"}))
    stored(store, *TURNS)
    code, out, err = run("prune", "--set", "keep_last=2", "--set", "period=0")
    assert code == 0, err
    assert f"{bad} is left out" in err
    assert "of 1 conversation," in out


def test_conversations_are_found_by_workspace(store: Store) -> None:
    shop, _ = stored(store, workspace="shop"), stored(store, *TURNS[1:], workspace="lab")
    free = stored(store, *TURNS[2:])
    library = Conversations(store)
    assert library.workspaces() == ["lab", "shop"]
    assert [row.key for row in library.find(search="tax", workspace="shop").rows] == [shop]
    assert library.keys(workspace="shop") == {shop}
    assert library.find(workspace="nobody").total == 0
    sessions = SessionManager(store, workspace="shop")
    sessions.detect("hello")
    sessions.add_conversation(free)
    sessions.end()
    assert library.keys(workspace="shop") == {shop, free}
    assert library.summary(free).workspace == "shop"
