"""What becomes of an invariant: superseded, lifted, resolved, or still holding."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from convgate.context.invariant import Invariant
from convgate.context.invariants import finding, load_judge
from convgate.conversation import Turn
from convgate.settings import Settings

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("encoder")]


def find_invariants(turns: Sequence[Turn]) -> list[Invariant]:
    return finding.find_invariants(turns, load_judge(Settings()))


def told(*texts: str, answer: str = "Sure, here it is.") -> list[tuple[int, str, str, int | None]]:
    turns = [turn for text in texts for turn in (Turn.of("user", text), Turn.of("assistant", answer))]
    return [
        (one.source // 2, one.type, one.state, None if one.superseded_by is None else one.superseded_by // 2)
        for one in find_invariants(turns)
    ]


def states(*texts: str) -> list[tuple[int, str, int | None]]:
    return [(turn, state, by) for turn, _, state, by in told(*texts)]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("Write a summary, at most 300 words.", "make it at most 500 words"),
        pytest.param(
            "We only deploy on Fridays.",
            "change of plan: we deploy only on Tuesdays",
            marks=pytest.mark.xfail(reason="in a first message it reads as a habit"),
        ),
        ("everything in euros, always", "dollars from now on, not euros"),
        ("It must be done by Friday.", "sorry, by Thursday"),
        ("max 10 slides", "boss says 15 slides are ok"),
        ("Das Budget beträgt höchstens 500 Euro.", "Sorry, höchstens 700 Euro."),
        ("Le budget est de 500 euros maximum.", "finalement 700 euros maximum"),
    ],
)
def test_another_value_takes_the_place_of_a_rule(rule: str, later: str):
    assert states(rule, later) == [(0, "superseded", 1), (1, "active", None)]


def test_of_a_chain_of_corrections_the_last_holds():
    found = states(
        "Party for 12 people, at most 300 euros.", "no, at most 400 euros", "sorry, at most 450 euros"
    )
    assert found == [(0, "superseded", 1), (1, "superseded", 2), (2, "active", None)]


def test_a_correction_that_adds_ends_nothing():
    talk = ("JWT login please, sessions must end after a day.", "actually, it must work with LDAP")
    assert [(turn, state) for turn, state, _ in states(*talk)] == [(0, "active"), (1, "active")]


def test_to_correct_the_assistant_supersedes_nothing():
    assert told(
        "The script must run with the standard library only.", "No, I said standard library only!"
    ) == [
        (0, "hard_constraint", "active", None),
        (1, "user_correction", "active", None),
    ]


def test_what_takes_the_place_of_a_safety_requirement_is_one():
    found = told(
        "my wife can't have peanuts, allergic", "sorry, it's sesame that she's allergic to, peanuts are fine"
    )
    assert found == [(0, "safety_requirement", "superseded", 1), (1, "safety_requirement", "active", None)]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("It must not be longer than 150 words.", "forget about the 150 words"),
        ("No external libraries please.", "You can use libraries now."),
        ("Answer in German only.", "That rule no longer applies, English is fine."),
        ("The guests must not sit outside.", "the weather is great, they can sit outside now"),
        ("Bitte keine Anglizismen.", "Anglizismen sind jetzt doch erlaubt"),
        ("Pas de fromage, jamais.", "tu peux de nouveau mettre du fromage"),
    ],
)
def test_a_rule_that_is_lifted_no_longer_holds(rule: str, later: str):
    assert states(rule, later) == [(0, "lifted", None)]


@pytest.mark.parametrize("later", ["this time push to main, please", "For this hotfix only, push to main."])
def test_an_exception_lifts_nothing(later: str):
    assert states("Never push to main.", later) == [(0, "active", None)]


@pytest.mark.parametrize(
    "later", ["that fixed it, thanks", "works now!", "great, green now", "läuft wieder", "ça remarche"]
)
def test_an_error_is_resolved_by_what_says_so(later: str):
    turns = [
        Turn.of("user", "AssertionError: 3 != 4"),
        Turn.of("assistant", "Try 4."),
        Turn.of("user", later),
    ]
    (found,) = find_invariants(turns)
    assert (found.state, found.ended_by, found.superseded_by, found.held) == ("resolved", 2, None, False)


def test_the_same_error_is_one_until_it_is_solved_and_another_stands_beside_it():
    assert states("I get a 404 on /login", "did that, still the same error", "I get a 404 on /login") == [
        (0, "active", None)
    ]
    assert states("TypeError: x is not a function", "now RangeError: invalid array length") == [
        (0, "active", None),
        (1, "active", None),
    ]
    assert states("I get a 404 on /login", "404 is gone, now NullPointerException") == [
        (0, "resolved", None),
        (1, "active", None),
    ]


def test_a_conversation_that_grows_has_what_it_had_and_what_is_new():
    texts = ["At most 300 words.", "No emojis, ever.", "make it at most 500 words", "emojis are ok again"]
    whole = [Turn.of("user", text) for text in texts]
    assert [[one.state for one in find_invariants(whole[:end])] for end in range(1, 5)] == [
        ["active"],
        ["active", "active"],
        ["superseded", "active", "active"],
        ["superseded", "lifted", "active"],
    ]
