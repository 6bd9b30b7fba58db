"""The written conversations with an assistant: whole, and split by writer."""

from __future__ import annotations

import pytest

from convgate.transcripts import RelevanceSet, read_relevance_set
from tools.pretraining.chats import (
    TEXTS,
    lengthened_answers,
    long_chats,
    new_subjects,
    personal_chats,
    short_subjects,
    training_chats,
)


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


def test_personal_chats_have_later_questions_whose_evidence_users_stated() -> None:
    texts = personal_chats()
    assert len(texts.conversations) == 45
    assert len(texts.cases) == 21 * 22 + 24 * 30
    assert all(case.query is not None for case in texts.cases)
    stated = [texts.conversations[case.conversation].turns[i] for case in texts.cases for i in case.relevant]
    assert sum(turn.role == "user" for turn in stated) > 0.9 * len(stated)
    assert sum(not case.relevant for case in texts.cases) == 21 + 24 * 3
    for talk in texts.conversations.values():
        for one in talk.metadata["instructions"]:
            assert one["text"] in talk.turns[one["index"]].text


def test_new_subjects_are_short_and_different() -> None:
    lines = new_subjects()
    assert len({line.casefold() for line in lines}) == len(lines) == 741
    assert all(1 <= len(line.split()) <= 12 for line in lines)


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
