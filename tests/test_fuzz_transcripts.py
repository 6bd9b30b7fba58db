"""Damaged files are read, or refused with a ConvgateError."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import ConvgateError
from convgate.store import documents
from convgate.transcripts import (
    FORMATS,
    Format,
    read_conversations,
    read_relevance_set,
    to_messages,
    write_conversation,
)
from convgate.transcripts.registry import WritableFormat
from tests.label_files import CONVERSATION_LINE, MESSAGES, TRANSCRIPTS, case, lines
from tests.test_transcripts_layouts import PEOPLE, SAMPLES
from tests.transcript_files import FILES, FOLDER

pytestmark = pytest.mark.slow

DAMAGED = 1_000  # files of each format
STRUCTURE = [
    *(b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b";", b"\t", b"|", b"\n", b"\r", b"\0", b"\xff"),
    *(b"null", b"NaN", b"-1", b"1e999", b"9" * 30, b"true", b'""', b"[]", b"{}", b"\\ud83d", b"\xef\xbb\xbf"),
    *(b"```", b"~~~", b"**User:**", b"## ", b'"role":', b'"type": "case",', b'"id": "t",', b"=1+1"),
]
CONVERSATION = Conversation(
    "tea",
    (
        Turn.of("system", "Be brief."),
        Turn.of("user", 'Which "tea", then?\n```\ncode\n```\n', name="Nadia", id="1"),
        Turn("assistant", tool_calls=(ToolCall("c1", "look", '{"a": [1, null]}'),)),
        Turn.of("tool", "green; black", tool_call_id="c1"),
        Turn.of("assistant", "Grün 🐈", metadata={"mood": "glad"}),
    ),
    title="Tea",
)
LABELLED = case(labels=[{"annotator": "Ada", "turn": 0, "answer": "relevant", "at": "2026-05-08T13:56:00Z"}])
QUESTION = {"type": "case", "id": "q", "conversation": "t", "query": {"role": "user", "content": "And?"},
            "relevant": [1], "judged": [0, 1], "window": 8, "tags": ["a"]}  # fmt: skip


def damage(seed: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """The file with one to six changes."""
    data = bytearray(seed)
    for _ in range(rng.randint(1, 6)):
        start = rng.randrange(len(data) + 1)
        stop = min(len(data), start + rng.choice([1, 1, 2, 8, 40]))
        match rng.randrange(6):
            case 0:
                data[start:stop] = bytes(byte ^ 1 << rng.randrange(8) for byte in data[start:stop])
            case 1:
                del data[start:stop]
            case 2:
                data[start:start] = data[start:stop] * rng.randint(1, 3)
            case 3:
                data[start:start] = rng.choice(STRUCTURE)
            case 4:
                del data[start + (len(data) - start) // 2 :]
            case _:
                other = rng.choice(others)
                place = rng.randrange(len(other))
                data[start:stop] = other[place : place + rng.choice([4, 40, 400])]
    return bytes(data)


def replace_value(value: object, others: list[object], rng: random.Random) -> object:
    """JSON with one of its values, at any depth, replaced by one of `others`."""
    if isinstance(value, dict | list) and value and rng.random() < 0.8:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        copy = value.copy()
        copy[key] = replace_value(value[key], others, rng)
        return copy
    return rng.choice(others)


def seeds_of(format: Format) -> list[bytes]:
    """Whole files in the format: those that convgate writes, else samples."""
    if not isinstance(format, WritableFormat):
        files = [FOLDER / name for name, (known, _) in FILES.items() if known == format.name]
        samples = [value for name, value in (SAMPLES | PEOPLE).items() if name == format.name]
        contents = [file.read_bytes() for file in files if file.is_file()]
        return contents + [json.dumps(value).encode() for value in samples]
    conversations = [CONVERSATION]
    for name, text in TRANSCRIPTS.items():
        conversations += read_conversations(text.encode(), name=name).conversations
    written = [
        write_conversation(conversation, format=format.name).encode() for conversation in conversations
    ]
    if format.name in ("csv", "markdown"):
        return [*written, b"".join(written)]
    return [*written, lines(*map(json.loads, written))]


@pytest.mark.parametrize("format", FORMATS, ids=[format.name for format in FORMATS])
def test_a_damaged_transcript_is_read_or_refused(format: Format) -> None:
    rng, seeds = random.Random(format.name), seeds_of(format)
    n_read = 0
    for number in range(DAMAGED):
        data = damage(rng.choice(seeds), seeds, rng)
        for skip_bad in (False, True):
            with suppress(ConvgateError):
                options = {"format": format.name} if number % 4 == 0 else {}
                transcript = read_conversations(data, skip_bad=skip_bad, **options)
                n_read += 1
                for conversation in transcript:
                    assert documents.load(documents.dump(conversation)) == conversation
                    to_messages(conversation.turns)
                    write_conversation(conversation)
    # of JSON in one piece, nearly every damage makes a file that is none
    assert n_read > DAMAGED / 20, "almost every file was refused"


JSON_SEEDS: dict[str, list[object]] = {
    "openai": [json.loads(TRANSCRIPTS["openai.json"]), json.loads(TRANSCRIPTS["tools.json"])],
    "sharegpt": [json.loads(write_conversation(CONVERSATION, format="sharegpt"))],
    "relevance-set": [CONVERSATION_LINE, case(), QUESTION, LABELLED],
}
ODD: list[object] = [
    *(None, True, 0, -1, 1.5, 10**40, "", "x", "t", [], {}, [[]], [{}], {"": None}, [None], "2026", [[1, 2]])
]


@pytest.mark.parametrize("format", JSON_SEEDS)
def test_values_of_unexpected_types_are_read_or_refused(format: str, tmp_path: Path) -> None:
    rng, seeds, file = random.Random(format), JSON_SEEDS[format], tmp_path / "set.jsonl"
    n_read = 0
    for _ in range(DAMAGED):
        values = [replace_value(value, [*ODD, *MESSAGES, *seeds], rng) for value in seeds]
        file.write_bytes(lines(*values))
        for skip_bad in (False, True):
            with suppress(ConvgateError):
                transcript = read_conversations(file, skip_bad=skip_bad)
                n_read += 1
                for conversation in transcript:
                    assert documents.load(documents.dump(conversation)) == conversation
                    to_messages(conversation.turns)
                    write_conversation(conversation)
            with suppress(ConvgateError):
                relevance_set = read_relevance_set(file, skip_bad=skip_bad)
                for labelled in relevance_set.cases:
                    _, history = relevance_set.current(labelled)
                    assert labelled.relevant <= set(range(history.start, history.stop))
    assert n_read > DAMAGED / 10, "almost every file was refused"
