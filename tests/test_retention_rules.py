"""Pruning and the prompt's window: each row of the table at its borders, and what holds for any input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate import ToolCall, Turn
from convgate.errors import ConfidenceError, PolicyError
from convgate.retention import Confidence, prune, window

JUST_BELOW = {border: math.nextafter(border, 0) for border in (0.7, 0.6, 0.5)}
SHARES = st.sampled_from(
    [0.0, 0.45, JUST_BELOW[0.5], 0.5, JUST_BELOW[0.6], 0.6, 0.65, JUST_BELOW[0.7], 0.7, 1.0]
)
MESSAGES = st.lists(st.tuples(SHARES, st.integers(0, 30)), max_size=40)
PERIODS = st.integers(0, 6)


def messages(lengths: Sequence[int]) -> list[Turn]:
    return [Turn.of("user", "x" * length) for length in lengths]


def confident(values: Sequence[float]) -> list[Confidence]:
    return [Confidence(value) for value in values]


def kept_by_window(values: Sequence[float], *, length: int = 100, **settings: int) -> list[int]:
    return window(messages([length] * len(values)), confident(values), **settings).rows


def kept_by_pruning(values: Sequence[float], *, length: int = 1, **settings: int) -> list[int]:
    return prune(messages([length] * len(values)), confident(values), **settings).rows


class TestPruning:
    @pytest.mark.parametrize(
        ("value", "stays_at"),
        [
            (0.7, range(1, 11)), (JUST_BELOW[0.7], (3, 6, 9)), (0.6, (3, 6, 9)), (JUST_BELOW[0.6], ()),
            (0.5, ()), (JUST_BELOW[0.5], ()),
        ],
    )  # fmt: skip
    def test_older_messages_stay_by_their_confidence_and_their_position_from_the_start(self, value, stays_at):
        kept = kept_by_pruning([value] * 30)
        assert [row + 1 for row in kept if row < 10] == list(stays_at)
        assert kept[-20:] == list(range(10, 30))

    def test_the_last_20_always_stay_and_the_21st_does_not(self):
        assert kept_by_pruning([0.0] * 20) == list(range(20))
        assert kept_by_pruning([0.0] * 21) == list(range(1, 21))

    def test_the_period_is_a_parameter_and_0_is_none(self):
        values = [0.65] * 9
        assert kept_by_pruning(values, keep_last=0, period=4) == [3, 7]
        assert kept_by_pruning(values, keep_last=0, period=1) == list(range(9))
        assert kept_by_pruning(values, keep_last=0, period=0) == []

    def test_positions_are_those_in_the_conversation_also_of_its_last_part(self):
        assert prune(messages([1] * 6), confident([0.65] * 6), keep_last=0, first=1).rows == [1, 4]

    def test_instructions_stay_and_count_as_positions(self):
        turns = [Turn.of("system", "Be kind."), *messages([1] * 5)]
        assert prune(turns, confident([0.1, *[0.65] * 5]), keep_last=0).rows == [0, 2, 5]

    def test_under_a_limit_the_lowest_band_leaves_first_and_its_oldest_before_the_others(self):
        values = [0.9, 0.45, 0.65, 0.55, 0.2, 0.45]
        orders = [kept_by_pruning(values, max_messages=most) for most in range(6, 0, -1)]
        gone = [set(before) - set(after) for before, after in pairwise(orders)]
        assert gone == [{1}, {4}, {5}, {3}, {2}]

    def test_a_limit_of_characters_takes_as_many_as_it_needs(self):
        assert kept_by_pruning([0.45, 0.9, 0.45, 0.9], length=10, max_characters=39) == [1, 2, 3]
        assert kept_by_pruning([0.45, 0.9, 0.45, 0.9], length=10, max_characters=40) == [0, 1, 2, 3]
        assert kept_by_pruning([0.9, 0.9], length=10, max_characters=9) == []

    def test_no_limit_takes_an_instruction(self):
        turns = [Turn.of("system", "x" * 50), *messages([10, 10])]
        assert prune(turns, confident([0.1, 0.9, 0.9]), max_characters=5, max_messages=1).rows == [0]

    def test_reasons_are_sentences(self):
        found = prune(messages([1] * 25), confident([0.85, 0.45, 0.62, 0.65, 0.5, *[0.1] * 20]))
        assert [found.why(row).told(kept=bool(found.kept[row])) for row in range(6)] == [
            "Kept: confidence 0.85, from 0.70 on a message stays without limit.",
            "Dropped: confidence 0.45, older than the last 20 messages.",
            "Kept at a checkpoint: confidence 0.62, message 3 from the start, every 3rd.",
            "Dropped: confidence 0.65, older than the last 20 messages; message 4 from the start is no "
            "checkpoint (every 3rd is).",
            "Dropped: confidence 0.50, older than the last 20 messages.",
            "Kept: one of the last 20 messages, which always stay; confidence 0.10.",
        ]
        assert found.rules[:6] == ("confident", "older", "checkpoint", "older", "older", "last_messages")
        limited = prune(messages([1] * 2), confident([0.4, 0.9]), max_messages=1)
        assert limited.why(0).told(kept=False) == (
            "Dropped: confidence 0.40; at most 1 message may stay, and the least confident leave first."
        )
        assert limited.rules == ("size_limit", "last_messages")


class TestWindow:
    @pytest.mark.parametrize(
        ("value", "enters_at"),
        [
            (0.7, range(1, 11)), (JUST_BELOW[0.7], (3, 6, 9)), (0.6, (3, 6, 9)), (JUST_BELOW[0.6], ()),
            (0.5, ()), (JUST_BELOW[0.5], ()),
        ],
    )  # fmt: skip
    def test_past_the_base_window_confidence_and_position_from_the_newest_decide(self, value, enters_at):
        kept = kept_by_window([value] * 10, base_window=0)
        assert sorted(10 - row for row in kept) == list(enters_at)

    def test_it_closes_at_the_first_that_does_not_fit_though_a_later_one_would(self):
        turns = messages([5, 300, 5, 5])
        assert window(turns, confident([0.5] * 4), base_window=100).rows == [2, 3]
        assert window(turns, confident([0.5] * 4), base_window=310).rows == [1, 2, 3]
        assert window(turns, confident([0.5] * 4), base_window=309).rows == [2, 3]

    def test_what_enters_by_confidence_or_checkpoint_uses_nothing_and_closes_nothing(self):
        turns = messages([40, 900, 40, 900, 20])
        found = confident([0.5, 0.9, 0.65, 0.9, 0.5])
        assert window(turns, found, base_window=60, period=3).rows == [0, 1, 2, 3, 4]
        assert window(turns, found, base_window=60, period=0).rows == [1, 2, 3, 4]

    def test_a_message_of_0_6_that_is_no_checkpoint_uses_the_base_window_like_any_other(self):
        assert kept_by_window([0.5, 0.65, 0.65], base_window=200) == [1, 2]

    def test_the_base_window_is_4000_characters_unless_told_otherwise(self):
        assert kept_by_window([0.5] * 50) == list(range(10, 50))

    def test_instructions_enter_and_use_nothing(self):
        turns = [*messages([50]), Turn.of("system", "x" * 5_000), *messages([50])]
        assert window(turns, confident([0.5, 0.1, 0.5]), base_window=100).rows == [0, 1, 2]

    def test_tool_calls_count_as_characters(self):
        call = Turn("assistant", tool_calls=(ToolCall("a", "f", "x" * 97),))  # f(xx…): 100 characters
        assert window([call], confident([0.5]), base_window=100).rows == [0]
        assert window([call], confident([0.5]), base_window=99).rows == []

    def test_reasons_are_sentences(self):
        turns = messages([100, 100, 300, 100, 100])
        found = window(turns, confident([0.45, 0.62, 0.65, 0.5, 0.85]), base_window=200, period=4)
        assert [found.why(row).told(kept=bool(found.kept[row])) for row in range(5)] == [
            "Dropped: confidence 0.45, older than the base window of 200 characters.",
            "Kept at a checkpoint: confidence 0.62, message 4 from the newest, every 4th.",
            "Dropped: confidence 0.65; its 300 characters close the base window, 100 of 200 were left; "
            "message 3 from the newest is no checkpoint (every 4th is).",
            "Kept in the base window: confidence 0.50; 100 of its 200 characters are used with this message.",
            "Kept: confidence 0.85, from 0.70 on a message stays without limit.",
        ]
        assert found.rules == ("closed", "checkpoint", "closed", "base_window", "confident")

    def test_a_figure_never_looks_as_if_it_were_past_a_border(self):
        found = window(messages([9]), confident([0.699]), base_window=0)
        assert found.why(0).reason.startswith("confidence 0.699;")


class TestTheExample:
    """A tax function at 0.85, extended at 0.82; small talk at 0.45; turn 10 builds on turns 1 and 2."""

    VALUES = (0.85, 0.82, *[0.45] * 7, 0.8)

    def talk(self, later: int) -> list[Turn]:
        values = [*self.VALUES, *[0.55] * later]
        return [
            turn
            for place, value in enumerate(values, start=1)
            for turn in (
                Turn.of("user", f"question {place}"),
                Turn.of("assistant", f"answer {place}", metadata={"confidence": value}),
            )
        ]

    def test_nothing_goes_while_all_are_among_the_last_20_messages(self):
        assert prune(self.talk(later=0)).rows == list(range(20))

    def test_small_talk_goes_message_by_message_and_what_turn_10_builds_on_stays(self):
        after = prune(self.talk(later=2))
        assert after.rows == [0, 1, 2, 3, *range(4, 24)]
        after = prune(self.talk(later=5))
        assert after.rows == [0, 1, 2, 3, *range(10, 30)]
        after = prune(self.talk(later=9))
        assert after.rows == [0, 1, 2, 3, *range(18, 38)]
        assert after.confidences[0] == Confidence(0.85, answer=1)

    def test_the_prompt_of_turn_10_has_the_function_even_without_a_base_window(self):
        assert window(self.talk(later=0)[:18], base_window=0).rows == [0, 1, 2, 3]


@given(MESSAGES, st.integers(0, 300), st.integers(0, 300), PERIODS)
def test_a_longer_base_window_never_keeps_less(told, base_window, more, period):
    turns, found = messages([length for _, length in told]), confident([value for value, _ in told])
    less = window(turns, found, base_window=base_window, period=period)
    assert (less.kept <= window(turns, found, base_window=base_window + more, period=period).kept).all()


@given(MESSAGES.filter(bool), st.data(), PERIODS, st.integers(0, 300), st.integers(0, 25))
def test_a_higher_confidence_never_loses_a_message_not_even_another_one(
    told, data, period, base_window, keep_last
):
    turns, values = messages([length for _, length in told]), [value for value, _ in told]
    row = data.draw(st.integers(0, len(values) - 1))
    raised = [*values]
    raised[row] = max(values[row], data.draw(SHARES))
    for keep in (
        lambda values: window(turns, confident(values), base_window=base_window, period=period),
        lambda values: prune(turns, confident(values), keep_last=keep_last, period=period),
    ):
        assert (keep(values).kept <= keep(raised).kept).all()
    limited = [
        prune(turns, confident(each), keep_last=keep_last, period=period, max_messages=5).kept[row]
        for each in (values, raised)
    ]
    assert limited[0] <= limited[1]


@given(st.lists(SHARES, min_size=1, max_size=12), st.data(), PERIODS)
def test_a_higher_confidence_of_an_answer_never_loses_its_question(values, data, period):
    roles = data.draw(
        st.lists(st.sampled_from(["user", "assistant"]), min_size=len(values), max_size=len(values))
    )
    row, higher = data.draw(st.integers(0, len(values) - 1)), data.draw(SHARES)

    def kept(values: Sequence[float]) -> np.ndarray:
        stated = zip(roles, values, strict=True)
        turns = [Turn.of(role, "x" * 20, metadata={"confidence": value}) for role, value in stated]
        return window(turns, base_window=60, period=period).kept

    raised = [max(value, higher) if place == row else value for place, value in enumerate(values)]
    assert (kept(values) <= kept(raised)).all()


@given(MESSAGES, st.integers(0, 300), st.integers(0, 25))
def test_without_a_period_nothing_is_a_checkpoint_and_with_one_nothing_less_is_kept(
    told, base_window, keep_last
):
    turns, found = messages([length for _, length in told]), confident([value for value, _ in told])
    for keep in (
        lambda period: window(turns, found, base_window=base_window, period=period),
        lambda period: prune(turns, found, keep_last=keep_last, period=period),
    ):
        off = keep(0)
        assert "checkpoint" not in off.rules
        assert (off.kept <= keep(3).kept).all()


@given(MESSAGES, PERIODS, st.integers(0, 20), st.integers(0, 200))
def test_a_limit_holds_and_adds_nothing(told, period, most, characters):
    turns, found = messages([length for _, length in told]), confident([value for value, _ in told])
    free = prune(turns, found, period=period).kept
    kept = prune(turns, found, period=period, max_messages=most, max_characters=characters).kept
    assert (kept <= free).all()
    assert not most or kept.sum() <= most
    assert not characters or sum(len(turns[row].text) for row in np.flatnonzero(kept)) <= characters


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"period": -1}, "period must be a whole number from 0; got -1"),
        ({"period": 1.5}, "period must be a whole number from 0; got 1.5"),
        ({"period": True}, "got True"),
    ],
)
def test_numbers_out_of_range_are_told(settings: dict, problem: str):
    for keep in (window, prune):
        with pytest.raises(PolicyError, match=problem):
            keep(messages([1]), **settings)
    with pytest.raises(PolicyError, match="1 confidences were given for 2 messages"):
        prune(messages([1, 1]), confident([0.5]))
    with pytest.raises(PolicyError, match="base_window must be a whole number from 0; got '4000'"):
        window(messages([1]), base_window="4000")
    with pytest.raises(ConfidenceError, match=r"messages\[0\].confidence"):
        window([Turn.of("user", "x", metadata={"confidence": 3})])


def test_nothing_is_kept_of_nothing():
    for found in (window([]), prune([], max_messages=3)):
        assert (len(found), found.rows) == (0, [])
