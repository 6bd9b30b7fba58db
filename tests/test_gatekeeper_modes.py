from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from convgate import Exchange, Gatekeeper, load_gatekeeper
from convgate.gatekeeper.model import Answer
from convgate.gatekeeper.rules_file import parse_rules
from convgate.language_model import ModelError, ModelUse

GREETING = Exchange("Hi")
PREFERENCE = Exchange("I prefer dark mode in every editor that I use")
DEFAULT = Exchange(
    "How do I deploy this to the staging cluster?", "With the usual script, from the main branch."
)
SHORT = Exchange("Fix it", "Done")


class FakeModel:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: Answer | ModelError) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, exchange: Exchange) -> Answer:
        self.asked.append(exchange.user)
        if isinstance(self.answer, ModelError):
            raise self.answer
        return self.answer

    @property
    def use(self) -> ModelUse:
        return ModelUse(calls=len(self.asked))


SKIPS = Answer(False, "general_knowledge", "anybody can look it up")
DOWN = ModelError("no answer within 1 s")


def test_hybrid_mode_asks_where_the_category_is_other_alone() -> None:
    model = FakeModel(SKIPS)
    gatekeeper = Gatekeeper(mode="hybrid", model=model)

    decisions = [gatekeeper.decide(e, index=i) for i, e in enumerate((GREETING, PREFERENCE, DEFAULT, SHORT))]

    assert model.asked == [DEFAULT.user, SHORT.user]
    assert [(d.keep, d.category) for d in decisions[:2]] == [(False, "greeting"), (True, "preference")]
    assert (decisions[2].index, decisions[2].rule, decisions[2].category, decisions[2].categories) == (
        *(2, "language model", "general_knowledge"),
        ("general_knowledge",),
    )


def test_llm_mode_asks_for_all_but_own_rules_and_empty_exchanges() -> None:
    model = FakeModel(Answer(True, "decision", ""))
    rules = parse_rules("skip_patterns: [{pattern: staging}]")
    gatekeeper = Gatekeeper(mode="llm", model=model, rules=rules)

    decisions = [gatekeeper.decide(e) for e in (GREETING, PREFERENCE, DEFAULT, Exchange(" ", "\n"))]

    assert model.asked == [GREETING.user, PREFERENCE.user]
    assert [d.keep for d in decisions] == [True, True, False, False]
    assert decisions[1].categories == ("decision", "preference")


def test_when_the_model_fails_the_patterns_decide_and_the_reason_says_why() -> None:
    gatekeeper = Gatekeeper(mode="llm", model=FakeModel(DOWN))

    for exchange in (GREETING, PREFERENCE, DEFAULT, SHORT):
        plain, decided = Gatekeeper().decide(exchange), gatekeeper.decide(exchange)
        assert decided.reason == (
            f"{plain.reason} The language model gave no decision: no answer within 1 s."
        )
        assert dataclasses.replace(decided, explanation=plain.explanation) == plain


def test_failing_closed_skips_what_nothing_but_the_default_kept() -> None:
    gatekeeper = Gatekeeper(mode="llm", model=FakeModel(DOWN), fail="closed")

    assert gatekeeper.decide(PREFERENCE).keep
    skipped = gatekeeper.decide(DEFAULT)
    assert (skipped.keep, skipped.rule) == (False, "fail closed")
    assert Gatekeeper(fail="closed").decide(DEFAULT).keep  # no model was asked, so none failed


def test_an_own_rule_decides_before_the_checks_which_still_say_what_they_found() -> None:
    rules = parse_rules(
        "keep_patterns:\n  - {pattern: 'hi', reason: Our mascot., category: mascot}\n"
        "skip_patterns:\n  - pattern: 'dark\\s+mode'\n"
    )
    gatekeeper = Gatekeeper(rules=rules)

    kept, skipped = gatekeeper.decide(GREETING), gatekeeper.decide(PREFERENCE)

    assert (kept.keep, kept.rule, kept.category) == (True, "keep_patterns: hi", "mascot")
    assert kept.categories == ("mascot", "greeting")
    assert (skipped.rule, skipped.categories) == (r"skip_patterns: dark\s+mode", ("custom", "preference"))
    assert [match.category for match in skipped.matches] == ["custom", "preference"]


def test_the_reason_is_one_line_whatever_the_rule_and_the_message_have() -> None:
    rules = parse_rules('keep_patterns: [{pattern: "ticket.\\\\S+", reason: "ours,\\n\\e[31mred"}]')

    decision = Gatekeeper(rules=rules).decide(Exchange("see ticket \x1b[2J7"))

    assert decision.reason == "Kept: ours, [31mred (own rule, “ticket [2J7”)."


# The debug log.


def test_each_decision_is_a_line_of_the_debug_log_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "logs" / "gatekeeper.jsonl"
    monkeypatch.setenv("CONVGATE_GATEKEEPER_DEBUG_LOG", str(path))
    with load_gatekeeper() as gatekeeper:
        gatekeeper.decide(PREFERENCE, index=7)
        gatekeeper.decide(Exchange("half \ud83d\n" + "x" * 9_000))

    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (first["index"], first["keep"], first["rule"], first["user"]) == (
        *(7, True, "preference"),
        PREFERENCE.user,
    )
    assert first["milliseconds"] > 0
    assert len(second["user"]) == 2_000
    assert path.stat().st_mode & 0o077 == 0
