"""Named cases, among them what users of other trimmers ran into (thread in the comment)."""

from __future__ import annotations

import numpy as np
import pytest

from convgate import ToolCall, Turn, TurnDecisions
from convgate.errors import ConversationError
from convgate.messages import ValidSelection, check_valid, make_valid


def user(text: str = "question", **fields) -> Turn:
    return Turn.of("user", text, **fields)


def said(text: str = "answer") -> Turn:
    return Turn.of("assistant", text)


def call(*ids: str) -> Turn:
    return Turn("assistant", tool_calls=tuple(ToolCall(id, "look_up", "{}") for id in ids))


def result(id: str) -> Turn:
    return Turn.of("tool", "found", tool_call_id=id)


SYSTEM = Turn.of("system", "Be brief.")
DEVELOPER = Turn.of("developer", "Answer in French from now on.")

AGENT = [SYSTEM, user(), call("a", "b"), result("a"), result("b"), said(), user(), said(), user("now")]


def rules(selection: ValidSelection) -> dict[int, tuple[str, bool]]:
    return {index: (override.rule, override.kept) for index, override in selection.overrides.items()}


# --- tool units


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


def test_a_unit_of_which_nothing_is_chosen_leaves_whole() -> None:
    assert make_valid(AGENT, {1, 5}, 8).indices == [0, 1, 5, 8]


def test_a_list_that_is_valid_and_wholly_kept_is_left_alone() -> None:
    # litellm #4931, #6505: results deleted although everything fits
    selection = make_valid(AGENT, set(range(9)), 8)
    assert selection.indices == list(range(9))
    assert rules(selection) == {0: ("instructions", True)}
    assert selection.missing_results == ()


def test_a_call_without_a_result_leaves_even_when_everything_would_fit() -> None:
    # litellm #10696, langgraph's validation of its history
    turns = [user(), call("a"), user("never mind"), said()]
    selection = make_valid([*turns, user("now")], range(5), 4)
    assert selection.indices == [0, 2, 3, 4]
    assert rules(selection) == {1: ("incomplete_tool_unit", False)}
    assert "'a'" in selection.overrides[1].reason


def test_a_parallel_call_with_part_of_its_results_leaves_with_them() -> None:
    # datarobot-genai #430
    selection = make_valid([user(), call("a", "b"), result("a"), said(), user()], range(5), 4)
    assert selection.indices == [0, 3, 4]
    assert rules(selection) == dict.fromkeys((1, 2), ("incomplete_tool_unit", False))
    assert "lacks the result for 'b'" in selection.overrides[2].reason


def test_an_incomplete_unit_that_was_not_chosen_needs_no_explanation_and_pulls_nothing_in() -> None:
    selection = make_valid([user(), call("a"), said(), user()], {0}, 3, pair_answers=True)
    assert selection.indices == [0, 2, 3]
    assert rules(selection) == {2: ("answer_pair", True), 3: ("current", True)}


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


def test_a_call_just_before_the_current_question_is_not_the_present_unit() -> None:
    turns = [user(), call("a"), user("hurry up")]
    assert make_valid(turns, range(3), 2).indices == [0, 2]
    assert make_valid(turns[:2], range(2), None).indices == [0]


def test_a_result_after_the_current_message_is_missing() -> None:
    selection = make_valid([user(), call("a"), user("and?"), result("a")], range(4), 2)
    assert selection.indices == [0, 2]
    assert rules(selection) == {1: ("incomplete_tool_unit", False), 3: ("after_current", False)}


def test_a_result_without_a_call_leaves() -> None:
    # litellm #4931, pydantic-ai #1470
    selection = make_valid([user(), result("gone"), said(), user()], range(4), 3)
    assert selection.indices == [0, 2, 3]
    assert rules(selection) == {1: ("orphan_result", False)}


def test_repeated_ids_keep_each_call_with_its_own_result() -> None:
    turns = [user(), call("a"), result("a"), user(), call("a"), result("a"), said(), user()]
    assert make_valid(turns, {0, 5}, 7).indices == [0, 4, 5, 7]
    assert make_valid(turns, {2, 3}, 7).indices == [0, 1, 2, 3, 7]


def test_legacy_function_calls_are_units_too() -> None:
    turns = [
        user(),
        Turn("assistant", tool_calls=(ToolCall("", "weather", "{}"),)),
        Turn.of("function", "sunny", name="weather"),
        user(),
    ]
    assert make_valid(turns, {2}, 3).indices == [0, 1, 2, 3]
    del turns[2]
    selection = make_valid(turns, range(3), 1)
    assert selection.missing_results == ("weather",)


