"""Tables, Markdown and ShareGPT files: speakers, round trips, broken rows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts import read_conversations, read_text, to_messages, write_conversation
from tests.transcript_files import read_value


def read(text, **options):
    return read_conversations(text.encode(), name="talk.csv", **options)


def spoken_turns(conversation):
    return [(turn.role, turn.name, turn.text) for turn in conversation.turns]


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
    assert spoken_turns(transcript.conversations[0]) == [("user", None, "Hi"), ("assistant", None, "Hello!")]


def test_a_quotation_mark_that_is_never_closed_costs_its_line_alone():
    transcript = read('role,text\nuser,"Hi\nassistant,Hello!\nuser,Bye\n', skip_bad=True)
    assert [turn.text for turn in transcript.conversations[0].turns] == ["Hello!", "Bye"]
    assert [problem.line for problem in transcript.problems] == [2]
    with pytest.raises(TranscriptError) as raised:  # in linear time; minutes when it is quadratic
        read("role,text\n" + 'user,"' + 60_000 * "\n", skip_bad=True)
    assert raised.value.line == 2


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("role,text\n,Hi\n", (2, "role")),
        ("role,text\nuser\n", (2, None)),
        ("role,text\nuser,a,b\n", (2, None)),
        ('role,text\nuser,"a"b\n', (2, None)),
        ("role,text,tool_calls\nuser,a,5\n", (2, "tool_calls")),
        ("role,text\n", (None, None)),
    ],
)
def test_a_bad_row_is_reported_with_its_line(text, place):
    with pytest.raises(TranscriptError) as raised:
        read(text)
    assert (raised.value.line, raised.value.field) == place


def test_calls_and_everything_else_of_a_turn_has_a_column():
    turns = (
        Turn.of("user", 'a "b",\n\rc;\t', name="Nadia", id="1"),
        Turn("assistant", tool_calls=(ToolCall("x", "f", '{"a": 1}'),)),
        Turn.of("tool", "", tool_call_id="x"),
    )
    conversation = Conversation("c", turns, title="T")
    back = read(write_conversation(conversation, format="csv")).conversations[0]
    assert (back.id, back.title, back.turns) == ("c", "T", turns)


def read_turns(text):
    return [(turn.role, turn.text) for turn in read_text(text).conversations[0].turns]


TWO = [("user", "Is it raining?"), ("assistant", "I cannot\nsee outside.")]


@pytest.mark.parametrize(
    "text",
    [
        "**User:** Is it raining?\n\n**Assistant:** I cannot\nsee outside.\n",
        "**User**: Is it raining?\n__Assistant__: I cannot\nsee outside.",
        "## User\n\nIs it raining?\n\n## Assistant\n\nI cannot\nsee outside.",
        "# Human:\nIs it raining?\n# **Claude**\nI cannot\nsee outside.",
        "User: Is it raining?\nAssistant: I cannot\nsee outside.",
        "You: Is it raining?\nChatGPT: I cannot\nsee outside.",
        "You said:\nIs it raining?\nChatGPT said:\nI cannot\nsee outside.",
        "##### You said:\n\nIs it raining?\n\n###### ChatGPT said:\n\nI cannot\nsee outside.",
        "You said:\r\nIs it raining?\r\n\r\nChatGPT said: I cannot\r\nsee outside.\r\n",
        "Benutzer: Is it raining?\nAssistent: I cannot\nsee outside.",
        "用户：Is it raining?\n助手：I cannot\nsee outside.",
        "### 🧑 User\nIs it raining?\n### 🤖 Assistant\nI cannot\nsee outside.",
        "## User: Is it raining?\n## Assistant: I cannot\nsee outside.",
    ],
)
def test_speakers_are_found_in_every_style(text):
    assert read_turns(text) == TWO


@pytest.mark.parametrize(
    ("text", "n_turns"),
    [
        ("Me: a\n\nChatGPT: b\nMe: c\nd\nChatGPT: e", 4),
        ("Me: a\nChatGPT: b", 2),
        ("Nadia: a\nTom K.: b\nNadia: c\nTom K.: d\nNadia: e", 5),
        ("[10:31] Nadia: a\n[10:32] Tom: b\n[10:33] Nadia: c\n[10:34] Tom: d", 4),
        ("[Monday]\nNadia: a\nTom: b\nNadia: c\nTom: d", 4),
        ("User: a\nNote: b\nNote: c\nAssistant: d", 2),
        ("user: a\nnote: b\nuser: c\nassistant: d\nx: e\ny: f\nz: g", 3),
        ("user: a\nassistant: b\nnote: c", 2),
        ("ChatGPT: a\n```\nx: 1\nx: 2\n```\nMe: b\nMe: c", 3),
    ],
)
def test_repeated_names_speak_and_no_line_gets_lost(text, n_turns):
    transcript = read_text(text)
    assert transcript.format == "markdown"
    (conversation,) = transcript
    assert len(conversation) == n_turns
    assert len({(turn.role, turn.name) for turn in conversation.turns}) == 2
    assert write_conversation(conversation) == text


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Ana: a\nBen: b\nEva: c\nAna: d\nBen: e", ["Ana", "Ben", "Eva", "Ana", "Ben"]),
        ("ANA: a\n\nBEN: b\n\nEva: c\n\nANA: d\n\nBEN: e", ["ANA", "BEN", "ANA", "BEN"]),
        ("Ana: a\n\nNote: b\n\nBen: c\n\nAna: d\n\nAnswer: e\n\nBen: f", ["Ana", "Ben", "Ana", "Ben"]),
        ("Ana: a\n- 1\n- 2\n- 3\nBen: b\nEva: c\nAna: d\nBen: e\n- 4", ["Ana", "Ben", "Ana", "Ben"]),
        ("Ana: a\nEva: b\nAna: c\nAna: d", ["Ana", "Ana", "Ana"]),
    ],
)
def test_a_name_between_lines_of_repeated_names_speaks(text, names):
    (conversation,) = read_text(text)
    assert [turn.name for turn in conversation.turns] == names
    assert write_conversation(conversation) == text


def test_text_in_brackets_is_not_taken_for_json():
    with pytest.raises(TranscriptError):
        read_text("[Monday] nobody says this")


@pytest.mark.parametrize("fence", ["```", "~~~~", "   ```"])
def test_lines_in_a_code_fence_do_not_split_a_turn(fence):
    code = f"{fence}text\nUser: hi\nAssistant: ho\n{fence}"
    assert read_turns(f"User: Look\n{code}\nAssistant: Fine") == [
        ("user", f"Look\n{code}"),
        ("assistant", "Fine"),
    ]


def test_indented_quoted_and_similar_lines_are_text():
    text = "User: a\n    User: b\n> User: c\nUsers: d\nUser://e\n\nAssistant: f"
    assert read_turns(text) == [("user", "a\n    User: b\n> User: c\nUsers: d\nUser://e"), ("assistant", "f")]


def test_text_comes_back_as_it_was_and_chosen_turns_with_it():
    text = "Intro\n\n**User:**   Hi  \r\n\r\n**Assistant:** ```\nUser: x\n```\n\n\n**User:** Bye"
    (conversation,) = read_text(text)
    assert write_conversation(conversation) == text
    assert write_conversation(conversation, indices=[2]) == "Intro\n\n**User:** Bye"


@pytest.mark.parametrize(
    "line", ["# User" + " " * 20_000 + "x", "```" * 7_000, "**user" + " " * 20_000 + "x", "```a\n" * 20_000]
)
def test_lines_made_to_be_slow_are_read(line):
    # A pattern that backtracks takes minutes on these; linear time takes milliseconds.
    (conversation,) = read_text(f"User: x\n{line}\nAssistant: y")
    assert conversation.turns[0].text.startswith("x")


ENTRIES = [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello!"}]


def entry(speaker, value):
    return {"from": speaker, "value": value}


@pytest.mark.parametrize(
    "value",
    [
        {"conversations": ENTRIES},
        {"id": "x", "system": "Be brief.", "tools": "[]", "conversations": ENTRIES},
        {"messages": ENTRIES},
        {"conversation": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}]},
        {"conversations": [{"role": "human", "text": "Hi"}, {"role": "bot", "text": "Hello!"}]},
        ENTRIES,
    ],
)
def test_keys_may_have_other_names_and_come_back_under_them(value):
    transcript = read_value(value)
    (conversation,) = transcript
    assert transcript.format == "sharegpt"
    assert [(turn.role, turn.text) for turn in conversation.turns] == [
        ("user", "Hi"),
        ("assistant", "Hello!"),
    ]
    assert json.loads(write_conversation(conversation)) == value
    new = Conversation(
        conversation.id,
        (*conversation.turns, Turn.of("user", "Bye")),
        metadata=conversation.metadata,
        format=conversation.format,
    )
    assert read_conversations(write_conversation(new).encode()).conversations[0].turns[-1].text == "Bye"


def test_results_answer_the_calls_before_them_in_order():
    call = json.dumps([{"name": "a", "arguments": {"x": 1}}, {"name": "b", "arguments": "{}"}])
    (conversation,) = read_value(
        {
            "conversations": [
                *ENTRIES,
                entry("function_call", call),
                entry("observation", "1"),
                entry("tool", "2"),
            ]
        }
    )
    calls, first, second = conversation.turns[2:]
    assert calls.role == "assistant"
    assert calls.tool_calls == (ToolCall("call-1", "a", '{"x": 1}'), ToolCall("call-2", "b", "{}"))
    assert [(turn.role, turn.tool_call_id) for turn in (first, second)] == [
        ("tool", "call-1"),
        ("tool", "call-2"),
    ]
    assert to_messages(conversation.turns)[2]["tool_calls"][0]["id"] == "call-1"


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (5, "conversations[1]"),
        ({"value": "x"}, "conversations[1].from"),
        ({"from": "human"}, "conversations[1].value"),
        ({"from": "human", "value": 5}, "conversations[1].value"),
        ({"from": "", "value": "x"}, "conversations[1].from"),
        ({"from": "function_call", "value": {"tool": 1}}, "conversations[1].value"),
    ],
)
def test_a_wrong_entry_is_reported_by_its_field(bad, field):
    with pytest.raises(TranscriptError) as raised:
        read_value({"conversations": [ENTRIES[0], bad]})
    assert raised.value.field == field


def test_cursor_speaks_in_bold_and_is_a_property_elsewhere() -> None:
    (conversation,) = read_text("**User**\n\nWhich?\ncursor: pointer\n\n**Cursor**\n\nThis one.\n")
    assert [(turn.role, turn.text) for turn in conversation.turns] == [
        ("user", "Which?\ncursor: pointer"),
        ("assistant", "This one."),
    ]


def test_the_last_answers_of_a_tree_of_messages_are_read() -> None:
    def message(text: str, *children: Any) -> dict[str, Any]:
        is_user = text.endswith("?")
        return {"sender": "Opus", "text": text, "isCreatedByUser": is_user, "children": list(children)}

    export = {
        "title": "T",
        "messages": [message("Which?", message("Big."), message("Small.", message("Why?")))],
    }
    transcript = read_value(export)
    (conversation,) = transcript
    expected = [("user", "Which?"), ("assistant", "Small."), ("user", "Why?")]
    assert [(turn.role, turn.text) for turn in conversation.turns] == expected
    assert sum(transcript.summary.omitted.values()) == 1
    (again,) = read_text(write_conversation(conversation))
    assert [(turn.role, turn.text) for turn in again.turns] == expected


NEWEST_FIRST = """Conversation,Time,Author,Message
Tides,2026-03-02T10:05:00,AI,At six.
Tides,2026-03-02T10:05:00,Human,When?
Tides,2026-03-02T10:00:00,AI,The late one.
Tides,2026-03-02T10:00:00,Human,Which tide?
Soup,2026-03-01T09:00:00,AI,Boil the leeks.
Soup,2026-03-01T09:00:00,Human,And soup?
"""


def test_a_table_that_lists_the_newest_first_is_read_from_the_oldest_on() -> None:
    transcript = read_text(NEWEST_FIRST)
    texts = {each.id: [(turn.role, turn.text) for turn in each.turns] for each in transcript}
    assert texts == {
        "Tides": [
            ("user", "Which tide?"),
            ("assistant", "The late one."),
            ("user", "When?"),
            ("assistant", "At six."),
        ],
        "Soup": [("user", "And soup?"), ("assistant", "Boil the leeks.")],
    }
    assert "newest first" in str(transcript.problems)
    header, *rows = NEWEST_FIRST.splitlines()
    oldest_first = read_text("\n".join([header, *reversed(rows)]))
    assert {each.id: [(turn.role, turn.text) for turn in each.turns] for each in oldest_first} == texts
    assert not oldest_first.problems


def test_messages_whose_times_only_fall_are_read_from_the_last_on() -> None:
    messages = [
        {
            "role": "user" if hour % 2 else "assistant",
            "content": f"{hour}",
            "timestamp": f"2026-03-02T0{hour}:00:00",
        }
        for hour in (3, 2, 1)
    ]
    assert [turn.text for turn in read_text(json.dumps(messages)).conversations[0].turns] == ["1", "2", "3"]
    messages[2]["timestamp"] = messages[0]["timestamp"]
    assert [turn.text for turn in read_text(json.dumps(messages)).conversations[0].turns] == ["3", "2", "1"]
    assert [turn.text for turn in read_text(json.dumps(messages[:2])).conversations[0].turns] == ["3", "2"], (
        "a clock"
    )


def test_conversations_that_are_in_order_stay_so_in_a_table_of_the_newest_ones_first() -> None:
    rows = [
        f"{id},2026-05-0{day},{role},{id} {role} {n}"
        for id, day in (("b", 3), ("a", 2))
        for n in (1, 2)
        for role in ("user", "assistant")
    ]
    transcript = read_text("\n".join(["conversation_id,date,role,content", *rows]))
    assert [turn.text for turn in transcript.conversations[0].turns] == [
        "b user 1", "b assistant 1", "b user 2", "b assistant 2",
    ]  # fmt: skip
    assert not transcript.problems
    ties = [("user", 3), ("assistant", 3), ("user", 2)]
    messages = [{"role": role, "content": role, "timestamp": f"2026-05-0{day}"} for role, day in ties]
    (conversation,) = read_text(json.dumps(messages))
    assert [turn.role for turn in conversation.turns] == ["user", "assistant", "user"]


def test_instructions_beside_the_messages_are_written_there_alone() -> None:
    messages = [{"role": role, "content": [{"text": "x"}]} for role in ("user", "assistant", "user")]
    request = {"modelId": "m", "system": [{"text": "Be brief."}], "messages": messages}
    (conversation,) = read_text(json.dumps(request))
    assert [turn.role for turn in conversation.turns] == ["system", "user", "assistant", "user"]
    assert json.loads(write_conversation(conversation)) == request
    asked = replace(conversation, turns=(*conversation.turns, Turn.of("user", "And now?")))
    *_, last = json.loads(write_conversation(asked))["messages"]
    assert last == {"role": "user", "content": [{"text": "x"}, {"text": "And now?"}]}
