"""Boundaries of conversations and sessions: every row and example of the specification."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.policies.sessions import Boundaries, BoundaryRules, segment, with_moved
from convgate.store.edits import MovedBoundary
from convgate.transcripts import read_conversations
from tests.session_days import random_days, turns_of_day

RULES = BoundaryRules()
SAMPLE = Path(__file__).parent.parent / "sample_conversations" / "purple_button_one_day.json"


def starts(boundaries: Boundaries) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return boundaries.conversation_starts, boundaries.session_starts


def reasons(boundaries: Boundaries) -> dict[int, str]:
    return {one.index: one.reason for one in (*boundaries.records, *boundaries.continued)}


ROWS: dict[str, tuple[list[str], list[int], list[int]]] = {
    "a first message": (["9:00 u hi"], [0], [0]),
    "within the gap": (["9:00 u hi", "9:01 a hello", "11:01 u more"], [0], [0]),
    "exactly the gap": (["9:00 u hi", "11:00 u more"], [0], [0]),
    "a minute more": (["9:00 u hi", "11:01 u more"], [0, 1], [0, 1]),
    "from the last of either role": (["9:00 u hi", "10:30 a hello", "12:15 u more"], [0], [0]),
    "an answer that takes long": (["9:00 u hi", "12:00 a hello", "12:01 u more"], [0, 1], [0, 1]),
    "new topic": (["9:00 u hi", "9:01 a hello", "9:02 u new topic: tea"], [0, 2], [0]),
    "start fresh": (["9:00 u hi", "9:02 u Start fresh, please."], [0, 1], [0]),
    "new conversation": (["9:00 u hi", "9:02 u NEW  conversation"], [0, 1], [0]),
    "fresh start": (["- u hi", "- a hello", "- u Fresh start!"], [0, 2], [0]),
    "new topic after the gap": (["9:00 u hi", "12:00 u new topic: tea"], [0, 1], [0, 1]),
    "the assistant commands nothing": (["9:00 u hi", "9:01 a new topic: tea"], [0], [0]),
    "nor goes on": (["9:00 u hi", "12:00 a continue"], [0, 1], [0, 1]),
    "continue": (["9:00 u hi", "12:00 u continue authentication", "12:01 a sure"], [0], [0]),
    "keep going": (["9:00 u hi", "12:00 u keep going"], [0], [0]),
    "next": (["9:00 u hi", "12:00 u Next."], [0], [0]),
    "resume": (["9:00 u hi", "12:00 u resume"], [0], [0]),
    "the gap runs on from a continue": (["9:00 u hi", "12:00 u next", "14:30 u tea"], [0, 2], [0, 2]),
    "complete": (["9:00 u test", "9:01 a done !COMPLETE", "9:02 u tea"], [0, 2], [0]),
    "complete at the user's": (["9:00 u works !COMPLETE", "9:01 a good", "9:02 u tea"], [0, 1], [0]),
    "complete then the gap": (["9:00 u test", "9:01 a done !COMPLETE", "12:00 u tea"], [0, 2], [0, 2]),
    "complete twice": (["9:00 u a !COMPLETE", "9:01 a b !COMPLETE", "9:02 u c"], [0, 1, 2], [0]),
    "complete then new topic": (["9:00 a x !COMPLETE", "9:02 u new topic", "9:03 a ok"], [0, 1], [0]),
    "complete then continue": (["9:00 a x !COMPLETE", "9:02 u continue", "9:03 u tea"], [0, 1], [0]),
    "complete then continue late": (["9:00 a x !COMPLETE", "12:00 u continue"], [0, 1], [0]),
    "other states close nothing": (["9:00 u a !TESTING", "9:01 a b !VALIDATING", "9:02 u c"], [0], [0]),
    "small letters": (["9:00 u a !complete", "9:01 u c"], [0, 1], [0]),
    "an instruction closes": (["9:00 u a", "9:01 s x !COMPLETE", "9:02 s y", "9:03 u c"], [0, 3], [0]),
    "an instruction is no message": (["6:00 s be kind", "9:00 u new topic", "9:01 a ok"], [0], [0]),
    "nor stops a gap": (["9:00 u a", "11:00 s y", "12:00 u b"], [0, 2], [0, 2]),
    "no time at all": (["- u a", "- a b", "- u c"], [0], [0]),
    "a message without time": (["9:00 u a", "- a b", "10:00 u c"], [0], [0]),
    "from the last known time": (["9:00 u a", "- a b", "12:00 u c"], [0, 2], [0, 2]),
    "continue without time": (["9:00 u a", "- u continue", "15:00 a b", "15:01 u c"], [0], [0]),
    "a message out of order": (["10:00 u a", "7:00 a b", "10:01 u c"], [0], [0]),
    "a pair out of order": (["10:00 u a", "7:00 u b", "9:59 a c", "10:01 u d"], [0], [0]),
    "late ones in a row": (["10:00 u a", "7:00 u b", "7:01 a c", "7:02 u d", "10:05 u e"], [0], [0]),
    "the latest time again": (["10:00 u a", "7:00 u b", "7:01 a c", "10:00 u d"], [0], [0]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_boundaries_are_where_the_events_put_them(name: str) -> None:
    lines, conversations, sessions = ROWS[name]
    assert starts(segment(turns_of_day(*lines))) == (tuple(conversations), tuple(sessions))


@pytest.mark.parametrize(
    ("rules", "conversations", "sessions"),
    [(RULES, (0, 6), (0,)), (replace(RULES, continue_overrides_gap=False), (0, 6, 12), (0, 12))],
    ids=["the continuation wins", "the gap wins"],
)
def test_the_day_of_the_purple_button(
    rules: BoundaryRules, conversations: tuple[int, ...], sessions: tuple[int, ...]
) -> None:
    boundaries = segment(read_conversations(SAMPLE).conversations[0].turns, rules)
    assert starts(boundaries) == (conversations, sessions)
    by_index = reasons(boundaries)
    over = "more than the idle gap of 2 h."
    assert by_index[12] == (
        f'"Continue" goes on with the conversation, after 2 h 15 min, {over}'
        if rules.continue_overrides_gap
        else f'2 h 15 min since the last message, {over} "Continue" does not override it.'
    )


@pytest.mark.parametrize(
    "text",
    [
        *("continue", "Continue.", "continue authentication", "  CONTINUE with it", "please continue"),
        *("Continue, please", "continue?", "continue…", "continue - where were we?", "Please, keep\ngoing"),
        *("next", "Next!", "next: the tests", "next task please", "next, the footer", "resume the work"),
    ],
)  # fmt: skip
def test_a_command_is_the_whole_message_or_its_opening(text: str) -> None:
    assert starts(segment([*turns_of_day("9:00 u a", "12:00 u " + text)])) == ((0,), (0,))


@pytest.mark.parametrize(
    "text",
    [
        *("what comes next?", "continued fractions are lovely", "should I continue", "I will continue"),
        *("nextcloud is slow", "next.js is slow", "continue-on-error fails", "next() raises", "next's word"),
        *("Next week we fly", "next to the door", "résumé", "don't continue", "“next” is a word", ""),
    ],
)  # fmt: skip
def test_a_word_inside_a_sentence_is_no_command(text: str) -> None:
    assert starts(segment([*turns_of_day("9:00 u a", "12:00 u " + text)])) == ((0, 1), (0, 1))


def at(*moments: datetime) -> tuple[int, ...]:
    return segment([Turn.of("user", "a", timestamp=moment) for moment in moments]).session_starts


def test_times_with_zones_are_compared_in_utc() -> None:
    kolkata, new_york = timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-5))
    noon = datetime(2026, 1, 10, 12, tzinfo=kolkata)
    assert at(noon, datetime(2026, 1, 10, 3, 29, tzinfo=new_york)) == (0,)
    assert at(noon, datetime(2026, 1, 10, 3, 31, tzinfo=new_york)) == (0, 1)
    berlin = ZoneInfo("Europe/Berlin")  # on that night the clock goes from 2 to 3
    assert at(datetime(2026, 3, 29, 1, tzinfo=berlin), datetime(2026, 3, 29, 4, tzinfo=berlin)) == (0,)


def test_a_time_without_a_zone_is_local_and_of_the_zone_beside_it() -> None:
    east = timezone(timedelta(hours=9))
    nine, ten = datetime(2026, 1, 10, 9), datetime(2026, 1, 10, 10, tzinfo=east)
    assert at(nine, nine + timedelta(hours=2)) == (0,)
    assert at(nine, nine + timedelta(hours=2, seconds=1)) == (0, 1)
    assert at(nine, ten) == (0,)
    assert at(nine, ten + timedelta(hours=2)) == (0, 1)
    assert at(nine, ten, nine + timedelta(hours=4)) == (0, 2)
    assert at(ten, nine + timedelta(hours=3)) == (0,)
    timeless = Turn.of("user", "continue")
    times = (ten, None, nine + timedelta(hours=2), datetime(2026, 1, 10, 6, tzinfo=UTC))
    conversation = [Turn.of("user", "a", timestamp=moment) if moment else timeless for moment in times]
    assert segment(conversation).session_starts == (0, 3), "11:00 there is 2:00 in UTC"


def test_moved_boundaries_override_the_rules() -> None:
    conversation = Conversation(
        "c", tuple(turns_of_day("9:00 u a", "9:01 a b", "9:02 u new topic", "12:00 u c", "12:01 a d"))
    )
    moved = {
        0: MovedBoundary("none"),
        1: MovedBoundary("conversation"),
        2: MovedBoundary("none"),
        3: MovedBoundary("none"),
        4: MovedBoundary("session"),
        9: MovedBoundary("session"),
    }
    boundaries = segment(with_moved(conversation, moved).turns)
    assert starts(boundaries) == ((0, 1, 4), (0, 4))
    assert reasons(boundaries) == {
        0: "It is the first message.",
        1: "A person began a new conversation here.",
        2: "A person had the conversation go on here.",
        3: "A person had the conversation go on here.",
        4: "A person began a new session here.",
    }
    assert with_moved(conversation, {}) is conversation
    assert boundaries.begun(3).index == boundaries.begun(1).index == 1
    assert (boundaries.begun(3, "session").index, boundaries.begun(4, "session").index) == (0, 4)
    with pytest.raises(IndexError, match="5"):
        boundaries.begun(5)


@given(random_days())
def test_a_session_begins_a_conversation_and_the_first_message_both(conversation: list[Turn]) -> None:
    boundaries = segment(conversation)
    conversations, sessions = starts(boundaries)
    assert conversations[0] == sessions[0] == 0
    assert set(sessions) <= set(conversations) <= set(range(len(conversation)))
    assert all(one < other for one, other in pairwise(conversations))
    assert all(record.reason.endswith(".") for record in (*boundaries.records, *boundaries.continued))


@given(random_days(), st.integers(0, 30_000), st.integers(0, 30_000), st.booleans())
def test_a_larger_idle_gap_never_makes_more_sessions(
    conversation: list[Turn], one: int, more: int, goes_on: bool
) -> None:
    small = segment(conversation, BoundaryRules(one, continue_overrides_gap=goes_on))
    large = segment(conversation, BoundaryRules(one + more, continue_overrides_gap=goes_on))
    assert set(large.session_starts) <= set(small.session_starts)


@given(random_days(), st.integers(0, 11))
def test_what_comes_later_changes_no_boundary_before_it(conversation: list[Turn], end: int) -> None:
    whole, beginning = segment(conversation), segment(conversation[: end + 1])
    assert beginning.records == tuple(one for one in whole.records if one.index <= end)
