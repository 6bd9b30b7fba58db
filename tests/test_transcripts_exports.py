"""Every format that can only be read: what is recognised, and what damage leads to."""

from __future__ import annotations

import copy
import json
import shutil
import tracemalloc
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.errors import ConvgateError, TranscriptError
from convgate.transcripts import (
    FORMATS,
    ReadStoppedError,
    open_transcript,
    read_conversations,
    write_conversation,
)
from convgate.transcripts.formats.layouts import LAYOUTS
from tests.transcript_files import FILES, FOLDER, zipped


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_by_its_content(name: str) -> None:
    format, n_turns = FILES[name]
    transcript = read_conversations((FOLDER / name).read_bytes(), name="upload")
    assert (transcript.format, [len(conversation) for conversation in transcript]) == (format, n_turns)
    assert transcript.alternatives == ()
    assert transcript.summary.n_turns == sum(n_turns)
    assert transcript.summary.n_skipped == 0


def test_every_format_has_a_file() -> None:
    written = {"relevance-set", "sharegpt", "openai", "csv", "markdown", *(layout.name for layout in LAYOUTS)}
    assert {format for format, _ in FILES.values()} | written == {format.name for format in FORMATS}


@pytest.mark.parametrize("name", [name for name in FILES if FILES[name][0] != "openai"])
def test_what_was_said_can_be_written_as_openai_messages_without_what_was_thought(name: str) -> None:
    for conversation in read_conversations(FOLDER / name):
        written = write_conversation(conversation).encode()
        again = read_conversations(written).conversations[0]
        texts = [
            "\n".join(part.text for part in turn.parts if part.kind != "thinking")
            for turn in conversation.turns
        ]
        assert [turn.text for turn in again.turns] == texts


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_any_byte_may_be_wrong(name: str, data: st.DataObject) -> None:
    content = bytearray((FOLDER / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ConvgateError):  # and nothing else
        assert read_conversations(bytes(content), skip_bad=True).conversations


@pytest.mark.parametrize("name", [name for name in FILES if not name.endswith((".txt", ".md"))])
@given(data=st.data())
def test_any_field_may_hold_something_else(name: str, data: st.DataObject) -> None:
    text = (FOLDER / name).read_text()
    values = [json.loads(line) for line in text.splitlines()] if name.endswith("l") else [json.loads(text)]
    for _ in range(data.draw(st.integers(1, 3))):
        container = data.draw(st.sampled_from(list(containers(values))))
        keys = list(container) if isinstance(container, dict) else range(len(container))
        container[data.draw(st.sampled_from(keys))] = data.draw(OTHER_VALUES)
    content = "\n".join(map(json.dumps, values))
    with suppress(ConvgateError):  # and nothing else
        for conversation in read_conversations(content.encode(), format=FILES[name][0], skip_bad=True):
            assert write_conversation(conversation)


OTHER_VALUES = st.sampled_from([None, 5, True, "", "x", [], [5], {}, {"type": []}]).map(copy.deepcopy)


def containers(value: Any) -> Iterator[Any]:
    """Yield every list and object that is not empty."""
    if isinstance(value, list | dict) and value:
        yield value
        for child in value.values() if isinstance(value, dict) else value:
            yield from containers(child)


def test_files_of_several_formats_in_a_folder_are_read_and_counted(tmp_path: Path) -> None:
    for name in ("grok.json", "deepseek.json"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "notes.txt").write_text("It rains.")
    with zipfile.ZipFile(tmp_path / "more.zip", "w") as archive:
        archive.write(FOLDER / "vscode.json")
    transcript = read_conversations(tmp_path)
    assert transcript.summary.formats == {"grok": 1, "deepseek": 1}
    assert "1 deepseek" in str(transcript.summary)
    omitted = transcript.summary.omitted
    assert (omitted["zip archive"], omitted["file without a conversation"]) == (1, 1)


CHAT = json.dumps([{"role": "user", "content": "Hi"}])


def test_a_damaged_file_of_an_archive_is_a_bad_place() -> None:
    for files in ({"a.json": CHAT, "b.json": f"{CHAT}x"}, {"b.json": f"{CHAT}x"}):
        with pytest.raises(TranscriptError) as raised:
            read_conversations(zipped(files), name="x.zip")
        assert "b.json" in str(raised.value)
        assert raised.value.line == 1
    transcript = read_conversations(zipped({"a.json": CHAT, "b.json": f"{CHAT}x"}), skip_bad=True)
    assert (len(transcript), transcript.summary.n_skipped) == (1, 1)


@pytest.mark.parametrize(
    "files",
    [
        {f"{n}.json": CHAT for n in range(300)},
        {"a.json": CHAT, "b.json": CHAT.replace("{", "\n" * 300 + "{")},
    ],
    ids=["many files", "long file"],
)
def test_the_reading_of_an_archive_can_be_stopped(files: dict[str, str]) -> None:
    with pytest.raises(ReadStoppedError):
        open_transcript(zipped(files), stop=lambda: True)
    stopped = False
    reader = open_transcript(zipped(files), stop=lambda: stopped)
    stopped = True
    with pytest.raises(ReadStoppedError):
        list(reader)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_one_file_of_an_archive_is_in_memory_at_a_time(encoding: str) -> None:
    content = json.dumps([{"role": "user", "content": "x" * 1_000}] * 1_000).encode(encoding)
    peaks = []
    for n_files in (1, 8):
        data = zipped({f"{n}.json": content for n in range(n_files)})
        tracemalloc.start()
        assert sum(1 for _ in open_transcript(data)) == n_files
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
