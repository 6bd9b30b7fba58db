"""The view as an address and back, rules as sliders, and how two choices differ."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.decisions import TurnDecisions
from convgate.gate.thresholds import RULES, Limits, make_rule
from convgate.ui.changes import changes, following, preceding
from convgate.ui.explore.matrix import first_turn
from convgate.ui.threshold_settings import Extent, ThresholdSettings, adjustable, sliders, with_value

EXTENT = Extent(turns=76, tokens=2_637, learned=0.5)


@st.composite
def choices(draw: st.DrawFn) -> ThresholdSettings:
    rule = RULES[draw(st.sampled_from(list(RULES)))]
    values = {}
    for item in adjustable(rule):
        low, high, step = (item.metadata[name] for name in ("low", "high", "step"))
        steps = draw(st.integers(0, int((high - low) / step)))
        values[item.name] = round(low + steps * step, 6)
    least = draw(st.integers(0, 50))
    most = draw(st.none() | st.integers(least, 60))
    return ThresholdSettings(make_rule(rule.name, **values), Limits(least, most))


@pytest.mark.parametrize("name", RULES)
def test_moving_a_slider_changes_that_parameter_alone(name: str) -> None:
    choice = ThresholdSettings(RULES[name](), Limits(1, 5))
    for slider in sliders(choice.rule, EXTENT):
        moved = with_value(choice, slider.name, slider.high)
        assert getattr(moved.rule, slider.name) == slider.high
        assert moved.limits == choice.limits
        others = [item.name for item in fields(choice.rule) if item.name != slider.name]  # type: ignore[arg-type]
        assert all(getattr(moved.rule, other) == getattr(choice.rule, other) for other in others)
        assert moved != choice


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
    assert preceding(turns, following(turns, here)) == here


@given(st.integers(1, 2_000), st.data())
def test_the_matrix_shows_the_current_message(count: int, data: st.DataObject) -> None:
    current = data.draw(st.integers(0, count - 1))
    start = first_turn(count, current)
    assert 0 <= start <= current < start + 300
    assert start + min(count, 300) <= count
