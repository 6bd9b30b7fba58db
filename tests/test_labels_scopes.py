"""What an answer for several turns is for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from convgate.labels.scopes import SCOPES, Scope, turns_of

TURNS = st.integers(0, 30)
SEVERAL = st.sampled_from([scope for scope in SCOPES if scope != "turn"])
HISTORIES = st.tuples(TURNS, TURNS).map(lambda ends: range(min(ends), max(ends)))


@given(SEVERAL, TURNS, HISTORIES, st.sets(TURNS), st.sets(TURNS), st.none() | HISTORIES)
def test_several_are_earlier_turns_without_an_answer_in_order(
    scope: Scope, turn: int, history: range, above: set[int], answered: set[int], topic: range | None
) -> None:
    found = turns_of(scope, turn, history, topic=topic, above=above, answered=answered)
    assert found == sorted(set(found))
    assert set(found) <= set(history) - answered
    wanted = {
        "before": {one for one in history if one < turn},
        "topic": {turn} if topic is None else set(topic),
        "above": above,
        "rest": set(history),
    }
    assert set(found) == wanted[scope] & set(history) - answered


def test_a_single_turn_is_answered_anew() -> None:
    assert turns_of("turn", 4, range(9), answered={4}) == [4]


def test_a_turn_far_beyond_the_history_costs_nothing() -> None:
    assert turns_of("before", 10**12, range(3, 6)) == [3, 4, 5]
    assert turns_of("topic", 4, range(3, 6), topic=range(10**12)) == [3, 4, 5]
