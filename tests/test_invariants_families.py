"""Ways of saying what has to be without a verb of duty, and what only sounds like one."""

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


BEFORE = [Turn.of("user", "Can you help me with this?"), Turn.of("assistant", "Here is a first version.")]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("hard_constraint", "900 a month is where I stop."),
        ("hard_constraint", "The teacher caps us at 800 words."),
        ("hard_constraint", "Every new function comes with a test."),
        ("hard_constraint", "Adverbs have no place in it."),
        ("hard_constraint", "The window wall isn't getting drilled."),
        ("hard_constraint", "Standard library or nothing."),
        ("hard_constraint", "One page, not a single line more, full stop."),
        ("hard_constraint", "I only fly direct."),
        ("hard_constraint", "Bei 50 Euro ist Schluss."),
        ("hard_constraint", "Gereimt wird hier nicht."),
        ("hard_constraint", "Trente invités maxi."),
        ("safety_requirement", "Wendy swells up from peanuts."),
        ("safety_requirement", "Fatty treats would land him back at the vet."),
        ("safety_requirement", "The bot token lives in the vault."),
        ("safety_requirement", "Names of donors don't get printed."),
        ("safety_requirement", "The light curtain may not be bypassed."),
        ("safety_requirement", "Er kriegt keine Luft, wenn er Erdnüsse isst."),
        ("safety_requirement", "Les noms des patients ne sortent pas du cabinet."),
    ],
)
def test_a_rule_needs_no_verb_of_duty(expected: str, text: str) -> None:
    assert [one.type for one in find_invariants([*BEFORE, Turn.of("user", text)])] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "Every chapter gets better, I love it.",
        "Ten minutes is all it took.",
        "We don't eat out much.",
        "It's not getting any easier.",
        "I keep all my notes in one app.",
        "They must have drunk it last year.",
        "I'm writing a story about a girl with asthma.",
        "You can never have too many.",
        "Es kostet 20 Euro pro Monat.",
        "Personne ne sait pourquoi.",
    ],
)
def test_what_only_sounds_like_a_rule_is_none(text: str) -> None:
    assert find_invariants([*BEFORE, Turn.of("user", text)]) == []
