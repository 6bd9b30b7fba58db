"""What makes an invariant, of which type, and what does not."""

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


def types(text: str) -> list[str]:
    return [one.type for one in find_invariants([*BEFORE, Turn.of("user", text)])]


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("hard_constraint", "The report has to fit on one page."),
        ("hard_constraint", "No external libraries whatsoever."),
        ("hard_constraint", "Answers in French only, from now on."),
        ("hard_constraint", "Der Text darf maximal 200 Wörter haben."),
        ("hard_constraint", "Le texte ne doit pas dépasser 300 mots."),
        ("safety_requirement", "I'm allergic to peanuts."),
        ("safety_requirement", "API keys must never end up in the repo."),
        ("safety_requirement", "The breaker must be off before anybody touches the wires."),
        ("safety_requirement", "Ich bin schwanger, 20. Woche."),
        ("safety_requirement", "Les mots de passe ne doivent jamais apparaître dans les logs."),
        ("hard_constraint", "Always answer in French."),
        ("hard_constraint", "Do not mention my employer in any of the texts."),
        ("hard_constraint", "Every reply ends with a question, please."),
        ("user_correction", "no, the login has to go through LDAP"),
        ("user_correction", "It's Anna, not Anne."),
        ("user_correction", "Nein, am Dienstag."),
        ("blocking_error", "The app won't start any more."),
        ("blocking_error", "ModuleNotFoundError: No module named 'psycopg2'"),
        ("blocking_error", "It says “connection refused”."),
    ],
)
def test_a_statement_has_the_highest_type_that_it_is(expected: str, text: str):
    assert types(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "This time skip the tests.",
        "Just for today, no review, please.",
        "Should I never run two days in a row?",
        "What if we could never use SSH again?",
        'He said: "you must always wear a suit".',
        "My uncle always says you should never sign anything.",
        "I must admit I like it.",
        "You never know.",
        "He always burns the rice.",
        "I'd prefer a shorter version.",
        "I can't find the export button.",
        "No problem, thanks!",
        "# never do this in production!\nreturn 1",
        "What does “permission denied” mean?",
        "Translate: “Passengers must fasten their seat belts.”",
        "Muss man da reservieren?",
        "No parcel so far.",
        "It's on the first socket.",
        "Je dois avouer que c'est bien.",
    ],
)
def test_what_holds_once_or_not_at_all_is_none(text: str):
    assert types(text) == []


@pytest.mark.parametrize("role", ["assistant", "system", "tool", "developer", "function", "narrator"])
def test_only_the_users_words_make_invariants(role: str):
    assert find_invariants([Turn.of(role, "You must never render 2000 inputs. Error: it fails.")]) == []


def test_each_statement_is_one_of_its_own_verbatim():
    rules = "Rules for the mails:\n- never promise a refund\n- At most 120 words.\n"
    text = f"{rules}Names of customers must not appear — ever."
    found = find_invariants([Turn.of("user", text)])
    assert [(one.type, one.text) for one in found] == [
        ("hard_constraint", "never promise a refund"),
        ("hard_constraint", "At most 120 words."),
        ("safety_requirement", "Names of customers must not appear — ever."),
    ]
    assert all(text[one.start : one.end] == one.text for one in found)
    assert [one.priority for one in found] == [800, 800, 1000]


def test_the_scope_is_in_the_turns_words_and_the_reason_names_what_told():
    (found,) = find_invariants(
        [Turn.of("user", "Bitte beachten: Der ÄRZTEBRIEF darf nie länger als 1 Seite sein.")]
    )
    assert found.scope == "ÄRZTEBRIEF"
    assert found.reason.startswith("It ")
    assert found.to_json()["text"] == found.text


def test_hostile_text_is_read_to_its_end_and_quoted_verbatim():
    for text in (
        "never " * 9_000,
        "no, " * 9_000,
        "must not " * 5_000 + "x" * 9_000,
        "\n- must" * 900,
        '"' * 50_000,
    ):
        found = find_invariants([*BEFORE, Turn.of("user", text)])
        assert all(text[one.start : one.end] == one.text for one in found)


def test_odd_turns_are_read_like_others():
    turns = [
        Turn.of("user", ""),
        Turn.of("assistant", ""),
        Turn.of("user", "\u200b\n \x00"),
        Turn.of("user", "…"),
    ]
    assert find_invariants(turns) == find_invariants([]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Let's go with RS256.",
        "Step 2: explain momentum 1",
    ],
)
def test_plans_and_numbered_steps_are_none(text: str) -> None:
    before = [Turn.of("user", "Step 1: explain momentum 0"), Turn.of("assistant", "It is 0.9 and RS512.")]
    assert find_invariants([*before, Turn.of("user", text)]) == []
