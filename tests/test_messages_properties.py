"""Properties of every repaired list, for any conversation, choice and current turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate import ToolCall, Turn
from convgate.messages import ValidSelection, check_valid, find_tool_units, make_valid
from convgate.transcripts import to_messages

IDS = st.sampled_from(["a", "b", "c", ""])
NAMES = st.sampled_from(["f", "g"])
CALLS = st.lists(st.builds(ToolCall, IDS, NAMES, st.just("{}")), min_size=1, max_size=3).map(tuple)
TURNS = st.one_of(
    st.builds(
        Turn.of, st.sampled_from(["user", "user", "assistant", "alice", "system", "developer"]), st.just("x")
    ),
    st.builds(lambda name: Turn.of("user", "x", name=name), st.sampled_from(["Ann", "Bob"])),
    st.builds(
        lambda role, calls: Turn(role, tool_calls=calls), st.sampled_from(["assistant", "bot", "user"]), CALLS
    ),
    st.builds(
        lambda id, name: Turn.of("tool", "x", tool_call_id=id, name=name), IDS | st.none(), NAMES | st.none()
    ),
    st.builds(lambda name: Turn.of("function", "x", name=name), NAMES),
)


def _answered(calls: tuple[ToolCall, ...]) -> list[Turn]:
    results = [Turn.of("tool", "x", tool_call_id=call.id, name=call.name) for call in calls]
    return [Turn("assistant", tool_calls=calls), *reversed(results), Turn.of("assistant", "so it is")]


CONVERSATIONS = st.lists(TURNS.map(lambda turn: [turn]) | CALLS.map(_answered), max_size=14).map(
    lambda pieces: [turn for piece in pieces for turn in piece]
)


@dataclass(frozen=True)
class Case:
    turns: list[Turn]
    chosen: frozenset[int]
    current: int | None
    pair_answers: bool

    def run(self, chosen=None) -> ValidSelection:
        return make_valid(
            self.turns,
            self.chosen if chosen is None else chosen,
            self.current,
            pair_answers=self.pair_answers,
        )

    @property
    def end(self) -> int:
        return len(self.turns) if self.current is None else self.current + 1

    def is_user(self, index: int) -> bool:
        turn = self.turns[index]
        return turn.role in {"user", "alice"}


@st.composite
def cases(draw) -> Case:
    turns = draw(CONVERSATIONS)
    places = st.integers(0, len(turns) - 1) if turns else st.nothing()
    chosen = draw(st.frozensets(places) | st.just(frozenset(range(len(turns)))))
    current = draw(st.none() | places) if turns else None
    return Case(turns, chosen, current, draw(st.booleans()))


every_case = given(cases())


@every_case
def test_the_result_is_valid_but_for_what_the_current_turn_itself_breaks(case: Case) -> None:
    selection = case.run()
    sent = selection.of(case.turns)
    if case.current is None:
        assert check_valid([*sent, Turn.of("user", "typed")]) == []
        return
    current = case.turns[case.current]
    excused = set()
    if current.role in {"assistant", "bot", "system", "developer"}:
        excused.add("last")
    units = find_tool_units(case.turns[: case.end])
    if case.current in units.orphans:
        excused.add("orphan_result")
    if case.is_user(case.current):
        excused.clear()
    assert broken_rules(sent) <= excused


@every_case
def test_the_messages_made_of_the_turns_break_the_rules_that_the_turns_break_and_no_others(
    case: Case,
) -> None:
    sent = case.run().of(case.turns)
    assert broken_rules(to_messages(sent)) == broken_rules(sent)


def broken_rules(messages: Sequence[Turn | Mapping[str, Any]]) -> set[str]:
    return {violation.split(":")[0] for violation in check_valid(messages)}


@every_case
def test_indices_increase_and_hold_the_current_turn_and_every_instruction_before_it(case: Case) -> None:
    indices = case.run().indices
    assert indices == sorted(set(indices))
    assert all(0 <= index < case.end for index in indices)
    assert {index for index in range(case.end) if case.turns[index].is_instruction} <= set(indices)
    assert case.current is None or case.current in indices


@every_case
def test_repairing_a_repaired_list_changes_nothing(case: Case) -> None:
    selection = case.run()
    again = case.run(selection.indices)
    assert again.indices == selection.indices
    assert again.missing_results == selection.missing_results
    assert {override.rule for override in again.overrides.values()} <= {"instructions"}
    assert all(override.kept for override in again.overrides.values())


@every_case
def test_every_change_has_an_override_and_only_instructions_have_one_without(case: Case) -> None:
    selection = case.run()
    sent = set(selection.indices)
    instructions = {index for index in range(case.end) if case.turns[index].is_instruction}
    assert set(selection.overrides) == (sent ^ case.chosen) | instructions
    for index, override in selection.overrides.items():
        assert override.kept == (index in sent)
        assert override.stage in {"repair", "hold"}
        assert override.explanation.endswith(".")
        assert (override.rule == "instructions") == (index in instructions)


@every_case
def test_every_added_turn_has_the_reason_that_it_names(case: Case) -> None:
    selection = case.run()
    sent = set(selection.indices)
    units = find_tool_units(case.turns[: case.end]).by_turn
    for index, override in selection.overrides.items():
        if not override.kept:
            continue
        anchors = (case.chosen & sent) | {case.current}
        if override.rule == "current":
            assert index == case.current
        elif override.rule == "tool_unit":
            assert anchors & set(units[index].members)
        elif override.rule == "first_user":
            later = [other for other in range(index + 1, case.end) if other in sent]
            first = next(other for other in later if not case.turns[other].is_instruction)
            assert case.is_user(index)
            assert not any(case.is_user(other) for other in range(index + 1, first + 1))
        elif override.rule == "answer_pair":
            assert case.pair_answers
        else:
            assert override.rule == "instructions"


@every_case
def test_every_dropped_turn_has_the_reason_that_it_names(case: Case) -> None:
    units = find_tool_units(case.turns[: case.end])
    for index, override in case.run().overrides.items():
        if override.kept:
            continue
        unit = units.by_turn.get(index)
        if override.rule == "after_current":
            assert index >= case.end
        elif override.rule == "orphan_result":
            assert index in units.orphans
        elif override.rule == "incomplete_tool_unit":
            assert unit.missing
            assert case.current not in unit.members
        else:
            pytest.fail(f"turn {index} was dropped by {override.rule}")


@every_case
def test_only_the_present_unit_may_lack_results_and_then_they_are_named(case: Case) -> None:
    selection = case.run()
    for unit in find_tool_units(selection.of(case.turns)).units:
        present = case.current is not None and len(selection.indices) - 1 in unit.members
        assert unit.missing == (selection.missing_results if present else ())


@every_case
def test_units_are_sent_whole_or_not_at_all(case: Case) -> None:
    sent = set(case.run().indices)
    for unit in find_tool_units(case.turns[: case.end]).units:
        assert sent.issuperset(unit.members) or sent.isdisjoint(unit.members)


@every_case
def test_a_selected_user_turn_is_never_dropped(case: Case) -> None:
    sent = set(case.run().indices)
    assert {index for index in case.chosen if index < case.end and case.is_user(index)} <= sent


@every_case
def test_pairing_only_adds(case: Case) -> None:
    alone = make_valid(case.turns, case.chosen, case.current)
    paired = make_valid(case.turns, case.chosen, case.current, pair_answers=True)
    assert set(alone.indices) <= set(paired.indices)


@every_case
def test_choosing_more_never_sends_less(case: Case) -> None:
    fewer = frozenset(index for index in case.chosen if index % 2)
    assert set(case.run(fewer).indices) - set(case.run().indices) <= _pulled_by_first_user(case.run(fewer))


def _pulled_by_first_user(selection: ValidSelection) -> set[int]:
    return {index for index, override in selection.overrides.items() if override.rule == "first_user"}


@every_case
def test_a_mask_gives_what_indices_give(case: Case) -> None:
    mask = np.array([index in case.chosen for index in range(len(case.turns))], dtype=bool)
    assert case.run(mask) == case.run()


@given(st.lists(st.sampled_from(["user", "assistant"]), min_size=1, max_size=20), st.data())
def test_pairs_are_sent_whole_or_not_at_all(roles: list[str], data: st.DataObject) -> None:
    roles = ["user", *roles, "user"]
    turns = [Turn.of(role, "x") for role in roles]
    chosen = data.draw(st.frozensets(st.integers(0, len(roles) - 1)))
    sent = set(make_valid(turns, chosen, len(roles) - 1, pair_answers=True).indices)
    starts = [index for index, role in enumerate(roles) if role == "user"]
    for start, stop in zip(starts, [*starts[1:], len(roles)], strict=True):
        exchange = set(range(start, stop))
        assert exchange <= sent if exchange & (chosen | {len(roles) - 1}) else not exchange & sent


@every_case
def test_the_check_notices_when_one_member_of_a_sent_unit_is_taken_away(case: Case) -> None:
    sent = [*case.run().of(case.turns), Turn.of("user", "go on")]
    units = find_tool_units(sent).units
    ids = [call.id for unit in units for call in sent[unit.call].tool_calls]
    ids += [sent[index].tool_call_id or "" for unit in units for index in unit.results]
    if check_valid(sent) or not all(ids):
        return  # what is open already, or matched by name, may take the place of what is taken away
    for gone in (member for unit in units for member in unit.members):
        cut = [turn for index, turn in enumerate(sent) if index != gone]
        rules = {violation.split(":")[0] for violation in check_valid(cut)}
        assert rules & {"orphan_result", "incomplete_tool_unit"}
