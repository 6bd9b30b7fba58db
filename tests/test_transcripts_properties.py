"""Properties of transcripts: round trips for any conversation, no crash for any text."""

import json
import re
import string
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import CHAT_ROLES, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts import (
    FORMATS,
    read_conversations,
    read_text,
    to_messages,
    turns_from_messages,
    write_conversation,
    writer_named,
)
from convgate.transcripts.registry import WritableFormat

NAMES = [format.name for format in FORMATS if isinstance(format, WritableFormat)]

# Any character that a file can hold; the look-alikes of speakers, fences and tables come often.
PIECES = st.sampled_from(
    [
        "User: ",
        "## User",
        "**Assistant:**",
        "\n",
        "```",
        "~~~",
        "\\",
        "You said:",
        " ",
        '"',
        ",",
        "#",
        "\t",
        "{",
        "[]",
    ]
)
TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40),
    st.lists(PIECES, max_size=12).map("".join),
)
WORDS = st.text(string.ascii_letters, min_size=1, max_size=8)
TIMES = st.datetimes(timezones=st.none() | st.timezones().map(lambda _: None))


def conversation_of(turns):
    return st.lists(turns, min_size=1, max_size=6).map(lambda made: Conversation("made", tuple(made)))


def round_trip(conversation, format):
    written = write_conversation(conversation, format=format)
    transcript = read_conversations(written.encode())
    assert transcript.format == format
    (restored,) = transcript
    assert write_conversation(restored) == written
    return restored.turns


SPOKEN = st.builds(Turn.of, st.sampled_from(["user", "assistant", "system", "developer", "critic"]), TEXTS)
CALLED = st.builds(
    lambda calls: Turn("assistant", tool_calls=tuple(calls)),
    st.lists(st.builds(ToolCall, WORDS, WORDS, TEXTS), min_size=1, max_size=3),
)
RESULT = st.builds(lambda text, id: Turn.of("tool", text, tool_call_id=id), TEXTS, WORDS)
NAMED = st.builds(lambda text, name: Turn.of("user", text, name=name), TEXTS, WORDS)


@given(conversation_of(SPOKEN | CALLED | RESULT | NAMED))
def test_openai_gives_back_roles_texts_names_and_tools(conversation):
    assert round_trip(conversation, "openai") == conversation.turns


FULL = st.builds(
    lambda text, id, time, mood: Turn.of("user", text, id=id, timestamp=time, metadata=mood),
    TEXTS,
    st.none() | WORDS,
    st.none() | TIMES,
    st.just({}) | st.just({"mood": "glad"}),
)


@given(conversation_of(SPOKEN | CALLED | RESULT | NAMED | FULL))
def test_relevance_sets_give_back_every_turn(conversation):
    ids = [turn.id for turn in conversation.turns if turn.id]
    if len(set(ids)) == len(ids):
        assert round_trip(conversation, "relevance-set") == conversation.turns


@given(conversation_of(SPOKEN | CALLED | RESULT | NAMED))
def test_tables_give_back_roles_texts_names_and_tools(conversation):
    assert round_trip(conversation, "csv") == conversation.turns


@given(
    conversation_of(
        st.builds(Turn.of, st.sampled_from(["user", "assistant", "system", "tool", "critic"]), TEXTS)
    )
)
def test_sharegpt_gives_back_roles_and_texts(conversation):
    assert round_trip(conversation, "sharegpt") == conversation.turns


def as_markdown_holds(text):
    lines = [line.rstrip("\r") for line in text.split("\n")]
    while lines and not lines[0].strip():
        del lines[0]
    return "\n".join(lines).rstrip()


@given(
    conversation_of(
        st.builds(
            lambda role, text, name: Turn.of(role, as_markdown_holds(text), name=name),
            st.sampled_from(["user", "assistant", "system", "developer", "tool"]),
            TEXTS,
            st.none() | WORDS,
        )
    )
)
def test_markdown_gives_back_roles_names_and_texts(conversation):
    assert round_trip(conversation, "markdown") == conversation.turns


