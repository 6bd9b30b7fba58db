"""Chats of people: WhatsApp, Slack, and text with times."""

from __future__ import annotations

import shutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ConvgateError, TranscriptError
from convgate.transcripts import BadLinesError, read_conversations, read_text, write_conversation
from tests.transcript_files import FOLDER, zipped


def spoken(conversation: Conversation) -> list[tuple[str | None, str]]:
    assert {turn.role for turn in conversation.turns} == {"user"}
    return [(turn.name, turn.text) for turn in conversation.turns]


def times(conversation: Conversation) -> list[str]:
    return [turn.timestamp.isoformat() if turn.timestamp else "" for turn in conversation.turns]


def test_whatsapp_of_android_with_month_first_and_half_days() -> None:
    transcript = read_conversations(FOLDER / "whatsapp_android.txt")
    (conversation,) = transcript
    assert spoken(conversation) == [
        ("Nadia", "Who brings the map?\nIt is in the grey box:\n- top shelf"),
        ("Tom K.", "I do"),
        ("Tom K.", "[Media omitted]"),
        ("+43 660 0000000", "The trail from above\n[image: IMG-20260113-WA0001.jpg]"),
        ("Nadia", "Thanks: both of you!"),
    ]
    assert times(conversation) == [
        "2026-01-02T09:16:00",
        "2026-01-13T12:05:00",
        "2026-01-13T12:06:00",
        "2026-01-13T12:07:00",
        "2026-01-14T00:01:00",
    ]
    assert dict(transcript.summary.omitted) == {"system message": 3}
    assert transcript.problems == ()


def test_whatsapp_of_ios_with_marks_in_another_language() -> None:
    transcript = read_conversations(FOLDER / "whatsapp_ios.txt")
    (conversation,) = transcript
    assert spoken(conversation) == [
        ("Nadia", "Wer hat die Karte?"),
        ("Tom", "[Bild weggelassen]"),
        ("Tom", "[image: 00000012-PHOTO-2026-01-02-21-18-00.jpg]"),
        ("Tom", "Plan.pdf • 2 Seiten\n[file: 00000013-Plan.pdf]"),
        ("Nadia", "Danke!\nBis morgen."),
        ("Nadia", "Standort: https://maps.example.org/?q=47.07,15.43"),
    ]
    assert dict(transcript.summary.omitted) == {"system message": 3}
    assert not list(transcript.problems)
    assert times(conversation)[-1] == "2026-01-03T07:00:10"


@pytest.mark.parametrize(
    ("first", "second", "moments"),
    [
        ("13/2/26, 21:15 - ", "1/3/26, 08:00 - ", "2026-02-13T21:15:00 2026-03-01T08:00:00"),
        ("2/13/26, 21:15 - ", "3/1/26, 08:00 - ", "2026-02-13T21:15:00 2026-03-01T08:00:00"),
        ("1/9/26, 21:15 - ", "2/3/26, 08:00 - ", "2026-01-09T21:15:00 2026-02-03T08:00:00"),
        ("9/1/26, 21:15 - ", "3/2/26, 08:00 - ", "2026-01-09T21:15:00 2026-02-03T08:00:00"),
        ("1/2/26, 21:15 - ", "12/1/25, 8:00 - ", "2026-02-01T21:15:00 2025-01-12T08:00:00"),
        ("31.12.25, 21:15 - ", "1.1.26, 08:00 - ", "2025-12-31T21:15:00 2026-01-01T08:00:00"),
        ("25/12/31, 21:15 - ", "26/01/01, 08:00 - ", "2025-12-31T21:15:00 2026-01-01T08:00:00"),
        ("[2025-12-31, 21:15:03] ", "[2026-01-01, 8:00:00] ", "2025-12-31T21:15:03 2026-01-01T08:00:00"),
        ("31/12/2025 à 21:15 - ", "1/1/2026 à 08:00 - ", "2025-12-31T21:15:00 2026-01-01T08:00:00"),
        ("[31.12.2025 klo 21.15.03] ", "[1.1.2026 klo 8.00.00] ", "2025-12-31T21:15:03 2026-01-01T08:00:00"),
        ("2025. 12. 31. 오후 9:15 - ", "2026. 1. 1. 오전 8:00 - ", "2025-12-31T21:15:00 2026-01-01T08:00:00"),
        ("[2025/12/31 下午9:15:03] ", "[2026/1/1 上午8:00:00] ", "2025-12-31T21:15:03 2026-01-01T08:00:00"),
        ("31/12/25, 9:15 p. m. - ", "1/1/26, 8:00 a. m. - ", "2025-12-31T21:15:00 2026-01-01T08:00:00"),
        ("6/10/26, 9:15\u202fPM - ", "6/11/26, 8:00\u202fAM - ", "2026-06-10T21:15:00 2026-06-11T08:00:00"),
        ("06/10/26, 9:15 pm - ", "06/11/26, 8:00 am - ", "2026-10-06T21:15:00 2026-11-06T08:00:00"),
        ("12/11/26, 9:15 PM - ", "12/12/26, 8:00 AM - ", "2026-11-12T21:15:00 2026-12-12T08:00:00"),
        ("٣١\u200f/١٢\u200f/٢٠٢٥, ٩:١٥ م - ", "١\u200f/١\u200f/٢٠٢٦, ٨:٠٠ ص - ",
         "2025-12-31T21:15:00 2026-01-01T08:00:00"),
    ],
)  # fmt: skip
def test_dates_of_any_locale_are_read(first: str, second: str, moments: str) -> None:
    transcript = read_text(f"{first}Nadia: a\n{second}Tom: b\nc")
    assert transcript.format == "whatsapp"
    assert spoken(transcript.conversations[0]) == [("Nadia", "a"), ("Tom", "b\nc")]
    assert " ".join(times(transcript.conversations[0])) == moments


