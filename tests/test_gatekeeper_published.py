"""The published behaviour of the gatekeeper, row by row; exchanges, counts, and the command."""

from __future__ import annotations

import json

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.decision import Category
from convgate.gatekeeper.exchange import TAIL, Exchange, exchanges_of
from tests.commands import Run

SHORT = "Done."
LONG = (
    "Here is an answer of more than a hundred characters: it goes on for a while, says one thing after"
    " the other in plain words, and ends."
)

GREETINGS = [
    "Hi", "Hello", "Hey", "Good morning", "Good afternoon!", "Good morning, how are you?", "Hello there!",
    "Hi everyone", "hey what's up", "Howdy",
]  # fmt: skip
CONFIRMATIONS = [
    "Ok", "okay", "k", "Got it!", "Sure", "Thanks!", "Thank you.", "ty", "Great!", "Yes", "No", "Understood",
    "roger", "Cool", "nice",
]  # fmt: skip
PREFERENCES = [
    "I prefer dark mode in every editor",
    "Hi, I prefer dark mode and always use Vim keybindings",
    "I prefer NOT using jQuery",
    "I like functional components better than classes",
    "I want all dates in ISO format",
    "I hate long meetings",
    "I usually write the tests first",
]
CORRECTIONS = [
    "No, that's wrong, we use PostgreSQL",
    "No, I meant the other file",
    "no actually the port is 8080",
    "That's incorrect, the deadline is Friday",
    "This is not what I asked for",
    "I said Tuesday, not Thursday",
]
POLICIES = [
    ("We always use TypeScript", SHORT),
    ("We never deploy on Fridays", SHORT),
    ("We should validate every input", SHORT),
    ("We must keep invoices for ten years", SHORT),
    ("Our standard is two reviewers per change", SHORT),
    ("Don't ever commit secrets", SHORT),
    ("Don't use var in new code", SHORT),
    ("How do I name the branch for a fix?", "Our convention is fix/ and the number of the ticket."),
]
DECISIONS = [
    ("Sure, let's use React", SHORT),
    ("Let's go with PostgreSQL", SHORT),
    ("let's pick option B then", SHORT),
    ("I've decided to take the job in Leeds", SHORT),
    ("We'll use Stripe for payments", SHORT),
    ("The decision is to postpone the launch", SHORT),
    ("Which cache fits us better?", "You need sorted sets, so let's choose Redis."),
]
SHORT_EXCHANGES = [
    ("Fix it", "Done"),
    ("Update the README", "The README now has the new install steps in it, all four."),
    ("Why?", "Because it's faster"),
]
DEFAULTS = [
    ("How do I read a file line by line in Python without loading it?", LONG),
    ("Ok I understand", LONG),
    ("The shipment from Rotterdam is two days late because of the storm", SHORT),
]

CASES: list[tuple[str, str, bool, Category]] = [
    *((user, LONG, False, "greeting") for user in GREETINGS),
    *((user, LONG, False, "other") for user in CONFIRMATIONS),
    *((user, SHORT, True, "preference") for user in PREFERENCES),
    *((user, SHORT, True, "correction") for user in CORRECTIONS),
    *((user, answer, True, "policy") for user, answer in POLICIES),
    *((user, answer, True, "decision") for user, answer in DECISIONS),
    *((user, answer, False, "other") for user, answer in SHORT_EXCHANGES),
    *((user, answer, True, "other") for user, answer in DEFAULTS),
]


@pytest.mark.parametrize(("user", "answer", "keep", "category"), CASES)
def test_a_published_case_is_decided_as_published(user: str, answer: str, keep: bool, category: Category):
    decision = check(Exchange(user, answer))
    assert (decision.keep, decision.category) == (keep, category), decision.reason
    assert decision.categories == (category,)


@pytest.mark.parametrize(
    ("user", "answer", "outcome"),
    [("x" * 19, "y" * 99, "skip"), ("x" * 20, "y" * 99, "keep"), ("x" * 19, "y" * 100, "keep")],
)
def test_the_lengths_of_a_short_exchange_are_exclusive(user: str, answer: str, outcome: str):
    assert check(Exchange(f"  {user}\n", answer)).outcome == outcome


def conversation(*turns: tuple[str, str]) -> Conversation:
    return Conversation("talk", tuple(Turn.of(role, text) for role, text in turns))


def test_an_exchange_is_a_users_turn_with_all_that_answers_it():
    placed = exchanges_of(
        conversation(
            ("system", "Be brief."),
            ("user", "Which tests fail?"),
            ("assistant", "I'll look."),
            ("tool", "2 failed"),
            ("developer", "Be kind."),
            ("assistant", "Two of them."),
            ("user", "Fix them"),
        )
    )
    assert [(one.user_turn, one.turns) for one in placed] == [(1, (1, 2, 3, 5)), (6, (6,))]
    first, last = (one.exchange for one in placed)
    assert (first.user, first.assistant, first.previous) == (
        "Which tests fail?",
        "I'll look.\nTwo of them.",
        (),
    )
    assert (last.user, last.assistant) == ("Fix them", "")
    assert [turn.text for turn in last.previous] == [
        "Which tests fail?",
        "I'll look.",
        "2 failed",
        "Two of them.",
    ]


def test_each_turn_but_instructions_stands_in_one_exchange_and_what_is_before_stays_short():
    roles = ["user", "assistant", "tool", "assistant", "user", "user", "system", "assistant"] * 10
    placed = exchanges_of(conversation(*((role, f"{at}") for at, role in enumerate(roles))))
    inside = [index for one in placed for index in one.turns]
    assert inside == [at for at, role in enumerate(roles) if role != "system"]
    assert {len(one.exchange.previous) for one in placed[5:]} == {TAIL}


LINES = """\
{"user": "PostgreSQL", "assistant": "Done.", "previous": [{"role": "assistant", "content": "Which one?"}]}
{"user": "Hi", "keep": false, "note": "other fields are let be"}

{"user": "How do I read a file?", "assistant": null, "previous": null}
"""


def test_lines_are_decided_in_their_order(run: Run):
    code, out, err = run("gatekeep", "-", "--json", stdin=LINES)
    assert (code, err) == (0, "")
    assert [(one["keep"], one["category"]) for one in json.loads(out)] == [
        (True, "decision"),
        (False, "greeting"),
        (True, "other"),
    ]


BAD = """\
{"user": 3}
{"assistant": "no user"}
broken
{"user": "ok", "previous": [{"role": 1}]}
{"user": "ok", "previous": "none"}
{"user": "ok", "assistant": ["a"]}
{"user": "I prefer tabs"}
{"user": "Hi"}
{"user": "Ok"}
{"user": "Fix it"}
"""


def test_bad_lines_are_reported_with_line_and_field_and_nothing_is_decided(run: Run):
    code, out, err = run("gatekeep", "-", "--json", stdin=BAD)
    assert (code, out) == (1, "")
    for place in (
        "line 1, field 'user': expected a text, got a number",
        "line 2, field 'user'",
        "line 3: not valid JSON",
        "line 4, field 'previous[0].role'",
        "line 5, field 'previous': expected a list of messages, got a text",
        "line 6, field 'assistant': expected a text, got a list",
        "6 bad places in standard input",
    ):
        assert place in err
    code, out, err = run("gatekeep", "-", "--json", "--skip-bad", stdin=BAD)
    assert (code, len(json.loads(out))) == (0, 4)
    assert "line 1" in err
