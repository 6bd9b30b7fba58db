"""Lists that chat APIs accept: violations, tool units, repair, invalid input."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from convgate import ToolCall, Turn
from convgate.core.errors import ConversationError
from convgate.messages import ToolUnit, ValidSelection, check_valid, find_tool_units, make_valid
from convgate.messages.validity import quote_opening
from tests.selectors import tool_calls_message, tool_result


def user(text: str = "question", **fields) -> Turn:
    return Turn.of("user", text, **fields)


def assistant(text: str = "answer") -> Turn:
    return Turn.of("assistant", text)


def call(*ids: str) -> Turn:
    return Turn("assistant", tool_calls=tuple(ToolCall(id, "look_up", "{}") for id in ids))


def result(id: str | None, name: str | None = None, role: str = "tool") -> Turn:
    return Turn.of(role, "found", tool_call_id=id, name=name)


def legacy_call_turn(name: str) -> Turn:
    return Turn("assistant", tool_calls=(ToolCall("", name, "{}"),))


SYSTEM = Turn.of("system", "Be brief.")

AGENT = [
    SYSTEM,
    user(),
    call("a", "b"),
    result("a"),
    result("b"),
    assistant(),
    user(),
    assistant(),
    user("now"),
]


def rules(selection: ValidSelection) -> dict[int, tuple[str, bool]]:
    return {index: (override.rule, override.kept) for index, override in selection.overrides.items()}


@pytest.mark.parametrize("kept", [{2}, {3}, {4}])
def test_a_call_and_all_its_results_are_kept_when_one_of_them_is(kept: set[int]) -> None:
    # langchain #33245, openai-agents #4322, pydantic-ai #2050: cuts between a call and its results
    selection = make_valid(AGENT, {1, *kept}, 8)
    assert selection.indices == [0, 1, 2, 3, 4, 8]
    assert {index for index, (rule, stays) in rules(selection).items() if rule == "tool_unit" and stays} == {
        2,
        3,
        4,
    } - kept


def test_a_list_that_is_valid_and_wholly_kept_is_left_alone() -> None:
    # litellm #4931, #6505: results deleted although everything fits
    selection = make_valid(AGENT, set(range(9)), 8)
    assert selection.indices == list(range(9))
    assert rules(selection) == {0: ("instructions", True)}
    assert selection.missing_results == ()


def test_a_call_without_a_result_leaves_even_when_everything_would_fit() -> None:
    # litellm #10696, langgraph's validation of its history
    turns = [user(), call("a"), user("never mind"), assistant()]
    selection = make_valid([*turns, user("now")], range(5), 4)
    assert selection.indices == [0, 2, 3, 4]
    assert rules(selection) == {1: ("incomplete_tool_unit", False)}
    assert "'a'" in selection.overrides[1].explanation


@pytest.mark.parametrize(
    ("current", "indices", "missing"),
    [(1, [0, 1], ("a", "b")), (2, [0, 1, 2], ("b",)), (3, [0, 1, 2, 3], ())],
)
def test_the_present_unit_stays_as_given_and_names_what_is_missing(
    current: int, indices: list[int], missing: tuple[str, ...]
) -> None:
    selection = make_valid([user(), call("a", "b"), result("a"), result("b")], {0}, current)
    assert selection.indices == indices
    assert selection.missing_results == missing


def test_nothing_chosen_still_sends_the_current_message() -> None:
    # langgraph #8925: an empty list falls back to the whole history
    assert make_valid([user(), assistant(), user()], set(), 2).indices == [2]


def test_an_answer_at_the_front_brings_in_the_question_that_it_answers() -> None:
    # llama_index: a history may not start with the assistant
    turns = [user("old"), assistant(), user("asked"), assistant("answered"), assistant("more"), user("now")]
    selection = make_valid(turns, {4}, 5)
    assert selection.indices == [2, 4, 5]
    assert rules(selection)[2] == ("first_user", True)


def test_the_selection_picks_the_very_same_objects_and_changes_nothing() -> None:
    messages = [{"role": turn.role} for turn in AGENT]
    before = list(AGENT)
    picked = make_valid(AGENT, {7}, 8).of(messages)
    assert [id(message) for message in picked] == [id(messages[n]) for n in (0, 6, 7, 8)]
    assert messages == [{"role": turn.role} for turn in AGENT]
    assert all(now is then for now, then in zip(AGENT, before, strict=True))


@pytest.mark.parametrize(
    ("kept", "current"), [({9}, 8), ({-1}, 8), (set(), 9), (set(), -1), (np.ones(8, dtype=bool), 8)]
)
def test_turns_that_do_not_exist_are_refused(kept, current: int) -> None:
    with pytest.raises(ConversationError):
        make_valid(AGENT, kept, current)


USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "hello"}
INSTRUCTION = {"role": "system", "content": "Be brief."}


def legacy_call(name: str) -> dict:
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def legacy_result(name: str) -> dict:
    return {"role": "function", "name": name, "content": "done"}


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [INSTRUCTION, USER, ANSWER, INSTRUCTION, USER],
        [USER, tool_calls_message("a", "b"), tool_result("b"), tool_result("a"), ANSWER, USER],
        [USER, tool_calls_message("a"), tool_result("a"), tool_calls_message("a"), tool_result("a")],
        [USER, tool_calls_message("a", "b"), tool_result("a")],
        [USER, legacy_call("f"), legacy_result("f"), USER],
        [USER, {**tool_calls_message(), "tool_calls": None}, USER],
        [Turn.of("Caroline", "hi"), ANSWER, Turn.of("Melanie", "hi")],
        [{**tool_calls_message("a"), "role": "user"}, USER],
    ],
)
def test_lists_that_chat_apis_accept_have_no_violation(messages: list[dict]) -> None:
    assert check_valid(messages) == []


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([], "empty"),
        ([INSTRUCTION], "last"),
        ([USER, ANSWER], "last"),
        ([USER, tool_result("a"), USER], "orphan_result"),
        ([USER, tool_calls_message("a"), tool_result("a"), tool_result("a"), USER], "orphan_result"),
        ([USER, tool_calls_message("a", "b"), tool_result("b"), USER], "incomplete_tool_unit"),
        ([USER, tool_calls_message("a"), tool_calls_message("a"), tool_result("a")], "incomplete_tool_unit"),
        ([USER, legacy_call("f"), USER], "incomplete_tool_unit"),
        ([USER, legacy_call("f"), legacy_result("f"), legacy_result("f")], "orphan_result"),
        ([USER, {"role": "tool", "content": "x"}, USER], "orphan_result"),
        ([USER, {"role": "moderator", "content": "x"}], "unknown_role"),
        ([{"content": "x"}], "unknown_role"),
    ],
)
def test_each_violation_is_named(messages: list[dict], rule: str) -> None:
    assert [violation.split(":")[0] for violation in check_valid(messages)] == [rule]


def test_a_list_that_opens_with_the_assistant_breaks_a_rule_of_some_targets_alone() -> None:
    opening = [INSTRUCTION, ANSWER, USER]
    assert check_valid(opening) == []
    assert [violation.split(":")[0] for violation in check_valid(opening, user_first=True)] == ["first_user"]


def test_what_the_assistant_says_first_is_sent_when_it_is_chosen() -> None:
    turns = [assistant("Your flight is cancelled."), user("The rebooking, please.")]
    assert make_valid(turns, {0}, 1).indices == [0, 1]
    assert make_valid(turns, set(), 1).indices == [1]


def test_an_opening_is_quoted_in_the_users_first_message() -> None:
    messages = [
        {"role": "system", "content": "Be kind."},
        {"role": "assistant", "content": "TP 571,\nor a refund?"},
        {"role": "user", "content": [{"type": "text", "text": "TP 571."}]},
        {"role": "assistant", "content": "Booked."},
    ]
    turns = [Turn.of(message["role"], "") for message in messages]
    turns[1] = Turn.of("assistant", messages[1]["content"])
    quoted, rows = quote_opening(messages, turns)
    assert rows == [0, 2, 3]
    assert [message["role"] for message in quoted] == ["system", "user", "assistant"]
    assert quoted[1]["content"][0]["text"] == "The assistant said before:\n> TP 571,\n> or a refund?"
    assert quoted[1]["content"][1:] == messages[2]["content"]
    assert quoted[0] is messages[0]
    assert quoted[2] is messages[3]
    assert check_valid(quoted[:2], user_first=True) == []


def test_parallel_calls_and_their_results_are_one_unit_in_any_order() -> None:
    tool_units = find_tool_units([user(), call("a", "b"), result("b"), result("a"), user()])
    assert tool_units.units == (ToolUnit(1, (2, 3), ()),)
    assert tool_units.orphans == ()
    assert tool_units.by_turn == dict.fromkeys((1, 2, 3), tool_units.units[0])
    assert tool_units.units[0].members == (1, 2, 3)


def test_a_repeated_id_belongs_to_the_nearest_open_call() -> None:
    one_after_the_other = find_tool_units([call("a"), result("a"), call("a"), result("a")])
    assert one_after_the_other.units == (ToolUnit(0, (1,), ()), ToolUnit(2, (3,), ()))
    nested = find_tool_units([call("a"), call("a"), result("a"), result("a")])
    assert nested.units == (ToolUnit(0, (3,), ()), ToolUnit(1, (2,), ()))


def test_results_before_or_without_their_call_are_orphans() -> None:
    assert find_tool_units([result("a"), call("a"), result("z"), result("a"), result("a")]).orphans == (
        0,
        2,
        4,
    )


def test_a_legacy_function_result_is_matched_by_name() -> None:
    turns = [legacy_call_turn("weather"), legacy_call_turn("time"), result(None, "weather", "function")]
    tool_units = find_tool_units(turns)
    assert tool_units.units == (ToolUnit(0, (2,), ()), ToolUnit(1, (), ("time",)))
    assert find_tool_units([legacy_call_turn("time"), result(None, "weather", "function")]).orphans == (1,)


def test_a_result_with_neither_id_nor_name_answers_the_nearest_open_call() -> None:
    tool_units = find_tool_units([call("a"), call("b"), result(None), result(None), result(None)])
    assert tool_units.units == (ToolUnit(0, (3,), ()), ToolUnit(1, (2,), ()))
    assert tool_units.orphans == (4,)


def test_a_pruned_call_takes_its_results_along_and_the_other_way_round() -> None:
    for pruned in (1, 2):
        turns = [user(), call("a"), result("a"), user()]
        turns[pruned] = replace(turns[pruned], pruned="old.")
        selection = make_valid(turns, [0, 1, 2], 3)
        assert selection.indices == [0, 3]
        assert {override.rule for override in selection.overrides.values()} == {"pruned", "current"}


def test_another_answer_to_a_question_is_not_called_a_question() -> None:
    turns = [Turn.of(role, role) for role in ("user", "assistant", "assistant", "user")]
    overrides = make_valid(turns, [1], 3, pair_answers=True).overrides
    assert (overrides[0].how, overrides[2].how) == ("with its answer", "with its exchange")
    assert overrides[2].explanation.startswith("message 1 answers the same question; it is kept, and ")
