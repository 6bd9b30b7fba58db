"""Conversations survive the way into the store and back, whatever they hold."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import ContentPart, Conversation, ToolCall, Turn
from convgate.errors import StoreError
from convgate.store import documents

ANY_TEXT = st.text(st.characters(), max_size=20)  # halves of surrogate pairs included
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(ANY_TEXT, JSON, max_size=3)
ZONES = st.none() | st.timezones() | st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
TURNS = st.builds(
    Turn,
    role=ANY_TEXT,
    parts=st.lists(st.builds(ContentPart, ANY_TEXT, ANY_TEXT), max_size=2).map(tuple),
    id=st.none() | ANY_TEXT,
    name=st.none() | ANY_TEXT,
    timestamp=st.none() | st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=ZONES),
    tool_calls=st.lists(st.builds(ToolCall, ANY_TEXT, ANY_TEXT, ANY_TEXT), max_size=2).map(tuple),
    tool_call_id=st.none() | ANY_TEXT,
    metadata=OBJECTS,
    source=st.none() | OBJECTS,
)
CONVERSATIONS = st.builds(
    Conversation,
    id=ANY_TEXT,
    turns=st.lists(TURNS, max_size=3).map(tuple),
    title=st.none() | ANY_TEXT,
    metadata=OBJECTS,
    format=ANY_TEXT,
)


@given(CONVERSATIONS)
def test_nothing_is_lost_on_the_way_into_a_document_and_back(conversation: Conversation) -> None:
    back = documents.load(documents.dump(conversation))

    assert back == conversation
    assert [turn.source for turn in back.turns] == [turn.source for turn in conversation.turns]
    assert documents.content_key(back) == documents.content_key(conversation)


@pytest.mark.parametrize(
    "zone", [None, UTC, timezone(timedelta(hours=5, minutes=30)), ZoneInfo("Europe/Zurich")]
)
def test_a_timestamp_keeps_its_zone(zone: timezone | ZoneInfo | None) -> None:
    moment = datetime(2026, 10, 25, 2, 30, 1, 5, tzinfo=zone, fold=1)
    talk = Conversation("a", (Turn.of("user", "Hi", timestamp=moment),))

    back = documents.load(documents.dump(talk)).turns[0].timestamp

    assert back is not None
    assert (back.tzinfo, back.utcoffset()) == (zone, moment.utcoffset())
    assert back.replace(tzinfo=None) == moment.replace(tzinfo=None)


def test_a_zone_that_this_machine_does_not_know_leaves_its_offset() -> None:
    document = (
        '{"id":"a","format":"x","turns":[{"role":"user","parts":[],'
        '"timestamp":"2026-01-02T03:04:05+02:00[Mars/Olympus]"}]}'
    )

    timestamp = documents.load(document).turns[0].timestamp

    assert timestamp is not None
    assert timestamp.utcoffset() == timedelta(hours=2)


def test_the_key_leaves_out_id_and_title_but_not_what_was_said_or_how_the_file_said_it() -> None:
    turn = Turn.of("user", "Hi", source={"role": "user", "content": "Hi"})
    talk = Conversation("a", (turn,), title="One")
    key = documents.content_key(talk)

    assert documents.content_key(Conversation("b", (turn,), title=None)) == key
    assert documents.content_key(Conversation("a", (turn, turn))) != key
    assert documents.content_key(Conversation("a", (Turn.of("user", "Hi"),))) != key
    assert documents.content_key(Conversation("a", (turn,), metadata={"relevant": [1]})) != key
    assert documents.content_key(Conversation("a", (turn,), format="csv")) != key


def test_what_json_cannot_say_is_refused_by_name() -> None:
    talk = Conversation("a", (Turn.of("user", "Hi", metadata={"tags": {1, 2}}),))

    with pytest.raises(StoreError, match="'a' cannot be stored"):
        documents.dump(talk)


@pytest.mark.parametrize("document", ["", "[]", "{}", '{"id":"a","format":"x","turns":[{"role":"user"}]}'])
def test_a_damaged_document_is_a_clear_error(document: str) -> None:
    with pytest.raises(StoreError, match="conversation is damaged"):
        documents.load(document)
