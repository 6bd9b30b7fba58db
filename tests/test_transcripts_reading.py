"""Recognising formats, bad input of every kind, encodings, sizes."""

import json
from threading import Event

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import (
    FORMATS,
    BadLinesError,
    ReadStoppedError,
    read_conversations,
    read_text,
    write_conversation,
)

CHAT = '[{"role": "user", "content": "Hi"}]'


def line(number):
    return json.dumps({"id": str(number), "messages": [{"role": "user", "content": f"Hi {number}"}]})


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (CHAT, "openai"),
        (f"\n\n  {CHAT}\n", "openai"),
        ('{"messages": []}\n' + line(1), "openai"),
        ('{"conversations": [{"from": "human", "value": "Hi"}]}', "sharegpt"),
        (
            '{"type": "conversation", "id": "a", "messages": [{"role": "user", "content": "Hi"}]}',
            "relevance-set",
        ),
        ("role,text\nuser,Hi", "csv"),
        ("User: Hi", "markdown"),
        ("[Monday]\nUser: Hi\nAssistant: Ho", "markdown"),
    ],
)
def test_the_content_tells_the_format_whatever_the_file_is_called(text, format, tmp_path):
    path = tmp_path / "chat.xyz"
    path.write_text(text)
    transcript = read_conversations(path)
    assert transcript.format == format
    assert len(transcript) == len(list(transcript)) == 1
    assert read_conversations(str(path)) == transcript
    assert read_text(text).conversations == transcript.conversations


