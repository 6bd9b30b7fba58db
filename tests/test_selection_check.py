"""The independent check of a finished selection."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convgate.invariants.invariant import Invariant, find_missing

RULE = Invariant("hard_constraint", 1, "never on Fridays", 3, 19, "Fridays", "active", "It says so.")
SAID = {"role": "user", "content": "We never on Fridays deploy."}
OTHER = {"role": "user", "content": "never on Fridays, somebody else quotes"}


ADDED = {"role": "system", "content": "never on Fridays"}
PARTS = {"role": "user", "content": [{"type": "text", "text": "never on Fridays"}]}


@pytest.mark.parametrize(
    ("messages", "places", "missing"),
    [
        ([OTHER, SAID], [0, 1], False),
        ([PARTS], [1], False),
        ([ADDED], [None], False),
        ([], [], True),
        ([OTHER], [0], True),  # another turn with the same words
        ([{"role": "user", "content": "We deploy on Fridays."}], [1], True),  # its turn with other words
        ([{"role": "user", "content": "Never on Fridays"}], [1], True),  # not letter by letter
    ],
)
def test_the_words_stand_in_their_turn_or_in_an_added_message(messages, places, missing):
    assert find_missing([RULE], messages, places) == [RULE] * missing


def test_the_turns_that_change_a_part_are_sent_unless_they_cannot_be():
    rule = replace(RULE, changed_by=(3,))
    assert find_missing([rule], [SAID, OTHER], [1, 2]) == [rule]
    assert find_missing([rule], [SAID, OTHER], [1, 3]) == []
    assert find_missing([rule], [SAID], [1], unsendable=[3]) == []


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({"state": "superseded"}, False),
        ({"state": "lifted"}, False),
        ({"type": "blocking_error"}, False),
        ({"type": "blocking_error", "pinned": True}, True),
        ({"type": "safety_requirement"}, True),
        ({"type": "user_correction"}, True),
    ],
)
def test_only_active_invariants_can_be_breached(changes, held):
    assert bool(find_missing([replace(RULE, **changes)], [], [])) is held
