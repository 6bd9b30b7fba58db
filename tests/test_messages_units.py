from __future__ import annotations

from convgate import ToolCall, Turn
from convgate.messages import ToolUnit, find_tool_units


def call(*ids: str, role: str = "assistant") -> Turn:
    return Turn(role, tool_calls=tuple(ToolCall(id, f"tool_{id}", "{}") for id in ids))


def result(id: str | None, name: str | None = None, role: str = "tool") -> Turn:
    return Turn.of(role, "done", tool_call_id=id, name=name)


def legacy_call(name: str) -> Turn:
    return Turn("assistant", tool_calls=(ToolCall("", name, "{}"),))


USER = Turn.of("user", "hello")


def test_parallel_calls_and_their_results_are_one_unit_in_any_order() -> None:
    found = find_tool_units([USER, call("a", "b"), result("b"), result("a"), USER])
    assert found.units == (ToolUnit(1, (2, 3), ()),)
    assert found.orphans == ()
    assert found.by_turn == dict.fromkeys((1, 2, 3), found.units[0])
    assert found.units[0].members == (1, 2, 3)


def test_results_are_matched_by_id_and_not_by_place() -> None:
    found = find_tool_units([call("a"), USER, call("b"), result("a"), result("b")])
    assert found.units == (ToolUnit(0, (3,), ()), ToolUnit(2, (4,), ()))


def test_a_repeated_id_belongs_to_the_nearest_open_call() -> None:
    one_after_the_other = find_tool_units([call("a"), result("a"), call("a"), result("a")])
    assert one_after_the_other.units == (ToolUnit(0, (1,), ()), ToolUnit(2, (3,), ()))
    nested = find_tool_units([call("a"), call("a"), result("a"), result("a")])
    assert nested.units == (ToolUnit(0, (3,), ()), ToolUnit(1, (2,), ()))


def test_an_old_call_without_a_result_does_not_take_the_result_of_a_later_one_with_its_id() -> None:
    found = find_tool_units([call("a"), USER, call("a"), result("a")])
    assert found.units == (ToolUnit(0, (), ("a",)), ToolUnit(2, (3,), ()))


def test_an_id_that_one_turn_uses_twice_needs_two_results() -> None:
    assert find_tool_units([call("a", "a"), result("a")]).units == (ToolUnit(0, (1,), ("a",)),)
    assert find_tool_units([call("a", "a"), result("a"), result("a")]).units == (ToolUnit(0, (1, 2), ()),)


def test_missing_results_are_named_in_the_order_of_the_calls() -> None:
    assert find_tool_units([call("a", "b", "c"), result("b")]).units[0].missing == ("a", "c")


def test_results_before_or_without_their_call_are_orphans() -> None:
    assert find_tool_units([result("a"), call("a"), result("z"), result("a"), result("a")]).orphans == (
        0,
        2,
        4,
    )


def test_a_legacy_function_result_is_matched_by_name() -> None:
    turns = [legacy_call("weather"), legacy_call("time"), result(None, "weather", "function")]
    found = find_tool_units(turns)
    assert found.units == (ToolUnit(0, (2,), ()), ToolUnit(1, (), ("time",)))
    assert find_tool_units([legacy_call("time"), result(None, "weather", "function")]).orphans == (1,)


def test_a_result_with_neither_id_nor_name_answers_the_nearest_open_call() -> None:
    found = find_tool_units([call("a"), call("b"), result(None), result(None), result(None)])
    assert found.units == (ToolUnit(0, (3,), ()), ToolUnit(1, (2,), ()))
    assert found.orphans == (4,)


def test_a_call_closed_by_id_is_not_open_by_name_or_place_any_more() -> None:
    found = find_tool_units([call("a"), result("a"), result(None, "tool_a"), result(None)])
    assert found.orphans == (2, 3)


def test_any_turn_that_names_the_call_it_answers_is_a_result() -> None:
    assert find_tool_units([call("a"), result("a", role="observation")]).units == (ToolUnit(0, (1,), ()),)


def test_roles_unknown_to_chat_apis_can_call_tools_and_users_and_instructions_cannot() -> None:
    assert find_tool_units([call("a", role="bot"), result("a")]).units == (ToolUnit(0, (1,), ()),)
    assert find_tool_units([call("a", role="user"), result("a")]).orphans == (1,)
    assert find_tool_units([call("a", role="system"), result("a")]).orphans == (1,)


def test_no_tools_no_units() -> None:
    found = find_tool_units([USER, Turn.of("assistant", "hi")])
    assert (found.units, found.orphans, found.by_turn) == ((), (), {})


def test_thousands_of_open_calls_of_one_id_are_matched() -> None:
    turns = [call("a")] * 20_000 + [result("a")] * 20_000 + [result(None)] * 20_000
    found = find_tool_units(turns)  # in quadratic time this would take minutes
    assert len(found.units) == len(found.orphans) == 20_000