@pytest.mark.parametrize("kept", [0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("n_turns", [8, 40_000])  # the longer one is read piece by piece
def test_a_document_that_is_cut_off_says_so(kept, indent, n_turns):
    messages = [{"role": "user", "content": f"Hi, I am number {number}"} for number in range(n_turns)]
    text = json.dumps(messages, indent=indent).encode()
    with pytest.raises(TranscriptError, match="the file seems cut off") as caught:
        read_conversations(text[: int(kept * len(text))], name="chat.json")
    assert "column" not in str(caught.value)


@pytest.mark.parametrize(("end", "what"), [("", "file"), ("\n", "line"), ("\n" + line(3), "line")])
def test_a_line_that_is_cut_off_says_so_and_the_others_can_be_read(end, what):
    text = "\n".join([line(1), line(2), line(3)[:50] + end]).encode()
    with pytest.raises(BadLinesError, match=f"line 3: not valid JSON: the {what} seems cut off"):
        read_conversations(text, name="chat.jsonl")
    assert len(read_conversations(text, name="chat.jsonl", skip_bad=True)) == 2 + (end[1:] != "")


def test_a_document_that_is_wrong_in_the_middle_is_not_called_cut_off():
    with pytest.raises(TranscriptError, match="expecting ':' delimiter at column 10"):
        read_text('[{"role" "user"}]')


@pytest.mark.parametrize(
    "bad", ['{"id": "x", "messages": [{"role": ', '{"messages": [{"content": "Hi"}]}', "5", "{}"]
)
def test_three_bad_lines_of_a_thousand_leave_the_others(bad):
    lines = [line(number) for number in range(1000)]
    for place in (0, 17, 999):
        lines[place] = bad
    text = "\n".join(lines).encode()

    transcript = read_conversations(text, name="chat.jsonl", skip_bad=True)
    assert len(transcript) == 997
    assert [(problem.line, problem.severity) for problem in transcript.problems] == [
        (1, "error"),
        (18, "error"),
        (1000, "error"),
    ]
    with pytest.raises(BadLinesError) as caught:
        read_conversations(text, name="chat.jsonl")
    assert (caught.value.file, caught.value.line, caught.value.bad) == ("chat.jsonl", 1, 3)
    assert caught.value.problems == transcript.problems


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_reported(data):
    with pytest.raises(TranscriptError):
        read_conversations(data, name="empty.txt")
    with pytest.raises(TranscriptError):
        read_text(" \n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"messages": [\n  {"role": "user" "content": ""}]}', 2),
        ('{"messages": [', 1),
        ('{"a": 1}', None),
        ("[1, 2]", None),
        ("[" * 100_000, None),
        ('{"messages": ' + "[" * 150 + "]" * 150 + "}", None),
        ('[{"role": "user", "content": "x", "n": ' + "9" * 5000 + "}]", None),
    ],
)
def test_broken_json_is_reported_with_line_and_column(text, line):
    with pytest.raises(TranscriptError) as raised:
        read_text(text)
    assert raised.value.line == line


def test_halves_of_surrogate_pairs_and_nul_are_replaced_and_reported():
    whole, half = r'"\ud83d\ude00"', r'"\ud83d \u0000"'
    transcript = read_text(f'[{{"role": "user", "content": {whole}}}, {{"role": "user", "content": {half}}}]')
    assert [turn.text for turn in transcript.conversations[0].turns] == ["😀", "\ufffd \ufffd"]
    assert ["half of a surrogate pair" in problem.message for problem in transcript.problems] == [True]
    assert read_text("User: \ud83d").conversations[0].turns[0].text == "\ufffd"

    transcript = read_conversations(b"User: a\nAssistant: b\0c")
    assert transcript.conversations[0].turns[1].text == "b\ufffdc"
    assert [(problem.line, problem.severity) for problem in transcript.problems] == [(2, "warning")]


TEXT = "role,text\nuser,Où est le garçon ? “Là-bas” — 5 €\nassistant,Größe\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_are_found(encoding):
    transcript = read_conversations(TEXT.encode(encoding))
    assert [turn.text for turn in transcript.conversations[0].turns] == [
        "Où est le garçon ? “Là-bas” — 5 €",
        "Größe",
    ]
    warnings = [problem.message for problem in transcript.problems]
    assert warnings == (
        ["not UTF-8, read as cp1252, here and perhaps later; check the text"] if encoding == "cp1252" else []
    )


@pytest.mark.parametrize("data", [b"PK\x03\x04rest", b"%PDF-1.7", bytes(range(256)) * 4])
def test_a_file_that_is_no_text_is_reported(data):
    with pytest.raises(TranscriptError):
        read_conversations(data)
    for format in FORMATS:
        with pytest.raises(TranscriptError):
            read_conversations(data, format=format.name)


def test_a_file_larger_than_the_limit_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(201 * 2**20)  # a hole: takes no room on the disk
    with pytest.raises(TranscriptError):
        read_conversations(path)
    with pytest.raises(TranscriptError, match="limit"):
        read_conversations(CHAT.encode(), max_bytes=10)


def test_a_number_too_large_for_any_type_does_not_end_the_program():
    text = '[{"role": "user", "content": "Hi", "n": ' + "9" * 5_000 + "}]"
    for n_bytes in (0, 2**24):  # whole, and streamed
        with pytest.raises(TranscriptError):
            read_text(text + " " * n_bytes)


def test_ids_given_twice_are_made_different_and_reported():
    message = '{"role": "user", "content": "Hi", "id": "m"}'
    conversation = f'{{"id": "c", "messages": [{message}, {message}]}}'
    transcript = read_text(f"{conversation}\n{conversation}\n{CHAT}\n{CHAT}")

    first, second, third, fourth = transcript
    assert (first.id, second.id, fourth.id) == ("c", "c-2", f"{third.id}-2")
    assert [turn.id for turn in second.turns] == ["m", "m-2"]
    assert json.loads(write_conversation(second)) == json.loads(conversation)
    assert [(problem.line, problem.severity) for problem in transcript.problems] == [
        (1, "warning"),
        (2, "warning"),
        (2, "warning"),
        (4, "warning"),
    ]


@pytest.mark.parametrize(
    ("value", "moment"),
    [
        ("2026-05-08T13:56:00", "2026-05-08T13:56:00"),
        (" 2026-05-08 13:56:00.5+02:00 ", "2026-05-08T13:56:00.500000+02:00"),
        ("2026-05-08T13:56:00Z", "2026-05-08T13:56:00+00:00"),
        ("20260508", "2026-05-08T00:00:00"),
        (1778248560, "2026-05-08T13:56:00+00:00"),
        (1778248560.5, "2026-05-08T13:56:00.500000+00:00"),
        (1778248560000, "2026-05-08T13:56:00+00:00"),
        (1778248560000000, "2026-05-08T13:56:00+00:00"),
        ("1778248560", "2026-05-08T13:56:00+00:00"),
        ("1778248560.000000", "2026-05-08T13:56:00+00:00"),
    ],
)
def test_times_are_read_in_every_usual_form(value, moment):
    transcript = read_text(json.dumps([{"role": "user", "content": "Hi", "timestamp": value}]))
    assert transcript.conversations[0].turns[0].timestamp.isoformat() == moment
    assert transcript.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        300 * f"{CHAT}\n",
        "[" + ",".join(300 * [CHAT]) + "]",
        '{"messages": ' + json.dumps(300 * json.loads(CHAT)) + "}",
        "type,role,text\n" + 300 * "x,user,Hi\n",
        300 * "User: Hi\n",
    ],
    ids=["lines", "list", "object", "table", "markdown"],
)
def test_a_read_ends_at_its_time_limit_or_when_it_is_cancelled(text):
    with pytest.raises(ReadStoppedError):
        read_text(text, time_limit=0)
    assert len(read_text(text, time_limit=600, stop=Event().is_set))
    cancelled = Event()
    cancelled.set()
    with pytest.raises(ReadStoppedError):
        read_conversations(text.encode(), stop=cancelled.is_set, skip_bad=True)
