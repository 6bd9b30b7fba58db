"""The written conversations, woven, lengthened and made into scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts import read_relevance_set
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from tests.talks import a_talk, places_in_talk, talks
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
from tools.pretraining.talks import SPLITS, Talk, split_of
from tools.pretraining.weaving import ask_again, weave


def chats(part: str) -> RelevanceSet:
    return training_chats() if part == "train" else read_relevance_set(TEXTS / "chats.dev.jsonl")


def test_no_writer_is_on_both_sides_and_a_third_of_the_messages_needs_nothing() -> None:
    writers = []
    for part, least in (("train", 120), ("dev", 40)):
        texts = chats(part)
        writers.append({talk.metadata["writer"] for talk in texts.conversations.values()})
        assert len(texts.conversations) >= least
        assert len({talk.metadata["genre"] for talk in texts.conversations.values()}) >= 15
        empty = sum(not one.relevant for one in texts.cases) / len(texts.cases)
        assert 0.2 < empty < 0.4
    assert not writers[0] & writers[1]
    assert len(writers[0] | writers[1]) >= 20


@pytest.mark.parametrize(
    ("original", "made"),
    [
        (training_chats(), long_chats(training_chats(), count=3, seed=1)),
        (training_chats(), short_subjects(training_chats(), seed=1)),
        (personal_chats(), lengthened_answers(personal_chats(), count=3, seed=1)),
    ],
    ids=["long", "short", "lengthened"],
)
def test_relevant_turns_of_a_changed_chat_are_those_of_the_chat(
    original: RelevanceSet, made: RelevanceSet
) -> None:
    cases = {case.id: case for case in original.cases}
    checked = 0
    for case in made.cases:
        source = next((one for id, one in cases.items() if case.id.endswith(f"-{id}")), None)
        if source is None:
            assert not case.relevant
            continue
        said = original.conversations[source.conversation].turns
        shown = made.conversations[case.conversation].turns
        found = {shown[turn].text for turn in case.relevant}
        assert all(any(said[turn].text in text for text in found) for turn in source.relevant)
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


def test_all_have_the_names_of_the_first_in_turns_and_questions(sets):
    long = lengthen(sets, count=6, seed=1, parts=(3, 3))
    for conversation in long.conversations.values():
        names = {turn.name for turn in conversation.turns}
        assert len(names) == 2
        others = {"Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal"} - names
        said = [turn.text for turn in conversation.turns]
        said += [
            case.query.text for case in long.cases if case.query and case.conversation == conversation.id
        ]
        assert not [text for text in said if any(name in text for name in others)]


def test_sessions_come_in_the_order_of_their_times_and_stay_whole(sets):
    for conversation in lengthen(sets, count=4, seed=2, parts=(4, 4)).conversations.values():
        times = [turn.timestamp for turn in conversation.turns]
        assert times == sorted(times)
        assert all(len(set(times[i : i + 4])) == 1 for i in range(0, len(times), 4))


SEEDS = st.integers(0, 2**32)


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


# Speed

UNRELATED = ("Who painted the ceiling?", "Why is the sky blue?")


def of_kind(kind: str, *, count: int = 40, seed: int = 0) -> list[tuple[Case, tuple[Turn, ...], Turn]]:
    """Cases with history and current message, over talks of many sorts."""
    material = [
        a_talk("bread", 9, domain="home", pair="dough", returns=3),
        a_talk("pizza", 7, domain="home", pair="dough", returns=3),
        a_talk("git", 8, domain="work"),
        a_talk("tax", 6, returns=1),
        a_talk("bikes", 10, domain="work", leaning=[2, 5]),
    ]
    made = scenarios(material, UNRELATED, count=count, seed=seed, weights={kind: 1})
    assert len(made.cases) == count
    found = []
    for case in made.cases:
        assert case.tags == (kind,)
        *history, current = made.conversations[case.conversation].turns
        found.append((case, tuple(history), current))
    return found


def talk_ids(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.metadata["source"] for turn in turns]


def runs(turns: tuple[Turn, ...]) -> list[str]:
    """The talks in their order, one that goes on named once."""
    named = talk_ids(turns)
    return named[:1] + [after for before, after in pairwise(named) if before != after]


# What holds for every scenario


@given(talks(), SEEDS)
def test_every_scenario_is_a_user_s_message_after_turns_in_order(material: list[Talk], seed: int) -> None:
    made = scenarios(material, UNRELATED, count=12, seed=seed)
    by_id = {talk.id: talk for talk in material}
    assert len(made.cases) == len(made.conversations) == 12
    for case in made.cases:
        turns = made.conversations[case.conversation].turns
        assert case.turn == len(turns) - 1
        assert [turn.role for turn in turns] == ["user", "assistant"] * (case.turn // 2) + ["user"]
        texts = [turn.text for turn in turns]
        assert len(set(texts)) == len(texts)
        source = turns[-1].metadata.get("source")
        assert case.relevant == {i for i in range(case.turn) if talk_ids(turns[:-1])[i] == source}
        for talk in by_id.values():
            places = places_in_talk(turns[:-1], talk)
            assert places == list(range(places[0], places[0] + len(places))) if places else True
            assert len(places) <= 12


@given(talks(), SEEDS)
def test_a_seed_fixes_every_scenario_whatever_the_count(material: list[Talk], seed: int) -> None:
    made = scenarios(material, UNRELATED, count=8, seed=seed)
    assert scenarios(material, UNRELATED, count=8, seed=seed) == made
    fewer = scenarios(material, UNRELATED, count=5, seed=seed)
    assert fewer.cases == made.cases[:5]
    assert list(fewer.conversations.values()) == list(made.conversations.values())[:5]
    assert scenarios(material, UNRELATED, count=8, seed=seed + 1) != made


# What each kind means


@given(SEEDS)
def test_followup_goes_on_with_the_only_topic(seed: int) -> None:
    for case, history, current in of_kind("followup", seed=seed):
        assert case.relevant == set(range(len(history)))
        assert {*talk_ids(history), current.metadata["source"]} == {current.metadata["source"]}
        words = history[-2].text.split()
        assert current.text.startswith(f"{words[0]} question {int(words[2]) + 1}")


@given(SEEDS)
def test_new_task_opens_a_talk_that_the_history_does_not_have(seed: int) -> None:
    for case, history, current in of_kind("new_task", seed=seed):
        assert case.relevant == frozenset()
        assert current.text.startswith(f"{current.metadata['source']} question 0")
        assert current.metadata["source"] not in talk_ids(history)
        assert 1 <= len(runs(history)) <= 3


@given(SEEDS)
def test_reference_old_comes_back_over_one_to_three_other_talks(seed: int) -> None:
    for case, history, current in of_kind("reference_old", seed=seed):
        first, *others = runs(history)
        assert current.metadata["source"] == first
        assert 1 <= len(others) <= 3
        assert first not in others
        assert case.relevant == set(range(talk_ids(history).count(first)))


@given(SEEDS)
def test_mixed_goes_on_with_a_topic_that_another_one_parts(seed: int) -> None:
    for case, history, current in of_kind("mixed", seed=seed):
        named, own = talk_ids(history), current.metadata["source"]
        assert case.relevant == {index for index, source in enumerate(named) if source == own}
        assert set(named[min(case.relevant) : max(case.relevant)]) > {own}
        assert 2 <= len(set(named)) <= 3


@given(SEEDS)
def test_subtopic_switch_opens_a_talk_after_one_that_is_near_to_it(seed: int) -> None:
    near = {"bread": "pizza", "pizza": "bread", "git": "bikes", "bikes": "git"}
    for case, history, current in of_kind("subtopic_switch", seed=seed):
        new = current.metadata["source"]
        assert case.relevant == frozenset()
        assert current.text.startswith(f"{new} question 0")
        assert talk_ids(history)[-1] == near[new]
        assert new not in talk_ids(history)
        assert 1 <= len(runs(history)) <= 3


@given(SEEDS)
def test_nothing_relevant_asks_about_none_of_the_talks(seed: int) -> None:
    for case, history, current in of_kind("nothing_relevant", seed=seed):
        assert case.relevant == frozenset()
        assert current.text in UNRELATED
        assert 1 <= len(runs(history)) <= 3


# Splits


def test_topics_are_split_by_their_names_alone() -> None:
    for_good = {"sourdough": "train", "puppy": "train", "tides": "dev", "opera": "test"}
    assert {name: split_of(name) for name in for_good} == for_good
    keys = [split_of(f"topic {number}") for number in range(20_000)]
    for split, share in zip(SPLITS, (0.70, 0.15, 0.15), strict=True):
        assert keys.count(split) / len(keys) == pytest.approx(share, abs=0.01)


# The texts that are packed


def test_no_written_topic_and_no_question_is_in_two_splits() -> None:
    topics = [{talk.pair or talk.id for talk in written_talks(split)} for split in SPLITS]
    questions = [set(unrelated_questions(split)) for split in SPLITS]
    for parts, everything in (
        (topics, {talk.pair or talk.id for split in SPLITS for talk in written_talks(split)}),
        (questions, {text for split in SPLITS for text in unrelated_questions(split)}),
    ):
        assert set.union(*parts) == everything
        assert sum(map(len, parts)) == len(everything)
