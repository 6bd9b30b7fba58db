"""Long transcripts for training: free weaving, and questions that were asked before."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Turn
from convgate.training.corpora.mtrag import read_mtrag
from convgate.transcripts.relevance_sets import RelevanceSet
from tests.talks import a_talk, places_in_talk, talks
from tools.pretraining.sets import weave_conversations
from tools.pretraining.talks import Talk
from tools.pretraining.weaving import ask_again, weave

SEEDS = st.integers(0, 2**32)
MANY = [a_talk(f"talk-{number}", 10, domain=f"domain-{number % 5}") for number in range(40)]


def turns_of(made: RelevanceSet) -> list[tuple[Turn, ...]]:
    return [conversation.turns for conversation in made.conversations.values()]


def sources(turns: Sequence[Turn]) -> list[str]:
    return [turn.metadata["source"] for turn in turns]


# Free weaving


@given(talks(), SEEDS)
def test_relevant_is_what_was_said_before_in_the_same_talk(material: list[Talk], seed: int) -> None:
    made = weave(material, count=4, seed=seed)
    assert {case.conversation for case in made.cases} == set(made.conversations)
    for case in made.cases:
        turns = made.conversations[case.conversation].turns
        assert case.turn is not None
        assert case.turn >= 4
        assert turns[case.turn].role == "user"
        before, own = sources(turns[: case.turn]), turns[case.turn].metadata["source"]
        assert case.relevant == {index for index, source in enumerate(before) if source == own}
        expected = "follow-up" if before[-1] == own else "returns" if own in before else "new-topic"
        assert case.tags == (expected,)


@given(talks(), SEEDS)
def test_transcripts_keep_the_order_of_each_talk_and_their_bounds(material: list[Talk], seed: int) -> None:
    made = weave(material, count=4, seed=seed, sources=(2, 3), most_messages=20, most_cases=3)
    for id, conversation in made.conversations.items():
        turns = conversation.turns
        assert 4 < len(turns) <= 20
        assert [turn.role for turn in turns] == ["user", "assistant"] * (len(turns) // 2)
        assert len({turn.text for turn in turns}) == len(turns)
        assert 1 <= len(set(sources(turns))) <= 3
        for talk in material:
            places = places_in_talk(turns, talk)
            assert places == sorted(places)
        places = [case.turn or 0 for case in made.cases if case.conversation == id]
        assert 1 <= len(places) <= 3
        assert sorted(set(places)) == places


@given(talks(), SEEDS)
def test_a_seed_fixes_every_transcript_whatever_the_count(material: list[Talk], seed: int) -> None:
    made = weave(material, count=4, seed=seed)
    assert weave(material, count=4, seed=seed) == made
    assert turns_of(weave(material, count=2, seed=seed)) == turns_of(made)[:2]
    assert weave(material, count=4, seed=seed + 1) != made


def test_woven_conversations_of_mtrag_begin_with_their_first_question(tmp_path: Path) -> None:
    lines = [
        {
            "conversation_id": id,
            "Collection": "govt",
            "input": [
                {"speaker": speaker, "text": f"{speaker} {place} of {id}"}
                for place in range(6)
                for speaker in ("user", "agent")
            ],
            "targets": [],
        }
        for id in "abcdef"
    ]
    file = tmp_path / "reference.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    woven = weave_conversations(read_mtrag(file), count=20, seed=0)
    first = {
        turns[sources(turns).index(name)].text for turns in turns_of(woven) for name in set(sources(turns))
    }
    assert first == {f"user 0 of {id}" for id in "abcdef"}


def test_talks_of_one_domain_alone_are_taken_where_there_are_enough() -> None:
    material = [a_talk("a", domain="x"), a_talk("b", domain="x"), a_talk("c", domain="y"), a_talk("d")]
    made = turns_of(weave(material, count=600, seed=1, sources=(2, 2)))
    pairs = [frozenset(sources(turns)) for turns in made]
    assert len(set(pairs)) == 6
    assert pairs.count(frozenset("ab")) / len(pairs) == pytest.approx(1 / 2 + 1 / 2 / 6, abs=0.07)


# Questions that were asked before


@given(talks(exchanges=6), SEEDS, st.integers(20, 40))
def test_what_was_asked_before_is_answered_by_its_answer(
    material: list[Talk], seed: int, longest: int
) -> None:
    made = ask_again(material, count=3, seed=seed, turns=(20, longest), questions=2)
    assert len(made.cases) == 6
    answers = {exchange[0].text: exchange[1].text for talk in material for exchange in talk.exchanges}
    for case in made.cases:
        turns = made.conversations[case.conversation].turns
        assert case.query is not None
        assert case.tags == ("asked-again",)
        relevant = [turns[index].text for index in sorted(case.relevant)]
        question = case.query.text
        assert len(question.split()) >= 7
        is_there = question in [turn.text for turn in turns]
        assert relevant == ([question] if is_there else []) + [answers[question]]


@given(talks(exchanges=6), SEEDS, st.integers(20, 40))
def test_histories_are_as_long_as_asked_for_and_say_nothing_twice(
    material: list[Talk], seed: int, longest: int
) -> None:
    for turns in turns_of(ask_again(material, count=3, seed=seed, turns=(20, longest), questions=2)):
        assert 20 - 2 <= len(turns) <= longest + 1
        assert len({turn.text for turn in turns}) == len(turns)
        for talk in material:
            places = places_in_talk(turns, talk)
            assert places == sorted(places)


@given(SEEDS)
def test_sessions_are_whole_talks_days_apart(seed: int) -> None:
    for turns in turns_of(ask_again(MANY, count=3, seed=seed)):
        sessions = [(moment, list(said)) for moment, said in groupby(turns, lambda turn: turn.timestamp)]
        assert all(
            timedelta(hours=8) <= after - before <= timedelta(days=15)
            for (before, _), (after, _) in pairwise(sessions)
            if before and after
        )
        assert all(after.date() > before.date() for (before, _), (after, _) in pairwise(sessions))
        held = [set(sources(said)) for _, said in sessions]
        assert sum(map(len, held)) == len(set.union(*held))
        assert {len(names) for names in held[:-1]} in ({1}, {2}, {3}, {2, 3})  # not some woven, some not
        for _, said in sessions[:-1]:
            assert len(said) >= 20 * len(set(sources(said))) - 4
            assert {turn.timestamp is None for turn in said} == {False}


def test_speakers_have_two_of_the_names_or_none() -> None:
    pairs = set()
    for turns in turns_of(ask_again(MANY, count=30, seed=0, names=["Ada", "Ben", "Cem"])):
        named = {turn.role: turn.name for turn in turns}
        assert all(turn.name == named[turn.role] for turn in turns)
        pairs.add((named["user"], named["assistant"]))
    assert len(pairs) == 6
    assert all(user != assistant for user, assistant in pairs)
    (turns,) = turns_of(ask_again(MANY, count=1, seed=0))
    assert {turn.name for turn in turns} == {None}


@given(SEEDS)
def test_a_seed_fixes_every_history_whatever_the_count(seed: int) -> None:
    made = ask_again(MANY, count=3, seed=seed, turns=(30, 60))
    assert ask_again(MANY, count=3, seed=seed, turns=(30, 60)) == made
    assert turns_of(ask_again(MANY, count=2, seed=seed, turns=(30, 60))) == turns_of(made)[:2]
    assert ask_again(MANY, count=3, seed=seed + 1, turns=(30, 60)) != made


def test_a_question_that_leans_is_not_asked_again() -> None:
    material = [a_talk(f"talk-{number}", 9, leaning=range(1, 9)) for number in range(10)]
    made = ask_again(material, count=20, seed=0, turns=(100, 150))
    assert {case.query.text.split()[2] for case in made.cases if case.query} == {"0"}


# Speed
