"""The facts of a turn: words and stems, speaker, time, cues."""

from __future__ import annotations

import math

import pytest

from convgate.core.conversation import Turn
from convgate.gate.cues import ngrams_of, sentences_of, shipped_cues
from convgate.gate.facts import facts_of
from convgate.gate.words import common_stems, inverse_frequency, words


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
    found = facts_of(Turn.of("user", text))
    assert (found.length, found.stems, found.pointing, found.question) == (0, {}, 0, False)


def test_what_is_written_like_code_or_a_name_is_an_identifier():
    told = facts_of(Turn.of("user", "Set max_retries to 3 in the ParseConfig of userId, as Anna said"))
    assert {"max_retri", "3", "parseconfig", "userid", "anna"} >= told.identifiers >= {"3", "userid", "anna"}
    assert facts_of(Turn.of("user", "Please say that again")).identifiers == frozenset()


def test_sentences_end_at_signs_of_any_script() -> None:
    assert sentences_of("Stop it. Now!\nv1.2 is out") == ["Stop it.", "Now!", "v1.2 is out"]
    assert len(sentences_of("我住在北京。我吃素，请永远记住。谢谢！")) == 3
    assert sentences_of(" \n ") == []


def test_the_shipped_cues_separate_obvious_cases() -> None:
    instruction, needs = shipped_cues()["instruction"], shipped_cues()["needs"]
    rule = instruction.max_logit("Always list the side effects when I ask about a medicine.")
    assert rule > 0 > instruction.max_logit("No parcel so far.")
    assert needs.logit(ngrams_of("and why?")) > needs.logit(ngrams_of("What is the capital of Australia?"))
