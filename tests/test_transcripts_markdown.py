"""Markdown and pasted text: who speaks, and what only looks as if somebody did."""

import pytest

from convgate.conversation import Conversation, ToolCall, Turn
from convgate.errors import TranscriptError
from convgate.transcripts import read_text, write_conversation


def said(text):
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
    assert said(text) == TWO


def test_the_style_of_the_conversation_holds_to_its_end():
    text = "**User:** Hi\n\n**Assistant:** Write\n\n## User\nUser: x\nAssistant: y\n\n**User:** Thanks"
    assert said(text) == [
        ("user", "Hi"),
        ("assistant", "Write\n\n## User\nUser: x\nAssistant: y"),
        ("user", "Thanks"),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~~", "   ```"])
def test_lines_in_a_code_fence_do_not_split_a_turn(fence):
    code = f"{fence}text\nUser: hi\nAssistant: ho\n{fence}"
    assert said(f"User: Look\n{code}\nAssistant: Fine") == [("user", f"Look\n{code}"), ("assistant", "Fine")]


def test_a_fence_may_open_behind_the_name():
    assert said("User: ```\nUser: x\n```\nAssistant: y") == [
        ("user", "```\nUser: x\n```"),
        ("assistant", "y"),
    ]


def test_a_fence_that_is_never_closed_swallows_nothing():
    assert said("User: see\n```\nx\nAssistant: y") == [("user", "see\n```\nx"), ("assistant", "y")]


def test_indented_quoted_and_similar_lines_are_text():
    text = "User: a\n    User: b\n> User: c\nUsers: d\nUser://e\n\nAssistant: f"
    assert said(text) == [("user", "a\n    User: b\n> User: c\nUsers: d\nUser://e"), ("assistant", "f")]


def test_in_plain_text_a_system_speaks_only_at_the_beginning():
    text = "System: Be brief.\nUser: My laptop\nSystem: Linux\nTool: hammer\nAssistant: ok"
    assert said(text) == [
        ("system", "Be brief."),
        ("user", "My laptop\nSystem: Linux\nTool: hammer"),
        ("assistant", "ok"),
    ]


def test_names_stand_behind_the_role():
    (talk,) = read_text("**User (Nadia):** Hi\n\n**Assistant:** Hello!")
    assert [(turn.role, turn.name) for turn in talk.turns] == [("user", "Nadia"), ("assistant", None)]


def test_the_top_heading_is_the_title_and_what_comes_first_is_kept():
    text = "# A walk\n\nRecorded on a hill.\n\n## User\n\nHi\n"
    (talk,) = read_text(text)
    assert (talk.title, len(talk)) == ("A walk", 1)
    assert write_conversation(talk) == text


def test_text_comes_back_as_it_was_and_chosen_turns_with_it():
    text = "Intro\n\n**User:**   Hi  \r\n\r\n**Assistant:** ```\nUser: x\n```\n\n\n**User:** Bye"
    (talk,) = read_text(text)
    assert write_conversation(talk) == text
    assert write_conversation(talk, indices=[2]) == "Intro\n\n**User:** Bye"


def test_new_turns_are_written_in_the_style_of_the_others():
    (talk,) = read_text("**User:** Hi")
    turns = (*talk.turns, Turn.of("assistant", "Hello!"))
    new = Conversation(talk.id, turns, metadata=talk.metadata, format="markdown")
    assert write_conversation(new) == "**User:** Hi\n\n**Assistant:**\n\nHello!\n"


def test_lines_that_look_like_speakers_are_guarded():
    text = "## User\nUser: x\n\\User: y\n```\nUser: z\n```\n```never closed\n**AI:** no"
    talk = Conversation("c", (Turn.of("user", text), Turn.of("assistant", "ok")))
    assert said(write_conversation(talk, format="markdown")) == [("user", text), ("assistant", "ok")]


def test_what_markdown_cannot_hold_becomes_text_or_a_name():
    turns = (
        Turn("assistant", tool_calls=(ToolCall("x", "f", "{}"),)),
        Turn.of("critic", "Hm."),
        Turn.of("function", "1", name="f"),
    )
    (back,) = read_text(write_conversation(Conversation("c", turns, title="T"), format="markdown"))
    assert [(turn.role, turn.name, turn.text) for turn in back.turns] == [
        ("assistant", None, "f({})"),
        ("user", "critic", "Hm."),
        ("tool", "f", "1"),
    ]
    assert back.title == "T"


def test_text_without_speakers_tells_how_to_write_them():
    with pytest.raises(TranscriptError, match="begin each turn with who speaks, as in 'User: …'"):
        read_text("Dear diary,\ntoday was fine.")
    with pytest.raises(TranscriptError, match="no line says who speaks"):
        read_text("Dear diary", format="markdown")


@pytest.mark.parametrize(
    "line", ["# User" + " " * 20_000 + "x", "```" * 7_000, "**user" + " " * 20_000 + "x", "```a\n" * 20_000]
)
def test_lines_made_to_be_slow_are_read(line):
    # A pattern that backtracks takes minutes on these; linear time takes milliseconds.
    (talk,) = read_text(f"User: x\n{line}\nAssistant: y")
    assert talk.turns[0].text.startswith("x")
