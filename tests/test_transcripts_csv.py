"""Tables: columns under many names, several conversations, rows that are broken."""

import json

import pytest

from convgate.conversation import Conversation, ToolCall, Turn
from convgate.errors import TranscriptError
from convgate.transcripts import read_conversations, write_conversation
from tests.costs import calls, cpu_seconds


def read(text, **options):
    return read_conversations(text.encode(), name="talk.csv", **options)


def said(talk):
    return [(turn.role, turn.name, turn.text) for turn in talk.turns]


@pytest.mark.parametrize(
    "text",
    [
        "role,text\nuser,Hi\nassistant,Hello!\n",
        "Sender Role;Message Text\nuser;Hi\nassistant;Hello!\n",
        "author-role\tcontent\nHuman\tHi\nGPT\tHello!\n",
        "speaker|utterance\nUser|Hi\nChatGPT|Hello!\n",
        'sep=;\r\n"role";"body"\r\n"user";"Hi"\r\n\r\n"assistant";"Hello!"',
        "role,text\ruser,Hi\rassistant,Hello!\r",
    ],
)
def test_columns_and_separators_are_found(text):
    transcript = read(text)
    assert transcript.format == "csv"
    assert said(transcript.conversations[0]) == [("user", None, "Hi"), ("assistant", None, "Hello!")]


def test_conversations_are_told_apart_by_their_id_even_when_interleaved():
    talks = read("conversation_id,role,text,title\na,user,1,T\nb,user,2,\na,assistant,3,\n")
    assert [(talk.id, talk.title, len(talk)) for talk in talks] == [("a", "T", 2), ("b", None, 1)]
    assert (
        write_conversation(talks.conversations[0])
        == "conversation_id,role,text,title\na,user,1,T\na,assistant,3,\n"
    )


def test_names_ids_times_and_other_columns_are_read():
    (talk,) = read(
        "turn_id,speaker,role,time,text,mood\n"
        "7,Nadia,user,2026-05-08 13:56,Hi,glad\n"
        "8,Bot,assistant,1778248560,Ho,\n"
    )
    first, second = talk.turns
    assert (first.id, first.name, first.role, first.metadata) == ("7", "Nadia", "user", {"mood": "glad"})
    assert first.timestamp.isoformat() == "2026-05-08T13:56:00"
    assert (second.timestamp.isoformat(), second.metadata) == ("2026-05-08T13:56:00+00:00", {})


def test_without_a_role_people_are_users_and_assistants_assistants():
    (talk,) = read("name,message\nNadia,Hi\nAssistant,Hello!\nTeo,Ahoy\n")
    assert said(talk) == [("user", "Nadia", "Hi"), ("assistant", None, "Hello!"), ("user", "Teo", "Ahoy")]


def test_a_time_that_cannot_be_read_loses_the_time_alone():
    transcript = read("role,text,timestamp\nuser,Hi,yesterday\nuser,Ho,2026-01-01\n")
    assert [turn.timestamp is None for turn in transcript.conversations[0].turns] == [True, False]
    (problem,) = transcript.problems
    assert (problem.line, problem.field, problem.severity) == (2, "timestamp", "warning")
    assert "'yesterday' is not a time" in problem.message
    assert "counts as one without a time" in problem.message


def test_lines_are_counted_as_an_editor_does():
    text = 'role,text\nuser,"one\ntwo\n\nthree"\nuser\nuser,"a, b"\nuser,x,y\n'
    transcript = read(text, skip_bad=True)
    assert [turn.text for turn in transcript.conversations[0].turns] == ["one\ntwo\n\nthree", "a, b"]
    assert [problem.line for problem in transcript.problems] == [6, 8]


def test_a_quotation_mark_that_is_never_closed_costs_its_line_alone():
    transcript = read('role,text\nuser,"Hi\nassistant,Hello!\nuser,Bye\n', skip_bad=True)
    assert [turn.text for turn in transcript.conversations[0].turns] == ["Hello!", "Bye"]
    assert [problem.line for problem in transcript.problems] == [2]


OPEN = 'a","""\n'  # leaves a quotation mark open, whether or not one was open before


