"""Rules as sliders, changed decisions, and steps from turn to turn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.decisions import TurnDecisions
from convgate.ui.explore.matrix import first_turn
from convgate.ui.shared.changes import changes, following, neighbours


def decisions(*kept: bool, start: int = 3) -> TurnDecisions:
    return TurnDecisions(
        policy="p", rule="r", indices=np.arange(start, start + len(kept)), kept=np.array(kept, dtype=bool),
        why_kept="yes", why_dropped="no",
    )  # fmt: skip


def test_changes_are_turns_of_the_conversation_with_their_direction() -> None:
    difference = changes(decisions(True, True, False, False), decisions(True, False, True, False))
    assert (difference.up.tolist(), difference.down.tolist()) == ([4], [5])
    assert (difference.of(4), difference.of(5), difference.of(3)) == ("up", "down", "")
    assert (difference.indices.tolist(), len(difference)) == ([4, 5], 2)
    same = changes(decisions(True), decisions(True))
    assert len(same) == 0


@given(st.lists(st.integers(0, 50), min_size=1, unique=True).map(sorted), st.none() | st.integers(0, 50))
def test_going_on_visits_every_turn_of_a_kind(turns: list[int], here: int | None) -> None:
    seen = []
    for _ in turns:
        here = following(turns, here)
        seen.append(here)
    assert sorted(turn for turn in seen if turn is not None) == turns
    for before, after in pairwise(turns):
        assert neighbours(turns, before)[1] == after
        assert neighbours(turns, after)[0] == before
    assert neighbours(turns, turns[0])[0] is None
    assert neighbours(turns, turns[-1])[1] is None


@given(st.integers(1, 2_000), st.data())
def test_the_matrix_shows_the_current_message(count: int, data: st.DataObject) -> None:
    current = data.draw(st.integers(0, count - 1))
    start = first_turn(count, current)
    assert 0 <= start <= current < start + 300
    assert start + min(count, 300) <= count
