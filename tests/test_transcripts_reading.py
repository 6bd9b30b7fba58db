"""Recognising formats, bad input of every kind, encodings, sizes."""

import json
import subprocess
import sys
import tracemalloc
from collections import Counter
from threading import Event

import pytest

from convgate.errors import TranscriptError
from convgate.transcripts import (
    FORMATS,
    BadLinesError,
    Problem,
    ReadStoppedError,
    read_conversations,
    read_text,
    write_conversation,
)
from tests.costs import cpu_seconds

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


def test_a_format_can_be_named_and_must_exist():
    assert read_conversations(b"name,text\nUser: x,Hi", format="markdown").format == "markdown"
    with pytest.raises(
        TranscriptError, match="no transcript format 'word'; there are relevance-set, sharegpt, openai"
    ):
        read_conversations(CHAT.encode(), format="word")
    assert len({format.name for format in FORMATS}) == len(FORMATS)


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
    with pytest.raises(
        BadLinesError, match=r"chat\.jsonl, line 1.* 3 bad places in all; the other 997 conv.*--skip-bad"
    ) as caught:
        read_conversations(text, name="chat.jsonl")
    assert (caught.value.file, caught.value.line, caught.value.bad) == ("chat.jsonl", 1, 3)
    assert caught.value.problems == transcript.problems


def test_a_file_of_bad_lines_alone_offers_nothing_to_skip():
    with pytest.raises(BadLinesError, match="2 bad places in all, and nothing else to read") as caught:
        read_conversations(b'{"messages": 1}\n{"messages": 2}', skip_bad=True)
    assert caught.value.readable is None


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_told(data):
    with pytest.raises(TranscriptError, match=r"^empty\.txt: the file is empty$"):
        read_conversations(data, name="empty.txt")
    with pytest.raises(TranscriptError, match="pasted text: the file is empty"):
        read_text(" \n")


@pytest.mark.parametrize(
    "text", ["[]", '{"messages": []}', '{"conversations": []}', "role,text\n", "[[], []]"]
)
def test_a_transcript_without_messages_is_told(text):
    with pytest.raises(TranscriptError, match="there are no messages in it"):
        read_text(text)


def test_an_empty_conversation_among_others_is_left_out_with_a_warning():
    transcript = read_text(f'{{"messages": []}}\n{line(1)}')
    assert len(transcript) == 1
    (problem,) = transcript.problems
    assert (problem.line, problem.severity) == (1, "warning")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (
            '{"messages": [\n  {"role": "user" "content": ""}]}',
            "line 2: not valid JSON: expecting ',' delimiter at column 19",
        ),
        ('{"messages": [', "line 1: not valid JSON: expecting value at column 15"),
        ('{"a": 1}', "JSON in no form that convgate reads: an object with 'a'; expected 'messages'"),
        ("[1, 2]", "JSON in no form that convgate reads: a list"),
        ("[" * 100_000, "nested more than 100 levels deep"),
        ('{"messages": ' + "[" * 150 + "]" * 150 + "}", "nested more than 100 levels deep"),
        ('[{"role": "user", "content": "x", "n": ' + "9" * 5000 + "}]", "not valid JSON: Exceeds the limit"),
    ],
)
def test_broken_json_is_told_with_line_and_column(text, complaint):
    with pytest.raises(TranscriptError, match=complaint):
        read_text(text)


def test_in_a_file_of_lines_the_column_counts_within_the_line():
    with pytest.raises(BadLinesError, match=r"line 2: not valid JSON: .* at column 16\. This is"):
        read_text(f'{line(1)}\n{{"role": "user"\n{line(2)}')


def test_a_deeply_nested_line_is_one_bad_line():
    transcript = read_text(f"{line(1)}\n{'[' * 100_000}\n{line(2)}", skip_bad=True)
    assert len(transcript) == 2
    assert [problem.line for problem in transcript.problems] == [2]


def test_nan_is_read_as_null_and_told():
    transcript = read_text('[{"role": "user", "content": "NaN",\n"p": NaN, "q": -Infinity, "r": NaN}]')
    assert transcript.conversations[0].turns[0].metadata == {"p": None, "q": None, "r": None}
    assert [str(problem) for problem in transcript.problems] == [
        "pasted text, line 2: NaN is not JSON; read as null, 2 times",
        "pasted text, line 2: -Infinity is not JSON; read as null",
    ]
    assert "NaN," not in write_conversation(transcript.conversations[0])