@pytest.mark.parametrize(
    ("end", "readable"),
    [("user,Bye\n", ["Bye"]), ('user,"a"b\nuser,Bye\n', ["Bye"]), ('user,"one\ntwo"\n', ["one\ntwo"])],
)
def test_many_open_quotation_marks_cost_no_more_for_each_line(end, readable):
    def cost(lines):
        return calls(lambda: read("role,text\n" + lines * OPEN + end, skip_bad=True))

    transcript = read("role,text\n" + 50 * OPEN + end, skip_bad=True)
    assert [turn.text for turn in transcript.conversations[0].turns] == readable
    assert transcript.problems[0].line == 2
    assert cost(400) < 5 * cost(100)


def test_a_row_costs_no_more_for_columns_that_it_does_not_have():
    rows = 1_000 * "user,Hi\n"
    header = "role,text," + ",".join(f"c{number}" for number in range(1_500))
    wide, narrow = f"{header}\n{rows}", f"role,text\n{rows}"
    assert cpu_seconds(lambda: read(wide)) < 10 * cpu_seconds(lambda: read(narrow))


def test_of_columns_with_the_same_name_the_last_counts():
    (talk,) = read("role,text,mood,mood\nuser,Hi,glad,sad\nuser,Ho,glad,\n")
    assert [turn.metadata for turn in talk.turns] == [{"mood": "sad"}, {}]


def test_a_field_may_be_long():
    (talk,) = read(f"role,text\nuser,{'x' * 300_000}\n")
    assert len(talk.turns[0].text) == 300_000


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("role,text\n,Hi\n", r"^talk\.csv, line 2, field 'role': nobody says this"),
        ("role,text\nuser\n", r"line 2: 1 values for 2 columns"),
        ("role,text\nuser,a,b\n", r"line 2: 3 values for 2 columns"),
        ('role,text\nuser,"a"b\n', r"line 2: not a table row"),
        ("role,text,tool_calls\nuser,a,5\n", r"line 2, field 'tool_calls': expected a JSON list of calls"),
        ("role,text\n", r"there are no messages in it"),
    ],
)
def test_a_bad_row_is_told_with_its_line(text, complaint):
    with pytest.raises(TranscriptError, match=complaint):
        read(text)


@pytest.mark.parametrize(
    "calls",
    [
        [{"id": 1, "name": "f", "arguments": {"a": 1}}],
        [{"id": 1, "name": 5, "arguments": ""}],
        [{"id": 1, "name": "f", "arguments": 5}],
    ],
)
def test_calls_of_a_table_are_texts_or_a_bad_row(calls):
    cell = json.dumps(calls).replace('"', '""')
    transcript = read(f'role,text,tool_calls\nuser,Hi,\nassistant,,"{cell}"\n', skip_bad=True)
    for call in (call for turn in transcript.conversations[0].turns for call in turn.tool_calls):
        assert all(isinstance(text, str) for text in (call.id, call.name, call.arguments))


def test_a_table_of_something_else_tells_which_columns_it_needs():
    with pytest.raises(TranscriptError, match=r"needs the columns text and role .* has date, amount"):
        read("date,amount\n1,2\n", format="csv")


def test_calls_and_everything_else_of_a_turn_has_a_column():
    turns = (
        Turn.of("user", 'a "b",\n\rc;\t', name="Nadia", id="1"),
        Turn("assistant", tool_calls=(ToolCall("x", "f", '{"a": 1}'),)),
        Turn.of("tool", "", tool_call_id="x"),
    )
    talk = Conversation("c", turns, title="T")
    back = read(write_conversation(talk, format="csv")).conversations[0]
    assert (back.id, back.title, back.turns) == ("c", "T", turns)


def test_new_turns_go_under_the_columns_of_the_file():
    (talk,) = read("when;who;message;sender\n2026-01-01;x;Hi;Nadia\n")
    new = Conversation(
        talk.id, (*talk.turns, Turn.of("assistant", "Hello!")), metadata=talk.metadata, format="csv"
    )
    assert write_conversation(new) == "when;who;message;sender\n2026-01-01;x;Hi;Nadia\n;;Hello!;assistant\n"