@pytest.mark.parametrize(
    "line",
    [
        *("x.pdf " * 20_000, "\u200e" + "omit" * 20_000, "<a: " * 20_000, "1/2/26, " * 9_999),
        "\n" + "\u200e" * 300_000,
    ],
    ids=["files", "words", "brackets", "dates", "marks"],
)
def test_a_chat_made_to_be_slow_is_read(line: str) -> None:
    (conversation,) = read_text(f"1/2/26, 21:15 - Nadia: {line}\n1/2/26, 21:16 - Tom: b")
    assert conversation.turns[-1].text == "b"


def test_slack_has_a_conversation_for_each_channel_and_each_thread() -> None:
    transcript = read_conversations(FOLDER / "slack")
    texts = {
        (conversation.id, conversation.title): [
            (turn.role, turn.name, turn.text) for turn in conversation.turns
        ]
        for conversation in transcript
    }
    assert texts == {
        ("D1", "Nadia Kovac and Tom"): [("user", "Tom", "tom@example.org is my address")],
        ("C1", "#hikes"): [
            ("user", "Nadia Kovac", "@Tom see #random & the map (https://maps.example.org/hike) <new>"),
            ("user", "Nadia Kovac", "Lost its replies"),
            ("assistant", "Forecast", "Saturday: sunny, 12 °C"),
        ],
        ("C1-1772438520.000300", "#hikes: Who drives?"): [
            ("user", "Tom", "Who drives?"),
            ("user", "Nadia Kovac", "I do.\n[image: car.png]\n[file: route.gpx]"),
            ("assistant", "Weather", "@here sunset at 17:48"),
        ],
    }
    channel = transcript.conversations[1]
    assert times(channel)[0] == "2026-03-02T08:01:00.000200+00:00"
    assert channel.turns[0].id == "1772438460.000200"
    assert (transcript.format, transcript.problems) == ("slack", ())
    assert dict(transcript.summary.omitted) == {"system message": 1, "reaction": 1}


def slack_archive(folder: str = "") -> bytes:
    slack = FOLDER / "slack"
    return zipped(
        {f"{folder}{path.relative_to(slack)}": path.read_bytes() for path in sorted(slack.rglob("*.json"))}
    )


@pytest.mark.parametrize("folder", ["", "Workspace export/"])
def test_slack_is_read_from_a_zip_archive(folder: str) -> None:
    conversations = read_conversations(slack_archive(folder)).conversations
    assert conversations == read_conversations(FOLDER / "slack").conversations


def test_damaged_files_of_slack_are_told_and_skipped(tmp_path: Path) -> None:
    copy = shutil.copytree(FOLDER / "slack", tmp_path / "slack")
    (copy / "users.json").write_text("[{")
    (copy / "hikes" / "2026-03-03.json").write_text('[{"type": "message", "text": "?"}]')
    with pytest.raises(BadLinesError) as raised:
        read_conversations(copy)
    assert [(problem.file, problem.field) for problem in raised.value.problems] == [
        ("slack", "users.json"),
        ("slack/hikes/2026-03-03.json", "[0]"),
    ]
    transcript = read_conversations(copy, skip_bad=True)
    assert [turn.name for turn in transcript.conversations[1].turns] == ["U1", "U2", "U1"]


@pytest.mark.parametrize("value", [1, 255])
def test_a_wrong_place_of_the_list_of_an_archive_is_an_error(value: int) -> None:
    content = bytearray(slack_archive())
    content[-4] = value  # of the field that says where the list begins
    with pytest.raises(ConvgateError, match="cannot be read"):
        read_conversations(bytes(content))


@given(data=st.data())
def test_any_byte_of_an_archive_may_be_wrong(data: st.DataObject) -> None:
    content = bytearray(slack_archive())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ConvgateError):  # and nothing else
        assert read_conversations(bytes(content), skip_bad=True).conversations