def test_a_key_given_twice_is_told_and_the_last_value_counts():
    transcript = read_text(f'{line(1)}\n{{"messages": [{{"role": "user", "content": "a", "content": "b"}}]}}')
    assert transcript.conversations[1].turns[0].text == "b"
    assert [(problem.line, problem.severity) for problem in transcript.problems] == [(2, "warning")]


def test_halves_of_surrogate_pairs_and_nul_are_replaced_and_told():
    whole, half = r'"\ud83d\ude00"', r'"\ud83d \u0000"'
    transcript = read_text(f'[{{"role": "user", "content": {whole}}}, {{"role": "user", "content": {half}}}]')
    assert [turn.text for turn in transcript.conversations[0].turns] == ["😀", "\ufffd \ufffd"]
    assert ["half of a surrogate pair" in problem.message for problem in transcript.problems] == [True]
    assert read_text("User: \ud83d").conversations[0].turns[0].text == "\ufffd"

    transcript = read_conversations(b"User: a\nAssistant: b\0c")
    assert transcript.conversations[0].turns[1].text == "b\ufffdc"
    assert [(problem.line, problem.severity) for problem in transcript.problems] == [(2, "warning")]


TEXT = "role,text\nuser,Où est le garçon ? “Là-bas” — 5 €\nassistant,Größe\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_encodings_are_found(encoding):
    transcript = read_conversations(TEXT.encode(encoding))
    assert [turn.text for turn in transcript.conversations[0].turns] == [
        "Où est le garçon ? “Là-bas” — 5 €",
        "Größe",
    ]
    warnings = [problem.message for problem in transcript.problems]
    assert warnings == (
        ["2 lines from here on are not UTF-8; read as cp1252, check the accents"]
        if encoding == "cp1252"
        else []
    )


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Где ближайший вокзал и сколько стоит билет до Москвы?", "cp1251"),
        ("Где ближайший вокзал и сколько стоит билет до Москвы?", "koi8_r"),
        ("Czy możesz mi pomóc z tym błędem? Nie działa mi instalacja", "cp1250"),
        ("こんにちは、元気ですか。今日は天気がいいですね", "cp932"),
        ("你好,今天天气很好,我们去公园吧", "gb18030"),
    ],
)
def test_the_encoding_of_a_longer_text_is_guessed(text, encoding):
    transcript = read_conversations(f"User: {text}\nAssistant: ok".encode(encoding))
    assert transcript.conversations[0].turns[0].text == text


@pytest.mark.parametrize("separate", [False, True])
def test_a_line_in_another_encoding_spoils_no_other(separate):
    rows = [
        json.dumps({"role": "user", "content": text}, ensure_ascii=False)
        for text in ("naïve 😀", "café", "ok")
    ]
    data = (
        "\n".join(rows).encode() if not separate else b"[" + b",\n".join(row.encode() for row in rows) + b"]"
    )
    transcript = read_conversations(data.replace("café".encode(), "café".encode("latin-1")))
    assert [turn.text for turn in transcript.conversations[0].turns] == ["naïve 😀", "café", "ok"]
    assert [problem.line for problem in transcript.problems] == [2]


@pytest.mark.parametrize("data", [b"PK\x03\x04rest", b"%PDF-1.7", bytes(range(256)) * 4])
def test_a_file_that_is_no_text_is_told(data):
    with pytest.raises(TranscriptError, match="this is not a text file"):
        read_conversations(data)
    for format in FORMATS:
        with pytest.raises(TranscriptError, match=r"this is not|needs the columns|no line says"):
            read_conversations(data, format=format.name)


def test_a_file_that_cannot_be_opened_is_told(tmp_path):
    with pytest.raises(TranscriptError, match=r"^none\.json: the file cannot be opened: No such file"):
        read_conversations(tmp_path / "none.json")
    with pytest.raises(TranscriptError, match="cannot be opened: Is a directory"):
        read_conversations(tmp_path)
    with pytest.raises(TranscriptError, match="cannot be opened: embedded null byte"):
        read_conversations("a\0b")


def test_a_file_larger_than_the_limit_is_told_before_it_is_read(tmp_path):
    path = tmp_path / "large.jsonl"
    with path.open("wb") as file:
        file.truncate(201 * 2**20)  # a hole: takes no room on the disk
    with pytest.raises(
        TranscriptError,
        match=r"large\.jsonl: the file has 201 MB, more than the limit of 200 MB; split it, or .*"
        "CONVGATE_UPLOAD_LIMIT_MB",
    ):
        read_conversations(path)
    with pytest.raises(TranscriptError, match="more than the limit"):
        read_conversations(CHAT.encode(), max_bytes=10)


