"""Retention and pruning: the table at its borders, properties for any input, the policies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate import Conversation, Turn
from convgate.policies.retention import Confidence
from convgate.policies.retention.policy import Pruning, Retention, RetentionResult

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


def window(
    turns: Sequence[Turn], known: Sequence[Confidence] | None = None, **settings: int
) -> RetentionResult:
    return Retention(**settings).retain(turns, known)


def prune(turns: Sequence[Turn], known: Sequence[Confidence], **settings: int) -> RetentionResult:
    return Pruning(**settings).retain(turns, known)


def kept_by_window(values: Sequence[float], *, length: int = 100, **settings: int) -> list[int]:
    return window(messages([length] * len(values)), confident(values), **settings).rows


def kept_by_pruning(values: Sequence[float], *, length: int = 1, **settings: int) -> list[int]:
    return prune(messages([length] * len(values)), confident(values), **settings).rows


BANDS = pytest.mark.parametrize(
    ("value", "places"),
    [
        (0.7, range(1, 11)), (JUST_BELOW[0.7], (3, 6, 9)), (0.6, (3, 6, 9)), (JUST_BELOW[0.6], ()),
        (0.5, ()), (JUST_BELOW[0.5], ()),
    ],
)  # fmt: skip
"""Of ten older messages of one confidence: which stay, counted from 1."""


class TestPruning:
    @BANDS
    def test_older_messages_stay_by_their_confidence_and_their_position_from_the_start(self, value, places):
        kept = kept_by_pruning([value] * 30)
        assert [row + 1 for row in kept if row < 10] == list(places)
        assert kept[-20:] == list(range(10, 30))

    def test_under_a_limit_the_lowest_band_leaves_first_and_its_oldest_before_the_others(self):
        values = [0.9, 0.45, 0.65, 0.55, 0.2, 0.45]
        orders = [kept_by_pruning(values, max_messages=most) for most in range(6, 0, -1)]
        gone = [set(before) - set(after) for before, after in pairwise(orders)]
        assert gone == [{1}, {4}, {5}, {3}, {2}]

    def test_a_limit_of_characters_takes_as_many_as_it_needs(self):
        assert kept_by_pruning([0.45, 0.9, 0.45, 0.9], length=10, max_characters=39) == [1, 2, 3]
        assert kept_by_pruning([0.45, 0.9, 0.45, 0.9], length=10, max_characters=40) == [0, 1, 2, 3]
        assert kept_by_pruning([0.9, 0.9], length=10, max_characters=9) == []


class TestWindow:
    @BANDS
    def test_past_the_base_window_confidence_and_position_from_the_newest_decide(self, value, places):
        kept = kept_by_window([value] * 10, base_window=0)
        assert sorted(10 - row for row in kept) == list(places)

    def test_it_closes_at_the_first_that_does_not_fit_though_a_later_one_would(self):
        turns = messages([5, 300, 5, 5])
        assert window(turns, confident([0.5] * 4), base_window=100).rows == [2, 3]
        assert window(turns, confident([0.5] * 4), base_window=310).rows == [1, 2, 3]
        assert window(turns, confident([0.5] * 4), base_window=309).rows == [2, 3]

    def test_what_enters_by_confidence_or_checkpoint_uses_nothing_and_closes_nothing(self):
        turns = messages([40, 900, 40, 900, 20])
        known = confident([0.5, 0.9, 0.65, 0.9, 0.5])
        assert window(turns, known, base_window=60, period=3).rows == [0, 1, 2, 3, 4]
        assert window(turns, known, base_window=60, period=0).rows == [1, 2, 3, 4]


@given(MESSAGES, st.integers(0, 300), st.integers(0, 300), PERIODS)
def test_a_longer_base_window_never_keeps_less(rows, base_window, more, period):
    turns, known = messages([length for _, length in rows]), confident([value for value, _ in rows])
    less = window(turns, known, base_window=base_window, period=period)
    assert (less.kept <= window(turns, known, base_window=base_window + more, period=period).kept).all()


@given(MESSAGES.filter(bool), st.data(), PERIODS, st.integers(0, 300), st.integers(0, 25))
def test_a_higher_confidence_never_loses_a_message_not_even_another_one(
    rows, data, period, base_window, keep_last
):
    turns, values = messages([length for _, length in rows]), [value for value, _ in rows]
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


@given(MESSAGES, PERIODS, st.integers(0, 20), st.integers(0, 200))
def test_a_limit_holds_and_adds_nothing(rows, period, most, characters):
    turns, known = messages([length for _, length in rows]), confident([value for value, _ in rows])
    free = prune(turns, known, period=period).kept
    kept = prune(turns, known, period=period, max_messages=most, max_characters=characters).kept
    assert (kept <= free).all()
    assert not most or kept.sum() <= most
    assert not characters or sum(len(turns[row].text) for row in np.flatnonzero(kept)) <= characters


VALUES = (0.85, 0.62, 0.45, 0.65, 0.5, 0.3)


def conversation(*values: float) -> Conversation:
    """Answers with those confidences, a question before each."""
    turns = []
    for value in values:
        answer = Turn.of("assistant", "a" * 10, metadata={"confidence": value})
        turns += [Turn.of("user", "q" * 10), answer]
    return Conversation("talk", tuple(turns))


def test_each_turn_has_its_rule():
    decisions = Retention(base_window=40).decide(*conversation(*VALUES).with_question("And now?"))
    assert decisions.kept_indices == [0, 1, 3, 6, 8, 9, 10, 11]
    assert [decision.rule for decision in decisions] == [
        "confident", "confident", "closed", "checkpoint", "closed", "closed", "checkpoint", "closed",
        "base_window", "base_window", "base_window", "base_window",
    ]  # fmt: skip
    decision = decisions.of(3)
    assert (decision.score, decision.threshold, decision.stage) == (0.62, None, "score")
