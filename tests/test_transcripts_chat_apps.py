"""The exports of Telegram Desktop and DiscordChatExporter."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convgate.transcripts import BadLinesError, ReadStoppedError, read_conversations, read_text
from tests.transcript_files import FOLDER, read_sample, read_value, said


def test_a_chat_of_telegram_is_read() -> None:
    transcript = read_conversations(FOLDER / "telegram.json")
    (chat,) = transcript
    assert (chat.id, chat.title) == ("4711", "Rowing club")
    assert [(turn.role, turn.name, turn.text) for turn in chat.turns] == [
        ("user", "Nadia", "Who rows on Friday?"),
        ("user", "Tom", "I do, see https://example.org/plan."),
        ("user", "user3", "[image: AnimatedSticker.tgs]"),
        ("user", "Tom", "The boat\n[image]"),
    ]
    assert chat.turns[0].timestamp.isoformat() == "2026-03-02T08:01:00+00:00"
    assert dict(transcript.summary.omitted) == {"system message": 1, "reaction": 1}


def test_all_chats_of_an_account_are_read_and_bad_messages_named() -> None:
    chat = read_sample("telegram.json")
    other = {
        "type": "saved_messages",
        "id": 5,
        "messages": [*chat["messages"][1:2], {"type": "message", "text": 5}],
    }
    account = json.dumps({"about": "Here", "contacts": {"list": []}, "chats": {"list": [chat, other]}})
    with pytest.raises(BadLinesError) as caught:
        read_conversations(account.encode())
    assert caught.value.field == "chats.list[1].messages[1].text"
    transcript = read_conversations(account.encode(), skip_bad=True)
    assert transcript.format == "telegram"
    assert [(chat.id, len(chat)) for chat in transcript] == [("4711", 4), ("5", 1)]


def test_a_channel_of_discord_is_read() -> None:
    transcript = read_conversations(FOLDER / "discord.json")
    (channel,) = transcript
    assert (channel.id, channel.title) == ("22", "#seeds")
    assert [(turn.role, turn.id, turn.name, turn.text) for turn in channel.turns] == [
        ("user", "102", "Nadia", "Which seeds now?\n[attachment: bed.png]"),
        ("user", "103", "tom", "Peas."),
        ("assistant", "104", "Weather", "Tonight\nFrost"),
    ]
    assert channel.turns[0].timestamp.isoformat() == "2026-03-02T09:00:00.123000+01:00"
    assert dict(transcript.summary.omitted) == {"system message": 1}


@pytest.mark.parametrize("name", ["telegram.json", "discord.json"])
def test_a_bad_reaction_costs_its_message_alone(name: str) -> None:
    export = read_sample(name)
    spoken = read_text(json.dumps(export)).conversations[0].turns
    export["messages"][-1]["reactions"] = 5
    transcript = read_text(json.dumps(export), skip_bad=True)
    assert transcript.conversations[0].turns == spoken[:-1]
    assert [problem.field for problem in transcript.problems] == [
        f"messages[{len(export['messages']) - 1}].reactions"
    ]


MESSAGE = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["x"]}}
NODES = {str(n): {"id": str(n), "parent": str(n - 1), "message": MESSAGE} for n in range(300)}
LONG: dict[str, Any] = {
    **{name: {**read_sample(f"{name}.json"), "messages": 200 * read_sample(f"{name}.json")["messages"]}
       for name in ("telegram", "discord")},
    "claude.ai": [{"chat_messages": 300 * [{"sender": "human", "text": "x"}]}],
    "chatgpt": [{"mapping": NODES, "current_node": "299"}],
}  # fmt: skip


@pytest.mark.parametrize("name", LONG)
def test_the_reading_of_one_long_chat_can_be_stopped(name: str) -> None:
    with pytest.raises(ReadStoppedError):
        read_value(LONG[name], format=name, stop=lambda: True)


def test_a_messenger_chat_is_read_from_its_oldest_message_on() -> None:
    transcript = read_conversations(FOLDER / "messenger.json")
    (chat,) = transcript
    assert (chat.id, chat.title) == ("inbox/zoemarsh_1", "Zoë Marsh")
    assert [(turn.role, turn.name, turn.text) for turn in chat.turns] == [
        ("user", "Ned Hale", "Which boat is it?"),
        ("user", "Zoë Marsh", "[image]"),
        ("user", "Ned Hale", "At the café then 🍵"),
    ]
    assert dict(transcript.summary.omitted) == {"reaction": 1, "system message": 1}
    assert not transcript.problems, "it is the order of this format"
    encrypted = {
        "participants": ["Ann", "Ben"],
        "threadName": "Ann_1",
        "messages": [
            {"senderName": "Ann", "text": "Zoë?", "timestamp": 1772443200000, "isUnsent": False},
            {"senderName": "Ben", "text": "Yes.", "timestamp": 1772443300000, "isUnsent": False},
        ],
    }
    (chat,) = read_text(json.dumps(encrypted))
    assert [(turn.name, turn.text) for turn in chat.turns] == [("Ann", "Zoë?"), ("Ben", "Yes.")]


def test_a_forwarded_discord_message_has_its_text() -> None:
    chat = read_sample("discord.json")
    forwarded = {"content": "The late tide.", "attachments": [{"fileName": "tide.png"}]}
    chat["messages"] = [
        {
            "id": "1",
            "type": "Default",
            "content": "",
            "author": {"name": "Ann"},
            "forwardedMessage": forwarded,
        }
    ]
    (channel,) = read_text(json.dumps(chat))
    assert [turn.text for turn in channel.turns] == ["The late tide.\n[attachment: tide.png]"]


def test_a_slack_thread_opens_with_the_message_that_it_answers() -> None:
    def message(ts: str, text: str, **fields: str) -> dict[str, str]:
        return {"type": "message", "user": "U1", "ts": ts, "text": text, **fields}

    day = [
        message("1772443200.000100", "Which boat?"),
        message("1772443201.000100", "Lunch?"),
        message("1772443300.000100", "The red one.", thread_ts="1772443200.000100"),
    ]
    channel, thread = read_text(json.dumps(day)).conversations
    assert [turn.text for turn in channel.turns] == ["Which boat?", "Lunch?"]
    assert [turn.text for turn in thread.turns] == ["Which boat?", "The red one."]
    (channel,) = read_text(json.dumps(day[1:])).conversations
    assert [turn.text for turn in channel.turns] == ["Lunch?", "The red one."], (
        "its message is of another day"
    )


def test_the_shown_branch_of_an_open_webui_chat_is_read() -> None:
    transcript = read_conversations(FOLDER / "open_webui.json")
    (chat,) = transcript
    assert (chat.id, chat.title) == ("0c7", "Boats")
    assert [(turn.role, [(part.kind, part.text) for part in turn.parts]) for turn in chat.turns] == [
        ("system", [("text", "Be brief.")]),
        ("user", [("text", "Which boat is it?")]),
        ("assistant", [("thinking", "Ask the harbour.\nIt is red."), ("text", "The red one.")]),
        ("user", [("text", "And this?"), ("image", "[image]")]),
        ("assistant", [("text", "A buoy.")]),
    ]
    assert dict(transcript.summary.omitted) == {"message of another branch": 1}
    (value,) = read_sample("open_webui.json")
    for form in (value, value["chat"]):
        assert [turn.text for turn in read_text(json.dumps(form)).conversations[0].turns] == [
            turn.text for turn in chat.turns
        ]


def test_the_best_replies_of_a_tree_are_read_from_lines_and_from_objects() -> None:
    transcript = read_conversations(FOLDER / "oasst.jsonl")
    texts = [
        ("user", "Which boat is it?"),
        ("assistant", "The red one."),
        ("user", "And when?"),
        ("assistant", "At six."),
    ]
    (tree,) = transcript
    assert (tree.id, said(tree)) == ("a1", texts)
    assert dict(transcript.summary.omitted) == {"message of another branch": 2}
    rows = [json.loads(line) for line in (FOLDER / "oasst.jsonl").read_text(encoding="utf-8").splitlines()]
    nested = {row["message_id"]: {**row, "replies": []} for row in rows}
    for row in nested.values():
        if row["parent_id"]:
            nested[row["parent_id"]]["replies"].append(row)
    (tree,) = read_text(json.dumps({"message_tree_id": "a1", "tree_state": "x", "prompt": nested["a1"]}))
    assert said(tree) == texts


def test_the_shown_branch_of_a_llama_cpp_chat_is_read() -> None:
    transcript = read_conversations(FOLDER / "llama_cpp.json")
    (chat,) = transcript
    assert (chat.id, chat.title) == ("c1", "Boats")
    assert [turn.text for turn in chat.turns] == ["Which boat is it?", "The red one.", "And when?"]
    assert dict(transcript.summary.omitted) == {"message of another branch": 1}


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("claude_ai.json", "current_leaf_message_uuid"),
        ("open_webui.json", "chat.history.currentId"),
        ("llama_cpp.json", "conv.currNode"),
        ("chatgpt.json", "current_node"),
    ],
)
def test_without_its_end_a_tree_is_read_to_its_latest_message(name: str, end: str) -> None:
    chat = read_sample(name)[0]
    shown = read_text(json.dumps([chat]))
    *path, last = end.split(".")
    holder = chat
    for key in path:
        holder = holder[key]
    del holder[last]
    transcript = read_text(json.dumps([chat]))
    assert transcript.conversations[0].turns == shown.conversations[0].turns
    assert transcript.summary.omitted == shown.summary.omitted != {}


def test_a_message_of_an_unknown_role_is_counted() -> None:
    chat = read_sample("grok.json")
    chat["conversations"][0]["responses"][0]["response"]["sender"] = "moderator"
    transcript = read_text(json.dumps(chat))
    assert [turn.role for turn in transcript.conversations[0].turns] == ["assistant"]
    assert dict(transcript.summary.omitted) == {"message of no known role": 1}


def test_a_chat_without_messages_beside_others_is_counted() -> None:
    chat = read_sample("telegram.json")
    account = {"chats": {"list": [chat, {"id": 9, "messages": []}]}}
    omitted = read_text(json.dumps(account)).summary.omitted
    assert omitted["conversation without messages"] == 1
