"""Labels as files on the page Label: preview, import, export."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from tests.label_files import label, labelled_set, labels_of
from tests.label_page import (
    add_answers,
    all_entries,
    answers_of,
    error_text,
    open_label,
    position,
    saved_text,
)
from tests.label_page import label_page as label_page
from tests.page_app import HOSTILE, TURNS, add_conversation, app_store, check, click, page_text
from tests.page_app import downloads as downloads

pytestmark = pytest.mark.usefixtures("label_page")


def test_an_empty_library_takes_labels_with_their_conversations() -> None:
    app = open_label()
    other = Store(load_settings().home / "other.db")
    (added,) = Conversations(other).add([NewConversation(Conversation("Talk", TURNS, title="Talk"))])
    Labels(other).answer(CurrentKey(added.key, 7), {1: "relevant"}, by="Bo")
    check(app.button_group(key="explore.show").set_value("files").run())
    check(app.file_uploader[0].upload("labels.jsonl", write_labels(other, "relevance-set")).run())
    assert "1 label on 1 conversation, 1 of them new" in page_text(app)
    click(app, "label.import.keep")
    assert [(one.turn, one.annotator, one.value) for one in all_entries()] == [(1, "Bo", "relevant")]
    assert position(app) == (7, 6)


def test_a_file_is_previewed_imported_and_undone_as_one() -> None:
    key, other = add_conversation(), add_conversation(*TURNS[:6])
    add_answers(key, Ada={1: "relevant"})
    app = open_label(conversation=key, show="files")
    rows = [label("Ada", 1, "unsure"), label("Bo", 2, "relevant")]
    before = all_entries()
    content = labelled_set(app_store(), key, 7, *rows)
    check(app.file_uploader[0].upload(f"{HOSTILE[:9]}.jsonl", content).run())
    assert "2 labels on 1 conversation, 0 of them new. By: Ada 1, Bo 1." in page_text(app)
    assert "1 new, 0 known, 1 replace another." in page_text(app)
    assert all_entries() == before
    click(app, "label.import.keep")
    assert "2 answers" in saved_text(app)
    assert (answers_of(key), answers_of(key, "Bo")) == ({1: "unsure"}, {2: "relevant"})
    assert not app.file_uploader[0].value
    click(app, "answering.undo")
    assert all_entries() == before
    app = open_label(conversation=key, show="files")

    bad = labelled_set(app_store(), key, 7, *rows, label("Bo", 99, "relevant"), label("Bo", 3, HOSTILE))
    check(app.file_uploader[0].upload("bad.jsonl", bad).run())
    assert "2 bad places" in error_text(app)
    assert "line 2" in page_text(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    check(app.toggle(key="label.import.skip").set_value(True).run())
    assert app.button(key="label.import.keep").label == "Import 2 labels"

    lists = json.dumps({"current_turn": 5, "relevant_turns": [1]})
    check(app.file_uploader[0].upload("peer.jsonl", lists.encode()).run())
    check(app.selectbox(key="explore.conversation").set_value(other).run())
    click(app, "label.import.keep")
    assert answers_of(other, turn=5)[1] == "relevant", "of the open conversation, by who imports"


def test_exports_are_files_that_are_read_back_without_loss(downloads: dict[str, Any], tmp_path: Path) -> None:
    key = add_conversation()
    add_answers(key, Ada={1: "relevant", 2: "unsure"}, Bo={1: "not_relevant"})
    open_label(conversation=key, show="files")
    other = Store(tmp_path / "other.db")
    Conversations(other).add([NewConversation(Conversation("Talk", TURNS, title="Talk", format="openai"))])
    keep_labels(other, read_labels(labels_of(downloads["labels.jsonl"]()), other), by="Ada")
    assert sorted((replace(one, at=None) for one in Labels(other).entries()), key=repr) == all_entries()


def test_exports_are_redacted_where_that_is_chosen(downloads: dict[str, Any]) -> None:
    secret = "AKIA" + "Z7Q2" * 4  # made up
    key = add_conversation(*(Turn.of("user", f"{number}: {secret}") for number in range(8)))
    add_answers(key, Ada={1: "relevant"})
    app = open_label(conversation=key, show="files")
    names = ("labels.jsonl", "labels.csv")
    assert all(secret.encode() in downloads[name]() for name in names)
    app.checkbox(key="label.export.redact").check().run()
    assert not any(secret.encode() in downloads[name]() for name in names)
