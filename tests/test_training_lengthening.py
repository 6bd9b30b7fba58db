"""Long histories out of dialogues: nothing gets lost, and everybody has the first one's names."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import TrainingError
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from tools.pretraining.lengthening import lengthen

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


def test_a_seed_fixes_everything(sets):
    first, again = (
        lengthen(sets, count=5, seed=3, parts=(1, 4)),
        lengthen(sets, count=5, seed=3, parts=(1, 4)),
    )
    assert first.conversations == again.conversations
    assert first.cases == again.cases
    assert lengthen(sets, count=5, seed=4, parts=(1, 4)).cases != first.cases


def test_dialogues_of_one_or_three_people_or_without_times_are_left_aside(sets):
    lonely = dialogue(7, ("Ida", "Ida"))
    with pytest.raises(TrainingError, match="5 dialogues of two people are needed, but there are 4"):
        lengthen([*sets, lonely], count=1, seed=0, parts=(2, 5))


@pytest.mark.parametrize(("count", "parts"), [(-1, (1, 2)), (1, (0, 2)), (1, (3, 2))])
def test_numbers_out_of_range_are_refused(sets, count, parts):
    with pytest.raises(TrainingError, match="a count of 0 or more"):
        lengthen(sets, count=count, seed=0, parts=parts)
