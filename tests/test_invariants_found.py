"""Invariants found with the shipped weights: statements, types, and what ends them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from convgate.core.conversation import Turn
from convgate.core.settings import Settings
from convgate.invariants import finding, load_judge
from convgate.invariants.invariant import Invariant

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("encoder")]

BEFORE = [Turn.of("user", "Can you help me with this?"), Turn.of("assistant", "Here is a first version.")]


def find_invariants(turns: Sequence[Turn]) -> list[Invariant]:
    return finding.find_invariants(turns, load_judge(Settings()))


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ("hard_constraint", "No external libraries whatsoever."),
        ("hard_constraint", "Der Text darf maximal 200 Wörter haben."),
        ("hard_constraint", "Le texte ne doit pas dépasser 300 mots."),
        ("safety_requirement", "API keys must never end up in the repo."),
        ("safety_requirement", "Ich bin schwanger, 20. Woche."),
        ("safety_requirement", "Les mots de passe ne doivent jamais apparaître dans les logs."),
        ("hard_constraint", "Every reply ends with a question, please."),
        ("user_correction", "no, the login has to go through LDAP"),
        ("user_correction", "It's Anna, not Anne."),
        ("user_correction", "Nein, am Dienstag."),
        ("blocking_error", "ModuleNotFoundError: No module named 'psycopg2'"),
        ("blocking_error", "It says “connection refused”."),
        ("hard_constraint", "The teacher caps us at 800 words."),
        ("hard_constraint", "Adverbs have no place in it."),
        ("hard_constraint", "Standard library or nothing."),
        ("hard_constraint", "I only fly direct."),
        ("hard_constraint", "Gereimt wird hier nicht."),
        ("safety_requirement", "Wendy swells up from peanuts."),
        ("safety_requirement", "The bot token lives in the vault."),
        ("safety_requirement", "The light curtain may not be bypassed."),
        ("safety_requirement", "Les noms des patients ne sortent pas du cabinet."),
    ],
)
def test_a_statement_has_the_highest_type_that_it_is(expected: str, text: str):
    assert [one.type for one in find_invariants([*BEFORE, Turn.of("user", text)])] == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "This time skip the tests.",
        "What if we could never use SSH again?",
        'He said: "you must always wear a suit".',
        "I must admit I like it.",
        "He always burns the rice.",
        "I can't find the export button.",
        "# never do this in production!\nreturn 1",
        "What does “permission denied” mean?",
        "Translate: “Passengers must fasten their seat belts.”",
        "Muss man da reservieren?",
        "Je dois avouer que c'est bien.",
        "We don't eat out much.",
        "I keep all my notes in one app.",
        "I'm writing a story about a girl with asthma.",
        "Personne ne sait pourquoi.",
    ],
)
def test_one_time_requests_are_no_invariants(text: str):
    assert find_invariants([*BEFORE, Turn.of("user", text)]) == []


@pytest.mark.parametrize("role", ["assistant", "system", "tool", "developer", "function", "narrator"])
def test_only_the_users_words_make_invariants(role: str):
    assert find_invariants([Turn.of(role, "You must never render 2000 inputs. Error: it fails.")]) == []


def test_each_statement_is_one_of_its_own_verbatim():
    rules = "Rules for the mails:\n- never promise a refund\n- At most 120 words.\n"
    text = f"{rules}Names of customers must not appear — ever."
    invariants = find_invariants([Turn.of("user", text)])
    assert [(one.type, one.text) for one in invariants] == [
        ("hard_constraint", "never promise a refund"),
        ("hard_constraint", "At most 120 words."),
        ("safety_requirement", "Names of customers must not appear — ever."),
    ]
    assert all(text[one.start : one.end] == one.text for one in invariants)
    assert [one.priority for one in invariants] == [800, 800, 1000]


def test_the_scope_is_in_the_turns_words_and_the_reason_names_what_told():
    (invariant,) = find_invariants(
        [Turn.of("user", "Bitte beachten: Der ÄRZTEBRIEF darf nie länger als 1 Seite sein.")]
    )
    assert invariant.scope == "ÄRZTEBRIEF"
    assert invariant.reason.startswith("It ")
    assert invariant.to_json()["text"] == invariant.text


def test_hostile_text_is_read_to_its_end_and_quoted_verbatim():
    for text in (
        "never " * 9_000,
        "no, " * 9_000,
        "must not " * 5_000 + "x" * 9_000,
        "\n- must" * 900,
        '"' * 50_000,
    ):
        invariants = find_invariants([*BEFORE, Turn.of("user", text)])
        assert all(text[one.start : one.end] == one.text for one in invariants)


@pytest.mark.parametrize(
    "text",
    [
        "Let's go with RS256.",
        "Step 2: explain momentum 1",
    ],
)
def test_plans_and_numbered_steps_are_no_invariants(text: str) -> None:
    before = [Turn.of("user", "Step 1: explain momentum 0"), Turn.of("assistant", "It is 0.9 and RS512.")]
    assert find_invariants([*before, Turn.of("user", text)]) == []


def invariants_in(*texts: str, answer: str = "Sure, here it is.") -> list[tuple[int, str, str, int | None]]:
    turns = [turn for text in texts for turn in (Turn.of("user", text), Turn.of("assistant", answer))]
    return [
        (one.source // 2, one.type, one.state, None if one.superseded_by is None else one.superseded_by // 2)
        for one in find_invariants(turns)
    ]


def states(*texts: str) -> list[tuple[int, str, int | None]]:
    return [(turn, state, by) for turn, _, state, by in invariants_in(*texts)]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("Write a summary, at most 300 words.", "make it at most 500 words"),
        ("We only deploy on Fridays.", "change of plan: we deploy only on Tuesdays"),
        ("everything in euros, always", "dollars from now on, not euros"),
        ("It must be done by Friday.", "sorry, by Thursday"),
        ("max 10 slides", "boss says 15 slides are ok"),
        ("Das Budget beträgt höchstens 500 Euro.", "Sorry, höchstens 700 Euro."),
        ("Le budget est de 500 euros maximum.", "finalement 700 euros maximum"),
    ],
)
def test_another_value_takes_the_place_of_a_rule(rule: str, later: str):
    assert states(rule, later) == [(0, "superseded", 1), (1, "active", None)]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("The call must be on Monday at 10:00.", "Correction: the call must be on Tuesday at 11:00."),
        ("It must run on Postgres 15 and Node 18.", "Correction: it must run on Postgres 16 and Node 20."),
    ],
)
def test_a_number_without_a_unit_takes_the_place_of_one(rule: str, later: str):
    assert states(rule, later) == [(0, "superseded", 1), (1, "active", None)]


def test_of_a_chain_of_corrections_the_last_holds():
    invariants = states("A party, at most 300 euros.", "no, at most 400 euros", "sorry, at most 450 euros")
    assert invariants == [(0, "superseded", 1), (1, "superseded", 2), (2, "active", None)]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("We have at most 900 euros for 6 nights.", "Correction: we fly on May 5, so 5 nights instead."),
        ("Höchstens 800 Euro für 5 Tage.", "Nein, es sind doch 6 Tage."),
        ("The wedding is on 12 June, 80 guests, vegetarian food only.", "Oh, it's on 19 June, not the 12th."),
        ("Always answer in French and never use emojis.", "Answer in English from now on instead."),
        (
            "The cake has to be ready by Friday and must not contain nuts.",
            "Correction: the cake by Thursday.",
        ),
        ("Never store passwords, the LDAP server checks them.", "We move off LDAP, it needn't use LDAP now."),
    ],
)
def test_a_rule_that_says_more_than_what_a_later_message_replaces_holds_on(rule: str, later: str):
    assert states(rule, later)[0] == (0, "active", None)


@pytest.mark.parametrize(
    ("rule", "later", "part"),
    [
        ("We have at most 900 euros for 6 nights.", "Correction: 5 nights instead.", True),
        (
            "Always write in the past tense, and the dragon must never speak.",
            "The dragon may speak now.",
            True,
        ),
        ("No nuts in anything, and no milk.", "Ah, milk is fine again.", True),
        ("Write a summary, at most 300 words.", "make it at most 500 words", False),
        ("We have at most 900 euros for 6 nights.", "Thanks, that was quick.", False),
    ],
)
def test_a_rule_of_which_a_later_message_changes_a_part_says_so(rule: str, later: str, part: bool):
    turns = [Turn.of("user", rule), Turn.of("assistant", "Sure."), Turn.of("user", later)]
    invariant = find_invariants(turns)[0]
    assert invariant.held_because.endswith("; message 2 may change a part of it.") == part
    assert invariant.active or not part


@pytest.mark.parametrize(
    ("messages", "state", "changed_by"),
    [
        (("No nuts, and no milk.", "Nuts are fine again.", "Milk is fine again."), "lifted", (2,)),
        (
            (
                "Never use emojis, and never use tables.",
                "You can use emojis now.",
                "You can use tables now.",
            ),
            "lifted",
            (2,),
        ),
        (
            ("At most 900 euros for 6 nights.", "Correction: 5 nights instead.", "Correction: 700 euros."),
            "superseded",
            (2,),
        ),
        (("No nuts, and no milk.", "Nuts are fine again.", "Nuts are fine again."), "active", (2, 4)),
        (
            ("No nuts, and no milk, and no eggs.", "Nuts are fine again.", "Milk is fine again."),
            "active",
            (2, 4),
        ),
    ],
)
def test_a_rule_ends_when_all_its_parts_are_changed(messages, state: str, changed_by: tuple[int, ...]):
    turns = [turn for text in messages for turn in (Turn.of("user", text), Turn.of("assistant", "Sure."))]
    rule = find_invariants(turns)[0]
    assert (rule.state, rule.changed_by) == (state, changed_by)
    assert rule.held_because.endswith("; messages 2 and 4 may change parts of it.") == (state == "active")


EMOJIS_AND_TABLES = "Please answer with no emojis in the text and no tables at all."


@pytest.mark.parametrize(
    ("messages", "state", "changed_by"),
    [
        (
            (
                "No nuts, and no milk.",
                "Milk is fine again.",
                "Actually no milk after all.",
                "Nuts are fine again.",
            ),
            "active",
            (2, 4, 6),
        ),
        (
            (
                "No nuts, and no milk.",
                "Milk is fine again.",
                "Actually no milk after all.",
                "Nuts are fine again.",
                "Milk is fine again.",
            ),
            "lifted",
            (2, 4, 6),
        ),
        (("No nuts, and no milk.", "Actually no milk after all."), "active", ()),
        (("No nuts, and no milk.", "Milk is no problem any more."), "active", (2,)),
        (
            ("Never use emojis, and never use tables.", "You can use emojis now, but tables still never."),
            "active",
            (2,),
        ),
        (
            ("Never use emojis, and never use tables.", "You can use emojis now, but not tables."),
            "active",
            (2,),
        ),
        (("Never use emojis, and never use tables.", "You can use emojis and tables now."), "lifted", ()),
        (("Never use emojis, and never use tables.", "No you can use tables now."), "active", (2,)),
        (
            (
                "Pas de fromage et pas de noix.",
                "tu peux de nouveau mettre du fromage, mais toujours pas de noix",
            ),
            "active",
            (2,),
        ),
        (
            (
                "Nie Emojis und keine Tabellen.",
                "Emojis darfst du jetzt verwenden, Tabellen weiterhin nicht.",
                "Tabellen darfst du jetzt verwenden.",
            ),
            "lifted",
            (2,),
        ),
        ((EMOJIS_AND_TABLES, "Emojis are allowed again."), "active", (2,)),
        ((EMOJIS_AND_TABLES, "Emojis are allowed again.", "Tables are allowed again, too."), "lifted", (2,)),
        ((EMOJIS_AND_TABLES, "That is no longer needed."), "lifted", ()),
    ],
)
def test_a_rule_holds_on_in_the_parts_that_are_denied_again_or_not_lifted(messages, state, changed_by):
    turns = [turn for text in messages for turn in (Turn.of("user", text), Turn.of("assistant", "Sure."))]
    rule = find_invariants(turns)[0]
    assert (rule.state, rule.changed_by) == (state, changed_by)


@pytest.mark.parametrize(
    ("messages", "changed_by"),
    [
        (
            (
                "The budget is 900 euros, and the trip must end by Friday.",
                "Correction: 700 euros.",
                "Correction: it must end by Sunday.",
            ),
            [(2,), (), ()],
        ),
        (
            (
                "At most 900 euros for 6 nights and 2 persons.",
                "Correction: 5 nights.",
                "Correction: 3 persons.",
            ),
            [(2, 4), (), ()],
        ),
    ],
)
def test_corrections_of_different_parts_leave_each_other_alone(messages, changed_by):
    turns = [turn for text in messages for turn in (Turn.of("user", text), Turn.of("assistant", "Sure."))]
    assert [invariant.changed_by for invariant in find_invariants(turns)] == changed_by


def test_a_correction_that_adds_ends_nothing():
    conversation = ("JWT login please, sessions must end after a day.", "actually, it must work with LDAP")
    assert [(turn, state) for turn, state, _ in states(*conversation)] == [(0, "active"), (1, "active")]


def test_to_correct_the_assistant_supersedes_nothing():
    assert invariants_in(
        "The script must run with the standard library only.", "No, I said standard library only!"
    ) == [
        (0, "hard_constraint", "active", None),
        (1, "user_correction", "active", None),
    ]


def test_the_replacement_of_a_safety_requirement_is_one():
    invariants = invariants_in(
        "my wife can't have peanuts, allergic", "sorry, it's sesame that she's allergic to, peanuts are fine"
    )
    assert invariants == [
        (0, "safety_requirement", "superseded", 1),
        (1, "safety_requirement", "active", None),
    ]


@pytest.mark.parametrize(
    ("rule", "later"),
    [
        ("It must not be longer than 150 words.", "forget about the 150 words"),
        ("No external libraries please.", "You can use libraries now."),
        ("Answer in German only.", "That rule no longer applies, English is fine."),
        ("The guests must not sit outside.", "the weather is great, they can sit outside now"),
        ("Bitte keine Anglizismen.", "Anglizismen sind jetzt doch erlaubt"),
        ("Pas de fromage, jamais.", "tu peux de nouveau mettre du fromage"),
        ("Whatever you change: the public API must stay as it is.", "You can change the public API now."),
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
    (invariant,) = find_invariants(turns)
    assert (invariant.state, invariant.ended_by, invariant.superseded_by, invariant.held) == (
        "resolved",
        2,
        None,
        False,
    )


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