def test_long_and_many_missing_ids_are_shortened_in_reasons() -> None:
    ids = ["x" * 100_000, "b", "c", "d", "e"]
    reason = make_valid([user(), call(*ids), user()], range(3), 2).overrides[1].reason
    assert len(reason) < 200
    assert "and 2 more" in reason


# --- instructions and the current message


def test_instructions_are_always_kept_where_they_are() -> None:
    turns = [SYSTEM, user(), said(), DEVELOPER, user(), said(), user(), SYSTEM]
    selection = make_valid(turns, set(), 6)
    assert selection.indices == [0, 3, 6]
    assert rules(selection) == {
        0: ("instructions", True),
        3: ("instructions", True),
        6: ("current", True),
    }


def test_turns_after_the_current_message_are_never_sent() -> None:
    selection = make_valid(AGENT, range(9), 6)
    assert selection.indices == list(range(7))
    assert rules(selection) == {
        0: ("instructions", True),
        7: ("after_current", False),
        8: ("after_current", False),
    }


def test_nothing_chosen_still_sends_the_current_message() -> None:
    # langgraph #8925: an empty list falls back to the whole history
    assert make_valid([user(), said(), user()], set(), 2).indices == [2]


def test_a_typed_question_may_come_with_nothing() -> None:
    assert make_valid([user(), said()], set(), None).indices == []
    assert make_valid([], set(), None).indices == []


def test_a_current_message_of_the_assistant_is_sent_as_asked_and_named_by_the_check() -> None:
    turns = [said("Hello, how can I help?"), user()]
    selection = make_valid(turns, set(), 0)
    assert selection.indices == [0]
    assert [violation.split(":")[0] for violation in check_valid(selection.of(turns))] == [
        "first_user",
        "last",
    ]


def test_a_current_result_without_a_call_is_sent_as_asked_and_named_by_the_check() -> None:
    turns = [user(), result("gone")]
    selection = make_valid(turns, set(), 1)
    assert selection.indices == [0, 1]
    assert [violation.split(":")[0] for violation in check_valid(selection.of(turns))] == ["orphan_result"]


# --- a user first


def test_an_answer_at_the_front_brings_in_the_question_that_it_answers() -> None:
    # llama_index: a history may not start with the assistant
    turns = [user("old"), said(), user("asked"), said("answered"), said("more"), user("now")]
    selection = make_valid(turns, {4}, 5)
    assert selection.indices == [2, 4, 5]
    assert rules(selection)[2] == ("first_user", True)
    assert selection.overrides[2].reason.startswith("an answer to it is kept")


def test_a_unit_at_the_front_brings_in_the_question_that_it_answers() -> None:
    selection = make_valid(AGENT, {4}, 8)
    assert selection.indices == [0, 1, 2, 3, 4, 8]
    assert rules(selection)[1] == ("first_user", True)


def test_a_greeting_before_any_user_leaves() -> None:
    turns = [SYSTEM, said("Hello, how can I help?"), call("a"), result("a"), user(), said(), user()]
    selection = make_valid(turns, range(7), 6)
    assert selection.indices == [0, 4, 5, 6]
    assert rules(selection) == {
        0: ("instructions", True),
        1: ("first_user", False),
        2: ("first_user", False),
        3: ("first_user", False),
    }


def test_a_unit_that_begins_before_any_user_leaves_with_its_late_result() -> None:
    turns = [call("a"), user(), result("a"), said(), user()]
    assert make_valid(turns, range(5), 4).indices == [1, 3, 4]
    assert make_valid(turns, range(5), 4, pair_answers=True).indices == [1, 3, 4]


def test_an_agent_that_nobody_asked_keeps_its_present_unit() -> None:
    turns = [SYSTEM, said("starting"), call("a"), result("a")]
    selection = make_valid(turns, range(4), 3)
    assert selection.indices == [0, 2, 3]
    assert check_valid(selection.of(turns)) == [
        "first_user: message 1 (assistant) comes before any message from a user"
    ]


def test_people_who_all_are_users_are_left_to_the_policy() -> None:
    turns = [user(str(n), name=f"nick{n % 3}") for n in range(8)]
    selection = make_valid(turns, {1, 5}, 7)
    assert selection.indices == [1, 5, 7]
    assert rules(selection) == {7: ("current", True)}
    assert make_valid(turns, {1, 5}, 7, pair_answers=True).indices == [1, 5, 7]


def test_roles_unknown_to_chat_apis_take_part_like_users() -> None:
    turns = [Turn.of("Caroline", "Hi"), Turn.of("Melanie", "Hello"), said(), Turn.of("Caroline", "So?")]
    assert make_valid(turns, {2}, 3).indices == [1, 2, 3]
    assert make_valid(turns, {1}, 3).indices == [1, 3]
    assert check_valid(turns) == []


# --- question and answer together