@given(conversation_of(SPOKEN), st.sampled_from(NAMES), st.data())
def test_chosen_turns_are_those_of_the_whole(conversation, format, data):
    (whole,) = read_text(write_conversation(conversation, format=format))
    indices = sorted(data.draw(st.sets(st.integers(0, len(whole) - 1), min_size=1)))
    (part,) = read_text(write_conversation(whole, indices=indices))
    assert part.turns == tuple(whole.turns[index] for index in indices)


@given(conversation_of(SPOKEN | CALLED | RESULT | NAMED))
def test_messages_of_turns_give_the_same_turns_but_for_roles_that_no_api_knows(conversation):
    users = [
        replace(turn, role="user", name=turn.role) if turn.role == "critic" else turn
        for turn in conversation.turns
    ]
    assert list(turns_from_messages(to_messages(conversation.turns))) == users


@given(st.text(min_size=1, max_size=80), st.text(max_size=80), st.sampled_from(["user", "tool", "function"]))
def test_any_role_and_name_give_a_message_that_an_api_takes(role, name, known):
    for turn in (Turn.of(role, "Hi", name=name), Turn.of(known, "Hi", name=name)):
        (message,) = to_messages([turn])
        assert message["role"] in CHAT_ROLES
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", message.get("name", "nobody"))
        assert message["content"].endswith("Hi")


def assert_read_or_refused(read):
    try:
        transcript = read()
    except TranscriptError:
        return
    for conversation in transcript:
        assert conversation.id
        for turn in conversation.turns:
            turn.scored_text.encode()
        write_conversation(conversation).encode()
    assert len({conversation.id for conversation in transcript}) == len(transcript)


FORMAT = st.none() | st.sampled_from(NAMES)


@given(st.text() | st.lists(PIECES).map("".join), FORMAT, st.booleans())
def test_any_text_is_read_or_refused(text, format, skip_bad):
    assert_read_or_refused(lambda: read_text(text, format=format, skip_bad=skip_bad))


@given(st.binary(), FORMAT)
def test_any_bytes_are_read_or_refused(data, format):
    assert_read_or_refused(lambda: read_conversations(data, format=format, skip_bad=True))


KEYS = st.sampled_from(
    [
        *("messages", "conversations", "role", "content", "from", "value", "type", "text", "name", "id"),
        *("title", "tool_calls", "function", "function_call", "arguments", "timestamp", "refusal"),
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["user", "conversation", "text", "\ud83d"])
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)


@given(JSON, FORMAT, st.booleans())
def test_any_json_is_read_or_refused(value, format, skip_bad):
    assert_read_or_refused(lambda: read_text(json.dumps(value), format=format, skip_bad=skip_bad))


@given(st.lists(JSON, max_size=5), FORMAT)
def test_any_json_lines_are_read_or_refused(values, format):
    assert_read_or_refused(
        lambda: read_text("\n".join(map(json.dumps, values)), format=format, skip_bad=True)
    )


ROWS = st.lists(
    st.lists(st.sampled_from(["user", "Hi", "", '"', '"a\nb"', "2026", "x" * 20]), max_size=4), max_size=6
)


@given(ROWS, st.sampled_from(",;\t|"))
def test_any_table_is_read_or_refused(rows, separator):
    lines = [separator.join(row) for row in [["role", "text", "time"], *rows]]
    assert_read_or_refused(lambda: read_text("\n".join(lines), skip_bad=True))


@pytest.mark.parametrize("format", NAMES)
def test_any_format_writes_what_any_other_read(format):
    for text in (
        '[{"role": "user", "content": "Hi"}]',
        '{"conversations": [{"from": "human", "value": "Hi"}]}',
        "role,text\nuser,Hi",
        "**User:** Hi",
        '{"type": "conversation", "id": "a", "messages": [{"role": "user", "content": "Hi"}]}',
    ):
        (conversation,) = read_text(text)
        (again,) = read_text(write_conversation(conversation, format=format))
        assert [(turn.role, turn.text) for turn in again.turns] == [("user", "Hi")]
        assert again.format == writer_named(format).name