@pytest.mark.parametrize(
    "text",
    [
        "[2026-05-08 10:02] Ana: Who brings\nthe map?\n[2026-05-08 10:05] Ben K.: I do.",
        "2026-05-08 10:02 Ana: Who brings\nthe map?\n2026-05-08 10:05 Ben K.: I do.",
        "[08.05.2026 10:02] Ana: Who brings\nthe map?\n[13.05.2026 10:05] Ben K.: I do.",
        "Ana (2026-05-08 10:02): Who brings\nthe map?\nBen K. (2026-05-08 10:05): I do.",
        "Ana 2026-05-08 10:02\nWho brings\nthe map?\n\nBen K. 2026-05-08 10:05\nI do.",
        "Ana — 05/08/2026 10:02 AM\nWho brings\nthe map?\nBen K. — 05/13/2026 10:05 AM\nI do.",
        "Ana, [08.05.2026 10:02]\nWho brings\nthe map?\n\nBen K., [13.05.2026 10:05]\nI do.",
        "2026-05-08 10:02 <Ana> Who brings\nthe map?\n2026-05-08 10:05 <@Ben K.> I do.",
        "2026-05-08 10:02 From Ana to Everyone: Who brings\nthe map?\n2026-05-08 10:05\tFrom Ben K. : I do.",
        "2026-05-08 10:02\tAna\tWho brings\nthe map?\n2026-05-08 10:05\tBen K.\tI do.",
        "[2026-05-08T10:02:00] Ana: Who brings\nthe map?\n[2026-05-08T10:05:00] Ben K.: I do.",
    ],
)
def test_lines_with_times_begin_turns(text: str) -> None:
    transcript = read_text(text)
    (conversation,) = transcript
    assert transcript.format == "markdown"
    assert spoken(conversation) == [("Ana", "Who brings\nthe map?"), ("Ben K.", "I do.")]
    assert times(conversation)[0] == "2026-05-08T10:02:00"
    assert times(conversation)[1].endswith("T10:05:00")
    assert transcript.problems == ()
    assert write_conversation(conversation) == text


@pytest.mark.parametrize(
    "text",
    [
        "[10:02] Ana: Hi\n[10:03] Ben: Note: hello\nNote: bye",
        "10:02 Ana: Hi\n10:03 Ben: Note: hello\nNote: bye",
        "Ana (10:02): Hi\nBen (10:03): Note: hello\nNote: bye",
        "Ana 10:02\nHi\nBen 10:03\nNote: hello\nNote: bye",
        "Ana — Today at 10:02\nHi\nBen — Today at 10:03\nNote: hello\nNote: bye",
        "[Yesterday 10:02] Ana\n    Hi\n[10:03] Ben\nNote: hello\nNote: bye",
    ],
)
def test_times_without_a_day_are_kept_as_text_with_a_warning(text: str) -> None:
    transcript = read_text(text)
    (conversation,) = transcript
    assert [(name, text.strip()) for name, text in spoken(conversation)] == [
        ("Ana", "Hi"),
        ("Ben", "Note: hello\nNote: bye"),
    ]
    assert [turn.metadata for turn in conversation.turns] == [{"time": "10:02"}, {"time": "10:03"}]
    assert times(conversation) == ["", ""]
    assert [problem.severity for problem in transcript.problems] == ["warning"]


def test_roles_may_have_times_and_new_turns_are_written_under_headings() -> None:
    (conversation,) = read_text("User 10:02 AM\nHi\nClaude 10:03 AM\nHello!")
    assert [(turn.role, turn.name) for turn in conversation.turns] == [("user", None), ("assistant", None)]
    (plain,) = read_text("10:02 User: Hi\nAssistant (10:03): Hello!")
    assert [(turn.role, turn.name) for turn in plain.turns] == [("user", None), ("assistant", None)]
    more = replace(conversation, turns=(*conversation.turns, Turn.of("user", "Bye")))
    (again,) = read_text(write_conversation(more))
    assert [turn.text for turn in again.turns] == ["Hi", "Hello!", "Bye"]


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-08 10:02:03,123 INFO server: started\n2026-05-08 10:02:04,123 ERROR server: lost",
        "10:02 INFO: started\n10:03 ERROR: lost\n10:04 INFO: found",
        "Lunch 12:30\nDinner 18:00",
        "Ana\n — \nToday at 10:02 AM\nHi\nBen\n — \nToday at 10:03 AM\nHo",
        "<li> Ana\n<li> Ben\n<li> Ana",
        "10:02 <  > Hi\n10:03 <  > Ho",
        f"10:02 From Ana to {' ' * 20_000}x\n10:03 From Ben to {' ' * 20_000}x",
    ],
)
def test_logs_and_lists_of_times_are_no_transcripts(text: str) -> None:
    with pytest.raises(TranscriptError):
        read_text(text)


def test_a_copy_from_teams_is_no_json() -> None:
    (conversation,) = read_text(
        "[5/13/2024 9:15 AM] Groß, Nadia\nHello\n[5/13/2024 9:16 AM] Lee, Tom\nHi: there\nagain\n"
    )
    assert spoken(conversation) == [("Groß, Nadia", "Hello"), ("Lee, Tom", "Hi: there\nagain")]
    assert times(conversation) == ["2024-05-13T09:15:00", "2024-05-13T09:16:00"]