def test_a_question_keeps_its_whole_answer_when_asked_to() -> None:
    selection = make_valid(AGENT, {1}, 8, pair_answers=True)
    assert selection.indices == [0, 1, 2, 3, 4, 5, 8]
    assert {n: rule for n, (rule, _) in rules(selection).items()} == {
        0: "instructions",
        2: "answer_pair",
        3: "answer_pair",
        4: "answer_pair",
        5: "answer_pair",
        8: "current",
    }


def test_an_answer_keeps_its_question_when_asked_to() -> None:
    selection = make_valid(AGENT, {1, 2, 7}, 8, pair_answers=True)
    assert selection.indices == [0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert {n: rules(selection)[n][0] for n in (3, 4, 5, 6)} == {
        3: "tool_unit",
        4: "tool_unit",
        5: "answer_pair",
        6: "answer_pair",
    }


def test_a_late_result_goes_with_its_call_and_not_with_the_question_before_it() -> None:
    turns = [user("first"), call("a"), user("second"), result("a"), said(), user("now")]
    assert make_valid(turns, {0}, 5, pair_answers=True).indices == [0, 1, 3, 5]
    assert make_valid(turns, {2}, 5, pair_answers=True).indices == [2, 4, 5]


def test_only_the_question_just_before_the_answer_is_paired_with_it() -> None:
    turns = [user("one", name="Ann"), user("two", name="Bob"), said(), user()]
    assert make_valid(turns, {2}, 3, pair_answers=True).indices == [1, 2, 3]


def test_the_question_of_the_present_tool_loop_stays_when_pairs_are_asked_for() -> None:
    turns = [user("old"), said(), user("do it"), call("a"), result("a"), call("b"), result("b")]
    assert make_valid(turns, {0}, 6).indices == [0, 5, 6]
    assert make_valid(turns, {0}, 6, pair_answers=True).indices == [0, 1, 2, 3, 4, 5, 6]


# --- the way in and out


def test_a_mask_is_as_good_as_indices() -> None:
    mask = np.zeros(9, dtype=bool)
    mask[[3, 7]] = True
    expected = make_valid(AGENT, {3, 7}, 8)
    for kept in (mask, [3, 7], np.array([3, 7]), frozenset({3, 7})):
        assert make_valid(AGENT, kept, 8) == expected


def test_the_selection_picks_the_very_same_objects_and_changes_nothing() -> None:
    messages = [{"role": turn.role} for turn in AGENT]
    before = list(AGENT)
    picked = make_valid(AGENT, {7}, 8).of(messages)
    assert [id(message) for message in picked] == [id(messages[n]) for n in (0, 6, 7, 8)]
    assert messages == [{"role": turn.role} for turn in AGENT]
    assert all(now is then for now, then in zip(AGENT, before, strict=True))


@pytest.mark.parametrize(
    ("kept", "current", "complaint"),
    [
        ({9}, 8, "turn 9 was chosen, but there are 9 turns"),
        ({-1}, 8, "turn -1 was chosen"),
        (set(), 9, "turn 9 is to be answered, but there are 9 turns"),
        (set(), -1, "turn -1 is to be answered"),
        (np.ones(8, dtype=bool), 8, r"a mask of shape \(8,\) was given for 9 turns"),
    ],
)
def test_turns_that_do_not_exist_are_refused(kept, current: int, complaint: str) -> None:
    with pytest.raises(ConversationError, match=complaint):
        make_valid(AGENT, kept, current)


def test_changes_reach_the_decisions_they_are_about_and_no_others() -> None:
    # The policy saw a window of turns 3 to 7; instructions before it and the current turn have no decision.
    decisions = TurnDecisions(
        policy="last_k",
        rule="last_k",
        indices=np.arange(3, 8),
        kept=np.array([True, False, False, False, False]),
        why_kept="chosen.",
        why_dropped="not chosen.",
    )
    selection = make_valid(AGENT, decisions.kept_indices, 8)
    assert set(selection.overrides) == {0, 1, 2, 4, 8}
    repaired = selection.applied_to(decisions)
    assert repaired.kept_indices == [3, 4]
    assert (repaired.of(4).forced, repaired.of(4).stage, repaired.of(4).rule) == (
        True,
        "messages",
        "tool_unit",
    )
    assert repaired.of(4).reason.startswith("Kept: it is the result of a tool call that is kept")
    assert not repaired.of(3).forced


def test_thousands_of_results_before_any_user_are_repaired() -> None:
    ids = [str(n) for n in range(10_000)]
    turns = [call(*ids), *map(result, ids), *[call("x")] * 10_000, *[said(), user()] * 10_000]
    # In quadratic time this would take minutes.
    selection = make_valid(turns, range(len(turns)), len(turns) - 1, pair_answers=True)
    assert selection.indices[0] == 20_002
