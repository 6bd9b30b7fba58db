"""The facts of a turn: words and stems, speaker, cues."""

from __future__ import annotations

import math

import pytest

from convgate.core.conversation import Turn
from convgate.embedding.bundled import BundledEncoder
from convgate.gate.columns import common_stems, inverse_frequency
from convgate.gate.facts import NO_CUES, facts_of, read_facts
from convgate.text.words import words
from tests.fakes import FakeEncoder


def test_words_are_case_folded_and_free_of_signs():
    assert words("Can't BOOT: grub-2, (ok)?") == ["can", "t", "boot", "grub", "2", "ok"]
    assert words("Straße STRASSE") == ["strasse", "strasse"]
    assert words("日本語 ÉCLAIR naïve_1") == ["日本語", "éclair", "naïve_1"]
    assert words(" \n🦊 ?! ") == []


def test_rarer_stems_say_more():
    # A stem that the table does not have counts as found in 0.0001 of 100 turns before: n = found + 0.01.
    assert "zyzzyva" not in common_stems()
    assert inverse_frequency("zyzzyva", 1, 1) == pytest.approx(
        math.log(1 + (101 - 1.01 + 0.5) / (1.01 + 0.5))
    )
    assert inverse_frequency("zyzzyva", 3, 50) == pytest.approx(
        math.log(1 + (150 - 3.01 + 0.5) / (3.01 + 0.5))
    )
    assert inverse_frequency("zyzzyva", 1, 50) > inverse_frequency("zyzzyva", 3, 50) > 0


def test_speaker_is_the_name_or_else_the_role():
    named, unnamed = facts_of(Turn.of("user", "hi", name="ANNA")), facts_of(Turn.of("User", "hi"))
    assert (named.speaker, named.named) == ("anna", True)
    assert (unnamed.speaker, unnamed.named) == ("user", False)


def test_tokens_have_words_and_nicks_without_the_signs_around_them():
    tokens = facts_of(Turn.of("user", 'Hey k1l|away: (see @Bob, "c++" and FOO-bar!)')).tokens
    assert {"k1l|away", "bob", "c++", "foo-bar", "k1l", "away", "foo", "bar", "c"} <= tokens
    assert "hey" in tokens
    assert "Hey" not in tokens


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("```\nx\n```", True), ("call f()", True), ("a {b", True), ("see https://a.example", True)),
        *(("see http://a.example", True), ("f(x) = 2", False), ("plain `words`", False), ("", False)),
    ],
)
def test_code_and_addresses(text: str, code: bool):
    assert facts_of(Turn.of("user", text)).code is code


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\N{ZERO WIDTH SPACE}", "🦊🦊", "\ud800"])
def test_text_without_words(text: str):
    facts = facts_of(Turn.of("user", text))
    assert (facts.length, facts.stems, facts.question) == (0, {}, False)


def test_the_shipped_cues_separate_obvious_cases() -> None:
    texts = (
        *("and why?", "What is the capital of Australia?"),
        *("Always list the side effects when I ask about a medicine.", "No parcel so far."),
    )
    facts = read_facts([Turn.of("user", text) for text in texts], BundledEncoder("states"))
    leans, stands_alone, rule, no_rule = (fact.cues for fact in facts)
    assert leans.needs > 1 > -1 > stands_alone.needs
    assert leans.continues > 0 > stands_alone.continues
    assert rule.instruction > 0 > no_rule.instruction


def test_what_no_user_wrote_has_no_cues() -> None:
    turns = [Turn.of("assistant", "and why?"), Turn.of("tool", "and why?"), Turn.of("user", " ")]
    assert {fact.cues for fact in read_facts(turns, FakeEncoder())} == {NO_CUES}
