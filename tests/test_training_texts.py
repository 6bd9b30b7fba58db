"""The written conversations, woven, lengthened and made into scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts import read_relevance_set
from convgate.transcripts.cases import Case, RelevanceSet
from tests.conversations import conversations, source_places
from tools.pretraining.chats import (
    TEXTS,
    lengthened_answers,
    long_chats,
    personal_chats,
    short_subjects,
    training_chats,
)
from tools.pretraining.lengthening import lengthen
from tools.pretraining.scenarios import scenarios
from tools.pretraining.sets import unrelated_questions, written_talks
from tools.pretraining.talks import SPLITS, Talk
from tools.pretraining.weaving import weave


def chats(part: str) -> RelevanceSet:
    return training_chats() if part == "train" else read_relevance_set(TEXTS / "chats.dev.jsonl")


def test_no_writer_is_on_both_sides_and_a_third_of_the_messages_needs_nothing() -> None:
    writers = []
    for part, least in (("train", 120), ("dev", 40)):
        texts = chats(part)
        writers.append({conversation.metadata["writer"] for conversation in texts.conversations.values()})
        assert len(texts.conversations) >= least
        assert len({conversation.metadata["genre"] for conversation in texts.conversations.values()}) >= 15
        empty = sum(not one.relevant for one in texts.cases) / len(texts.cases)
        assert 0.2 < empty < 0.4
    assert not writers[0] & writers[1]
    assert len(writers[0] | writers[1]) >= 20


@pytest.mark.parametrize(
    ("original", "changed"),
    [
        (training_chats(), long_chats(training_chats(), count=3, seed=1)),
        (training_chats(), short_subjects(training_chats(), seed=1)),
        (personal_chats(), lengthened_answers(personal_chats(), count=3, seed=1)),
    ],
    ids=["long", "short", "lengthened"],
)
def test_relevant_turns_of_a_changed_chat_are_those_of_the_chat(
    original: RelevanceSet, changed: RelevanceSet
) -> None:
    cases = {case.id: case for case in original.cases}
    checked = 0
    for case in changed.cases:
        source = next((one for id, one in cases.items() if case.id.endswith(f"-{id}")), None)
        if source is None:
            assert not case.relevant
            continue
        turns = original.conversations[source.conversation].turns
        shown = changed.conversations[case.conversation].turns
        relevant_texts = {shown[turn].text for turn in case.relevant}
        assert all(any(turns[turn].text in text for text in relevant_texts) for turn in source.relevant)
        assert len(case.relevant) == len(source.relevant)
        assert case.judged is None or case.relevant <= case.judged
        checked += 1
    assert checked > 20


DAY = datetime(2024, 3, 1, 9)


def dialogue(number: int, people: tuple[str, str], *, sessions: int = 3) -> RelevanceSet:
    """A dialogue with a session every ten days; its third turn is what its question is about."""
    turns = tuple(
        Turn.of(
            ("user", "assistant")[place % 2],
            f"fact {number}-{session}-{place} for {people[1 - place % 2]}, says {people[place % 2]}'s friend",
            name=people[place % 2],
            timestamp=DAY + timedelta(days=10 * session, hours=number),
        )
        for session in range(sessions)
        for place in range(4)
    )
    id = f"talk-{number}"
    case = Case(f"{id}-q", id, None, Turn.of("user", f"What did {people[0]} say?"), frozenset({2, 5}))
    return RelevanceSet(f"set-{number}", {id: Conversation(id, turns)}, (case,))


@pytest.fixture
def sets() -> list[RelevanceSet]:
    names = [("Ada", "Ben"), ("Cleo", "Dan"), ("Eve", "Finn"), ("Gus", "Hal")]
    return [dialogue(number, people) for number, people in enumerate(names)]


def test_every_turn_and_question_is_there_and_points_to_the_same_fact(sets):
    long = lengthen(sets, count=6, seed=1, parts=(2, 4))
    for case in long.cases:
        turns = long.conversations[case.conversation].turns
        number = case.id.split("talk-")[1][0]
        facts = [turns[row].text.split(" for ")[0] for row in sorted(case.relevant)]
        assert sorted(facts) == [f"fact {number}-0-2", f"fact {number}-1-1"]
    for conversation in long.conversations.values():
        facts = [turn.text.split(" for ")[0] for turn in conversation.turns]
        assert len(facts) == len(set(facts))
        assert len(facts) % 12 == 0


SEEDS = st.integers(0, 2**32)


def sources(turns: Sequence[Turn]) -> list[str]:
    return [turn.metadata["source"] for turn in turns]


# Free weaving


@given(conversations(), SEEDS)
def test_relevant_is_what_was_said_before_in_the_same_conversation(material: list[Talk], seed: int) -> None:
    woven = weave(material, count=4, seed=seed)
    assert {case.conversation for case in woven.cases} == set(woven.conversations)
    for case in woven.cases:
        turns = woven.conversations[case.conversation].turns
        assert case.turn is not None
        assert case.turn >= 4
        assert turns[case.turn].role == "user"
        before, own = sources(turns[: case.turn]), turns[case.turn].metadata["source"]
        assert case.relevant == {index for index, source in enumerate(before) if source == own}
        expected = "follow-up" if before[-1] == own else "returns" if own in before else "new-topic"
        assert case.tags == (expected,)


# Speed

UNRELATED = ("Who painted the ceiling?", "Why is the sky blue?")


def talk_ids(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.metadata["source"] for turn in turns]


# What holds for every scenario


@given(conversations(), SEEDS)
def test_every_scenario_is_a_user_s_message_after_turns_in_order(material: list[Talk], seed: int) -> None:
    scenario_set = scenarios(material, UNRELATED, count=12, seed=seed)
    by_id = {conversation.id: conversation for conversation in material}
    assert len(scenario_set.cases) == len(scenario_set.conversations) == 12
    for case in scenario_set.cases:
        turns = scenario_set.conversations[case.conversation].turns
        assert case.turn == len(turns) - 1
        assert [turn.role for turn in turns] == ["user", "assistant"] * (case.turn // 2) + ["user"]
        texts = [turn.text for turn in turns]
        assert len(set(texts)) == len(texts)
        source = turns[-1].metadata.get("source")
        assert case.relevant == {i for i in range(case.turn) if talk_ids(turns[:-1])[i] == source}
        for conversation in by_id.values():
            places = source_places(turns[:-1], conversation)
            assert places == list(range(places[0], places[0] + len(places))) if places else True
            assert len(places) <= 12


@given(conversations(), SEEDS)
def test_a_seed_fixes_every_scenario_whatever_the_count(material: list[Talk], seed: int) -> None:
    scenario_set = scenarios(material, UNRELATED, count=8, seed=seed)
    assert scenarios(material, UNRELATED, count=8, seed=seed) == scenario_set
    fewer = scenarios(material, UNRELATED, count=5, seed=seed)
    assert fewer.cases == scenario_set.cases[:5]
    assert list(fewer.conversations.values()) == list(scenario_set.conversations.values())[:5]
    assert scenarios(material, UNRELATED, count=8, seed=seed + 1) != scenario_set


# Splits


# The texts that are packed


def test_no_written_topic_and_no_question_is_in_two_splits() -> None:
    topics = [
        {conversation.pair or conversation.id for conversation in written_talks(split)} for split in SPLITS
    ]
    questions = [set(unrelated_questions(split)) for split in SPLITS]
    for parts, everything in (
        (
            topics,
            {
                conversation.pair or conversation.id
                for split in SPLITS
                for conversation in written_talks(split)
            },
        ),
        (questions, {text for split in SPLITS for text in unrelated_questions(split)}),
    ):
        assert set.union(*parts) == everything
        assert sum(map(len, parts)) == len(everything)