@pytest.mark.parametrize("emoji", ["", "😀"])
def test_lines_need_little_more_memory_than_their_text(emoji):
    text = "\n".join(
        json.dumps(
            {"role": "user", "content": f"{number} {'a sentence of a chat, ' * 40}{emoji}"},
            ensure_ascii=False,
        )
        for number in range(2000)
    ).encode()
    tracemalloc.start()
    transcript = read_conversations(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(transcript.conversations[0]) == 2000
    assert peak < (6 if emoji else 2.5) * len(text)  # a text with an emoji has four bytes a character


def test_ids_given_twice_are_made_different_and_told():
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


@pytest.mark.parametrize("value", ["yesterday", True, [1], 10**400, 1e300, "9" * 400, "2026-13-01", "25:00"])
def test_a_time_that_cannot_be_read_is_a_warning(value):
    transcript = read_text(json.dumps([{"role": "user", "content": "Hi", "timestamp": value}]))
    assert transcript.conversations[0].turns[0].timestamp is None
    (problem,) = transcript.problems
    assert (problem.line, problem.field, problem.severity) == (1, "[0].timestamp", "warning")
    assert len(problem.message) < 200


def test_many_spaces_in_a_time_cost_no_more_than_other_characters():
    def cost(filling):
        text = json.dumps([{"role": "user", "content": "Hi", "timestamp": f"2026{20_000 * filling}x"}])
        return cpu_seconds(lambda: read_text(text))

    assert cost(" ") < 50 * cost("x")


def test_the_lines_of_bad_times_are_found_in_any_order():
    message = '{"role": "user", "content": "Hi",\n"date": "never",\n"timestamp": "never"}'

    def document(count):
        return "[" + ",\n".join(count * [message]) + "]"

    problems = read_text(document(3)).problems
    assert [problem.line for problem in problems] == [2, 3, 5, 6, 8, 9]
    assert cpu_seconds(lambda: read_text(document(8_000))) < 8 * cpu_seconds(
        lambda: read_text(document(2_000))
    )


def test_of_many_bad_places_the_first_are_listed_and_all_are_counted():
    odd = json.dumps({"role": "user", "content": "Hi", "timestamp": "never"})
    text = "[" + ",\n".join(1_200 * [odd] + 3_000 * ["5"]) + "]"
    transcript = read_text(text, skip_bad=True)
    problems = transcript.problems
    assert (problems.n_warnings, problems.n_errors, problems.total) == (1_200, 3_000, 4_200)
    assert Counter(problem.severity for problem in problems) == {"warning": 1_000, "error": 1_000}
    assert [problem.line for problem in problems] == [*range(1, 1_001), *range(1_201, 2_201)]
    assert (len(problems.errors), problems.errors.total) == (1_000, 3_000)
    with pytest.raises(BadLinesError, match=r"3,000 bad places in all, the first 1,000 are listed") as caught:
        read_text(text)
    assert (caught.value.bad, caught.value.line, len(caught.value.problems)) == (3_000, 1_201, 2_000)


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
    with pytest.raises(ReadStoppedError, match=r"^pasted text: .*READ_LIMIT_SECONDS"):
        read_text(text, time_limit=0)
    assert len(read_text(text, time_limit=600, stop=Event().is_set))
    cancelled = Event()
    cancelled.set()
    with pytest.raises(ReadStoppedError):
        read_conversations(text.encode(), stop=cancelled.is_set, skip_bad=True)


def test_a_read_that_is_cancelled_on_the_way_says_how_far_it_got():
    asked = iter([*20 * [False], True])
    with pytest.raises(ReadStoppedError, match=r"2,100 lines") as caught:
        read_text(5_000 * f"{CHAT}\n", format="openai", stop=lambda: next(asked))
    assert caught.value.items_read == 2_100


def test_problems_read_as_sentences_with_their_place():
    assert (
        str(Problem("a.csv", 3, "role", "nobody says this"))
        == "a.csv, line 3, field 'role': nobody says this"
    )


def test_reading_ordinary_text_loads_no_detector_and_no_model():
    code = "import sys; from convgate.transcripts import read_text; read_text('User: é'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"charset_normalizer", "torch", "streamlit"} & set(done.stdout.split())
