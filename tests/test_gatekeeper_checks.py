"""Checks beyond the published ones: answers, teams, imperatives, near misses, languages, positions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convgate.core.conversation import Turn
from convgate.gatekeeper.checks import check, lexicon
from convgate.gatekeeper.decision import GatekeeperDecision, Said
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.pattern import MAX_MATCHES, Lexicon, remove_counts
from convgate.text.folding import fold
from tools.gatekeeper_figures import MEASURED, read_labelled

LABELLED = Path(__file__).parent / "exchanges"
LONG = "An answer that is long enough to be worth something by itself: " + "it goes on and on. " * 4


def after(question: str, user: str, answer: str = "Done.", *, role: str = "assistant") -> GatekeeperDecision:
    return check(Exchange(user, answer, (Turn.of("user", "Hello"), Turn.of(role, question))))


@pytest.mark.parametrize(
    ("question", "user", "category"),
    [
        ("What database should we use?", "PostgreSQL", "decision"),
        ("Shall I book it?", "no", "decision"),
        ("There are two offers. Let me know which you want.", "the first", "decision"),
        ("So it is. " * 200 + "Which one?", "the first", "decision"),
        ("Does the light blink? It's the one at the port.", "No.", "answer"),
        ("Où habites-tu ?", "à Nantes", "answer"),
        ("Welches Betriebssystem hast du?", "Ubuntu", "answer"),
        ("Wann sollen wir uns treffen?", "morgen", "decision"),
        ("Soll ich den Termin buchen?", "Einverstanden!", "decision"),
    ],
)
def test_a_short_answer_to_a_question_is_kept(question: str, user: str, category: str):
    decision = after(question, user)
    assert (decision.outcome, decision.category, decision.rule) == ("keep", category, "answer")


@pytest.mark.parametrize(
    ("user", "category"),
    [
        ("We prefer tabs", "team_preference"),
        ("our team prefers async standups", "team_preference"),
        ("Avoid `any` in TypeScript", "policy"),
        ("Always `await` promises", "policy"),
        ("Vermeide „any“ überall", "policy"),
        ("Decision: `uv`", "decision"),
        ("Rules for the repository:\n  * Never push to main\n  * Always squash", "policy"),
        ("I\0prefer tabs", "preference"),
        ("we al\u200dways use tabs", "policy"),
        ("Never push to main", "policy"),
        ("Hi, never push to main", "policy"),
        ("That is wrong.", "correction"),
        ("never, ever share my address", "policy"),
        ("I don’t like semicolons", "preference"),
        ("I like it when the summary comes first", "preference"),
        ("Évite les variables globales", "policy"),
        ("Je préfère les thèmes sombres", "preference"),
        ("je pre\u0301fe\u0300re les the\u0300mes sombres", "preference"),
        ("Notre équipe préfère Slack", "team_preference"),
        ("Utilisons PostgreSQL", "decision"),
        ("Ich benutze immer Vim", "preference"),
        ("Niemals direkt auf main pushen", "policy"),
        ("Nein, das ist falsch, es ist Dienstag", "correction"),
        ("Wir haben beschlossen, den Start zu verschieben", "decision"),
    ],
)
def test_lasting_statements_are_kept_with_their_category(user: str, category: str):
    decision = check(Exchange(user, "Noted."))
    assert (decision.outcome, decision.category, decision.categories) == ("keep", category, (category,))


@pytest.mark.parametrize(
    "user",
    [
        "We should go to lunch",
        "I want to know how async works",
        "I like your answer",
        "It never works when I press it",
        "What could go wrong here?",
        "I said hello to the neighbours",
        "Our standard of living has improved",
        "My boss always asks on Fridays",
        "The log says `we should never get here`, why?",
        "If we always cached everything, what then?",
        "> We always use tabs\nWho wrote this?",
        "Why does this fail?\n  /** Returns nothing.\n   * We always use tabs\n   */\n  f()",
        "The train left from the wrong platform",
        "Why does this fail?\n```\nwe always use tabs\n```",
        "Is it late? And then:\nwhat do we always use here",
        "Never mind, I found it myself",
        "No, that's all for today, thank you",
        "Was ist an dieser Schleife falsch?",
    ],
)
def test_similar_wording_has_no_category(user: str):
    decision = check(Exchange(user, LONG))
    assert (decision.keep, decision.categories, decision.matches) == (True, ("other",), ())


@pytest.mark.parametrize(
    ("user", "answer", "language"),
    [("Dale, sí", "Listo.", "es"), ("はい", "了解", "ja"), ("Так", "Добре", None), ("hola", "¡Hola!", "es")],
)
def test_a_short_message_in_another_language_is_kept_and_never_called_noise(user, answer, language):
    decision = check(Exchange(user, answer))
    assert (decision.keep, decision.rule, decision.category) == (True, "other language", "other")
    assert decision.language == language if language else decision.language not in {None, "en", "fr", "de"}


def test_matches_say_where_the_words_stand_in_the_message_as_it_was_given():
    user = "  🙂 Ｎo – ça: cafe\u0301! I don’t like “x”; we’ll use Vue"
    decision = check(Exchange(user, "Fine. Let’s go with Vue."))
    by_category = {(match.category, match.said): match for match in decision.matches}
    words = lambda match, text: text[match.start : match.end]  # noqa: E731
    assert words(by_category["preference", "user"], user) == "I don’t like"
    assert words(by_category["decision", "user"], user) == "we’ll use"
    assert words(by_category["decision", "assistant"], "Fine. Let’s go with Vue.") == "Let’s go with"


@pytest.mark.parametrize(
    ("words", "times"),
    [("", 0), (" ", 9), ("never ", 170_000), ("`a", 50_000), ('"', 100_000), ("é", 300_000), ("# ", 100_000)],
)
def test_any_text_of_any_length_is_decided(words: str, times: int):
    decision = check(Exchange(words * times, words * (times // 10)))
    assert len(decision.matches) <= 2 * MAX_MATCHES * len(lexicon("user").patterns)


def test_answers_with_facts_are_kept_and_small_talk_is_skipped():
    labelled = read_labelled(LABELLED / "answers.jsonl")
    assert [one.exchange for one in labelled if check(one.exchange).keep != one.keep] == []


@pytest.mark.parametrize(("name", "accuracy"), [("work", 0.97), ("sealed", 0.95), ("third", 0.95)])
def test_labelled_exchanges_are_decided_correctly(name: str, accuracy: float):
    labelled = read_labelled(LABELLED / f"{name}.jsonl")
    judged = [one.judged(check(one.exchange)) for one in labelled]
    assert len(labelled) > 150
    for what in MEASURED:
        assert sum(outcomes[what] for outcomes in judged) / len(judged) >= accuracy, what


@pytest.mark.parametrize("said", ["user", "assistant"])
def test_the_automaton_of_all_patterns_counts_nothing_and_misses_none(said: Said, monkeypatch):
    expressions: list[str] = []
    spy = lambda given: expressions.append(remove_counts(given)) or expressions[-1]  # noqa: E731
    monkeypatch.setattr("convgate.gatekeeper.pattern.remove_counts", spy)
    shared = lexicon(said)
    text = fold("\n".join(one.exchange.user for one in read_labelled(LABELLED / "work.jsonl"))).text
    hits = set(Lexicon(shared.patterns)._automaton.Match(text))
    assert len(expressions) == len(shared.patterns)
    assert not any(re.search(r"\{\d+,\d", expression) for expression in expressions)
    assert hits >= {at for at, (words, _) in enumerate(shared._compiled) if words.search(text)} > {0}


@pytest.mark.parametrize(
    ("user", "answer", "rule"),
    [
        ("My size is 42", "Noted.", "fact"),
        ("Tuesday 10:30 works", "Great.", "fact"),
        ("Order 4711", "I see it.", "fact"),
        ("Make it 60 tubes", "Changed.", "fact"),
        ("ada@holm.example", "Saved.", "fact"),
        ("Which framework?", "Astro is small and static.", "fact"),
        ("Why?", "Because it is faster now.", "short exchange"),
        ("is it done?", "Yes, it is.", "short exchange"),
        ("bump it to 2.1", "Bumped.", "short exchange"),
        ("I'm back", "Welcome back!", "short exchange"),
        ("thanks a lot!", "You're welcome.", "small talk"),
        ("haha great, she'll love it", "Glad you like it!", "small talk"),
        ("Danke, hat geklappt!", "Freut mich!", "small talk"),
        ("run the tests", "- 40 passed, 1 failed\n- test_totals compares floats exactly", "fact"),
        ("lol", "The kettle of Ada Holm broke yesterday.", "fact"),
        ("weiter", "Der Kurs beginnt um 18:30.", "fact"),
    ],
)
def test_a_short_exchange_is_kept_where_it_states_a_fact(user: str, answer: str, rule: str):
    decision = check(Exchange(user, answer))
    assert (decision.rule, decision.keep) == (rule, rule == "fact")


@pytest.mark.parametrize("user", ["ok, мой адрес улица Ленина дом пять", "thanks, 我们的截止日期是五月三日"])
def test_courtesies_around_another_alphabet_are_no_small_talk(user: str):
    assert check(Exchange(user, "Хорошо.")).keep
