"""Files of every format, uploaded in the Library and opened in Explore."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from convgate.core.conversation import Conversation, Turn
from convgate.store import Conversations, Store
from convgate.transcripts import FORMATS, Format, Transcript, read_conversations, write_conversation
from convgate.transcripts.registry import WritableFormat
from tests.browser.actions import go_to, upload
from tests.test_transcripts_exports import FILES, FOLDER
from tests.test_transcripts_layouts import PEOPLE, SAMPLES


def content_of(format: Format) -> bytes:
    """A file in that format: the first of `FILES`, or one that convgate writes."""
    for name, (known, _) in FILES.items():
        if known == format.name:
            return (FOLDER / name).read_bytes()
    if format.name in (layouts := SAMPLES | PEOPLE):
        return json.dumps(layouts[format.name]).encode()
    assert isinstance(format, WritableFormat), f"no file is in the format {format.name}"
    turns = Turn.of("user", f"Is this {format.name}?"), Turn.of("assistant", "It is.")
    return write_conversation(Conversation("mine", turns), format=format.name).encode()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """By name: a file in each format, and archives."""
    archive = shutil.make_archive(str(tmp_path_factory.mktemp("formats") / "slack"), "zip", FOLDER / "slack")
    # The names do not end in what says which format it is.
    named = {f"{format.name}.upload": content_of(format) for format in FORMATS}
    return {**named, "archive.upload": Path(archive).read_bytes()}


def expect_turns(page: Page, conversation: Conversation) -> None:
    """Explore shows every turn of the conversation, without the signs of Markdown."""
    rows = page.locator(".row")
    expect(rows).to_have_count(len(conversation))
    for row, turn in zip(rows.all(), conversation.turns, strict=True):
        first, shown = (re.findall(r"\w+", text) for text in (turn.scored_text, row.inner_text()))
        assert " ".join(first[:3]) in " ".join(shown)


def test_every_format_is_previewed_added_and_shown(
    go_to_address: Callable[[str], Page], app_home: Path, files: dict[str, bytes]
) -> None:
    page = go_to_address("/")
    transcripts: dict[str, Transcript] = {
        name: read_conversations(content, name=name) for name, content in files.items()
    }
    labels = {format.name: format.label for format in FORMATS}
    upload(page, files)

    expect(page.get_by_test_id("stCheckbox").filter(has_text="Redact secrets").first).to_be_visible()
    previews = "\n".join(page.get_by_test_id("stMarkdown").all_inner_texts()).replace("\u2060", "")
    for name, transcript in transcripts.items():
        assert f"{name} · {labels[transcript.format]} · {transcript.summary}" in previews
    total = sum(map(len, transcripts.values()))
    page.get_by_role("button", name=f"Add {total} conversations").click()
    expect(page.get_by_test_id("stAlertContentSuccess")).to_be_visible()

    store = Store(app_home / "convgate.db")
    library = Conversations(store)
    added = {row.origin: row for row in library.find(per_page=200).rows if row.origin in files}
    assert set(added) == set(files)
    for row in added.values():
        go_to(page, f"/Explore?conversation={row.key}&policy=last_k(k=1000)")  # which folds no turns
        conversation = library.get(row.key).conversation
        assert conversation.turns in [read.turns for read in transcripts[row.origin]]
        expect_turns(page, conversation)
    store.close()


def test_a_single_conversation_is_added_and_opened_with_one_click(
    go_to_address: Callable[[str], Page],
) -> None:
    page = go_to_address("/")
    content = b"user: Does the ferry sail in winter?\nassistant: Only on Sundays."
    upload(page, {"ferry.upload": content})
    page.get_by_role("button", name="Add and open").click()
    expect_turns(page, read_conversations(content).conversations[0])
