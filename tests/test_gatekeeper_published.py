"""The published behaviour of the gatekeeper, row by row: 59 cases in the words of its table and examples."""

from __future__ import annotations

import json
import sys

import pytest

from convgate.cli import main as cli
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.decision import Category
from convgate.gatekeeper.exchange import Exchange

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


def test_the_command_decides_the_published_cases_in_the_order_of_the_file(tmp_path, monkeypatch, capsys):
    file = tmp_path / "cases.jsonl"
    lines = [json.dumps({"user": user, "assistant": answer}) for user, answer, _, _ in CASES]
    file.write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["convgate", "gatekeep", str(file), "--json"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found) == 59
    assert [(one["keep"], one["category"]) for one in found] == [(keep, name) for _, _, keep, name in CASES]
    assert {frozenset(one) for one in found} == {frozenset({"keep", "category", "categories", "reason"})}


@pytest.mark.parametrize(
    ("user", "answer", "outcome"),
    [("x" * 19, "y" * 99, "skip"), ("x" * 20, "y" * 99, "keep"), ("x" * 19, "y" * 100, "keep")],
)
def test_the_lengths_of_a_short_exchange_are_exclusive(user: str, answer: str, outcome: str):
    assert check(Exchange(f"  {user}\n", answer)).outcome == outcome
