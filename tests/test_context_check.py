"""The check of a finished context, which trusts nothing that led to it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from convgate.context.invariant import Invariant, find_missing

RULE = Invariant("hard_constraint", 1, "never on Fridays", 3, 19, "Fridays", "active", "It says so.")
SAID = {"role": "user", "content": "We never on Fridays deploy."}
OTHER = {"role": "user", "content": "never on Fridays, somebody else quotes"}


def test_words_in_the_message_of_their_turn_stand():
    assert find_missing([RULE], [OTHER, SAID], [0, 1]) == []
    parts = {"role": "user", "content": [{"type": "text", "text": "never on Fridays"}]}
    assert find_missing([RULE], [parts], [1]) == []


def test_words_in_an_added_message_stand():
    assert find_missing([RULE], [{"role": "system", "content": "never on Fridays"}], [None]) == []


@pytest.mark.parametrize(
    ("messages", "places"),
    [
        ([], []),
        ([OTHER], [0]),  # another turn with the same words
        ([{"role": "user", "content": "We deploy on Fridays."}], [1]),  # its turn with other words
        ([{"role": "user", "content": "Never on Fridays"}], [1]),  # not letter by letter
    ],
)
def test_whatever_else_is_a_breach(messages, places):
    assert find_missing([RULE], messages, places) == [RULE]


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
def test_only_what_must_hold_is_missed(changes, held):
    assert bool(find_missing([replace(RULE, **changes)], [], [])) is held
